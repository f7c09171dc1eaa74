# SPDX-License-Identifier: BSD-2-Clause
# Arguments of places, and lists of what can be probed.

# program TEXT [OPTION]...: runs it; lines is what it printed but for empty lines. They are in a file of their own: a
# command that copies with sendfile(2), as cat does, does not respect what others write to the same file meanwhile.
program() {
	text=$1
	shift
	run sonde trace -q -o printed "$@" -e "$text"
	expect_exit 0
	sed 's/^/  printed: /' printed
	grep . printed > lines || fail "the program printed nothing"
}

expect_printed() {
	grep -qxF -e "$1" lines || fail "the program did not print '$1'"
}

# kernels=all
test_arguments_of_tracepoints() {
	echo text > known
	program 't:syscalls:sys_enter_openat { printf("%s %d\n", str(args.filename), args.flags & 3); }' -c 'cat known'
	expect_printed 'known 0'
	# text at the end of the record
	program 't:sched:sched_process_exec { printf("%s %d\n", str(args.filename), args.pid == pid); }' \
		-c '/bin/cat known'
	expect_printed '/bin/cat 1'
	# an array of characters
	program 't:sched:sched_process_exit /comm == "cat"/ { printf("%s %d\n", args.comm, args.pid == tid); }' \
		-c '/bin/cat known'
	expect_printed 'cat 1'
}

# kernels=all arch=yes
test_arguments_of_functions() {
	has fentry || skip "no trampolines"
	echo 1234 > known
	program 'fentry:vfs_open { printf("%s %d\n", str(args.path.dentry.d_name.name), args.file == 0); }' \
		-c 'cat known'
	expect_printed 'known 0'
	program 'fexit:vfs_read {
		printf("%s %d %d\n", str(args.file.f_path.dentry.d_name.name), *args.pos == 5, retval); }' \
		-c 'head -n 1 known'
	expect_printed 'known 1 5'
}

# arch=yes
test_arguments_of_raw_tracepoints() {
	program 'rawtracepoint:sched_process_exec { printf("%s %d\n", str(args.bprm.filename), args.p.pid == pid); }' \
		-c '/bin/cat /dev/null'
	expect_printed '/bin/cat 1'
	program 'rawtracepoint:vmlinux:sys_exit { @[args.ret == arg1] = count(); }' -c '/bin/cat /dev/null'
	! grep -F '[false]' lines || fail "args.ret is not the second argument"
}

# arch=yes
test_arguments_of_usdt() {
	program 'usdt:/bin/usdt:args:all { printf("%d %d %d %d\n", arg0, arg1, arg2, arg3); }' -c 'usdt 3'
	printf '%s\n' '0 0 -5 0' '1 1000000 -5 -1' '2 2000000 -5 -2' > expected
	cmp expected lines || { diff expected lines; fail "the arguments are others"; }
}

test_iterators() {
	program 'iter:task { if (ctx.task.pid == 1) { printf("%s %d\n", ctx.task.comm, ctx.task.tgid); } }'
	expect_printed 'init 1'
	program 'iter:task_file { if (ctx.task.pid == 1) { printf("fd %d\n", ctx.fd); } }'
	for fd in /proc/1/fd/*; do
		expect_printed "fd ${fd##*/}"
	done
}

# -p chooses the process that is visited, and not the one that reads the iterator.
test_iterators_of_a_process() {
	uname -r | grep -qE '^5\.|^6\.0' && skip "this kernel's iterators visit all tasks"
	run sonde trace -q -p 1 -e 'iter:task { if (ctx.task) { printf("%d\n", ctx.task.tgid); } }'
	expect_exit 0
	[ "$(sort -u out | tr -d '\n')" = 1 ] || fail "not the tasks of process 1"
	program 'iter:bpf_map { @ = count(); }' -p 1
	grep -qE '^@: [1-9]' lines || fail "no map was visited"
}

