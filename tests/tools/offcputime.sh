# SPDX-License-Identifier: BSD-2-Clause
# sonde offcputime: it must show the kernel's own account of the time that processes do not run, and where
# (tests/programs/blocks.c).

# expect_off: each process of the workload must have its time, within 2 %.
expect_off() {
	expect_exit 0
	expect_json tid comm ns count
	awk '
		function far(pid, slack) {
			slack = most[pid] * 0.02 + 4000000
			return sum[pid] > most[pid] + slack || sum[pid] < least[pid] - slack
		}
		/^did / { least[$3] = $4; most[$3] = $5; times[$3] = $6; slept[$3] = $7; name[$3] = $2; next }
		$2 == name[$1] { sum[$1] += $3; count[$1] += $4 }
		END {
			for (pid in most) {
				n++
				if (far(pid) || count[pid] < slept[pid] - 2 || count[pid] > times[pid] + 1)
					printf "%s %s: %d times, %.0f ns; the kernel says %d, %.0f to %.0f\n",
						name[pid], pid, count[pid], sum[pid], times[pid], least[pid], most[pid]
			}
			if (n != 5)
				print "the workload did not do its work"
		}' out rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

totals() {
	run sonde offcputime --json "$@" -- blocks 40 25
	expect_off
}

# kernels=all
test_totals() {
	one_of_three totals
}

# cpus=2
test_totals_on_two_processors() {
	one_of_three totals
}

# Tables at intervals together have all times.
# kernels=one
test_intervals() {
	one_of_three totals -i 0.2
	[ "$(grep -c '"comm":"sleeper"' out)" -gt 2 ] || fail "not several tables"
}

# expect_stack COMM NAMES TENTHS: so many of the times of a thread have these names in their user part. The mappings of
# a new process are not known in its first moments.
expect_stack() {
	grep "\"comm\":\"$1\"" out > its
	grep -F "\"user_stack\":[" its | grep -F "$2" > these || fail "no stack of $1 with $2"
	all=$(sed 's/.*"count":\([0-9]*\).*/\1/' its | awk '{ n += $1 } END { print n }')
	n=$(sed 's/.*"count":\([0-9]*\).*/\1/' these | awk '{ n += $1 } END { print n }')
	[ $((n * 10)) -ge $((all * $3)) ] || fail "$n of $all times of $1 have $2"
}

# arch=yes
test_stacks() {
	gate blocks 20 10
	start sonde offcputime --json
	open_gate
	stop INT
	expect_exit 0
	expect_stack sleeper '"nap","sleeper","start","main"' 8
	expect_stack taker '"take","taker","start","main"' 8
	expect_stack runner '"runner","start","main"' 5
	grep '"comm":"sleeper"' out | grep -q '"kernel_stack":\["__schedule",.*"hrtimer_nanosleep"' || fail "no kernel part"
	# what traces is not part of a stack
	! grep '"kernel_stack":\["' out | grep -v '"kernel_stack":\["__schedule",' || fail "frames of the tracer"
}

# bcc's layout.
# kernels=one
test_text() {
	gate blocks 20 10
	start sonde offcputime -d --comm sleeper
	open_gate
	stop INT
	expect_exit 0
	expect_err 'Tracing off-CPU time \(us\)\.\.\. Hit Ctrl-C to end'
	awk -v RS= '/sleeper \(/ { text = $0 } END { print text }' out > last
	head -n 1 last | grep -qx '    __schedule' || fail "the first line is another"
	sed -n '/^    --$/,$p' last | grep -qx '    nap' || fail "no user part after --"
	tail -n 2 last | head -n 1 | grep -qxE '    -                sleeper \([0-9]+\)' || fail "no thread"
	tail -n 1 last | grep -qxE '        [0-9]+' || fail "no time"
	# the largest is last
	grep -E '^        [0-9]+$' out > times
	sort -n times | diff times - || fail "not sorted"
}

seen() {
	expect_exit 0
	expect_json comm count ns
	[ "$(cut -f 1 rows | sort -u | tr '\n' ' ')" = "$1" ] || fail "rows of $(cut -f 1 rows | sort -u | tr '\n' ' ')"
}

test_filters() {
	run sonde offcputime --json --comm taker -- blocks 5 10
	seen 'taker '
	# each time of 10 ms, and none of the short ones
	run sonde offcputime --json -m 5000 --comm sleeper -- blocks 5 10
	seen 'sleeper '
	awk '$3 < 5000000 * $2' rows > short
	[ ! -s short ] || fail "short times: $(cat short)"
	run sonde offcputime --json -M 5 --comm sleeper -- blocks 5 10
	expect_exit 0
	[ "$(grep -c '"ns":[0-9]\{7,\}' out)" = 0 ] || fail "long times"
	# two that want the processor are ready (0), whatever else they do
	run sonde offcputime --json --state 0 --comm runner -- blocks 20 10
	seen 'runner '
	run sonde offcputime --json --state 2 --comm sleeper -- blocks 5 10
	expect_exit 0
	[ "$(grep -c hrtimer_nanosleep out)" = 0 ] || fail "sleeps are not state 2"
}

# Threads of the kernel have no user part.
test_threads() {
	run sonde offcputime --json -k 1
	expect_exit 0
	expect_json comm user_stack
	! grep -v '	null$' rows || fail "a user part"
	! grep -E '^(sh|init|busybox)	' rows || fail "not only threads of the kernel"
	start sonde offcputime --json -u
	blocks 5 10
	stop INT
	expect_exit 0
	grep -q '"comm":"sleeper"' out || fail "no thread of the user"
	! grep -E '"comm":"(ksoftirqd|rcu|kworker)' out || fail "threads of the kernel"
	run sonde offcputime -u -k
	expect_exit 2
	expect_err 'choose one'
}

# kernels=one
test_one_thread() {
	start sonde offcputime --json -t $$
	usleep 1000
	stop INT
	seen 'sh '
}

# The idle task is not off the processor, and no time is longer than the run.
test_whole_system() {
	read -r began _ < /proc/uptime
	run sonde offcputime --json 1
	read -r ended _ < /proc/uptime
	expect_exit 0
	expect_json tid comm ns
	! grep -E '^0	|	swapper/' rows || fail "the idle task"
	awk -v most="$(elapsed "$began" "$ended")" '{ sum[$1] += $3 } END { for (tid in sum) if (sum[tid] > (most + 10) * 1e6)
		print tid, sum[tid] }' rows > long
	[ ! -s long ] || fail "longer than the run: $(cat long)"
}

