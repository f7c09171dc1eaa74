# SPDX-License-Identifier: BSD-2-Clause
# Engines without a tool: several at work in one process.

test_together() {
	run together
	expect_exit 0
	expect_line '^ok$'
}

# Totals with more keys than rows, on two processors.
# timeout=300 cpus=2
test_exported() {
	run exported
	expect_exit 0
	expect_line '^ok$'
}

# The same of maps of programs.
# timeout=300 cpus=2
test_exported_script() {
	run exported_script
	expect_exit 0
	expect_line '^ok$'
}

# Buckets of an exporter: each of their bounds is exact.
# kernels=one
test_bounds() {
	run bounds
	expect_exit 0
	expect_line '^ok, 192 values$'
}

# Random programs of the compiler's back end, and the library that compiled programs call. More by hand:
# emitted 1000 123456 (programs, the first seed).
# kernels=all arch=yes
test_emitted() {
	run emitted 60
	expect_exit 0
	expect_line '^ok, 6720 results, '
}

# Random programs of the language, beside what the same tree means in C. More by hand: compiled 10000 123456 (programs,
# the first seed); a third argument prints each.
# kernels=turns arch=yes
test_compiled() {
	run compiled 80
	expect_exit 0
	expect_line '^ok, 60 evaluated, '
	# lengths and buckets whose bounds the verifier of 5.10 forgot
	for seed in 700399 700487 801627; do
		run compiled 1 $seed
		expect_line '^ok, 0 evaluated, 1 only loaded, '
	done
	# the length of a constant that the verifier of 5.10 takes for another one
	run compiled 1 700860
	expect_line '^ok, 1 evaluated, '
}

pauses() {
	run paused "$@"
	expect_exit 0
	expect_line '^ok$'
}

# Links that are closed and made again, and programs that measure one call of 8.
# timeout=300 kernels=turns
test_paused_functions() {
	pauses count uprobe alpha
	pauses latency uprobe alpha
	has uprobe.multi || return 0
	pauses count uprobe.multi alpha
	pauses latency uprobe.multi alpha
}

# What a script has stored of threads, and what it deletes itself, is of the time before a pause.
# timeout=300
test_paused_script() {
	pauses script uprobe tid
	pauses script uprobe pid
}

# timeout=300 kernels=turns
test_paused_kernel() {
	pauses count fentry "p:$getpgid"
	pauses count kprobe "p:$getpgid"
	pauses latency fentry "p:$getpgid"
	pauses latency kprobe "p:$getpgid"
	pauses count raw_tp t:syscalls:sys_enter_getpgid
	pauses count tp t:syscalls:sys_enter_getpgid
	pauses syscalls auto ''
	has kprobe.multi || return 0
	pauses count kprobe.multi "p:$getpgid"
	# a session, if the kernel has them
	pauses latency kprobe.multi "p:$getpgid"
}

# Counters that go on while no process of ours runs: each is killed, and the next adopts what it has left.
survives() {
	run kept 20 "$@"
	expect_exit 0
	expect_line '^ok, 20 restarts, '
}

# timeout=300 kernels=turns
test_kept_functions() {
	survives count uprobe alpha
	survives latency uprobe alpha
	has uprobe.multi || return 0
	survives count uprobe.multi alpha
	survives latency uprobe.multi alpha
}

# timeout=300 kernels=turns
test_kept_kernel() {
	survives count fentry "p:$getpgid"
	survives count kprobe "p:$getpgid"
	survives latency fentry "p:$getpgid"
	survives latency kprobe "p:$getpgid"
	survives count raw_tp t:syscalls:sys_enter_getpgid
	survives count tp t:syscalls:sys_enter_getpgid
	has kprobe.multi || return 0
	survives count kprobe.multi "p:$getpgid"
	# a session, if the kernel has them
	survives latency kprobe.multi "p:$getpgid"
}

# timeout=300 kernels=turns
test_kept_tables() {
	survives syscalls auto ''
	getpgids='tracepoint:syscalls:sys_enter_getpgid /comm == "keptload"/'
	survives script auto "$getpgids { @ = count(); }"
	survives script auto "$getpgids { @[comm, tid % 2] = hist(3); }"
	survives script auto "begin { @a = 0; } $getpgids { @a++; }
		interval:ms:1 { @[1] = 0; }"
}

# Rings: what one program can show, and threads, interrupts and a reader at the same time, which may be too slow.
# kernels=all
test_ring() {
	run ring single
	expect_exit 0
	expect_line '^ok$'
	run env BLOCKS=1 ring single
	expect_exit 0
	expect_line '^ok$'
}

rings() {
	run "$@"
	expect_exit 0
	expect_line '^ok, [0-9]+ calls, [1-9][0-9]* interrupts, passed [1-9]'
}

# timeout=300 cpus=2 arch=yes kernels=turns
test_ring_threads() {
	rings ring stream 2 50000 64 0
	rings ring stream 3 50000 512 0
	rings ring stream 2 50000 64 100
	rings ring flight 2 50000 64 5
	rings ring flight 3 50000 4096 20
	rings env BLOCKS=1 ring stream 2 50000 64 0
	rings env BLOCKS=1 ring flight 3 50000 4096 20
}
