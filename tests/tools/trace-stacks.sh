# SPDX-License-Identifier: BSD-2-Clause
# sonde trace: stacks with a limit, which do not begin with what runs the program.

# btrace PROGRAM [ARG]...
btrace() {
	program=$1
	shift
	run sonde trace -q -e "$program" "$@"
}

# frames_of_tracing: whether stdout has any.
frames_of_tracing() {
	grep -E 'unknown|bpf_|perf_(trace|syscall)|trace_syscall|traceiter' out
}

# keys: the keys of the maps in stdout, each as one line, sorted.
keys() {
	awk '/^@/ { key = $1; next } /^\]: / { print key; next } { key = key " " $1 }' out | sort
}

# Keys of stacks with a limit differ in what is shown, and none begins with what runs the program.
# kernels=turns arch=yes
test_limited_stacks() {
	probes="kprobe:vfs_read fentry:vfs_read fexit:vfs_read rawtracepoint:kmalloc tracepoint:kmem:kmalloc"
	# older ones give the kernel's stack to no program there
	case $(uname -r) in
	5.* | 6.1.*) ;;
	*) probes="$probes tracepoint:syscalls:sys_enter_read tracepoint:syscalls:sys_exit_read" ;;
	esac
	for probe in $probes; do
		btrace "$probe /pid == cpid/ { @[kstack(raw, 1)] = count(); @named[kstack(perf, 2)] = count(); }" \
			-c 'calls 3 read 20 openat'
		expect_exit 0
		keys > keys
		[ "$(grep -c '^@\[ [0-9a-f]*$' keys)" -ge 1 ] || fail "$probe: no keys of one frame"
		[ -z "$(uniq -d keys)" ] || fail "$probe: keys repeat: $(uniq -d keys)"
		grep -q '^@named\[ [0-9a-f]* [0-9a-f]*$' keys || fail "$probe: no keys of two frames"
		! frames_of_tracing || fail "$probe: frames of tracing"
	done
}

# An iterator is no function that a trampoline is of.
# kernels=all arch=yes
test_limited_stacks_of_iterators() {
	btrace 'iter:task { @[kstack(1)] = count(); @two[kstack(raw, 2)] = count(); @whole = kstack; }'
	expect_exit 0
	keys > keys
	grep -q '^@\[ [a-z_]*seq_[a-z_]*+[0-9]*$' keys || fail "no key of one frame"
	grep -q '^@two\[ [0-9a-f]* [0-9a-f]*$' keys || fail "no key of two frames"
	[ -z "$(uniq -d keys)" ] || fail "keys repeat: $(uniq -d keys)"
	! grep -E 'unknown|bpf_(prog|iter_run)' out || fail "frames of tracing"
}

# A probe whose registers say where its stack begins has no frames of tracing: those that are there are what was hit.
# kernels=all
test_stacks_within_tracing() {
	btrace 'rawtracepoint:sys_enter /pid == cpid/ { @text = str(kptr(kaddr("linux_banner")), 6); }
		kprobe:strncpy_from_kernel_nofault /pid == cpid/ { @two[kstack(2)] = count(); @whole = kstack; }' \
		-c 'calls 3 read'
	expect_exit 0
	expect_line '^@text: Linux$'
	for map in '@two' '@whole'; do
		grep -A 1 "^$map" out | sed -n 's/^ \+\([^+]*\)+.*/\1/p' | sort -u > first
		[ "$(cat first)" = strncpy_from_kernel_nofault ] || fail "$map: begins with $(cat first)"
	done
	[ "$(keys | grep -c '^@two\[ [^ ]* [^ ]*$')" = "$(keys | grep -c '^@two')" ] || fail "not two frames each"
}

# With many tracepoints there is still room for what runs programs at system calls. Two programs at a tracepoint are
# called by its iterator.
# kernels=turns
test_limited_stacks_of_many_tracepoints() {
	others=
	for name in kfree kmem_cache_alloc kmem_cache_free mm_page_alloc mm_page_free sched_switch sched_wakeup; do
		others="${others}rawtracepoint:$name,"
	done
	more=tracepoint:kmem:kmalloc,tracepoint:kmem:kfree
	case $(uname -r) in
	5.* | 6.1.*) ;;
	*) more=$more,tracepoint:syscalls:sys_enter_read,tracepoint:syscalls:sys_enter_openat ;;
	esac
	btrace "$others rawtracepoint:kmalloc, rawtracepoint:sys_enter /pid == cpid/ { @raw[kstack(raw, 1)] = count(); }
		rawtracepoint:kmalloc, rawtracepoint:sys_enter /pid == cpid/ { @two[kstack(raw, 2)] = count(); }
		$more /pid == cpid/ { @[probe, kstack(raw, 1)] = count(); @named[probe, kstack(perf, 2)] = count(); }" \
		-c 'calls 20 read 20 openat'
	expect_exit 0
	awk '/^@/ { key = $1 " " $2; n = 0; next } /^\]: / { print key, n; next } { key = key " " $1; n++ }' out |
		sort > keys
	[ -z "$(uniq -d keys)" ] || fail "keys repeat: $(uniq -d keys)"
	! grep '^@[[r].* 0$' keys || fail "keys without a frame"
	! grep '^@[tn].* [01]$' keys || fail "keys without two frames"
	! frames_of_tracing || fail "frames of tracing"
	case $more in
	*openat*) grep -q '^@\[tracepoint:syscalls:sys_enter_openat' keys || fail "no stack of a system call" ;;
	esac
}

# The body of a loop may be a function that a function of the kernel calls.
# kernels=all
test_limited_stacks_within_loops() {
	if [ "$KERNEL" = 5.10 ]; then skip "no loops over maps"; fi
	for probe in fexit:vfs_read fentry:vfs_read rawtracepoint:kmalloc; do
		btrace "BEGIN { @m[1] = 1; }
			$probe /pid == cpid/ { for (\$kv : @m) { @[kstack(raw, 1)] = count();
				@two[kstack(perf, 2)] = count(); } }
			END { clear(@m); }" -c 'calls 3 read'
		expect_exit 0
		keys > keys
		[ -z "$(uniq -d keys)" ] || fail "$probe: keys repeat: $(uniq -d keys)"
		grep -q '^@two\[ [0-9a-f]* [0-9a-f]*$' keys || fail "$probe: no keys of two frames"
		! frames_of_tracing || fail "$probe: frames of tracing"
	done
}

# A probe at an instruction of a function: behind what the tracer may change at its begin.
# kernels=ends
test_offset_in_a_function() {
	for at in 4 5 8 9 12; do
		btrace "kprobe:${SYS}_getpgid+$at /pid == cpid/ { @ = count(); }" -c 'calls 5 getpgid'
		[ $status != 0 ] || break
	done
	expect_exit 0
	expect_line '^@: 5$'
	btrace "kprobe:${SYS}_getpgid+100000 { @ = count(); }"
	expect_exit 1
}