test_still_blocked() {
	gate blocks stuck
	start sonde offcputime --json -p $gated
	echo > gate
	wait_until 20 asleep || fail "the workload is not stuck"
	read -r began _ < /proc/uptime
	usleep 300000
	read -r ended _ < /proc/uptime
	stop INT
	kill $gated
	expect_exit 0
	expect_err ' 1 thread still off the processor when tracing ended: the time so far is included'
	expect_stack stuck '"take","stuck","main"' 1
	expect_json ns
	[ "$(add_up 1 rows)" -ge $(($(elapsed "$began" "$ended") * 1000000 - 20000000)) ] || fail "$(cat rows) ns"
}

asleep() {
	read -r _ comm state _ < /proc/$gated/stat
	[ "$comm $state" = "(stuck) S" ]
}

# timeout=240 kernels=turns
test_many_switches() {
	run sonde offcputime --json -- blocks pingpong 20000
	expect_exit 0
	! grep -E 'lost|missed|not measured' err || fail "something was lost"
	expect_json comm count
	expect_times 6
}

# kernels=one
test_errors() {
	run sonde offcputime soon
	expect_exit 2
	expect_err "'soon' is not a duration in seconds"
	run sonde offcputime --duration 1 2
	expect_exit 2
	expect_err 'the duration is given twice'
	run sonde offcputime -m 10 -M 5
	expect_exit 2
	expect_err 'no time is at least 10 and at most 5 us'
	run sonde offcputime --state sleeping
	expect_exit 2
	expect_err "'sleeping' is not a number"
}

# Until the reader knows what a program maps, frames have no names. It must not take those of the program
# that the process ran before; here both are static and have the same addresses.
# kernels=one
test_offcputime_exec() {
	run sonde offcputime -f -- sh -c 'sleep 0.1; sleep 0.1'
	expect_exit 0
	grep -q '^sleep;.*do_nanosleep' out || fail "no sleep"
	! grep -E '^(sh|sleep);(.*;)?sonde[+;]' out || fail "a program has the names of another one"
}
