# SPDX-License-Identifier: BSD-2-Clause
# sonde funclatency: by each mechanism it must measure the time that the workload took, and report
# what it could not measure.
# of file: kernels=one

fl() {
	run sonde funclatency "$@"
}

# Reads the workload's facts from one line "did WHAT CALLS LEAST MOST".
facts() {
	read -r calls least most <<-END
		$(sed -n 's/^did [a-z]* //p' out)
	END
	[ "$most" ] || fail "the workload said nothing"
}

# expect_total: $count calls took $total ns, within what the workload said.
expect_total() {
	[ "$total" -ge "${1:-$least}" ] && [ "$total" -le "$most" ] || fail "$total ns, not from $least to $most"
}

# slower_than NS: how many values of the JSON in objects are in buckets that end there or later.
slower_than() {
	json buckets < objects | tr '}' '\n' | sed -n 's/.*"max":\([0-9]*\),"count":\([0-9]*\).*/\1 \2/p' > ends
	add_up 2 ends "\$1 >= $1"
}

# expect_laps FUNC [LEAST-OF-ONE]: checks the JSON of one function: each call is counted once, the
# sum is the time that they took, and none is shorter than LEAST-OF-ONE. The smallest bucket may
# begin below its smallest value, but not end there.
expect_laps() {
	facts
	expect_json func unit count total
	awk -v f="$1" -F '\t' '$1 == f || f == "null" { print $3, $4 }' rows > measured
	read -r count total < measured || fail "no row of $1"
	[ "$count" = "$calls" ] || told_apart || fail "$count calls of $calls"
	expect_total $((least / calls * count))
	json buckets < objects | tr '}' '\n' | sed -n 's/.*"max":\([0-9]*\),.*/\1/p' > ends
	[ -s ends ] || fail "no buckets"
	awk -v least="${2:-0}" '$1 < least { print "a bucket ends at", $1; bad = 1 } END { exit bad }' ends ||
		fail "shorter than $2"
}

# A kretprobe sees at most as many calls at a time as there are processors, and another process may
# be asleep in one: what it misses must be reported.
told_apart() {
	sed -n 's/.* \([0-9]*\) \(calls* not measured\|hits* missed\|returns* missed\).*/\1/p' err > missing
	[ "$mechanism" = kprobe ] && [ "$count" -lt "$calls" ] && [ $((count + $(add_up 1 missing))) -ge "$calls" ]
}

naps() {
	mechanism=$1
	has "$1" || { refused_latency "$1" hrtimer_nanosleep; return 0; }
	fl -j -F --mechanism "$1" hrtimer_nanosleep -- laps nap 20 2000
	expect_exit 0
	expect_laps hrtimer_nanosleep 2000000
}

refused_latency() {
	fl --mechanism "$@" -- laps nap 1
	expect_exit 1
	expect_one_err "$1"
}

# kernels=all
test_naps_fentry() {
	naps fentry
}

# kernels=ends
test_naps_fentry_multi() {
	naps fentry.multi
	has fentry.multi || return 0
	fl -j -F --mechanism fentry.multi 'hrtimer_nano*' 'vfs_re*' -- laps nap 20 2000
	expect_json func count
	grep -q '^hrtimer_nanosleep.20$' rows || fail "of many functions: $(cat rows)"
}

# kernels=all
test_naps_kprobe_multi() {
	naps kprobe.multi
}

# kernels=all
test_naps_kprobe() {
	naps kprobe
}

# kernels=ends
test_naps_auto() {
	mechanism=auto
	fl -j -F hrtimer_nanosleep -- laps nap 20 2000
	expect_laps hrtimer_nanosleep 2000000
	[ ! -s err ] || [ "$(wc -l < err)" = 1 ] || fail "more was said"
}

spins() {
	has "$1" || { refused_latency "$1" u:/bin/laps:lap_spin; return 0; }
	fl -j -F --mechanism "$1" u:/bin/laps:lap_spin -- laps spin 20 2000
	expect_exit 0
	facts
	expect_json func count total
	# the probe's own time is in the workload's sum and hardly in ours, and no call is shorter
	read -r func count total < rows
	[ "$func $count" = "lap_spin 20" ] || fail "$(cat rows)"
	expect_total
}

# kernels=all
test_spins_uprobe() {
	spins uprobe
}

# kernels=all
test_spins_uprobe_multi() {
	spins uprobe.multi
}

# Two processes wait for each other: as many reads as there are passes take as long as the answer,
# which is given only to a process that already waits for it.
test_ping_pong() {
	fl -j -F vfs_read -- laps pass 30 2000
	expect_exit 0
	facts
	expect_json count buckets
	slow=$(slower_than 2000000)
	# the child waits as well, for the next byte: it has the rest of the time
	[ "$slow" -ge 30 ] && [ "$slow" -le 61 ] || fail "$slow reads took as long as an answer"
}

