# SPDX-License-Identifier: BSD-2-Clause
# If the kernel refuses, each tool must say in one line what was refused and what would help.

tools='execsnoop opensnoop exitsnoop killsnoop tcpconnect tcplife tcpretrans biosnoop runqlat cpudist biolatency
	hardirqs softirqs syscount vfsstat'

# each CMD...: runs it with every tool behind it, and with what the tool needs to end.
each() {
	for tool in $tools 'funccount vfs_read' 'funccount vfs_*' 'funclatency vfs_read' 'funcslower vfs_read'; do
		set -f
		# unquoted on purpose: several words
		run "$@" sonde $tool --duration 0.1
		set +f
		says
	done
}

# kernels=one
test_no_proc() {
	says() {
		expect_exit 1
		expect_one_err '/proc is not mounted: mount -t proc proc /proc$'
	}
	echo 'umount -l /proc; exec "$@"' > without
	each unshare -m sh without
	run unshare -m sh without sonde reset-trace -n
	says
	run unshare -m sh without sonde status
	expect_exit 0
	expect_one_err '/proc is not mounted: mount'
}

# A tool that reads no kernel memory is allowed even there.
# cpus=1-locked kernels=turns
test_locked_down() {
	! cat /sys/kernel/tracing/current_tracer > /dev/null 2>&1 || skip "this kernel cannot be locked down"
	refusals=0
	says() {
		[ "$status" != 0 ] || return 0
		expect_exit 1
		expect_one_err ': the kernel is locked down \(confidentiality\), which forbids tracing it$'
		refusals=$((refusals + 1))
	}
	each env
	[ $refusals -ge 8 ] || fail "$refusals refusals: which tools need no memory of the kernel?"
	run sonde execsnoop -- true
	expect_exit 1
	says
}

# Kernels that count BPF's memory as locked memory refuse a user who may not raise the limit.
test_locked_memory() {
	says() {
		expect_exit 1
		why="this kernel counts BPF's memory as locked, and the limit is too low"
		expect_one_err "$why: ulimit -l unlimited, or CAP_SYS_RESOURCE$"
	}
	ulimit -l 8
	run caps bpf perfmon -- sonde execsnoop --duration 0.1
	[ "$KERNEL" = 5.10 ] || { expect_exit 0; return 0; }
	says
	run caps bpf perfmon -- sonde runqlat --duration 0.1
	says
	run caps bpf perfmon sys_resource -- sonde runqlat --duration 0.1
	expect_exit 0
}

# Without addresses many functions cannot share one link, and some kernels reserve perf to
# CAP_SYS_ADMIN.
# kernels=all
test_no_addresses() {
	memory=$([ "$KERNEL" != 5.10 ] || echo sys_resource)
	# unquoted on purpose: several words
	run caps bpf perfmon dac_read_search $memory -- sonde funccount 'vfs_*' -- calls 10 read
	expect_exit 1
	helps=$(has kprobe.multi && echo syslog || echo sys_admin)
	[ $helps = sys_admin ] && or= || or=', or CAP_SYSLOG for kernel functions'
	expect_one_err "the kernel does not permit it without CAP_SYS_ADMIN$or\$"
	run caps bpf perfmon dac_read_search $helps $memory -- sonde funccount 'vfs_*' -- calls 10 read
	expect_exit 0
	[ "$(counted vfs_read)" -ge 10 ] || fail "vfs_read: $(counted vfs_read)"
}
