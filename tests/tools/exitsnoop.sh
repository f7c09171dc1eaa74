# SPDX-License-Identifier: BSD-2-Clause
# sonde exitsnoop: its rows must be what wait(2) reported of each process (tests/programs/exits.c).

# Turns the workload's lines into "COMM PID PPID TID CODE SIGNAL NAME CORE" in dids, and the bounds
# of two other columns in ranges. -x: without processes that exited with 0.
did_exits() {
	sed -n 's/^did exit //p' out | awk -v failed="${1:-}" 'failed == "" || $5 != "0"' > facts
	cut -d ' ' -f 1-8 facts > dids
	cut -d ' ' -f 9- facts > ranges
	[ -s dids ] || fail "the workload did nothing"
}

# expect_text [-x]: compares the rows, without headings, in the columns that are always there.
# EXIT_CODE is split again.
expect_text() {
	did_exits "${1:-}"
	sed '/^did /d; 1d' out > text
	awk '
		{ code = $6 == "code" ? $7 : $6 == "signal" ? "null" : $6; signal = "null"; name = "null" }
		$6 == "signal" { signal = $7; name = "SIG" substr($8, 2); sub(/\).*/, "", name) }
		{ print $1, $2, $3, $4, code, signal, name, /, core dumped$/ ? "true" : "false" }' text > seen
	expect_dids
	awk '{ print $5 }' text | paste -d ' ' ranges - > between
	awk '$7 !~ /^[0-9]+\.[0-9][0-9]$/ || $7 < $1 / 1e9 - 0.006 || $7 > $2 / 1e9 + 0.006' between > wrong
	[ ! -s wrong ] || fail "an age is wrong: $(head -n 1 wrong)"
}

expect_exits_json() {
	did_exits "${1:-}"
	expect_json comm pid ppid tid exit_code signal signal_name core_dumped age_ns boot_ns time
	tr '\t' ' ' < rows | cut -d ' ' -f 1-8 > seen
	expect_dids
	cut -f 9- rows | tr '\t' ' ' | paste -d ' ' ranges - > between
	# numbers beyond 2^53 are close enough
	awk '
		function outside(value, least, most) { return value < least || value > most }
		outside($7, $1, $2) || outside($8, $3, $4) || outside(substr($9, 1, 26), $5, $6) || $9 !~ /\+00:00$/
		' between > wrong
	[ ! -s wrong ] || fail "an age or a time is wrong: $(head -n 1 wrong)"
}

# kernels=all
test_ways_to_end() {
	run sonde exitsnoop --fail-on-loss -- exits all
	expect_exit 0
	expect_heading 'PCOMM            PID     PPID    TID     AGE(s)  EXIT_CODE'
	expect_text
	expect_line 'signal 9 \(KILL\)$'
	expect_err 'Tracing exits'
}

# kernels=one
test_ways_to_end_json() {
	run sonde exitsnoop --fail-on-loss --json -- exits all
	expect_exit 0
	expect_exits_json
	grep -q ' true$' dids || skip "no core was written here"
}

# kernels=one
test_failed() {
	run sonde exitsnoop -x --fail-on-loss -- exits all
	expect_exit 0
	expect_text -x
	expect_no_line ' 0$'
}

# cpus=2
test_burst() {
	run sonde exitsnoop --fail-on-loss --json -- exits burst 200
	none_lost 201 || return 0
	sed -n 's/^did exit //p' out | cut -d ' ' -f 1-8 | sort > dids
	[ "$(wc -l < dids)" -eq 201 ] || fail "not all was done"
	expect_json comm pid ppid tid exit_code signal signal_name core_dumped
	tr '\t' ' ' < rows | sort > seen
	expect_dids
}

# Two threads that exit at the same moment are the end of one process.
# cpus=2
test_last_two_at_once() {
	run sonde exitsnoop --fail-on-loss --json -- exits race 100
	none_lost 101 || return 0
	[ "$(grep -c '^did ' out)" -eq 101 ] || fail "not all was done"
	expect_exits_json
}

test_per_thread() {
	run sonde exitsnoop --per-thread --fail-on-loss --json -- exits threads
	expect_exit 0
	[ "$(grep -c '^did ' out)" -eq 4 ] || fail "not all was done"
	expect_exits_json
	run sonde exitsnoop --per-thread -x -- exits threads
	expect_exit 0
	expect_text -x
}

# The first thread gives a process its name, whichever thread ends last. A thread has its own name.
# kernels=one
test_comm() {
	run sonde exitsnoop --comm first -- exits all
	expect_exit 0
	sed -i '/^did exit [^f]/d' out
	expect_text
	run sonde exitsnoop --per-thread --comm thread1 -- exits threads
	expect_exit 0
	sed -i '/^did exit [^t]/d; /^did exit thread[^1]/d' out
	expect_text
}

# With --tid, that thread's exit is shown.
# kernels=one
test_tid() {
	kills target > target &
	wait_until 10 test -s target || fail "no threads"
	read -r pid tid < target
	start sonde exitsnoop --tid "$tid" --json
	kill -KILL "$pid"
	wait_until 10 test -s out || fail "no row"
	stop INT
	expect_exit 0
	expect_json comm pid tid exit_code signal
	[ "$(cat rows)" = "$(printf 'kills\t%d\t%d\tnull\t9' "$pid" "$tid")" ] || fail "another row"
}

test_pidns() {
	run unshare -pf --mount-proc sonde exitsnoop --pidns --json -- exits all
	expect_exit 0
	expect_exits_json
}

# The exit of a thread is shown only on request.
# kernels=one
test_columns() {
	run env TZ=CET-1 sonde exitsnoop -T --label here -- exits threads
	expect_exit 0
	expect_heading 'TIME-CET     LABEL PCOMM            PID     PPID    TID     AGE(s)  EXIT_CODE'
	[ "$(grep -vc '^did ' out)" -eq 2 ] || fail "not one row"
	number='[0-9]+'
	expect_line "^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3} here  exits( +$number){3} +$number\.[0-9][0-9] +0$"
	run env TZ=CET-1 sonde exitsnoop --utc --json --label 'a"b' -- true
	expect_json label time
	grep -qE "^a\"b	$(date -u +%Y-%m)-.*\+00:00$" rows || fail "another label or time zone: $(cat rows)"
}

test_kernel_thread() {
	# the kernel starts the program that loads a module as one of its own threads, and there is
	# no such program here
	start sonde exitsnoop
	! mount -t nosuchfs none /tmp 2> /dev/null || fail "what was mounted?"
	stop INT
	expect_exit 0
	expect_line '^kworker/[^ ]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+\.[0-9][0-9] +0$'
}

# kernels=one
test_errors() {
	run sonde exitsnoop 17
	expect_exit 2
	expect_one_err "unexpected argument '17'"
	run sonde exitsnoop --label
	expect_exit 2
	expect_err label
	run sonde exitsnoop -p 4000000
	expect_exit 1
	expect_one_err 'there is no process 4000000'
}