# 50 nested calls: no two of them take the same time, to a step that is shorter than the work of a
# level. The last of the 256 steps holds everything longer; it stays empty unless the longest call,
# of which MOST is 50 times as much, is longer.
recursion() {
	fl -j -F --mechanism "$1" --linear 900000 u:/bin/laps:lap_dive -- laps dive 50 1000
	expect_exit 0
	facts
	expect_json count total buckets
	read -r count total buckets < rows
	[ "$count" = 50 ] || fail "$count calls"
	expect_total
	echo "$buckets" | tr '}' '\n' | grep '"count":' > each
	if [ $((most / 50)) -lt $((255 * 900000)) ]; then
		[ "$(grep -c '"count":1$' each)" = 50 ]
	else
		! grep -v -e '"count":1$' -e '"max":null,' each
	fi || fail "not nested strictly: $buckets"
}

# kernels=ends
test_recursion() {
	recursion auto
	recursion uprobe
}

# Both functions have the same frame: the jump makes no new one.
# kernels=ends arch=yes
test_tail_call() {
	fl -j -F u:/bin/laps:lap_tail u:/bin/laps:lap_tailed -- laps tail 30
	expect_exit 0
	expect_json func count
	sort rows > sorted
	printf 'lap_tail\t30\nlap_tailed\t30\n' | cmp - sorted || fail "$(cat sorted)"
	expect_no_line_err 'not measured'
}

expect_no_line_err() {
	! grep -E -e "$1" err || fail "said: $1"
}

# A call that is left without a return is not measured. It is reported when its frame is used again:
# the last one's is not.
# kernels=ends arch=yes
test_left_without_a_return() {
	fl -j -F u:/bin/laps:lap_leave -- laps leave 30
	expect_exit 0
	expect_no_line '^[{]'
	expect_err '29 calls not measured: their return was not seen'
}

# A call that began before tracing is neither short nor long: it is left out.
test_under_way() {
	gate laps hold 1
	start sonde funclatency -j -F -p "$gated" u:/bin/laps:lap_hold
	open_gate
	stop INT
	expect_exit 0
	expect_no_line '^[{]'
	expect_no_line_err 'not measured'
}

# cpus=2 kernels=ends
test_threads_that_migrate() {
	mechanism=auto
	fl -j -F hrtimer_nanosleep u:/bin/laps:lap_spin -- laps -t 16 nap 20 1000
	expect_exit 0
	expect_laps hrtimer_nanosleep 1000000
}

# More calls at a time than there is room for: each is either measured or reported, once.
# kernels=ends
test_too_many_at_a_time() {
	fl -j --max-calls 1 u:/bin/laps:lap_nap -- laps -t 64 nap 2 300000
	expect_exit 0
	expect_json count
	lost=$(sed -n 's/.* \([0-9]*\) calls* not measured: too many.*/\1/p' err)
	skipped=$(sed -n 's/.* \([0-9]*\) calls* not measured: their return.*/\1/p' err)
	[ "${lost:-0}" -gt 0 ] || fail "nothing was lost"
	[ $((lost + ${skipped:-0} + $(cat rows))) = 128 ] || fail "$lost lost, $(cat rows) measured"
	fl -j u:/bin/laps:lap_nap -- laps -t 64 nap 2 300000
	expect_json count
	[ "$(cat rows)" = 128 ] || fail "$(cat rows) of 128"
	expect_no_line_err 'not measured'
}

# kernels=ends
test_functions_together_and_apart() {
	fl -j vfs_read do_sys_openat2 "$getpgid" -- calls 30 openat 20 read 10 getpgid
	expect_exit 0
	expect_json func count
	[ "$(cat rows)" = "null	61" ] || fail "together: $(cat rows)"
	fl -j -F vfs_read do_sys_openat2 "$getpgid" -- calls 30 openat 20 read 10 getpgid
	expect_json func count
	sort rows > sorted
	printf '%s\t10\ndo_sys_openat2\t31\nvfs_read\t20\n' "$getpgid" | sort > expected
	cmp expected sorted || fail "apart: $(cat sorted)"
}

# A pattern: one program serves many functions.
# kernels=ends
test_pattern() {
	fl -j -F 'vfs_*' -- calls 100 read
	expect_exit 0
	expect_json func count
	grep -q "^vfs_read	100$" rows || fail "$(cat rows)"
	fl -j 'vfs_rea[d]' vfs_read -- calls 100 read
	expect_json count
	[ "$(cat rows)" = 100 ] || fail "$(cat rows)"
}

# If there are more functions than histograms of their own, they share one.
test_many_functions_in_one() {
	fl -j --linear 1000000000 'vfs_*' "$getpgid" -- calls 500 getpgid
	expect_exit 0
	expect_json count
	[ "$(cat rows)" -ge 500 ] || fail "$(cat rows)"
}

test_filter() {
	gate calls -t 100 getpgid
	start sonde funclatency -j -p "$gated" "$getpgid"
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_json count
	[ "$(cat rows)" = 200 ] || fail "$(cat rows)"
}

