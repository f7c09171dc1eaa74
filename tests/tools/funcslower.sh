# SPDX-License-Identifier: BSD-2-Clause
# sonde funcslower: it must show the calls that took at least the limit, and no others, with their
# arguments and return values.
# of file: kernels=one

fs() {
	run sonde funcslower "$@"
}

# These tests use user functions: for a kernel function that sleeps, older kernels see as many
# returns at a time as there are processors, and another process may be asleep in one.

# Of short and long calls only the long ones are shown, each with its own duration. On a busy
# machine a short nap may take long; in the time that all short ones took, only few can.
# kernels=ends
test_bound() {
	fs -j -m 200 u:/bin/laps:lap_nap -- sh -c 'laps nap 20 500; laps nap 5 210000'
	expect_exit 0
	expect_json comm func ns
	{ read -r _ _ _ _ short; read -r _ _ _ _ long; } <<-END
		$(grep '^did nap ' out)
	END
	! grep -v '^laps	lap_nap	' rows || fail "another row"
	expect_between "rows" 5 $((5 + short / 200000000)) "$(wc -l < rows)"
	[ "$(awk '$3 >= 210000000' rows | wc -l)" -ge 5 ] || fail "not 5 rows of 210 ms: $(cat rows)"
	[ "$(awk '$3 < 200000000' rows | wc -l)" = 0 ] || fail "a row of less than 200 ms: $(cat rows)"
	[ "$(add_up 3 rows)" -le $((short + long)) ] || fail "$(cat rows), of $short and $long in all"
	fs -j -u 400 u:/bin/laps:lap_nap -- laps nap 20 500
	expect_json func
	[ "$(wc -l < rows)" = 20 ] || fail "$(wc -l < rows) rows, not 20"
	fs -j u:/bin/laps:lap_nap -- laps nap 20 2000
	expect_json func
	[ "$(wc -l < rows)" = 20 ] || fail "$(wc -l < rows) rows, not 20: the bound is 1 ms"
}

# Among them are calls that take next to no time.
test_every_call() {
	for bound in '-u 0' '-m 0'; do
		fs -j $bound u:/bin/ufuncs:f_one -- ufuncs 50
		expect_exit 0
		expect_json func
		[ "$(wc -l < rows)" = 50 ] || fail "$(wc -l < rows) rows, not 50"
	done
	fs -u 0 u:/bin/ufuncs:f_one -- ufuncs 1
	expect_line 'LAT\(us\)'
}

# The arguments of the failing call and its return value: AT_FDCWD was its argument. Both are
# registers, of which a kernel function that takes or returns an int sets only half.
# kernels=all arch=yes
test_arguments_and_value() {
	fs -j -u 1 -a 1 do_sys_openat2 -- calls 30 openat
	expect_exit 0
	expect_json func retval args
	awk -F '\t' '$1 == "do_sys_openat2" && ($2 == -2 || $2 == 4294967294)' rows | tr -d '[' > failed
	awk -F '\t' '$3 % 4294967296 != 4294967196' failed > wrong
	[ "$(wc -l < failed)" = 30 ] && [ ! -s wrong ] || fail "failed: $(cat failed)"
}

# A call that another one has pushed out of the table has no row: that is a loss, too.
test_too_many_calls() {
	fs -u 1 --max-calls 1 --fail-on-loss u:/bin/laps:lap_dive -- laps dive 20 1000
	expect_exit 1
	expect_err ': [0-9]+ calls not measured: too many at a time \(room is for 1, see --max-calls\)$'
	fs -u 1 --fail-on-loss u:/bin/laps:lap_dive -- laps dive 20 1000
	expect_exit 0
}

