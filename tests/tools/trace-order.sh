# SPDX-License-Identifier: BSD-2-Clause
# Programs on one place run in the order in which they are written, whatever order the kernel has.

# expect_order MECHANISM KIND:SPEC...: three probes on each place; those of several places take turns.
expect_order() {
	mechanism=$1
	shift
	text=
	for n in 1 2 3; do
		for spec; do
			text="$text $spec /comm == \"calls\" || comm == \"ufuncs\" || comm == \"usdt\"/ {
				printf(\"${spec%%:*} $n\\n\"); }"
		done
	done
	run sonde trace -q -o printed ${mechanism:+--mechanism $mechanism} -e "$text" \
		-c 'sh -c "calls 1 getpgid; ufuncs 1; usdt 1"'
	expect_exit 0
	for spec; do
		kind=${spec%%:*}
		order=$(sed -n "s/^$kind //p" printed | tr '\n' ' ')
		echo "$order" | grep -Exq '(1 2 3 )+' ||
			fail "$kind${mechanism:+ by $mechanism} ran in the order $order"
	done
}

# kernels=all
test_order_of_probes() {
	trampolines=
	! has fentry || trampolines="fentry:${SYS}_getpgid fexit:${SYS}_getpgid"
	expect_order '' kprobe:${SYS}_getpgid kretprobe:${SYS}_getpgid $trampolines \
		tracepoint:syscalls:sys_enter_getpgid rawtracepoint:sched_process_exit \
		uprobe:/bin/ufuncs:f_one uretprobe:/bin/ufuncs:f_one usdt:/bin/usdt:house:plain
}

# kernels=all
test_order_by_mechanism() {
	expect_order kprobe kprobe:${SYS}_getpgid kretprobe:${SYS}_getpgid
	expect_order uprobe uprobe:/bin/ufuncs:f_one uretprobe:/bin/ufuncs:f_one
	! has kprobe.multi || expect_order kprobe.multi kprobe:${SYS}_getpgid kretprobe:${SYS}_getpgid
}
