# SPDX-License-Identifier: BSD-2-Clause
# sonde report: what it says of recordings whose sums are known (tests/record/recordings.c), and of files that are none.

b=$0/${B:-build}
case ${B:-build} in /*) b=$B ;; esac
. "$0/tests/convert/query.sh"

# record FILE TURNS CALL_US [MOVED_US]
record() {
	[ -x "$b/recordings" ] || skip "there is no $b/recordings"
	"$b/recordings" "$@" || fail "recordings: $?"
}

test_report_summary() {
	record sonde.trace 1000 100
	run sonde report
	expect_exit 0
	expect_line '^recordings$'
	expect_line '2 processors, 14000 events, node, Linux 6.12.0$'
	# each runs 500 us and waits 110 us in each turn, 10 of them since it was woken
	expect_line '^worker +1000 +500\.0 +110\.0 .* 2000 +1000$'
	expect_line '^worker +1001 +500\.0 +110\.0 .* 2000 +1000$'
	expect_line '^read +2000 +0 +200\.0 +100\.0 +100\.0$'
	expect_line '^switch +8000$'
	[ "$(awk 'length > 80' out | wc -l)" = 0 ] || fail "wider than 80 columns"
	[ ! -s err ] || fail "something on stderr"
	run sonde report --json --top 1
	expect_json
	run sonde report --json
	expect_json
	expect_line '"table":"syscalls","syscall":"read","count":2000,"errors":0,"total_ns":200000000,"avg_ns":100000,'
	run sonde report --csv
	[ "$(wc -l < out)" = 4 ] || fail "$(wc -l < out) lines of CSV, not 4"
	expect_line '^threads,worker,1001,1000,500000000,'
	run sonde report --top 1
	expect_no_line 'worker +1001'
	expect_line '^2 more$'
}

test_report_timeline() {
	record x.trace 3 100
	run sonde report x.trace timeline
	expect_exit 0
	[ "$(wc -l < out)" = 43 ] || fail "$(wc -l < out) lines, not 43"
	expect_line 'worker-1001 \[001\] .* sys_enter +syscall=read args=0x3$'
	expect_line 'worker-1000 \[000\] .* switch +prev=worker-1000 next=\?-7 prev_state=R\+$'
	run sonde report --json timeline x.trace
	expect_json
	expect_line '"kind":"switch","fields":\{"prev":1000,"next":0,"prev_state":"S","syscall":"nanosleep"\},"lost":null\}'
	record x.trace 100000 100
	sonde report x.trace timeline 2> err | head -n 5 > out
	[ "$(wc -l < out)" = 5 ] || fail "$(wc -l < out) lines, not 5"
	[ ! -s err ] || fail "it did not end quietly: $(cat err)"
}

test_report_diff() {
	record old.trace 1000 100
	record new.trace 1000 300
	run sonde report new.trace diff old.trace
	expect_exit 0
	expect_line '^run +worker +1000\.0 +1400\.0 +\+400\.0 +\+40% +4000$'
	expect_line '^syscall +read +200\.0 +600\.0 +\+400\.0 +\+200% +2000$'
	run sonde report new.trace diff
	expect_exit 2
	expect_err 'diff needs another recording'
	run sonde report new.trace diff nowhere.trace
	expect_exit 1
	expect_one_err 'nowhere.trace'
}

test_report_files() {
	record x.trace 1000 100
	run sonde report x.trace --folded folded --flame wall.svg
	expect_exit 0
	[ ! -s out ] || fail "a table as well"
	# the last of 1000 wake-ups of each is not followed by a switch
	grep -qx 'worker;\[running\] 1000000' folded || fail "$(cat folded)"
	grep -qx 'worker;\[processor\] 219980' folded || fail "$(cat folded)"
	grep -q '^worker;\[sleep\];nanosleep ' folded || fail "$(cat folded)"
	grep -q '<svg' wall.svg || fail "no picture"
	run sonde report x.trace --folded folded
	expect_exit 1
	expect_one_err 'folded exists: --overwrite replaces it'
	run sonde report x.trace --folded folded --force
	expect_exit 0
	run sonde report x.trace --folded - timeline
	expect_exit 2
}

test_report_cut() {
	record x.trace 1000 100
	head -c 200000 x.trace > cut.trace
	run sonde report cut.trace
	expect_exit 0
	expect_line '^worker '
	expect_one_err '^sonde report: cut.trace: it ends within a section: the recording was cut off$'
}

# The last chunk is damaged: no later one shows that numbers are missing, but the end does.
test_report_damaged() {
	record x.trace 1000 100
	# the end is 56 bytes and the clocks before it 40; the chunk before ends with whole records
	dd if=/dev/zero of=x.trace bs=1 seek=$(($(stat -c %s x.trace) - 150)) count=40 conv=notrunc 2> /dev/null
	run sonde report x.trace
	expect_exit 0
	expect_err '^sonde report: x.trace: parts of it are damaged$'
	expect_err '^sonde report: x.trace: it has 13993 events, with those lost, but its end says 14000$'
	record y.trace 1000 100
	run sonde report y.trace
	[ ! -s err ] || fail "something on stderr"
}

test_report_refuses() {
	run sonde report
	expect_exit 1
	expect_one_err 'sonde.trace'
	record x.trace 1 100
	head -c 12 x.trace > some.trace
	run sonde report some.trace
	expect_exit 1
	expect_one_err 'some.trace ends in its header$'
	head -c 64 x.trace > some.trace
	run sonde report some.trace
	expect_exit 0
	expect_line '^0\.000 s, 0 processors, 0 events$'
	expect_one_err 'the recording was cut off$'
	: > empty.trace
	run sonde report empty.trace
	expect_exit 1
	expect_one_err 'empty.trace is empty$'
	run sonde report "$0/README.md"
	expect_exit 1
	expect_one_err 'is not a recording of sonde$'
	run sonde report /dev/zero
	expect_exit 1
	expect_one_err '/dev/zero'
	run sonde report a b
	expect_exit 2
}

# Only a command has an end to go back from: else there is the page without a path. tests/tools/why_path.sh has one.
test_report_why() {
	record x.trace 100 100
	run sonde report x.trace why
	expect_exit 0
	expect_line '^ALL THREADS'
	expect_no_line 'THE PATH'
	# who was preempted has waited there for 80 us of 100, or for 20 and was moved
	record y.trace 100 100 20
	run sonde report y.trace why
	expect_line '^  processor .* behind other 0\.020$'
	record z.trace 100 100 80
	run sonde report z.trace why
	expect_line '^  processor .* behind \? 0\.020$'
	head -c 64 x.trace > some.trace
	run sonde report some.trace why
	expect_exit 1
	expect_one_err 'the recording has no switches$'
}

# Perfetto's critical path of the same recording: in a tree of processes that all run, both name the same ones. (Where
# threads sleep, Perfetto takes whoever an interrupt came upon for the waker.)
as_perfetto() {
	run sonde record --force -o tree.trace -- "$b/tests/stages" tree c20000 c30000 c20000
	expect_exit 0
	run sonde report tree.trace why --json --top 0
	expect_exit 0
	sed -n 's/.*"kind":"path process","cause":"running.*"comm":"\(stage[0-9]\)".*"ns":\([0-9]*\),.*/\1 \2/p' out |
		awk '{ ns[$1] += $2 } END { for (stage in ns) printf "%s %d\n", stage, ns[stage] }' | sort > ours
	[ "$(wc -l < ours)" = 3 ] || fail "not 3 stages: $(cat out)"
	run sonde report tree.trace --force --perfetto tree.pftrace
	expect_exit 0
	query tree.pftrace "
		INCLUDE PERFETTO MODULE sched.thread_executing_span;
		SELECT name, sum(max(0, min(cp.ts + cp.dur, ts.ts + ts.dur) - max(cp.ts, ts.ts)))
		FROM _thread_executing_span_critical_path(
			(SELECT utid FROM thread WHERE name = 'stages'),
			(SELECT min(ts) FROM thread_state), (SELECT max(ts) - min(ts) FROM thread_state)) cp
		JOIN thread USING (utid)
		JOIN thread_state ts ON ts.utid = cp.utid AND ts.ts < cp.ts + cp.dur AND ts.ts + ts.dur > cp.ts
		WHERE ts.state = 'Running' AND name GLOB 'stage[0-9]' GROUP BY 1 ORDER BY 1" > theirs
	# a parent does 1 ms of its own while its child works
	tr '|' ' ' < theirs | paste -d ' ' ours - | awk '
		{ d = $2 - $4; if ($1 != $3 || d > 3000000 || d < -3000000) print }
		END { if (NR != 3) print NR " stages" }' > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# slow=yes
test_report_why_as_perfetto() {
	needs_trace_processor
	[ -x "$b/tests/stages" ] || skip "there is no $b/tests/stages"
	one_of_three as_perfetto
}
