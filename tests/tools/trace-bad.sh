# SPDX-License-Identifier: BSD-2-Clause
# sonde trace on bad days: very many probes, few rights, no BTF, namespaces, a sudden end.

# What some kernels need besides CAP_BPF and CAP_PERFMON. Before 5.11 maps count as locked memory.
memory=$([ "$KERNEL" != 5.10 ] || echo sys_resource)

# btrace PROGRAM [ARG]...: "Attached N probes" goes to the file attached.
btrace() {
	program=$1
	shift
	run sonde trace -e "$program" "$@"
	keep_attached
}

keep_attached() {
	sed -n 's/^Attached \([0-9]*\) probes*$/\1/p' err > attached
	sed -i '/^Attached [0-9]* probes*$/d' err
}

# may CAPABILITIES PROGRAM [ARG]...: as a user with only these.
may() {
	set_of=$1
	program=$2
	shift 2
	# unquoted on purpose: several words
	run caps $set_of -- sonde trace -e "$program" "$@"
	keep_attached
}

# One program for all functions, attached at a time. fentry that looks at no arguments is no more expensive.
# timeout=300 kernels=one
test_every_function() {
	has kprobe.multi || skip "this kernel attaches functions one by one"
	for kind in kprobe fentry; do
		btrace "$kind:* { @ = count(); }" -c 'calls 10 openat'
		expect_exit 0
		[ "$(cat attached)" -gt 10000 ] || fail "$(cat attached) functions"
		[ "$(sed -n 's/^@: //p' out)" -gt 100 ] || fail "too few calls"
	done
	btrace 'fentry:* { @ = args.count; }'
	expect_exit 1
	expect_err 'each needs a BPF program, and max_bpf_progs is 1024'
	btrace 'config = { max_probes = 10 } kprobe:vfs_* { @ = count(); }'
	expect_exit 1
	expect_err 'exceeds the current limit of 10 probes'
}

# --- begin, print, clear ---

# What begin printed comes before the first line of the command.
# kernels=one
test_begin_comes_first() {
	btrace 'BEGIN { printf("first\n"); } kprobe:vfs_* { @ = count(); }' -c 'echo second'
	expect_exit 0
	[ "$(grep -n -x first out)" = 1:first ] || fail "begin is not first"
}

# expect_sum NAME N [FILE [EACH]]: the numbers of all tables must add up to N, with EACH for a hit. 7.x skips hits; how
# many is reported then.
expect_sum() {
	sum=$(awk -v name="$1:" '$1 == name { n += $2 } END { print n + 0 }' "${3:-out}")
	missed=$(sed -n 's/.*: \([0-9]*\) hits* missed by the kernel.*/\1/p' err)
	[ "$sum" -le "$2" ] && [ $((sum + ${4:-1} * ${missed:-0})) -ge "$2" ] ||
		fail "$1: $sum and ${missed:-0} missed, not $2"
}

# expect_hits NAME N: the same for charts of one row, and for the counts of stats().
expect_hits() {
	awk -v name="$1:" '$1 == name && NF == 1 { getline; print name, $3 }
		$1 == name && $3 == ".count" { print name, $5 + 0 }' out > hits
	expect_sum "$1" "$2" hits
}

# What comes between print() and clear() is in the next table.
# timeout=300
test_clear_loses_nothing() {
	btrace 'kprobe:do_sys_openat2 /comm == "calls"/ { @ = count(); @k[comm] = count(); @s[comm] = sum(2);
			@h = hist(5); @l[comm] = lhist(5, 0, 10, 10); @v = stats(3); @w[comm] = stats(3); }
		interval:ms:20 { print(@); clear(@); print(@k); clear(@k); print(@s); clear(@s); print(@h); clear(@h);
			print(@l); clear(@l); print(@v); clear(@v); print(@w); clear(@w); }' -c 'calls 20000 openat'
	expect_exit 0
	[ "$(grep -c '^@: [1-9]' out)" -gt 1 ] || fail "only one table"
	expect_sum @ 20000
	expect_sum '@k[calls]' 20000
	expect_sum '@s[calls]' 40000 out 2
	for name in @h '@l[calls]' @v '@w[calls]'; do
		expect_hits "$name" 20000
	done
}

# --- rights ---

test_two_capabilities() {
	may "bpf perfmon $memory" 'BEGIN { printf("begun\n"); } kprobe:do_sys_openat2 { @[comm] = count(); }' \
		-c 'calls 10 openat'
	expect_exit 0
	expect_line '^begun$'
	expect_line '^@\[calls\]: 10$'
	may "bpf perfmon $memory" 'iter:task { @[ctx.task.pid] = 1; }'
	expect_exit 0
	expect_line '^@\[1\]: 1$'
	may "bpf perfmon $memory" 'tracepoint:syscalls:sys_enter_openat { @[str(args.filename)] = count(); }'
	expect_exit 1
	expect_err 'ERROR: tracepoints of syscalls need tracefs, which sonde cannot read here'
	may bpf 'kprobe:do_sys_openat2 { @ = count(); }'
	expect_exit 1
	expect_one_err 'CAP_PERFMON, which this process does not have'
}

