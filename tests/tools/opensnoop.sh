# SPDX-License-Identifier: BSD-2-Clause
# sonde opensnoop: its rows must be the opens that the workload reports (tests/programs/opens.c).
# of file: kernels=one

os() {
	run sonde opensnoop "$@"
}

# Splits out into what the workload reports (told) and what sonde shows, without the heading.
take_apart() {
	expect_exit 0
	! grep -v '^Tracing ' err || fail "stderr says more"
	grep '^did ' out > told || fail "nothing was opened"
	grep -v -e '^did ' -e '^TIME(s) ' -e '^UID ' -e '^PID ' out > shown || fail "nothing was shown"
}

# Turns told into rows as the table has them. $1: an awk expression that selects opens (default:
# all); it can use has(FLAG).
as_rows() {
	awk -F '\t' 'function has(flag) { return int($6 / flag) % 2 }
		'"${1:-1}"' { printf "%-6d %-16s %4d %3d %s\n", $2, "opens", $8, $9, ('"${2:-\$13}"') }' told > wanted
}

same() {
	[ -s wanted ] || fail "nothing to compare with"
	diff wanted "${1:-shown}" > difference ||
		fail "rows differ (- told, + shown): $(head -n 9 difference | cut -c 1-300)"
}

# kernels=all arch=yes
test_opens_as_they_are() {
	os --timestamp -U -e -- opens each-kind
	take_apart
	expect_line '^TIME\(s\)      UID    PID    COMM               FD ERR FLAGS    PATH$'
	! grep -vE '^[0-9]+\.[0-9]{6} {1,10} ' shown || fail "not a time"
	sort -n -c shown || fail "not in order"
	sed 's/^[^ ]* *//' shown > rows
	awk -F '\t' '{ printf "%-6d %-6d %-16s %4d %3d %08o %s\n", $5, $2, "opens", $8, $9, $6, $13 }' told > wanted
	same rows
}

test_time_and_names() {
	os -T -v -- opens each-kind
	expect_exit 0
	expect_line '^TIME     PID    COMM               FD ERR ERROR        PATH$'
	expect_line '^[0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]+ +opens +-1   2 ENOENT       [^ ]'
	expect_line '^[0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]+ +opens +[0-9]+   0 -            [^ ]'
}

test_opens_as_data() {
	os --json -F -- opens each-kind
	take_apart
	expect_json pid tid ppid uid comm flags mode fd errno error path full_path
	awk -F '\t' -v OFS='\t' '{ print $2, $3, $4, $5, "opens", $6, $7, $8, $9, $10, $11, $12 }' told > wanted
	same rows
	expect_json boot_ns time
	sort -n -c rows || fail "not in order"
	! grep -v "	$(date +%Y)-[0-9-]\{5\}T[0-9:.]\{15\}+00:00$" rows || fail "not a time"
}

test_only_some() {
	os -x -- opens each-kind
	take_apart
	expect_line '^PID    COMM               FD ERR PATH$'
	as_rows '$8 < 0'
	same
	os -f O_WRONLY -- opens each-kind
	take_apart
	as_rows '$6 % 4 == 1'
	same
	os --flag_filter O_RDWR -f O_EXCL -f O_SYNC -f O_TMPFILE -f O_PATH -- opens each-kind
	take_apart
	as_rows '$6 % 4 == 2 || has(128) || has(1048576) || has(4194304) || has(2097152)'
	same
	os -u user -U -- opens each-kind
	take_apart
	as_rows '$5 == 1000'
	sed -i 's/^/1000   /' wanted
	same
}

# One process among others; one of its threads; by name.
# kernels=ends
test_of_whom() {
	for option in -p -t; do
		gate opens -t 2 30 /dev/null
		start sonde opensnoop $option "$gated"
		opens 10 /dev/null > others
		open_gate
		stop INT
		expect_exit 0
		[ "$(skipped)" = 0 ] || skip "the kernel skipped hits"
		n=$(grep -cE "^$gated +opens +[0-9]+ +0 /dev/null$" out) || :
		[ "$n" = "$([ $option = -p ] && echo 60 || echo 30)" ] || fail "$n rows"
		[ "$(wc -l < out)" = $((n + 1)) ] || fail "others too"
	done
	cp /bin/opens myopens
	start sonde opensnoop -n open
	head -n 1 /etc/passwd > others
	opens 3 /dev/null > others
	./myopens 5 /dev/null > others
	stop INT
	expect_exit 0
	[ "$(skipped)" = 0 ] || skip "the kernel skipped hits"
	[ "$(grep -c ' opens .*/dev/null$' out) $(grep -c ' myopens .*/dev/null$' out) $(wc -l < out)" = '3 5 9' ] ||
		fail "rows: $(cat out)"
}

# The kernel keeps 15 bytes of a name: a longer one is compared by these.
test_by_long_name() {
	cp /bin/opens long-name-of-a-program
	os -n long-name-of-a-program -- sh -c './long-name-of-a-program 5 /dev/null; opens 3 /dev/null'
	expect_exit 0
	[ "$(grep -c ' long-name-of-a- .*/dev/null$' out) $(grep -c 'null$' out)" = '5 5' ] || fail "not five rows"
}

# With -F a path begins as in getcwd(2), whatever is mounted on the way; a removed directory is
# shown where it was.
# kernels=ends
test_full_paths() {
	deep=deep$(printf '/%.0s0123456789' $(seq 30))
	mkdir -p a/b "$deep" mnt bind
	mount -t tmpfs x mnt
	mkdir -p mnt/inner/mnt
	mount -t tmpfs y mnt/inner/mnt
	mkdir mnt/inner/mnt/x
	mount --bind a bind
	os -F --comm opens -- sh -c 'opens relative-to "$@"; opens removed a/b' sh \
		a a/b "$deep" mnt mnt/inner mnt/inner/mnt mnt/inner/mnt/x bind bind/b / /dev
	umount mnt/inner/mnt mnt bind
	take_apart
	as_rows 1 '$14'
	same
}

# Long names, and more directories than are read: the row has those that were read, and shows that
# there are more.
# kernels=ends
test_full_paths_long() {
	deep=top$(printf '/%.0sd' $(seq 100))
	name=$(printf '%0255d' 0)
	long=long$(printf "/%.0s$name" $(seq 15))
	mkdir -p "$deep" "$long"
	os --json -F --comm opens -- sh -c 'opens relative-to "$0"; opens removed "$1"' "$deep" "$long"
	take_apart
	expect_json path full_path
	awk -F '\t' '
		$12 ~ /d\/(file|none)$/ { $12 = "..." substr($12, length($12) - 132) }
		{ print $11 "\t" $12 }' told > wanted
	[ "$(grep -c '	\.\.\.\(/d\)\{64\}/' wanted)" = 2 ] || fail "not two are cut"
	same rows
	os -F -- opens relative-to "$deep"
	take_apart
	as_rows 1 '$14 ~ /d\/(file|none)$/ ? "..." substr($14, length($14) - 132) : $14'
	same
}

test_flags_that_are_none() {
	os -f O_CREATE
	expect_exit 2
	expect_err "option -f 'O_CREATE': .*'O_CREATE' \(did you mean O_CREAT\?\)"
	os -f wronly
	expect_exit 2
	expect_err "option -f 'wronly': "
}
