# SPDX-License-Identifier: BSD-2-Clause
# sonde funccount of a command with its children and threads, and of no other process.

# kernels=one
test_command_as_a_string() {
	fc -c 'calls 1000 getpgid' "$getpgid"
	expect_exit 0
	expect_count "$getpgid" 1000
}

test_command_children() {
	fc "$getppid" -- forks 5 0 100
	expect_count "$getppid" 500
	fc "$getppid" -- forks -d 4 0 100
	expect_count "$getppid" 400
}

test_command_threads() {
	fc "$getppid" -- forks 2 3 50
	expect_count "$getppid" 300
}

# cpus=2
test_command_on_two_processors() {
	for mechanism in fentry kprobe.multi kprobe; do
		has $mechanism || continue
		fc --mechanism $mechanism "$getppid" -- forks 4 4 1000
		[ $mechanism = fentry ] && [ "$status" = 1 ] && continue # the alias may have no BTF
		expect_exit 0
		# 7.x may preempt a program here as well, and fentry was asked for by name
		[ $mechanism != fentry ] || { expect_count_or_missed "$getppid" 16000; continue; }
		expect_count "$getppid" 16000
	done
	fc t:syscalls:sys_enter_getppid -- forks 4 4 1000
	expect_count_or_missed syscalls:sys_enter_getppid 16000
	fc u:/bin/calls:call_getpgid -- calls -t 2000 getpgid
	expect_count call_getpgid 4000
}

# kernels=one
test_command_and_nobody_else() {
	spin > /dev/null &
	other=$!
	fc "$getppid" -- forks 3 0 100
	kill $other
	wait $other || :
	expect_exit 0
	expect_count "$getppid" 300
}

# The command is found among other children: those of the shell that became sonde, and of a
# namespace's init.
# kernels=one
test_command_among_other_children() {
	for before in 'sleep 9 & sleep 9 &' 'sh -c "sleep 9 &"; sleep 9 &'; do
		run sh -c "$before"' exec sonde funccount "$0" -- calls 100 getpgid' "$getpgid"
		expect_exit 0
		expect_count "$getpgid" 100
		run unshare -p -f sh -c "$before"' exec sonde funccount "$0" -- calls 100 getpgid' "$getpgid"
		expect_exit 0
		expect_count "$getpgid" 100
		killall sleep || :
	done
}

# kernels=one
test_command_that_fails() {
	fc do_sys_openat2 -- false
	expect_exit 0
	fc do_sys_openat2 -- /no/such/command
	expect_exit 1
	expect_err '/no/such/command'
}

# Two others fork all the time: a kernel that preempts BPF programs must not lose a child of the command
# because of them.
test_children_beside_other_forks() {
	for _ in 1 2; do
		while :; do
			forks 100 0 1 > /dev/null
		done &
		others="${others:-} $!"
	done
	fc "$getppid" -- forks 300 0 1
	kill $others
	wait $others || :
	expect_exit 0
	# what is missing nevertheless must be reported
	grep -q 'fork.* missed by the kernel: children of the command may be missing' err || expect_count "$getppid" 300
}