test_intervals_lose_nothing() {
	fl -j -i 0.2 "$getppid" -- spin 1
	expect_exit 0
	did=$(sed -n 's/^did getppid //p' out)
	expect_json time count
	[ "$(wc -l < rows)" -ge 2 ] || fail "one table"
	[ "$(add_up 2 rows)" = "$did" ] || fail "not $did: $(cat rows)"
}

test_chart() {
	fl -T -u hrtimer_nanosleep -- laps nap 10 2000
	expect_exit 0
	sed '/^did /d' out > chart
	[ "$(sed -n 1p chart | sed 's/[0-9]/9/g')" = 99:99:99 ] || fail "no time"
	[ "$(sed -n 2p chart)" = "     usecs               : count     distribution" ] || fail "heading"
	[ "$(sed -n 3p chart)" = "         0 -> 1          : 0        |                                        |" ] ||
		fail "first bucket"
	expect_line '^ {6}(1024 -> 2047 |2048 -> 4095 ) {6}: [0-9 ]{9}\|\**( *)\|$'
	expect_line '^avg = [0-9]+ usecs, total: [0-9]+ usecs, count: 10$'
	[ "$(awk 'length > 80' out | wc -l)" = 0 ] || fail "wider than 80 columns"
	fl -F do_sys_openat2 -m -- calls 1 openat
	expect_line '^Function = do_sys_openat2$'
	expect_line '^avg = [0-9]+ msecs, total: [0-9]+ msecs, count: 1$'
}

# Nine naps in ten are short. The percentiles must be within 1 % above the time slept. The 50th of
# 100 is not longer than 41 of the 90 short ones, and so not longer than a 41st of what they all
# took.
test_precise() {
	fl -j --precise -u hrtimer_nanosleep -- sh -c 'laps nap 90 1000; laps nap 10 20000'
	expect_exit 0
	expect_json count percentiles
	read -r count percentiles < rows
	[ "$count" = 100 ] || fail "$count naps"
	echo "$percentiles" | sed 's/[^0-9:,.]//g; s/[0-9.]*:/ /g; s/,//g' > values
	read -r p50 p90 p99 p999 max < values
	facts
	expect_between p50 990 $((most / 41 / 1000 * 101 / 100 + 1)) "$p50"
	[ "$p99" -ge 19800 ] && [ "$p999" -ge "$p99" ] && [ "$max" -ge "$p999" ] && [ "$max" -ge 20000 ] ||
		fail "$percentiles"
	fl --precise hrtimer_nanosleep -- laps nap 5 1000
	expect_line '^p50 = [0-9]+, p90 = [0-9]+, p99 = [0-9]+, p99.9 = [0-9]+, max = [0-9]+ nsecs$'
}

# The shortest of ten is not longer than a tenth of all.
test_linear() {
	fl --linear 5 -m hrtimer_nanosleep -- laps nap 10 12000
	expect_exit 0
	facts
	expect_line '^     msecs         : count     distribution$'
	expect_line '^        5          : 0        \| {40}\|$'
	shortest=$(sed -n 's/^ *\([0-9]*\)+* *: [1-9][0-9]* .*/\1/p' out | head -n 1)
	expect_between "the shortest nap" 10 $((most / 10 / 1000000)) "$shortest"
}

test_refused() {
	fl do_exit
	expect_exit 1
	expect_one_err 'do_exit.*never returns'
	fl t:sched:sched_switch
	expect_exit 1
	expect_one_err 'a tracepoint, not a function'
	fl r:vfs_read
	expect_exit 1
	expect_one_err 'both ends'
	fl u:/bin/laps:lap_inlined
	expect_exit 1
	expect_one_err 'lap_inlined.*inlined'
	fl usdt:/bin/usdt:house:plain
	expect_exit 1
	expect_one_err 'USDT probe'
	fl -F --max-keys 1 vfs_read vfs_write
	expect_exit 1
	expect_one_err '2 functions.*max-keys'
}

test_wrong_usage() {
	while read -r arguments; do
		fl $arguments
		expect_exit 2
		grep -q . err || fail "not said"
	done <<-'END'

	--linear 0 vfs_read
	--linear x vfs_read
	--linear 5 --precise vfs_read
	-u -m vfs_read
	-l 0 vfs_read
	--max-calls 0 vfs_read
	--max-keys x vfs_read
	END
}

# Of several functions, one that does not return is reported, and the others are measured.
# kernels=ends
test_without_a_return_among_others() {
	fl -j do_exit vfs_read -- calls 10 read
	expect_exit 0
	expect_err '1 left out, it never returns: do_exit'
	expect_json count
	[ "$(cat rows)" = 10 ] || fail "$(cat rows)"
}

# Go has function names that contain colons: they are not USDT probes.
test_colons_in_a_name() {
	for spec in u:/bin/ufuncs:type:.eq.main.T /bin/ufuncs:type:.eq.main.T 'u:/bin/ufuncs:type:*'; do
		fl -F "$spec" -- ufuncs 7
		expect_exit 0
		expect_line '^Function = "?type:.eq.main.T"?$'
		expect_line ' count: 7$'
		fc "$spec" -- ufuncs 7
		expect_count type:.eq.main.T 7
	done
}
