# SPDX-License-Identifier: BSD-2-Clause
# sonde trace on programs of ours: user functions, their arguments, names and stacks; what needs no probe.

# btrace PROGRAM [ARG]...
btrace() {
	program=$1
	shift
	run sonde trace -e "$program" "$@"
	grep '^Attached [0-9]* probes*$' err > attached || :
	sed -i '/^Attached [0-9]* probes*$/d' err
}

# The program waits until its name was printed: that of a process that has ended could not be.
test_user_functions() {
	calls=$(command -v calls)
	mkfifo gate
	sonde trace -e "uprobe:$calls:main { @in[comm, arg0] = count(); print(usym(reg(\"ip\"))); }
		uretprobe:$calls:main { @out[retval] = count(); }" -c 'calls -w gate 3 getppid' > out 2> err &
	wait_until 30 grep -q '^main$' out || fail "no name"
	echo > gate
	wait $! || fail "exit status $?"
	expect_line '^@in\[calls, 5\]: 1$'
	expect_line '^@out\[0\]: 1$'
}

# A process that has ended by the time of printing, or never was: the address stays.
test_addresses_without_names() {
	btrace 'BEGIN { print(usym(4096)); exit(); }'
	expect_line '^0x1000$'
}

test_tests() {
	btrace 'test:okay { print("hidden"); return 0; } test:failure { print("shown"); return 1; }' --test
	expect_exit 1
	expect_line '^shown$'
	expect_no_line hidden
	expect_line '^\[==========\] Running 2 tests\.$'
	expect_line '^\[       OK \] okay \([0-9]+ μs\)$'
	expect_line '^\[  PASSED  \] 1 test\.$'
	expect_line '^\[  FAILED  \] 1 test, listed below:$'
	expect_line '^\[  FAILED  \] failure$'
	btrace 'test:okay { return 0; }' --test
	expect_exit 0
}

test_benchmarks() {
	btrace 'bench:count { @ = count(); }' --bench
	expect_exit 0
	expect_line '^\| count     \| [0-9]+ +\|$'
}

test_of_a_link() {
	ln -s "$(command -v sonde)" bpftrace
	run ./bpftrace --version
	expect_line '^bpftrace v[0-9.]+ '
	run ./bpftrace -e 'BEGIN { printf("%d\n", $1); exit(); }' 7
	expect_line '^7$'
}

# What a command leaves running holds its output, and does not hold us.
test_command_that_goes_on() {
	mkfifo held
	btrace 'BEGIN { system("cat held & echo text"); exit(); }' --unsafe
	: > held
	expect_exit 0
	expect_line '^text$'
}

# bpftrace ends with the process of -p.
test_of_a_process_that_ends() {
	ln -s "$(command -v sonde)" bpftrace
	mkfifo held
	cat held > /dev/null &
	process=$!
	exec 3> held
	./bpftrace -e 'interval:s:1000 { } END { printf("end\n"); }' -p $process > out 2> err 3>&- &
	wait_until 50 grep -q '^Attached' err || fail "not armed"
	exec 3>&-
	wait $! || fail "exit status $?"
	expect_line '^end$'
	wait $process
	run ./bpftrace -e 'BEGIN { printf("begun\n"); } interval:s:1000 { }' -p $process
	expect_exit 1
	expect_one_err "there is no process $process$"
	[ ! -s out ] || fail "something on stdout"
}

# One entry: user space adds up the processors' values of averages and histograms.
test_entries() {
	btrace 'BEGIN { @s["a", 1] = stats(5); print(@s["a", 1]); @h["xy"] = hist(4); print(@h["xy"]);
		@c["k"] = count(); print(@c["k"]); @t[2] = (5, "b"); print(@t[2]); exit(); }'
	expect_exit 0
	head -n 5 out > first
	cat > expected << END
{ .count = 1, .average = 5, .total = 5 }
[4, 8)                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

1
(5, b)
END
	diff expected first || fail "stdout is another"
}