# Whoever reads the file makes the iterator run. The file goes when we do.
test_pinned_iterators() {
	sonde trace -e 'iter:task:list { if (ctx.task && ctx.task.pid == 1) { printf("%s\n", ctx.task.comm); } }' \
		> out 2> err &
	wait_until 50 grep -qx 'Program pinned to /sys/fs/bpf/list' err || fail "not pinned"
	cat /sys/fs/bpf/list
	kill -INT $!
	wait $! || fail "exit status $?"
	expect_line '^init$'
	[ ! -e /sys/fs/bpf/list ] || fail "the pin is still there"
	run sonde trace -q -e "iter:task:$PWD/list { }"
	expect_exit 1
	expect_one_err "cannot pin 'iter:task:$PWD/list' to $PWD/list: only a bpf file system can hold it$"
}

# arch=yes
test_perf_events() {
	program 'software:page-faults:1 { @[comm] = count(); }' -c '/bin/cat /dev/null'
	grep -qE '^@\[cat\]: [0-9]+$' lines || fail "no page fault was seen"
	address=$(awk '$3 == "jiffies" { print $1; exit }' /proc/kallsyms)
	program "watchpoint:0x$address:8:w { @ = count(); } interval:ms:300 { exit(); }"
	grep -qE '^@: [1-9]' lines || fail "nobody wrote to jiffies"
	run sonde trace -e 'hardware:cycles:1000000 { @ = count(); } interval:ms:1 { exit(); }'
	[ "$status" = 0 ] || expect_err 'hardware:cycles:1000000'
}

# Format files are what the kernel says; here awk reads them.
test_lists_arguments_of_tracepoints() {
	cd /sys/kernel/tracing/events
	awk '
	FNR == 1 {
		n = split(FILENAME, part, "/")
		print part[1] ":" part[2] "\t0\ttracepoint:" part[1] ":" part[2]
		line = 0
	}
	/field:/ && !/ common_/ {
		sub(/^.*field:/, "")
		sub(/;.*$/, "")
		print part[1] ":" part[2] "\t" ++line "\t    " $0
	}' [!fi]*/*/format i[!n]*/*/format > /tmp/all
	cd /tmp
	for system in sched syscalls kmem; do
		run sonde trace -lv "tracepoint:$system:*"
		expect_exit 0
		[ ! -s err ] || fail "something on stderr"
		grep "^$system:" all | LC_ALL=C sort -t '	' -k 1,1 -k 2,2n | cut -f 3 > expected
		cmp expected out || { diff expected out | head -20; fail "the arguments are others"; }
	done
}

test_lists_functions() {
	run sonde trace -l 'kprobe:vfs_*'
	expect_exit 0
	cut -d ' ' -f 1 /sys/kernel/tracing/available_filter_functions | sed -n 's/^vfs_/kprobe:vfs_/p' |
		LC_ALL=C sort -u > expected
	LC_ALL=C sort -c out || fail "it is not sorted"
	# some are never traced
	[ "$(comm -13 expected out | wc -l)" = 0 ] || fail "some functions cannot be traced"
	[ "$(wc -l < out)" -ge $(($(wc -l < expected) * 9 / 10)) ] || fail "functions are missing"
	run sonde trace -l 'kretprobe:vfs_read,t:sched:sched_switch'
	expect_out kretprobe:vfs_read tracepoint:sched:sched_switch
}

test_lists_types_and_arguments_of_functions() {
	has fentry || skip "no trampolines"
	run sonde trace -lv 'fexit:vfs_read'
	expect_out 'fexit:vmlinux:vfs_read' '    struct file * file' '    char * buf' '    size_t count' \
		'    loff_t * pos' \
		'    ssize_t retval'
	run sonde trace -lv 'kprobe:vfs_read,kretprobe:vfs_read'
	expect_out 'kprobe:vfs_read' '    struct file * arg0' '    char * arg1' '    size_t arg2' '    loff_t * arg3' \
		'kretprobe:vfs_read' '    ssize_t retval'
	run sonde trace -lv 'iter:task_file'
	expect_out 'iter:task_file' '    struct task_struct * task' '    u32 fd' '    struct file * file'
	run sonde trace -l 'software:*fault*'
	expect_out software:alignment-faults: software:emulation-faults: software:faults: software:major-faults: \
		software:minor-faults: software:page-faults:
}