# A trampoline costs least, and says how many arguments there are: the function has three, the others are 0. The
# kernel prefers kprobes where it may preempt a trampoline's program, and 5.10 has no helpers for arguments.
# kernels=all arch=yes
test_arguments_by_trampoline() {
	has fentry && [ "$KERNEL" != 5.10 ] || skip "trampolines give no arguments here"
	start sonde funcslower -j -u 0 -a 6 do_sys_openat2
	sonde status > shown
	calls 30 openat > calls
	stop INT
	expect_exit 0
	if grep -q '^kprobe' shown; then
		skip "trampolines are not chosen here"
	fi
	grep -q '^fentry .*do_sys_openat2' shown && grep -q '^fexit .*do_sys_openat2' shown || fail "$(cat shown)"
	expect_json comm retval args
	grep '^calls	' rows | tr -d '[]' | tr ',' '\t' | awk -F '\t' '$2 == -2 || $2 == 4294967294' > failed
	awk -F '\t' '$3 % 4294967296 != 4294967196 || $4 == 0 || $5 == 0 || $6 || $7 || $8' failed > wrong
	[ "$(wc -l < failed)" = 30 ] && [ ! -s wrong ] || fail "failed: $(cat failed)"
}

# Arguments of user functions: the depth counts down, and calls return in the opposite order.
# kernels=ends arch=yes
test_user_recursion() {
	fs -j -u 1 -a 1 u:/bin/laps:lap_dive -- laps dive 20 1000
	expect_exit 0
	expect_json func args
	n=0
	while read -r func args; do
		n=$((n + 1))
		[ "$func $args" = "lap_dive [$n]" ] || fail "row $n: $func $args"
	done < rows
	[ $n = 20 ] || fail "$n rows"
}

# kernels=ends arch=yes
test_return_value() {
	fs -u 1 -j u:/bin/ufuncs:f_one -- ufuncs 1
	expect_exit 0
	expect_json func retval
	[ "$(cut -f 1 rows)" = f_one ] || fail "$(cat rows)"
	[ "$(cut -f 2 rows)" = 1 ] || fail "returned $(cut -f 2 rows)"
}

test_text() {
	fs -a 2 -T u:/bin/laps:lap_nap -- laps nap 1 2000
	expect_exit 0
	expect_line '^TIME     COMM           PID    LAT\(ms\)             RVAL FUNC ARGS$'
	expect_line '^[0-9:]{8} laps           [0-9]+ +[0-9]+\.[0-9]{2} +[0-9a-f]+ lap_nap 0x[0-9a-f]+ 0x[0-9a-f]+$'
	fs -u 100 -t u:/bin/laps:lap_nap -- laps nap 1 2000
	expect_line '^TIME\(s\)      COMM           PID    LAT\(us\)             RVAL FUNC$'
	fs -j do_sys_openat2 -u 1 -- calls 1 openat
	expect_line '"args":\[\]'
}

test_filter() {
	gate laps nap 5 2000
	start sonde funcslower -j -p "$gated" u:/bin/laps:lap_nap
	laps nap 5 2000
	open_gate
	stop INT
	expect_exit 0
	expect_json pid
	[ "$(wc -l < rows)" = 5 ] && [ "$(sort -u rows)" = "$gated" ] || fail "$(cat rows)"
}

# slow_callers OPTION... FUNCTION...: traces callers, which calls leaf() once from each of its two places. It begins
# when sonde knows its files, and ends after sonde has seen all calls.
slow_callers() {
	gate callers 1 1
	start sonde funcslower -u 0 -p "$gated" --fail-on-loss "$@"
	open_gate
	stop INT
	expect_exit 0
}

# The stack is that of the entry: it begins with the function. A user function has no kernel part.
# kernels=ends arch=yes
test_user_stack() {
	slow_callers -j -U -K u:/bin/callers:leaf
	expect_json func kernel_stack
	printf 'leaf\tnull\nleaf\tnull\n' | diff - rows || fail "other rows"
	sed -n 's/.*"user_stack":\["\(.*\)","main",.*"_start"\]}/\1/p' out > stacks
	printf '%s\n' 'leaf","left","branch' 'leaf","deeper","right","branch' | diff - stacks || fail "other stacks"
}

# Return probes of the callers have replaced return addresses on the stack, and belong to its frames nevertheless.
# kernels=ends arch=yes
test_user_stack_of_nested_calls() {
	slow_callers -j -U u:/bin/callers:leaf u:/bin/callers:left u:/bin/callers:right u:/bin/callers:branch
	sed -n 's/.*"func":"\([a-z]*\)".*"user_stack":\["\(.*\)","main",.*"_start"\]}/\1 \2/p' out > stacks
	diff - stacks <<-'END' || fail "other stacks"
		leaf leaf","left","branch
		left left","branch
		leaf leaf","deeper","right","branch
		right right","branch
		branch branch
	END
}

