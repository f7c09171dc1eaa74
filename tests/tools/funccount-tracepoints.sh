# SPDX-License-Identifier: BSD-2-Clause
# sonde funccount of tracepoints, raw ones and perf's.
# of file: kernels=all

test_tracepoint_raw() {
	for spec in t:sched:sched_process_exit tracepoint:sched:sched_process_exit; do
		fc "$spec" -- forks 5 0 1
		expect_exit 0
		expect_count sched:sched_process_exit 6
	done
	fc rt:sched_process_exit -- forks 5 0 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_exit 6
	fc --mechanism raw_tp t:sched:sched_process_fork -- forks 5 0 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_fork 5
}

test_tracepoint_perf() {
	fc t:syscalls:sys_enter_getpgid -- calls 1000 getpgid
	expect_exit 0
	expect_count_or_missed syscalls:sys_enter_getpgid 1000
	fc --mechanism tp t:sched:sched_process_fork -- forks 5 0 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_fork 5
}

# Many tracepoints of syscalls share two raw ones, and each still has its own row.
# arch=yes
test_tracepoints_of_all_syscalls() {
	fc 't:syscalls:*' -- calls 1000 getpgid
	expect_exit 0
	expect_count_or_missed syscalls:sys_enter_getpgid 1000
	fc --mechanism raw_tp t:syscalls:sys_enter_getpgid t:syscalls:sys_exit_getpgid t:sched:sched_process_exec -- \
		calls 500 getpgid
	expect_exit 0
	expect_count_or_missed syscalls:sys_enter_getpgid 500
	expect_count_or_missed syscalls:sys_exit_getpgid 500
	expect_count sched:sched_process_exec 1
}

# The kernel skips hits while another task was preempted in the program, and counts them itself.
# cpus=2 kernels=ends
test_tracepoint_under_load() {
	for mechanism in raw_tp tp; do
		start sonde funccount --mechanism $mechanism t:sched:sched_process_fork
		forks 4 4 1000
		forks 4 4 1000
		stop INT
		expect_exit 0
		! grep missed err || fail "$mechanism missed"
		[ "$(counted sched:sched_process_fork)" -ge 40 ] || fail "$mechanism: too few"
	done
	fc t:raw_syscalls:sys_enter -- forks 4 4 1000
	expect_exit 0
	! grep missed err || fail "missed"
	[ "$(counted raw_syscalls:sys_enter)" -ge 16000 ] || fail "too few"
}

# kernels=ends
# They count as hits if there is no filter: the workload's calls are all there.
test_skipped_hits_count() {
	start sonde funccount --mechanism raw_tp t:raw_syscalls:sys_enter
	workloads=
	for _ in 1 2 3 4; do
		calls 100000 getpgid &
		workloads="$workloads $!"
	done
	wait $workloads
	stop INT
	expect_exit 0
	[ "$(counted raw_syscalls:sys_enter)" -ge 400000 ] || fail "$(counted raw_syscalls:sys_enter) of 400000 and more"
}

# Where the kernel preempts programs and skips hits, perf's tracepoints are chosen if hits must not be missed.
test_preemptible_by_perf() {
	link=1 # a raw tracepoint's; before 5.15 a perf event has no link
	! grep -q '(full)\|(lazy)' /sys/kernel/debug/sched/preempt 2> /dev/null || link=7
	start sonde funccount --comm calls t:sched:sched_process_exec
	traces bpf | awk '$1 == "link" { print $3 }' | sort -u > links
	[ "$(cat links)" = $link ] || fail "link types $(cat links), not $link"
	stop INT
}

test_tracepoint_glob() {
	fc 't:syscalls:sys_*_getpgid' -- calls 40 getpgid
	expect_exit 0
	sed -i 's/^syscalls:sys_[a-z]*_getpgid/both/' out
	expect_count_or_missed both 80
	fc 't:sched:sched_process_f*' t:sched:sched_process_exec -- forks 3 0 1
	expect_exit 0
	expect_line '^sched:sched_process_fork +[0-9]+$'
	expect_line '^sched:sched_process_exec +1$'
}
