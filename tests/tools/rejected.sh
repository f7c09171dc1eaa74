# SPDX-License-Identifier: BSD-2-Clause
# A program that the verifier rejects (tests/programs/spoil.c breaks it on its way to the kernel)
# must be reported as such, and not as a place that cannot be probed. With -v the verifier's log
# follows, line by line.

rejected='the kernel rejected the BPF program'
hint='\(-v shows what its verifier says\)'

# Each place that loads a copy, by its mechanism.
# kernels=all
test_each_mechanism() {
	for way in "fentry $getpgid" "fentry r:$getpgid" "kprobe.multi $getpgid" "kprobe $getpgid" \
		"raw_tp t:sched:sched_switch" "tp t:sched:sched_switch" "raw_tp t:syscalls:sys_enter_*" \
		"uprobe.multi u:/bin/ufuncs:f_one" "uprobe u:/bin/ufuncs:f_one"; do
		has "${way% *}" || continue
		run spoil count sonde funccount --mechanism ${way% *} "${way#* }"
		expect_exit 1
		expect_one_err "^sonde funccount: cannot attach to '.*' by ${way% *}: $rejected $hint\$"
	done
}

# kernels=one
test_of_each_engine() {
	for tool in 'latency funclatency' 'slower funcslower'; do
		run spoil ${tool%% *} sonde ${tool#* } $getpgid
		expect_exit 1
		expect_one_err "cannot attach to '$getpgid': $rejected $hint\$"
	done
	run spoil exec_done sonde execsnoop
	expect_exit 1
	expect_one_err "cannot attach to 'sched:sched_process_exec': $rejected $hint\$"
	run spoil follow_fork sonde funccount $getpgid -- true
	expect_exit 1
	expect_one_err "the command's children cannot be followed: $rejected $hint\$"
}

# Each line holds one line of the log and nothing else.
test_log() {
	run spoil count sonde funccount -v $getpgid
	expect_exit 1
	expect_err "verifier: 0: \(bf\) r0 = r9"
	expect_err 'verifier: R9 !read_ok$'
	expect_err 'verifier: processed [0-9]+ insns'
	expect_err "cannot attach to '$getpgid': $rejected\$"
	! grep -F '\n' err || fail "lines are not told apart"
	run spoil follow_fork sonde funccount -v $getpgid -- true
	expect_err 'libbpf: .*R9 !read_ok$'
}

# With -v, a program that a tool can do without is named, with what the verifier complains of and what takes its place.
test_optional() {
	run spoil takes sonde why --requests -v -d 1 --port 1
	expect_exit 0
	expect_err "the kernel refused the program 'takes': R9 !read_ok\$"
	expect_err "program 'takes' is not at 'sock:sock_recv_length', and nothing takes its place\$"
	[ "$KERNEL" != 5.10 ] || expect_err "program 'arrives' is at 'sock_def_readable' in place of 'sock:sk_data_ready'\$"
}

# If a function cannot have a trampoline, the program is not at fault.
test_not_the_program() {
	has fentry || skip "this kernel has no trampolines"
	run sonde funccount --mechanism fentry r:do_exit
	expect_exit 1
	expect_one_err "it never returns"
	fc --mechanism fentry seq_printf -- true
	[ "$KERNEL" != 5.10 ] || return 0 # it does not mind variable arguments
	expect_exit 1
	expect_one_err "cannot attach to 'seq_printf' by fentry: the kernel does not allow a probe there$"
}
