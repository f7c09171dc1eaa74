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
	# the kernel names processes by their numbers in the first namespace; /proc of another one has other numbers
	[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || skip "not in the first PID namespace"
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

# Without -k the places are counted. A value that is looked at says it, and nothing warns.
test_delete_of_nothing() {
	btrace 'BEGIN { @a[1] = 1; delete(@a, 2); for ($i : 0..5) { delete(@a, 3); } delete(@a, 1);
		print(delete(@a, 4)); _ = delete(@a, 5); exit(); }'
	expect_exit 0
	expect_line '^false$'
	expect_err "^stdin:1:20-33: WARNING: Can't delete map element because it does not exist.$"
	expect_err "WARNING: Can't delete map element because it does not exist. \(5 times\)$"
	[ "$(grep -c WARNING err)" = 2 ] || fail "not two warnings: $(cat err)"
	# a block of several probes is one place
	btrace 'BEGIN, END { @a[1] = 1; delete(@a, 2); exit(); }'
	expect_err "^stdin:1:25-38: WARNING: Can't delete map element because it does not exist. \(2 times\)$"
	[ "$(grep -c WARNING err)" = 1 ] || fail "not one warning: $(cat err)"
	btrace 'BEGIN { @a[1] = 1; for ($i : 0..5) { delete(@a, 3); } print(delete(@a, 1)); exit(); }' -k
	expect_line '^true$'
	[ "$(grep -c WARNING err)" = 5 ] || fail "not five warnings: $(cat err)"
}

test_ignored_variables() {
	BPFTRACE_VMLINUX=/x BPFTRACE_KERNEL_BUILD=/y BPFTRACE_COLOR=never btrace 'BEGIN { exit(); }'
	expect_exit 0
	expect_err 'BPFTRACE_VMLINUX, BPFTRACE_KERNEL_BUILD are ignored'
	expect_err 'BPFTRACE_COLOR is ignored'
}

test_unstable_series() {
	series='BEGIN { @ = tseries(3, 24h, 5); clear(@); exit(); }'
	btrace "config = { unstable_tseries = warn } $series"
	expect_exit 0
	expect_err 'WARNING: tseries\(\) is unstable'
	btrace "$series"
	expect_exit 0
	! grep WARNING err || fail "a warning by default"
}

# An address is one of the file, and may be in the middle of a function.
test_addresses_of_a_file() {
	ufuncs=$(command -v ufuncs)
	at=$(nm "$ufuncs" | awk '$3 == "f_one" { print "0x" $1 }')
	[ "$(uname -m)" = x86_64 ] && behind=3 || behind=4
	btrace "uprobe:$ufuncs:$at { @ = count(); }
		uprobe:$ufuncs:$((at + behind)) { @middle = count(); }" -c 'ufuncs 2'
	expect_exit 0
	expect_line '^@: 2$'
	expect_line '^@middle: 2$'
	btrace "uprobe:$ufuncs:$((at + 1)) { @ = count(); }" -c 'ufuncs 2'
	expect_exit 1
	expect_err 'inside an instruction'
	btrace "uprobe:$ufuncs:16 { @ = count(); }" -c 'ufuncs 2'
	expect_exit 1
	expect_err '0x10 is not in the code of '
}

test_help_of_a_program() {
	cat > sizes.bt <<-'END'
		// sizes.bt: counts sizes
		BEGIN { print((getopt("least", 5, "the smallest size"), getopt("all"))); exit(); }
	END
	run sonde trace sizes.bt -- --help --least=7
	expect_exit 0
	expect_line '^usage: sonde trace .* sizes.bt -- '
	expect_line 'counts sizes$'
	expect_line '^ *--least N +the smallest size'
	expect_line '^ *--all$'
	expect_no_line '^\(' # it has not run
	run sonde trace -q -e 'BEGIN { print(getopt("help")); exit(); }' -- --help
	expect_exit 0
	expect_line '^true$'
	# from a pipe, which can be read once
	echo 'BEGIN { print(getopt("help")); exit(); }' | sonde trace -q - -- --help > out 2> err ||
		fail "exit status $?"
	expect_line '^true$'
	# the help needs no target, and no other argument matters
	run sonde trace -e 'kprobe:no_such_function { print(getopt("least", 5, "the smallest size")); }' -- --help more
	expect_exit 0
	expect_line '^ *--least N +the smallest size'
	[ ! -s err ] || fail "a message: $(cat err)"
	run sonde trace -e 'BEGIN { print(getopt("least", 5, "the smallest size")) ' -- --help
	expect_exit 1
	expect_err '^stdin:1:.* ERROR: '
}