# cpus=1-locked
test_locked_down() {
	! cat /sys/kernel/tracing/current_tracer > /dev/null 2>&1 || skip "this kernel cannot be locked down"
	for program in 'kprobe:do_sys_openat2 { @[comm] = count(); }' \
		'fentry:do_sys_openat2 { @[str(args.filename)] = count(); }' \
		'BEGIN { print(curtask->pid); exit(); }'; do
		btrace "$program" -c 'calls 10 openat'
		expect_exit 1
		grep -q 'locked down' err || fail "lockdown is not the reason: $(cat err)"
	done
	# what needs tracefs, which is empty
	for command in "trace -e 'tracepoint:syscalls:sys_enter_openat { @ = count(); }'" \
		'funccount t:syscalls:sys_enter_openat' 'reset-trace -n' status; do
		eval "run sonde $command"
		[ "$command" = status ] || expect_exit 1
		grep -q 'locked down (confidentiality)' err || fail "$command: lockdown is not the reason: $(cat err)"
	done
}

# expect_ten TOOL WORD...: a process opens ten files meanwhile.
expect_ten() {
	gate calls 10 openat
	start sonde "$@" -p "$gated"
	open_gate
	stop INT
	expect_exit 0
	expect_line '^(do_sys_openat2 +|@: )10$'
}

# Programs that read no memory of the kernel are permitted, and their counts are right.
# cpus=1-locked
test_locked_down_counts() {
	! cat /sys/kernel/tracing/current_tracer > /dev/null 2>&1 || skip "this kernel cannot be locked down"
	expect_ten funccount do_sys_openat2
	expect_ten trace -e 'kprobe:do_sys_openat2 { @ = count(); }'
}

# --- what is not there ---

# without MOUNT PROGRAM: runs it where nothing is mounted there.
without() {
	cat > without.sh << 'END'
umount -l "$1" && exec sonde trace -e "$2"
END
	run unshare -m sh without.sh "$1" "$2"
	keep_attached
}

# kernels=all
test_without_btf() {
	without /sys 'BEGIN { printf("%s\n", comm); exit(); }'
	expect_exit 0
	expect_line '^sonde$'
	without /sys 'fentry:do_sys_openat2 { @ = args.dfd; }'
	expect_exit 1
	expect_err 'ERROR: the kernel offers no BTF'
	without /sys 'BEGIN { print(curtask->pid); exit(); }'
	expect_exit 1
	expect_err "HINT: the kernel's types are not known: there is no /sys/kernel/btf/vmlinux here"
	without /proc 'BEGIN { exit(); }'
	expect_exit 1
	expect_one_err '/proc is not mounted: mount -t proc proc /proc$'
}

# In a container, ids are those of its namespace.
test_pid_namespace() {
	run unshare -p -f --mount-proc sonde trace -e 'kprobe:do_sys_openat2 /comm == "calls"/ {
		@[pid, tid, comm(pid)] = count(); }' -c 'calls 10 openat'
	expect_exit 0
	expect_line '^@\[2, 2, calls\]: 10$'
}

# --- the end ---

# no_residue, after each test, finds what would be left.
test_killed() {
	start sonde trace -e 'BEGIN { printf("ready\n"); } kprobe:vfs_* { @ = count(); } uprobe:/bin/ufuncs:f_* {
		@u = count(); }
		t:sched:sched_switch { @s = count(); } kretprobe:vfs_read { @f = count(); } profile:hz:49 {
		@p = count(); }'
	stop KILL
	expect_exit 137
}

# What finds no room while sonde stands still is counted: no event is missing without a word.
# kernels=one
test_stopped() {
	start sonde trace --buffer-size 4k -e 't:syscalls:sys_enter_openat /comm == "calls"/ {
		printf("x %s\n", str(args.filename)); }'
	kill -STOP $started
	calls 5000 openat
	kill -CONT $started
	stop INT
	expect_exit 0
	lost=$(sed -n 's/.*: \([0-9]*\) events* lost: the buffer was full.*/\1/p' err)
	missed=$(sed -n 's/.*: \([0-9]*\) hits* missed by the kernel.*/\1/p' err)
	seen=$(grep -c '^x' out)
	[ "${lost:-0}" -gt 0 ] && [ $((seen + lost + ${missed:-0})) = 5000 ] ||
		fail "$seen lines, ${lost:-0} lost, ${missed:-0} missed"
}

# Kprobes that root switches off meanwhile see nothing more, and the kernel says so to nobody.
# kernels=one
test_switched_off() {
	trap 'echo 1 > /sys/kernel/debug/kprobes/enabled' EXIT
	for end in '' 'END { printf("end\n"); }'; do
		start sonde trace --mechanism kprobe --fail-on-loss -e "kprobe:do_sys_openat2 { @ = count(); } $end"
		echo 0 > /sys/kernel/debug/kprobes/enabled
		stop INT
		[ "$status" != 0 ] || fail "exit status 0"
		[ "$(grep -c 'kprobes are switched off .*: hits since then are missing$' err)" = 1 ] ||
			fail "not reported: $(cat err)"
		echo 1 > /sys/kernel/debug/kprobes/enabled
	done
}

# A signal while the program is compiled or attached, which takes seconds here.
# kernels=one
test_interrupted_before_it_began() {
	for signal in INT TERM; do
		: > err
		dfl sonde trace -e 'kprobe:* { @ = count(); } t:*:* { @t = count(); }' > out 2> err &
		wait_until 20 grep -q sonde /proc/$!/comm || fail "sonde does not start"
		kill -$signal $!
		! wait $! || fail "exit status 0 before anything was traced"
		# nothing, if the signal came before the first line of ours
		! grep -v 'ended before tracing began' err || fail "something on stderr"
		[ ! -s out ] || fail "something on stdout"
	done
}