# Where the fields of a struct are, also those of unnamed structs in it, as offsetof() says.
test_lists_offsets() {
	run sonde trace -lv 'struct path'
	expect_line '^struct path \{$'
	expect_line '^	struct dentry \*dentry; /\* offset 8 \*/$'
	expect_line '^}; /\* 16 bytes \*/$'
	run sonde trace -lv 'struct page'
	mv out listed
	run sonde trace -q -e 'BEGIN { printf("%d %d %d %d\n", offsetof(struct page, flags), offsetof(struct page, mapping),
		offsetof(struct page, private), sizeof(struct page)); exit(); }'
	expect_exit 0
	read -r flags mapping private size < out
	for wanted in "	.*[ *]flags; /\* offset $flags \*/" "	.*[ *]mapping; /\* offset $mapping \*/" \
		"	.*[ *]private; /\* offset $private \*/" "}; /\* $size bytes \*/"; do
		grep -qE "^$wanted" listed || fail "no line matches '$wanted': $(cat listed)"
	done
	run sonde trace -lv 'enum pid_type'
	expect_no_line offset
	cp /bin/sonde /tmp/bpftrace
	run /tmp/bpftrace -lv 'struct path'
	expect_line '^	struct dentry \*dentry;$'
	expect_line '^};$'
}

# Functions of a module: by its name, by patterns, and by the function's name alone, with the types of its own BTF.
test_functions_of_a_module() {
	has fentry || skip "no trampolines"
	[ -e /lib/dummy.ko ] || skip "no dummy.ko"
	insmod /lib/dummy.ko numdummies=0
	trap 'rmmod dummy' EXIT
	if [ ! -e /sys/kernel/btf/dummy ]; then
		for program in 'fentry:dummy:dummy_dev_init { print(args.dev); }' 'fentry:dummy:dummy_dev_init { @ = count(); }'; do
			run sonde trace -e "$program" -- true
			expect_exit 1
			expect_err 'the kernel offers no BTF of the module dummy'
		done
		return
	fi
	n=0
	for probe in fexit:dummy:dummy_dev_init fexit:dummy_dev_init 'fexit:dummy:dummy_dev_in*' 'fexit:d*:dummy_dev_init'; do
		n=$((n + 1))
		run sonde trace -q -e "$probe { printf(\"%s %s %d\n\", probe, args.dev.name, retval); }" -- \
			ip link add house$n type dummy
		expect_exit 0
		expect_line "^fexit:dummy:dummy_dev_init house$n 0$"
	done
	ip=ip
	[ "$(uname -m)" = x86_64 ] || ip=pc
	run sonde trace -q -e 'fentry:dummy:dummy_* { @[func] = count(); }
		fentry:dummy_dev_init { @k = ksym(reg("'$ip'")); }' -- ip link add house type dummy
	expect_exit 0
	expect_line '^@\[dummy_setup]: 1$'
	expect_line '^@\[dummy_dev_init]: 1$'
	expect_line '^@k: dummy_dev_init$'
	run sonde trace -lv 'fexit:dummy:dummy_dev_init'
	expect_out 'fexit:dummy:dummy_dev_init' '    struct net_device * dev' '    int retval'
	run sonde trace -l 'fentry:dummy_dev_init'
	expect_out 'fentry:dummy:dummy_dev_init'
	run sonde trace -e 'fentry:dummy:no_such { @ = count(); }'
	expect_exit 1
	expect_err "no kernel function matches '(fentry:dummy:)?no_such'"
}