# Whether the caller of the last frame that is wanted can be found makes no other stack.
test_limited_user_stacks() {
	btrace "uprobe:$(command -v unpaired):bare { @[ustack(raw, 1)] = count(); @named[ustack(1)] = count();
		@all[ustack] = count(); }" -c 'unpaired 50'
	expect_exit 0
	grep -A 1 '^@named\[' out | grep -q '^ *bare' || fail "no frame of bare()"
	awk '/^@/ { key = $1; next } /^\]: / { print key; next } { key = key " " $1 }' out | sort > keys
	[ -z "$(uniq -d keys)" ] || fail "keys repeat: $(uniq -d keys)"
	grep -q '^@named\[ [^ ]*$' keys || fail "no key of one frame"
	[ "$(grep -c '^@all' keys)" -ge 2 ] || fail "all callers are found alike: this tests nothing"
}

# Where the kernel does not name programs, too.
test_limited_stack_of_a_tracepoint() {
	btrace 'tracepoint:kmem:kmalloc /pid == cpid/ { print(kstack(2)); @[kstack(raw, 1)] = count(); }' \
		-c 'calls 1 openat'
	expect_exit 0
	! grep -E 'unknown|bpf_' out || fail "frames of the program"
	awk '/^@/ { getline; print }' out | sort > keys
	[ -s keys ] && [ -z "$(uniq -d keys)" ] || fail "keys repeat: $(cat keys)"
	awk '/^    / { n++; next } { if (n && n != 2) bad = 1; n = 0 } END { exit bad }' out || fail "not two frames"
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

# A program of which nothing is left to wait for ends, as in bpftrace; with -c it ends with the command.
test_begin_and_end_alone() {
	btrace 'BEGIN { printf("one\n"); @x = 1; } END { printf("two\n"); }'
	expect_exit 0
	[ "$(tr '\n' ' ' < out)" = "one two   @x: 1 " ] || fail "stdout is another"
	btrace 'BEGIN { printf("one\n"); }' -c 'sh -c "exit 0"'
	expect_exit 0
	sonde trace -q -e 'BEGIN { printf("ready\n"); }
		self:signal:SIGUSR1 { printf("usr1\n"); exit(7); }' > out 2> err &
	wait_until 30 grep -q ready out || fail "it has not begun"
	kill -USR1 $!
	wait $! && fail "exit status 0"
	[ $? = 7 ] || fail "exit status $?"
	expect_line '^usr1$'
}

# What a program reports is its own text: one line feed at its end, no excerpt.
test_errorf() {
	btrace 'BEGIN { errorf("bad %d\n", 1); warnf("odd"); assert(1 == 2, "no"); }'
	expect_exit 1
	printf '%s\n' 'stdin:1:9-30: ERROR: bad 1' 'stdin:1:32-44: WARNING: odd' \
		'stdin:1:46-66: ERROR: assert failed: no' > expected
	diff expected err || fail "stderr is another"
}

# Only these probes of a program run, beside begin and end; --cmd is bpftrace's word for --command.
test_probe_filter() {
	ufuncs=$(command -v ufuncs)
	btrace "uprobe:$ufuncs:f_t* { @[probe] = count(); } uprobe:$ufuncs:f_one { @one = count(); }
		begin { print(\"begun\"); } interval:ms:1 { @i = 1; }" --probe-filter ':f_two$' --cmd "$ufuncs 3"
	expect_exit 0
	grep -v '^did' out | sed '/^$/d' > seen
	printf '%s\n' begun "@[uprobe:$ufuncs:f_two]: 6" | diff - seen || fail "other probes"
	btrace 'test:good { } test:bad { return 1; }' --test --probe-filter '^test:good$'
	expect_exit 0
	btrace 'BEGIN { }' --probe-filter '('
	expect_exit 2
}

# Starts usdt, whose process is $!, and waits until it has mapped its file.
runs_usdt() {
	"$dir/usdt" 2000000000 > /dev/null &
	wait_until 20 grep -q '/usdt$' /proc/$!/maps || fail "usdt does not run"
}

# The binary of a user probe may be a pattern, or any that the process has mapped.
test_patterns_of_binaries() {
	dir=$(dirname "$(readlink -f "$(command -v usdt)")")
	run sonde trace -l "usdt:$dir/usd?:args:*,uprobe:$dir/ufun*:f_t*,usdt:/no/such*:*"
	expect_exit 0
	printf '%s\n' "uprobe:$dir/ufuncs:f_three" "uprobe:$dir/ufuncs:f_two" "usdt:$dir/usdt:args:all" \
		"usdt:$dir/usdt:args:many" | diff - out || fail "another list"
	run sonde trace -l "*:$dir/usd?:plai?,*:$dir/usd?:mai?"
	expect_exit 0
	printf '%s\n' "uprobe:$dir/usdt:main" "usdt:$dir/usdt:house:plain" | diff - out || fail "not of all kinds"
	for pattern in 'usdt:*' usdt 'usdt:*:*'; do
		runs_usdt
		run sonde trace -p $! -l "$pattern"
		kill $!
		expect_line "^usdt:$dir/usdt:house:plain$"
	done
	for probe in usdt:plain usdt::plain usdt::house:plain 'usdt:*:house:plain'; do
		runs_usdt
		btrace "$probe { print(probe); exit(); }" -p $!
		kill $!
		expect_exit 0
		expect_line "^usdt:$dir/usdt:house:plain$"
	done
	runs_usdt
	btrace 'usdt:nothing { @ = count(); }' -p $!
	expect_exit 1
	expect_err "ERROR: no file matches, or none of them has this probe: 'usdt:nothing'$"
	kill $!
	btrace 'usdt::plain { @ = count(); }'
	expect_exit 1
	expect_err 'ERROR: usdt without a binary needs a process \(-p\)'
}

# uaddr() of a program that is loaded anywhere: a variable of four bytes, and its place itself.
test_uaddr_of_what_is_loaded_anywhere() {
	file=$(readlink -f "$(command -v dynframes)")
	btrace "uprobe:$file:main { print((uint64)uaddr(\"main\") == reg(\"ip\"));
		print(sizeof(*uaddr(\"wanted\"))); exit(); }" -c "$file"
	expect_exit 0
	expect_line '^true$'
	expect_line '^4$'
	btrace "uprobe:$file:main { print(uaddr(\"no_such\")); }"
	expect_exit 1
	expect_err "has no symbol 'no_such'"
	btrace "uretprobe:$file:main { print(uaddr(\"main\")); }"
	expect_exit 1
	expect_err 'keep it when the function begins'
}

# A pattern may fit any number of files.
test_a_pattern_of_many_binaries() {
	mkdir many
	for i in $(seq 300); do
		ln -s "$(readlink -f "$(command -v usdt)")" "many/usdt$i"
	done
	btrace "config = { max_probes = 299 } usdt:$PWD/many/*:house:plain { @ = count(); }"
	expect_exit 1
	expect_err "Can't attach to 300 probes because it exceeds the current limit of 299 probes"
	run sonde trace -l -e "usdt:$PWD/many/*:house:plain { }"
	[ "$(grep -c ':house:plain$' out)" = 300 ] || fail "not 300 probes"
}

# -lv has the arguments of a program's probes, too.
test_list_with_arguments() {
	usdt=$(command -v usdt)
	run sonde trace -lv -e "interval:s:1 { } usdt:$usdt:args:all, usdt:$usdt:house:plain { }"
	expect_exit 0
	printf '%s\n' interval:s:1 "usdt:$usdt:args:all" '    int32 arg0' '    uint64 arg1' '    int8 arg2' \
		'    int64 arg3' "usdt:$usdt:house:plain" '    int32 arg0' | diff - out || fail "another list"
	[ ! -s err ] || fail "something on stderr"
}

# An attach point with a parameter in it: the message has what it came to.
test_parameters_in_probes() {
	run sonde trace -e 'uprobe:$1:main { @ = count(); }' 17
	expect_exit 1
	expect_err "^HINT: with the parameters it is 'uprobe:17:main'$"
	run sonde trace -e 'rawtracepoint:$1:sched_switch { @ = count(); }' no_such
	expect_exit 1
	expect_err "ERROR: no kernel module 'no_such' is loaded$"
	expect_err "^HINT: with the parameters it is 'rawtracepoint:no_such:sched_switch'$"
}

# What bpftrace's command line has works, or is refused with what to do instead.
# <FILE> is a file of -I, if the constants of that header are not known.
test_include_directories() {
	mkdir lib
	echo '#define FOO 77' > lib/foo.h
	printf '#include <foo.h>\nBEGIN { print(FOO); exit(); }\n' > p.bt
	run sonde trace -q -I lib p.bt
	expect_exit 0
	expect_line '^77$'
	run sonde trace -q p.bt
	expect_exit 1
	grep -qF '<foo.h> is not read' err || fail "no reason"
}

test_misspelt_symbol() {
	btrace 'BEGIN { print(kaddr("vfs_reed")); exit(); }'
	expect_exit 1
	grep -qxF "HINT: did you mean 'vfs_read'?" err || fail "no hint"
}

test_options_of_bpftrace() {
	for option in '-d ast' '--debug=ast' '--aot x' '--emit-elf x' '--emit-llvm x' '--traceable-functions x' \
		'--mode test' '--fmt' '--debuginfo x' '--no-feature kprobe_multi'; do
		# shellcheck disable=SC2086 # an option and its argument
		run sonde trace $option -e 'BEGIN { }'
		expect_exit 2
		grep -q 'unknown option' err && fail "$option is unknown"
	done
	expect_err '^sonde trace: this tool has no option --no-feature: '
	printf '#define SEVEN 7\n' > seven.h
	btrace 'BEGIN { printf("%d\n", SEVEN); }' --include seven.h --include linux/path.h --warnings
	expect_exit 0
	expect_line '^7$'
	for option in --version -V; do
		run sonde trace "$option"
		expect_exit 0
		expect_line '^sonde '
	done
	BPFTRACE_BTF=/no btrace 'BEGIN { }'
	expect_exit 0
	expect_err 'BPFTRACE_BTF is ignored'
	btrace 'test:x { } bench:y { }'
	expect_exit 1
	expect_err 'no probe is left to attach: --test runs test probes, --bench bench probes'
}

# Odd bytes and large numbers are JSON that jq reads.
test_json_of_odd_bytes() {
	btrace 'BEGIN { printf("a\xff\x01\"\\\n"); @["k\xfe\n"] = "v\x80z"; @b = buf("\xffy", 2);
		@h[1, "\xf0"] = hist(3);
		errorf("e\xff"); @s[(1, "\t")] = stats(-3); @u = (uint64)18446744073709551615; }' -f json
	jq -c . out > parsed || fail "this is no JSON"
	[ "$(wc -l < parsed)" = 8 ] || fail "lines are missing"
	iconv -f utf-8 -t utf-8 out > /dev/null || fail "this is no UTF-8"
}

# What the program itself sees of an aggregate is gone after clear() and zero(), too, and a key that it deletes and adds
# again counts from 0.
test_programs_see_what_was_cleared() {
	btrace 'begin { @c[1] = sum(7); clear(@c); @k[1] = count(); @k[2] = count(); clear(@k); @z = sum(5); zero(@z);
			@d[1] = count(); @d[1] = count(); }
		interval:ms:100 { @n++;
			if (@n == 1) { @c[1] = sum(1); clear(@d);
				printf("%d %d %d\n", (int64)@c[1], len(@k), (int64)@z); }
			if (@n == 3) { delete(@d, 1); @d[1] = count(); }
			if (@n == 5) { exit(); } }'
	expect_exit 0
	expect_line '^1 0 0$'
	expect_line '^@c\[1\]: 1$'
	expect_line '^@d\[1\]: 1$'
}

test_json_of_bcc_stacks() {
	run sonde trace -j -K -c 'sleep 0.1' 't:syscalls:sys_enter_execve "hi"'
	expect_exit 0
	[ "$(jq -r .message < out)" = hi ] && ! grep -qx '' out || fail "this is no JSON"
}

# A command is found by PATH: a directory of its name is no cgroup.
test_command_and_directory() {
	mkdir true
	run sonde trace -e 'begin { }' -c true
	expect_exit 0
	run sonde trace -e 'begin { }' -c ./true
	expect_exit 2
	expect_err "for a cgroup: --cgroup ./true"
}

# Reads the output only when the command has ended: the buffer then holds what takes longer to read than the time that a
# program gets to complete its record. Each call is a line or a reported loss.
test_end_reads_all() {
	calls=$(command -v ufuncs)
	mkfifo late
	sonde trace --buffer-size 256M -e "config = { max_strlen = 2048 }
		uprobe:$calls:f_one { printf(\"call %r\\n\", buf(reg(\"sp\"), 2000)); @calls = count(); }" \
		-c "sh -c \"$calls 60000 > did; : > ended\"" > late 2> err &
	exec 3< late
	wait_until 60 test -e ended
	sleep 0.3
	cat <&3 > out
	wait $! || fail "exit status $?"
	lost=$(sed -n 's/.*: \([0-9]*\) events* lost: .*/\1/p' err)
	lines=$(grep -c '^call ' out)
	[ $((lines + ${lost:-0})) = 60000 ] || fail "$lines lines and ${lost:-no} losses of 60000"
	expect_line '^@calls: 60000$'
}

# A reader that has seen enough is no failure, but -v counts what it did not see.
test_closed_output() {
	printf '%s\n' "uprobe:$(command -v ufuncs):f_one { printf(\"call\\n\"); }" > program
	sonde trace -v -B none program -c 'ufuncs 1000' 2> err | head -n 1 > out
	expect_line '^call$'
	expect_err '[0-9]+ rows were not written: the reader has closed the pipe$'
}

# Nobody reads the output, and much of it is left: a second signal ends sonde at once.
test_second_signal_at_the_end() {
	calls=$(command -v ufuncs)
	mkfifo never
	sonde trace -e "uprobe:$calls:f_one { printf(\"call %d\\n\", arg0); }" \
		-c "sh -c \"$calls 60000 > did; : > ended\"" > never 2> err &
	sonde=$!
	exec 3< never
	wait_until 60 test -e ended
	sleep 0.3
	began=$(date +%s%N)
	kill -TERM $sonde
	sleep 0.2
	kill -TERM $sonde 2> err.kill || :
	wait $sonde && fail "exit status 0"
	took=$((($(date +%s%N) - began) / 1000000))
	[ $took -lt 1500 ] || fail "the end took $took ms"
}

# expressions_table FILE ARG...: each line of the file is an expression, "=>" and what print() shows of it.
expressions_table() {
	table=$1
	shift
	{
		echo 'BEGIN { $yes = pid > 0; $no = pid == 0; $seven = $yes ? 7 : 8; $text = $yes ? "7" : "8";'
		sed 's/ *=> .*//; s/.*/print((&));/' "$table"
		echo 'exit(); }'
	} > program
	sed 's/.*=> //' "$table" > wanted
	run sonde trace -q program "$@"
	expect_exit 0
	grep -v '^$' out | diff wanted - > differences || {
		cat differences
		fail "expressions differ with the arguments: $*"
	}
}

# The language reference: $1 is a number, str($1) its text; $n that is not given is 0 and "".
test_positional_parameters() {
	cat > given <<-'END'
		$1                              => 7
		$2                              => 12
		$3                              => abc
		$4                              => 0
		$#                              => 3
		$1 ? $1 : 5000                  => 7
		$4 ? $4 : 5000                  => 5000
		$yes ? $1 : 5000                => 7
		$no ? $1 : 5000                 => 5000
		true ? $1 : $2                  => 7
		false ? $1 : $2                 => 12
		$1 ? $2 : $4                    => 12
		$1 ? str($1) : "none"           => 7
		$4 ? str($4) : "none"           => none
		$3 ? str($3) : "none"           => abc
		$3 ? 1 : 2                      => 1
		{ $1 } ? { $1 } : 9             => 7
		$1 + 1                          => 8
		$1 - $2                         => -5
		$1 * $seven                     => 49
		$seven / $1                     => 1
		$1 % 4                          => 3
		$1 << 2                         => 28
		$1 >> 1                         => 3
		$1 & 3                          => 3
		$1 | 8                          => 15
		$1 ^ 1                          => 6
		~$1                             => -8
		-$1                             => -7
		!$1                             => false
		!$4                             => true
		$1 && $2                        => true
		$1 && $4                        => false
		$4 || $1                        => true
		$4 || $4                        => false
		$1 == 7                         => true
		$1 == $seven                    => true
		$1 != 7                         => false
		$1 - $2 < 0                     => true
		$2 < $seven                     => false
		$1 >= 7                         => true
		$4 == 0                         => true
		str($1) == "7"                  => true
		str($1) == $text                => true
		$text == $1                     => true
		$1 == "7"                       => true
		$1 != "8"                       => true
		$3 == "abc"                     => true
		$3 == comm                      => false
		$4 == ""                        => true
		str($4) == ""                   => true
		str($3)                         => abc
		str($3, 2)                      => ab
		str($3 + 1)                     => bc
		"x" + str($1)                   => x7
		strlen(str($2))                 => 2
		strlen($3)                      => 3
		strncmp(str($3), "abx", 2)      => 0
		strncmp($3, $text, 1) == 0      => false
		strncmp("abc", "abd", $1 - 4)   => -1
		strcontains("a7b", $1)          => true
		strcontains("abc", str($3))     => true
		(uint8)-$1                      => 249
		(int64)$1                       => 7
		bswap((uint16)$1)               => 1792
		($1, $3, $4)                    => (7, abc, 0)
		$seven == $1 ? "is" : "is not"  => is
		$seven > $2 ? "is" : "is not"   => is not
		is_integer($1)                  => true
		is_str($3)                      => true
		is_literal($1)                  => true
		listed(7, $1)                   => true
		listed($seven, str($1))         => true
		buf($3, 2)                      => ab
		strerror($1)                    => Argument list too long
	END
	expressions_table given 7 12 abc
	cat > hexadecimal <<-'END'
		$1 ? $1 : 1                     => 255
		str($1)                         => 0xff
		$2 ? $2 : 1                     => 18446744073709551615
		$3 ? $3 : 1                     => 1
		str($3)                         => 0
		$4 ? $4 : 1                     => 1000000
		$4 == "1_000_000"               => true
	END
	expressions_table hexadecimal 0xff 18446744073709551615 0 1_000_000
}

test_constant_arrays() {
	cat > arrays <<-'END'
		pton("10.0.0.1") == pton("10.0.5.1")         => false
		pton("10.0.0.1") != pton("10.0.5.1")         => true
		pton("10.0.0.1") == pton("10.0.0.1")         => true
		ntop(true ? pton("10.0.0.1") : pton("::1"))  => 10.0.0.1
		ntop($yes ? pton("10.0.0.1") : pton("1.1.1.1"))  => 10.0.0.1
	END
	sed -i '/::1/d' arrays
	expressions_table arrays
}

# ufuncs has no struct file. The warning names the place, once for each struct.
test_kernel_structs_in_programs() {
	[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel has no BTF"
	probe="uprobe:$(command -v ufuncs):f_one"
	for use in '((struct file *)arg0)->f_flags' '*(struct file *)arg0' '((struct file *)arg0)[0]'; do
		btrace "$probe { \$f = $use; \$f = $use; }" -c 'ufuncs 1'
		expect_exit 0
		expect_err "stdin:1:$((${#probe} + 9))-[0-9]+: WARNING: 'struct file' is the kernel's struct"
		[ "$(grep -c WARNING err)" = 1 ] || fail "several warnings"
	done
	btrace "struct outer { struct file *f; }; $probe { print(((struct outer *)arg0)->f->f_flags); }" -c 'ufuncs 1'
	expect_err "WARNING: 'struct file' is the kernel's struct"
	# the program's own, the kernel's own memory, and structs that both sides have
	btrace "struct file { int f_flags; }; $probe { print(((struct file *)arg0)->f_flags); }" -c 'ufuncs 1'
	! grep WARNING err || fail "a warning without a reason"
	btrace "$probe { print(curtask->pid == pid); print(((struct task_struct *)curtask)->pid == pid);
		print(((struct file *)kptr(arg0))->f_flags);
		print(((struct sockaddr *)arg0)->sa_family); }" -c 'ufuncs 1'
	! grep WARNING err || fail "a warning without a reason"
	btrace 'BEGIN { print(((struct file *)1)->f_flags); exit(); }'
	! grep WARNING err || fail "a warning without a reason"
}

# A struct of the program is meant wherever it is declared, as in C.
test_own_structs_with_names_of_the_kernel() {
	own='struct file { int a, f_flags; };'
	print='BEGIN { print(sizeof(*((struct outer *)0)->f)); exit(); }'
	for declarations in "struct outer { struct file *f; }; $own" "$own struct outer { struct file *f; };" \
		"struct file; struct outer { struct file *f; }; $own" \
		"typedef struct file file_t; struct outer { file_t *f; }; $own"; do
		btrace "$declarations $print"
		expect_exit 0
		expect_line '^8$'
	done
	[ -e /sys/kernel/btf/vmlinux ] || return 0
	btrace "struct outer { struct file f; }; $own BEGIN { exit(); }"
	expect_exit 1
	expect_err "stdin:1:41-45: ERROR: 'struct file' is a field above, where it is the kernel's"
	btrace "struct outer { struct file *f; }; BEGIN { print(sizeof(*((struct outer *)0)->f) > 8); exit(); }"
	expect_line '^true$'
}

# What a jump by a pointer returns is not known before it is learned: until then it is missing, and said.
test_values_of_jumps() {
	cat > jumps.c <<-'END'
		#include <stdlib.h>
		int (*volatile other)(int);
		__attribute__((noinline)) int seven(int n) { return n + 7; }
		__attribute__((noinline)) int some(int n) { return n % 2 ? other(n) : n; }
		__attribute__((noinline)) int never(int n) { return other(n); }
		int main(void) { other = seven; for (int i = 0; i < 10; i++) if (some(i) + never(i) < 0) abort(); }
	END
	gcc -O2 -o jumps jumps.c
	btrace 'uretprobe:./jumps:some { @[retval] = count(); }' -c ./jumps
	expect_exit 0
	expect_err 'up to [0-9]+ returns? missing: the functions jumped to others by pointers'
	[ "$(grep -c '^@' out)" = 5 ] || fail "not the five values that are known"
	btrace 'uretprobe:./jumps:never, uretprobe:./jumps:some { @ = count(); }' -c ./jumps
	expect_exit 0
	expect_line '^@: 20$'
}
