# SPDX-License-Identifier: BSD-2-Clause
# What tests of sonde export share: an exporter, and what a scraper reads of it. Read in a guest, after lib.sh.

url=http://127.0.0.1:9435/metrics

# Fetches a page into the file page.
scrape() {
	wget -qO page "$url" || fail "no page: $(cat err)"
}

# value SERIES: prints its value on the page, "none" if it is not there.
value() {
	awk -v series="$1" '
		substr($0, 1, length(series) + 1) == series " " { print $NF; found = 1 }
		END { if (!found) print "none" }' page
}

# expect_value SERIES VALUE
expect_value() {
	[ "$(value "$1")" = "$2" ] || fail "$1 is $(value "$1"), not $2: $(grep "^${1%%\{*}" page)"
}

# has_value SERIES VALUE: true if the series has this value now.
has_value() {
	scrape
	[ "$(value "$1")" = "$2" ]
}

# export_start LINE...: the exporter serves these lines.
export_start() {
	start sonde export "$@"
	[ "$(cat err)" = "Exporting $(lines $#) at $url. Hit Ctrl-C to end." ] || fail "it said: $(cat err)"
}

lines() {
	[ "$1" = 1 ] && echo '1 line' || echo "$1 lines"
}

export_stop() {
	stop TERM
	expect_exit 0
	[ ! -s out ] || fail "something on stdout"
}
