# SPDX-License-Identifier: BSD-2-Clause
# Long tests of the exporter as a service: tests/bench/service/run runs them in guests.
. /tests/export-systemd.sh

# work: calls functions that nobody else calls, until a file "enough" exists.
work() {
	while [ ! -e enough ]; do
		calls 500 getpgid 1 nanosleep
	done > did
}

begin() {
	serve "funccount $getpgid as pgids" 'funclatency --comm calls hrtimer_nanosleep as naps_seconds' runqlat
	page
	series=$(grep -o '^pgids[a-z_]*{[^}]*}' page)
	naps=$(grep -o '^naps_seconds_count[^ ]*' page)
	calls_seen=0 naps_seen=0
	work &
	working=$!
}

# go_on: the counters never go back.
go_on() {
	page
	now=$(value "$series")
	[ "$now" -ge "$calls_seen" ] || { journal; fail "$1: $now calls after $calls_seen"; }
	calls_seen=$now
	now=$(value "$naps")
	[ "$now" -ge "$naps_seen" ] || { journal; fail "$1: $now naps after $naps_seen"; }
	naps_seen=$now
}

# missed: the hits of the line with the times that the kernel skipped. On 7.2 a probe misses what it preempts.
missed() {
	awk 'index($0, "sonde_missed_hits_total{line=\"funclatency") == 1 { n += $NF } END { print n + 0 }' page
}

# expect_all: the counters are what the workload did, to the last call. To a plain count what was missed is added; with
# a filter nobody knows whose hits those were.
expect_all() {
	: > enough
	wait "$working"
	page
	calls=$(add_up 3 did '$2 == "getpgid"') all=$(add_up 3 did '$2 == "nanosleep"')
	expect_value "$series" "$calls"
	now=$(value "$naps") missed=$(missed)
	[ "$now" -le "$all" ] && [ "$now" -ge $((all - missed)) ] || fail "$now of $all naps, $missed missed"
	echo "@@ $1: $calls calls and $now of $all naps, as the workload says; $missed hits missed" > /dev/console
}

# timeout=3000 image=systemd
test_restarts() {
	begin
	for i in $(seq 100); do
		peer systemctl restart sonde-export || { journal; fail "restart $i"; }
		go_on "restart $i"
	done
	expect_all "100 restarts"
	end
}

# Another line of the file comes and goes.
# timeout=1800 image=systemd
test_reloads() {
	begin
	cp $image/etc/sonde/metrics.conf plain
	for i in $(seq 10); do
		for more in vfsstat ''; do
			{ cat plain && echo "$more"; } > $image/etc/sonde/metrics.conf
			peer systemctl reload sonde-export || fail "reload $i"
			wait_until 60 has_lines $((3 + ${#more} / 7)) || { journal; fail "reload $i changes nothing"; }
			go_on "reload $i"
		done
	done
	expect_all "20 reloads"
	end
}

has_lines() {
	page
	[ "$(grep -c '^sonde_line_up{.*} 1$' page)" = "$1" ]
}

# timeout=3000 image=systemd
test_upgrades() {
	begin
	version=$(sonde --version)
	for i in 1 2 3 4 5; do
		for to in other sonde; do
			package -i /guest/$to.deb
			go_on "upgrade $i to $to"
			[ $to = other ] && is=$(peer sonde --version) || is=$version
			[ $to = sonde ] || [ "$is" != "$version" ] || fail "the other version is the same"
			runs=$(peer systemctl show -P MainPID sonde-export)
			grep -q "^sonde_build_info{.*version=\"$(echo "$is" | sed 's/sonde //; s/ .*//')\"" page ||
				fail "$is does not run: $(grep build_info page)"
		done
	done
	expect_all "10 upgrades"
	end
}

# Under load, no scrape fails, and what the queries say is what the workload says.
# timeout=5000 image=systemd
test_scraped() {
	begin
	prometheus
	spin > spun &
	spinning=$!
	read -r began _ < /proc/uptime
	while read -r now _ < /proc/uptime && [ $((${now%.*} - ${began%.*})) -lt $((@MINUTES@ * 60)) ]; do
		sleep 5
	done
	expect_all "@MINUTES@ minutes"
	kill $spinning
	wait $spinning || :
	wait_until 60 answers "{__name__=\"${series%%[{ ]*}\"} >= $calls" || fail "$(query '{__name__=~"pgids.*"}')"
	[ "$(cat answer)" = "$calls" ] || fail "Prometheus counts $(cat answer), not $calls"
	[ "$(query naps_seconds_count)" = "$now" ] || fail "$(query naps_seconds_count) naps, not $now"
	[ "$(query 'min_over_time(up[2h])')" = 1 ] || fail "a scrape failed"
	# histogram_quantile() and the page's own buckets must agree on where the quantile is
	for quantile in 0.5 0.9 0.99; do
		query "histogram_quantile($quantile, naps_seconds_bucket)" > quantile
		awk -v q=$quantile -v all="$now" -F '[" ]' '
			FILENAME == "quantile" { is = $1; next }
			/^naps_seconds_bucket/ && !high { if ($NF >= q * all) high = $2; else low = $2 }
			END { print "quantile", q, is, "between", low, high; exit !(is >= low + 0 && is <= high) }' \
			quantile page > compared || fail "$(cat compared)"
		echo "@@ $(cat compared)" > /dev/console
	done
	slowest=$(query 'max_over_time(scrape_duration_seconds[2h])')
	echo "@@ $(query 'count_over_time(up[2h])') scrapes, the slowest $slowest s" > /dev/console
	end
}