# A trampoline has no registers, but the address of its function from Linux 5.15 on. What only registers say is refused.
test_registers_of_a_trampoline() {
	has fentry || skip "no trampolines"
	run sonde trace -q -e 'fentry:vfs_open { print(reg("sp")); }' -- true
	expect_exit 1
	expect_err 'has no register sp$'
	expect_err 'HINT: .*: kprobe has them$'
	run sonde trace -q -e 'fentry:vfs_open { print(caller); }' -- true
	expect_exit 1
	expect_err "caller can not be used with 'fentry' probes"
	program 'fentry:vfs_open { @[usermode] = count(); }' -c 'cat /proc/self/stat'
	grep -q '^@\[0]: [1-9]' lines || fail "the kernel does not run in the kernel's mode"
	ip=ip
	[ "$(uname -m)" = x86_64 ] || ip=pc
	run sonde trace -q -e 'fentry:vfs_open { printf("%s\n", ksym(reg("'$ip'"))); } fexit:vfs_open { @[ksym(reg("'$ip'"))] = count(); }' \
		-c 'cat /proc/self/stat'
	if [ "$KERNEL" = 5.10 ]; then
		expect_exit 1
		expect_err "does not say the address of a trampoline's function"
	else
		expect_exit 0
		expect_line '^vfs_open$'
		expect_line '^@\[vfs_open]: [1-9][0-9]*$'
	fi
}

# kernels=one
test_lists_user_probes() {
	run sonde trace -l 'usdt:/bin/usdt:house:*'
	expect_out usdt:/bin/usdt:house:gated usdt:/bin/usdt:house:places usdt:/bin/usdt:house:plain
	run sonde trace -l -e 'usdt:/bin/usdt:plain, kprobe:vfs_read { @ = count(); } END { }'
	expect_exit 0
	sort out > lines
	expect_printed kprobe:vfs_read
	expect_printed usdt:/bin/usdt:house:plain
	run sonde trace -l 'uprobe:*'
	expect_exit 2
	expect_one_err 'uprobe needs a binary'
}

# print(args) of a system call is strace's line of it, also of several calls at once. What cannot be read is an address,
# and no loss.
# kernels=turns arch=yes
test_args_of_calls() {
	sys=tracepoint:syscalls:sys
	program "${sys}_enter_openat,${sys}_exit_openat /comm == \"cat\"/ { print(args); }" -c 'cat /etc/passwd /none'
	grep -q '^openat(AT_FDCWD, "/etc/passwd", O_RDONLY)$' lines || fail "the path"
	grep -q '^openat(AT_FDCWD, "/none", O_RDONLY)$' lines || fail "the second path"
	grep -q '^openat = 3$' lines || fail "the result"
	grep -q '^openat = -1 ENOENT (No such file or directory)$' lines || fail "the error"
	program "${sys}_enter_* /comm == \"sleep\"/ { print(args); }" -c 'sleep 0.01'
	grep -qE '^(clock_)?nanosleep\((CLOCK_REALTIME, 0, )?\{tv_sec=0, tv_nsec=10000000}, (NULL|0x[0-9a-f]+)\)$' lines ||
		fail "a struct"
	grep -q '^exit_group(0)$' lines || fail "the last call"
	run sonde trace -q -f json -e "${sys}_enter_openat /comm == \"cat\"/ { print(args); }" -o printed -c 'cat /etc/passwd'
	expect_exit 0
	grep -q '"data": "openat(AT_FDCWD, \\"/etc/passwd\\", O_RDONLY)"' printed || fail "JSON: $(cat printed)"
	# by the name of bpftrace, what bpftrace prints
	ln -s "$(command -v sonde)" bpftrace
	./bpftrace -q -e "${sys}_exit_openat /comm == \"cat\"/ { print(args); }" -o printed -c 'cat /etc/passwd' > /dev/null
	grep -q '^{ .__syscall_nr = [0-9]*, .ret = 3 }$' printed || fail "as bpftrace: $(cat printed)"
	program "${sys}_enter_openat /comm == \"cat\"/ { print(args.flags); print((args.flags, 1)); }" -c 'cat /etc/passwd'
	expect_printed 0
	expect_printed '(0, 1)'
}
