# SPDX-License-Identifier: BSD-2-Clause
# sonde graph where calls do not simply follow each other: interrupts, other processors, other tasks, SIGKILL.
# of file: kernels=ends

# rows_of FUNC DEPTH N
rows_of() {
	n=$(awk -F '\t' -v name="$1" -v depth="$2" '$1 == name && $2 == depth && $3 != "null"' rows | wc -l)
	[ "$n" = "$3" ] || fail "$n calls of $1 at depth $2, not $3"
}

# Interrupts while a function of the program runs are calls in it, and the calls of the program stay as they are.
test_interrupts() {
	run sonde graph --json u:/bin/laps:lap_spin update_process_times -- laps spin 10 30000
	expect_exit 0
	expect_json func depth ns
	rows_of lap_spin 0 10
	awk -F '\t' '$1 == "update_process_times" && $2 == 1 && $3 < 30000000 { n++ } $2 > 1 { bad = 1 }
		END { exit n < 5 || bad }' rows || fail "interrupts: $(cut -f 1,2 rows | sort | uniq -c)"
}

# A thread that is on another processor at the end of a call than at its begin.
# cpus=2
test_migration() {
	run sonde graph --json u:/bin/laps:lap_nap -- sh -c '
		laps nap 20 50000 &
		n=0
		while [ $((n += 1)) -lt 60 ] && taskset -p 1 $! && taskset -p 2 $!; do usleep 10000; done > /dev/null 2>&1
		wait $!'
	expect_exit 0
	expect_json func depth ns
	rows_of lap_nap 0 20
	awk -F '\t' '$3 < 50000000' rows | grep lap_nap && fail "shorter than the sleep"
	! grep null rows || fail "open"
}

# Tasks that take the processor from each other, also within programs (7.x): no call is skipped, and each is whole.
test_preemption() {
	reads=vfs_read
	# else its return probe follows a few calls at a time, and says so
	has kprobe.multi || reads=
	run sonde graph --json $reads u:/bin/nested:n_root u:/bin/nested:n_mid -- sh -c '
		nested tree 300 8 > /dev/null & calls 3000 read & calls 3000 read & calls 3000 read & wait'
	expect_exit 0
	expect_json func depth ns
	! grep -i -e 'missed' -e 'lost' -e 'not measured' err || fail "calls were skipped"
	rows_of n_root 0 2400
	rows_of n_mid 1 4800
	[ -z "$reads" ] || [ "$(grep -c '^vfs_read	0	[0-9]' rows)" -ge 9000 ] || fail "reads: $(grep -c ^vfs_read rows)"
}

# SIGKILL in the middle of calls leaves nothing, and the next run has all calls.
test_killed() {
	start sonde graph 'vfs_*' hrtimer_nanosleep
	laps nap 1 300000 > /dev/null &
	calls 2000 read > /dev/null
	stop KILL
	no_residue
	wait $!
	run sonde graph --json 'u:/bin/nested:n_*' -- nested tree 5 1
	expect_exit 0
	expect_json func depth ns
	rows_of n_root 0 5
	rows_of n_mid 1 10
	rows_of n_leaf 2 30
}
