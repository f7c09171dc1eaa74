# SPDX-License-Identifier: BSD-2-Clause
# What each capability is needed for (docs/SECURITY.md): with it sonde works, without it sonde names
# it.

# may CAPABILITIES CMD...: runs sonde CMD as a user with only these.
may() {
	set_of=$1
	shift
	# unquoted on purpose: several words
	run caps $set_of -- sonde "$@"
}

# What some kernels need besides CAP_BPF and CAP_PERFMON. Before 5.11 maps count as locked memory.
# For user functions without uprobe.multi, perf may require CAP_SYS_ADMIN, as Debian's 5.10 does.
memory=$([ "$KERNEL" != 5.10 ] || echo sys_resource)
user=$(has uprobe.multi || echo sys_admin)

# kernels=all
test_bpf_and_perfmon() {
	may "bpf perfmon $memory" funccount do_sys_openat2 t:sched:sched_process_exec -- calls 10 openat
	expect_exit 0
	expect_count do_sys_openat2 10
	expect_count sched_process_exec 1
	may "bpf perfmon $memory $user" funccount u:/bin/ufuncs:f_one c:memcpy -- ufuncs 10
	expect_exit 0
	expect_count f_one 10
	may "bpf perfmon $memory" opensnoop -- calls 1 openat
	expect_exit 0
	expect_line no/such/file
}

# CAP_SYS_ADMIN stands for both.
test_sys_admin() {
	may "sys_admin $memory" funccount do_sys_openat2 u:/bin/ufuncs:f_one -- calls 10 openat
	expect_exit 0
	expect_count do_sys_openat2 10
}

# kernels=one
test_without_one_of_them() {
	may bpf funccount do_sys_openat2
	expect_exit 1
	expect_one_err 'CAP_PERFMON, which this process does not have'
	may perfmon funccount do_sys_openat2
	expect_exit 1
	expect_one_err 'CAP_BPF, which this process does not have'
	may 'syslog sys_ptrace' funccount do_sys_openat2
	expect_exit 1
	expect_one_err 'CAP_BPF and CAP_PERFMON, which'
}

# On later kernels two capabilities are enough.
test_older_kernels() {
	[ "$memory" ] || skip "this kernel asks for no more"
	may 'bpf perfmon' funccount do_sys_openat2 -- calls 10 openat
	expect_exit 1
	expect_err .
	may "bpf perfmon $memory" funccount u:/bin/ufuncs:f_one -- ufuncs 10
	expect_exit 1
	expect_err .
}

# Tracing a process of another user.
test_sys_ptrace() {
	libcalls 1000000000 > did &
	held=$!
	wait_until 20 grep -q libc.so.6 /proc/$held/maps || fail "libcalls does not start"
	may "bpf perfmon $memory $user" funccount -d 1 -p $held c:memcpy
	expect_exit 1
	expect_one_err "process $held cannot be looked into"
	may "bpf perfmon sys_ptrace $memory $user" funccount -d 1 -p $held c:memcpy
	expect_exit 0
	[ "$(counted memcpy)" -gt 0 ] || fail "nothing was counted"
	kill $held
}

# By default only root may read tracefs. Raw tracepoints do not need it.
test_tracefs_is_roots() {
	may "bpf perfmon $memory" status
	expect_err 'cannot open tracefs'
	may "bpf perfmon dac_read_search $memory" funccount t:sched:sched_process_exec -- true
	expect_exit 0
	expect_count sched:sched_process_exec 1
}

# With kptr_restrict=1 the kernel hides addresses from a process without CAP_SYSLOG: functions are
# then attached by name.
test_syslog() {
	before=$(cat /proc/sys/kernel/kptr_restrict)
	echo 1 > /proc/sys/kernel/kptr_restrict
	may "bpf perfmon $memory" funccount do_sys_openat2 -- calls 10 openat
	named=$(counted do_sys_openat2)
	may "bpf perfmon syslog $memory" funccount 'do_sys_openat*' -- calls 10 openat
	echo "$before" > /proc/sys/kernel/kptr_restrict
	expect_exit 0
	expect_count do_sys_openat2 10
	[ "$named" = 10 ] || fail "by name: $named"
}
