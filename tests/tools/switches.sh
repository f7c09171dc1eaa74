# SPDX-License-Identifier: BSD-2-Clause
# The switches by which root turns probes off for the whole kernel: nothing is counted then, and
# only sonde reports it.
# of file: kernels=ends arch=yes

ftrace=/proc/sys/kernel/ftrace_enabled kprobes=/sys/kernel/debug/kprobes/enabled

# turn_off SWITCH: it is turned on again whatever happens in the test.
turn_off() {
	trap 'echo 1 > $ftrace; echo 1 > $kprobes' EXIT
	echo 0 > "$1"
}

turn_on() {
	echo 1 > "$1"
}

# affects SWITCH MECHANISM: true if it does, as was observed on each kernel.
affects() {
	case $1,$2 in
	$ftrace,kprobe) [ "$SYS" = __x64_sys ] ;; # on arm64 they are breakpoints
	$ftrace,* | $kprobes,kprobe) return 0 ;;
	*) return 1 ;;
	esac
}

# what_is_off SWITCH: prints the words that sonde reports.
what_is_off() {
	[ "$1" = $ftrace ] && echo 'ftrace is switched off \(sysctl kernel.ftrace_enabled=1 switches it on\)' ||
		echo 'kprobes are switched off \(echo 1 > /sys/kernel/debug/kprobes/enabled switches them on\)'
}

# Each mechanism with each switch off: it is refused if it would see nothing, else it counts
# everything.
# kernels=all arch=yes
test_before() {
	for switch in $ftrace $kprobes; do
		turn_off $switch
		for mechanism in fentry kprobe.multi kprobe; do
			has $mechanism || continue
			for spec in $getpgid r:$getpgid; do
				fc --mechanism $mechanism "$spec" -- calls 100 getpgid
				if affects $switch $mechanism; then
					expect_exit 1
					why="cannot attach to '$getpgid' by $mechanism: $(what_is_off $switch)$"
					expect_one_err "$why"
				else
					expect_exit 0
					expect_count $getpgid 100
				fi
			done
		done
		fc t:syscalls:sys_enter_getpgid u:/bin/ufuncs:f_one -- sh -c 'calls 100 getpgid; ufuncs 3'
		expect_count syscalls:sys_enter_getpgid 100
		expect_count f_one 3
		turn_on $switch
	done
	fc $getpgid -- calls 100 getpgid
	expect_count $getpgid 100
}

# If another mechanism still works, it counts. A target that none can count is reported, and the
# others are traced.
test_before_the_rest() {
	turn_off $kprobes
	! has fentry && ! has kprobe.multi || {
		fc $getpgid -- calls 100 getpgid
		expect_exit 0
		expect_count $getpgid 100
	}
	turn_on $kprobes
	turn_off $ftrace
	case $SYS in __x64_sys) ;; *) return 0 ;; esac
	fc $getpgid t:sched:sched_process_exec -- calls 100 getpgid
	expect_exit 0
	expect_count sched:sched_process_exec 1
	expect_err "1 not attached, $(what_is_off $ftrace): $getpgid$"
	run sonde funclatency $getpgid -- calls 100 getpgid
	expect_exit 1
	expect_one_err "cannot attach to '$getpgid': $(what_is_off $ftrace)$"
	run sonde funcslower $getpgid -- calls 100 getpgid
	expect_exit 1
	expect_one_err "cannot attach to '$getpgid': $(what_is_off $ftrace)$"
	run sonde opensnoop -- opens 5 /dev/null
	expect_exit 0
	[ "$(grep -c '/dev/null$' out)" = 5 ] || fail "not five opens"
}

# Switched off during the run: the counts until then are shown, and the loss of the rest is
# reported.
# kernels=all arch=yes
test_meanwhile() {
	for switch in $ftrace $kprobes; do
		for mechanism in fentry kprobe.multi kprobe; do
			has $mechanism && affects $switch $mechanism || continue
			start sonde funccount --mechanism $mechanism $getpgid
			calls 10 getpgid > did
			# 5.10 lets nobody switch ftrace off while a trampoline is attached to it
			turn_off $switch 2> /dev/null || { stop INT; continue; }
			calls 100 getpgid > did
			stop INT
			expect_exit 0
			expect_count $getpgid 10
			expect_err "^sonde funccount: $(what_is_off $switch): hits since then are missing$"
			turn_on $switch
		done
	done
}

# funcslower is attached by one of the two.
test_meanwhile_is_a_loss() {
	start sonde funcslower --fail-on-loss -u 1 $getpgid
	turn_off $kprobes
	turn_off $ftrace
	stop INT
	turn_on $kprobes
	turn_on $ftrace
	expect_exit 1
	expect_err "^sonde funcslower: (ftrace is|kprobes are) switched off .*: hits since then are missing$"
	start sonde funclatency --mechanism kprobe $getpgid
	turn_off $kprobes
	stop INT
	expect_exit 0
	expect_err "^sonde funclatency: $(what_is_off $kprobes): hits since then are missing$"
}
