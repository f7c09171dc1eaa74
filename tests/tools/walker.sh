# SPDX-License-Identifier: BSD-2-Clause
# The unwinder in BPF: stacks of known depth, in each type of program.
# of file: kernels=ends arch=yes

# chain DEPTH: the functions from leaf() to deep(), the innermost first.
chain() {
	chain=leaf n=$1
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		if [ $((($1 - n) % 2)) = $(($1 % 2)) ]; then
			chain="$chain odd"
		else
			chain="$chain even"
		fi
	done
	echo "$chain deep"
}

# walked SPEC MECHANISM PROGRAM MODE DEPTH AFTER: the stack of leaf() is complete: deep(), then the functions AFTER.
walked() {
	run walker "$1" "$2" "$3" "$4" "$5"
	expect_exit 0
	expect_line "^[1-9][0-9]* root 0 [0-9]+ [0-9]+ $(chain "$5") $6\$"
	expect_no_line '^an id'
}

# a libc without symbols has no names in between
main='main( [^ ]+){2} _start'

# everywhere SPEC MECHANISM: in each program and mode. In SPEC, @ is the program.
everywhere() {
	for program in frames dynframes; do
		at=$(echo "$1" | sed "s,@,/bin/$program,")
		walked "$at" "$2" $program deep 7 "$main"
		walked "$at" "$2" $program deep 100 "$main"
		walked "$at" "$2" $program signal 7 "handler faulted [^ ]+ raises on_signal $main"
		walked "$at" "$2" $program stack 7 "handler faulted [^ ]+ raises on_signal $main"
		walked "$at" "$2" $program sort 7 "compare( [^ ]+){3,4} $main"
	done
}

# Where the kernel has taken over, the registers are those that it saved.
# kernels=turns arch=yes
test_tracepoint() {
	everywhere t:syscalls:sys_enter_read tp
}

# kernels=turns
test_raw_tracepoint() {
	everywhere t:syscalls:sys_enter_read raw_tp
}

test_kprobe() {
	everywhere p:vfs_read kprobe
}

# kernels=one arch=yes
test_kprobe_multi() {
	has kprobe.multi || skip "this kernel has no kprobe.multi"
	everywhere p:vfs_read kprobe.multi
}

# kernels=turns
test_fentry() {
	has fentry || skip "this kernel has no fentry"
	everywhere p:vfs_read fentry
}

# kernels=turns
test_uprobe() {
	everywhere u:@:leaf uprobe
}

# kernels=one arch=yes
test_uprobe_multi() {
	has uprobe.multi || skip "this kernel has no uprobe.multi"
	everywhere u:@:leaf uprobe.multi
}

# At any place of the program, in the kernel or not: all samples are complete.
test_samples() {
	for program in frames dynframes; do
		run walker perf:200000 auto $program spin 40
		expect_exit 0
		expect_line "^[0-9]+ root 0 0 [0-9]+ $(chain 40) $main\$"
		expect_no_line '^[0-9]+ (no-user|process|mapping|no-fde|expression|memory|depth|damaged) .* (leaf|odd|even|deep)'
	done
}

test_threads() {
	walked t:syscalls:sys_enter_read tp frames thread 7 "thread start_thread [^ ]+"
}

# The return addresses of probed functions are those of the kernel's trampoline.
test_return_probes() {
	walked u:/bin/frames:leaf uprobe frames deep 40 "$main"
	start sonde funccount ur:/bin/frames:odd ur:/bin/frames:leaf ur:/bin/frames:deep
	walked u:/bin/frames:leaf uprobe frames deep 40 "$main"
	walked t:syscalls:sys_enter_read tp frames deep 40 "$main"
	stop INT
	expect_count odd 40
}

# The verifier follows each path of a step once: it looks at less than sixty thousand instructions, of a million that it
# allows. The frames of interpreters are the larger part.
# kernels=all arch=yes
test_verifier() {
	run walker perf auto frames deep 1
	expect_exit 0
	expect_err '^processed ([0-9]{4}|[1-5][0-9]{4}) insns'
}

# More frames than a record holds: it has the innermost.
# kernels=one arch=yes
test_depth() {
	run walker t:syscalls:sys_enter_read tp frames deep 500
	expect_exit 0
	expect_line "^1 depth 0 [0-9]+ 127 leaf"
}

# Without tables, these programs have no frame pointers to follow.
# kernels=one arch=yes
test_frame_pointers() {
	run env WALKER_FP=1 walker t:syscalls:sys_enter_read tp frames deep 7
	expect_exit 0
	expect_no_line " root .* $(chain 7) "
}