# The kernel part begins with the function too, whether it is attached alone or with many; the user part is that of the
# system call.
# kernels=turns arch=yes
test_kernel_stack() {
	slow_callers -j -K -U "$getpgid"
	expect_kernel_stacks
	# not vfs_read: a kretprobe misses returns while others sleep in it
	slow_callers -j -K -U "$getpgid" 'vfs_*stat*'
	grep -F "\"func\":\"$getpgid\"," out > only
	mv only out
	expect_kernel_stacks
}

expect_kernel_stacks() {
	[ "$(grep -cF "\"kernel_stack\":[\"$getpgid\"," out)" = 2 ] || fail "other first frames"
	grep -q '"kernel_stack":\[[^]]*"do_syscall_64"\|"kernel_stack":\[[^]]*"el0_svc' out || fail "not from a system call"
	[ "$(grep -c '"user_stack":\[[^]]*"leaf","left","branch","main",.*"_start"\]' out)" = 1 ] || fail "not by left()"
	[ "$(grep -c '"user_stack":\[[^]]*"leaf","deeper","right","branch"' out)" = 1 ] || fail "not by right()"
}

# Each part by itself: the other one is null.
test_stack_parts() {
	slow_callers -j -K "$getpgid"
	[ "$(grep -cF "\"kernel_stack\":[\"$getpgid\"," out)" = 2 ] || fail "-K: no kernel part"
	[ "$(grep -c '"user_stack":null}' out)" = 2 ] || fail "-K: a user part"
	slow_callers -j -U "$getpgid"
	[ "$(grep -c '"kernel_stack":null,"user_stack":\["' out)" = 2 ] || fail "-U: a kernel part, or no user part"
	slow_callers -j "$getpgid"
	[ "$(grep -c '"args":\[\]}' out)" = 2 ] || fail "stacks that nobody wants"
}

# bcc's layout: the frames follow the row, the kernel's first. In CSV a stack begins with its root.
test_stack_text() {
	slow_callers -K -U "$getpgid"
	expect_line '^COMM           PID    LAT\(us\)             RVAL FUNC$'
	grep -A 1 '^callers ' out | grep -cx "    $getpgid" > n
	[ "$(cat n)" = 2 ] || fail "$(cat n) rows with their function below, not 2"
	[ "$(grep -cx '    leaf' out)" = 2 ] || fail "no user part"
	slow_callers --csv -U u:/bin/callers:leaf
	[ "$(grep -c ',,_start;.*;main;branch;left;leaf.\?$' out)" = 1 ] || fail "no stack in CSV"
}

# Only the calls that are slow have a row, and it has the stack of that call.
test_stack_of_slow_calls() {
	gate laps nap 3 20000
	start sonde funcslower -j -U -m 10 -a 1 -p "$gated" u:/bin/laps:lap_nap u:/bin/laps:main
	open_gate
	stop INT
	expect_exit 0
	[ "$(grep -c '"user_stack":\["lap_nap",.*"_start"\]' out)" = 3 ] || fail "not 3 rows with stacks"
	grep -q '"args":\["*[0-9]' out || fail "no arguments"
}

# A frame of a Go function: return probes are breakpoints at its return instructions.
# kernels=ends
test_go_stack() {
	[ "$(uname -m)" = x86_64 ] || skip "on arm64 such a stack is cut, and marked so"
	run sonde funcslower -j -U -u 0 u:/bin/gofuncs:main.dive -- gofuncs 20
	expect_exit 0
	expect_json func
	[ "$(sort -u rows)" = main.dive ] || fail "other functions: $(sort -u rows)"
	grep -q '"user_stack":\["main.dive","main\..*"runtime\.goexit' out || fail "no stack to goexit"
}

test_refused() {
	fs do_exit
	expect_exit 1
	expect_one_err 'do_exit.*never returns'
	fs vfs_raed
	expect_exit 1
	expect_one_err 'vfs_raed.*vfs_read'
	while read -r arguments; do
		fs $arguments
		expect_exit 2
		grep -q . err || fail "not said"
	done <<-'END'

	-m x vfs_read
	-u 1.5 vfs_read
	-m 1 -u 1 vfs_read
	-a 7 vfs_read
	END
}
