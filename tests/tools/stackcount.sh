# SPDX-License-Identifier: BSD-2-Clause
# sonde stackcount: the workload calls leaf() from two places (tests/programs/callers.c), and each call of leaf() makes
# one system call.
# of file: kernels=one

# The names from leaf() on, as JSON has them.
left='"leaf","left","branch"'
right='"leaf","deeper","right","branch"'

# through NAMES: the sum of the counts of the rows of JSON whose user part has these names one after the other.
through() {
	grep -F "$1" out | sed 's/.*"count":\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n + 0 }'
}

# expect_callers LEFT RIGHT: so often was leaf() reached by each way, and in no other way.
expect_callers() {
	expect_exit 0
	expect_json user_stack count
	[ "$(through "$left")" = "$1" ] || fail "left: $(through "$left"), not $1"
	[ "$(through "$right")" = "$2" ] || fail "right: $(through "$right"), not $2"
	[ "$(add_up 1 counts)" = $(($1 + $2)) ] || fail "other stacks"
}

# counting ARGUMENT... -- OPTION...: traces callers with these arguments, which begins when sonde is armed. The counts of
# the rows are written to counts.
counting() {
	workload=
	while [ "$1" != -- ]; do
		workload="$workload $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # options and numbers
	gate callers $workload
	start sonde stackcount --json -p $gated "$@"
	open_gate
	stop INT
	sed -n 's/.*"count":\([0-9]*\).*/\1/p' out > counts
}

# expect_missed_or LEFT RIGHT: as expect_callers, where the kernel may skip hits and says so.
expect_missed_or() {
	! grep -q 'missed by the kernel' err || skip "the kernel skipped hits"
	expect_callers "$@"
}

# The kernel part begins with the probed function, whatever the mechanism puts above it.
# kernels=all arch=yes
test_kernel_function() {
	for mechanism in fentry kprobe.multi kprobe; do
		has "$mechanism" || continue
		counting 3 5 -- --mechanism "$mechanism" "$getpgid"
		expect_missed_or 3 5
		[ "$(grep -cF "\"kernel_stack\":[\"$getpgid\"," out)" -ge 2 ] || fail "$mechanism: other first frames"
	done
}

# kernels=ends arch=yes
test_kernel_return() {
	counting 3 5 -- "kretprobe:$getpgid"
	expect_callers 3 5
}

# kernels=all arch=yes
test_user_function() {
	for mechanism in uprobe uprobe.multi; do
		has "$mechanism" || continue
		counting 3 5 -- --mechanism "$mechanism" u:/bin/callers:leaf
		expect_callers 3 5
		grep -q '"kernel_stack":null,"user_stack":\["leaf",' out || fail "$mechanism: a kernel part, or another first frame"
	done
}

# Each probe by itself, though their stacks end in the same functions.
test_several() {
	counting -t 4 6 -- u:/bin/callers:left 'u:/bin/callers:rig*'
	expect_exit 0
	expect_json func count
	printf 'left\t8\nright\t12\n' > want
	awk '{ n[$1] += $2 } END { for (f in n) print f "\t" n[f] }' rows | sort | diff want - || fail "other counts"
	grep -q '"user_stack":\["right","branch","main"' out || fail "not from main"
}

# kernels=all arch=yes
test_tracepoint() {
	for mechanism in raw_tp tp; do
		counting 3 5 -- --mechanism "$mechanism" t:syscalls:sys_enter_getpgid
		expect_missed_or 3 5
	done
	run sonde stackcount --json t:sched:sched_process_fork -- sh -c 'callers 1 1; :'
	expect_exit 0
	grep -q '"kernel_stack":\[[^]]*"kernel_clone"' out || fail "no kernel_clone()"
}

# The kernel part does not begin with the functions by which the tracepoint calls the program. Older kernels give none
# to perf's tracepoints of system calls.
# kernels=all
test_frames_of_tracepoints() {
	for mechanism in raw_tp tp; do
		counting 3 5 -- --mechanism "$mechanism" t:syscalls:sys_enter_getpgid
		expect_exit 0
		case $mechanism.$KERNEL in
		tp.5.10 | tp.6.1) ;;
		*) grep -q '"kernel_stack":\["' out || fail "$mechanism: no kernel part" ;;
		esac
		! grep -E '"kernel_stack":\["(perf_|trace_|__?bpf|__traceiter)' out || fail "$mechanism: begins with the tracer"
	done
}

usdt() {
	run sonde stackcount --json 'usdt:/bin/usdt:*' -- usdt
	expect_exit 0
	grep -q '"user_stack":\[[^]]*"main"' out || fail "not from main"
}

# On a busy machine the program may have ended before its unwind tables are there.
test_usdt() {
	one_of_three usdt
}

# bcc's layout: a frame a line, then who, then the count, then an empty line; the most frequent is last.
test_text() {
	gate callers 3 5
	start sonde stackcount -P -d --comm callers "$getpgid"
	open_gate
	stop INT
	expect_exit 0
	sed '/^did /d' out > text
	awk -v RS= '{ text = $0 } END { print text }' text > last
	head -n 1 last | grep -qx "  $getpgid" || fail "the first line is another"
	sed -n '/^    --$/,$p' last > user
	grep -qx '  leaf' user && grep -qx '  deeper' user && grep -qx '  right' user || fail "no user part after --"
	tail -n 2 last | head -n 1 | grep -qxE '    callers \[[0-9]+\]' || fail "no process"
	tail -n 1 last | grep -qx '    5' || fail "another count"
	expect_err 'Tracing 1 function for ".*getpgid"\.\.\. Hit Ctrl-C to end'
	# where in its function each frame is; of the probed function it is the first instruction
	run sonde stackcount -K -s "$getpgid" -- callers 1 0
	expect_line "^  $getpgid\+0x[0-9a-f]\$"
	expect_line '^  do_syscall_64\+0x[0-9a-f]+$|^  el0_svc[a-z_]*\+0x[0-9a-f]+$'
	run sonde stackcount "$getpgid" -- callers 1 0
	expect_no_line '^    callers'
	expect_no_line '^    --$'
}

test_parts() {
	counting 3 5 -- -K "$getpgid"
	expect_exit 0
	expect_json kernel_stack user_stack count
	[ "$(wc -l < rows)" = 1 ] && grep -q "	null	8\$" rows || fail "not one row without a user part: $(cat rows)"
	counting 3 5 -- -U "$getpgid"
	expect_callers 3 5
	! grep '"kernel_stack":\[' out || fail "a kernel part"
	run sonde stackcount -U -K "$getpgid"
	expect_exit 2
	expect_err 'choose one'
}

test_by_process() {
	run sonde stackcount --json -P "$getpgid" -- sh -c 'callers 2 0; callers 3 0; calls 1 getpgid; :'
	expect_exit 0
	expect_json pid comm count
	printf 'callers\t2\ncallers\t3\ncalls\t1\n' > want
	# the first calls of a process can have another stack, which ends in a process that was not known yet
	awk '{ n[$1 "\t" $2] += $3 } END { for (process in n) print process "\t" n[process] }' rows > processes
	cut -f 2- processes | sort | diff want - || fail "other processes"
}

# Processes preempt each other within the program, even on one processor: each must keep its own key.
# kernels=all
test_processes_beside_each_other() {
	run sonde stackcount --json -P u:/bin/callers:leaf -- \
		sh -c 'callers 1500 0 & callers 0 2500 & callers 2000 2000 & wait'
	expect_exit 0
	expect_json pid comm count
	awk '{ n[$1] += $3 } END { for (process in n) print n[process] }' rows | sort -n > processes
	printf '%s\n' 1500 2500 4000 | diff - processes || fail "other counts of processes"
}

test_one_process() {
	start sonde stackcount --json -p $$ "$getpgid"
	callers 2 2
	stop INT
	expect_exit 0
	[ ! -s out ] || fail "another process: $(cat out)"
}

# Tables at intervals together have all hits.
test_intervals() {
	run sonde stackcount --json -i 0.05 "$getpgid" -- sh -c 'for i in 1 2 3 4 5 6; do callers 20 30; usleep 30000; done'
	expect_exit 0
	expect_json count
	[ "$(add_up 1 rows)" = 300 ] || fail "$(add_up 1 rows) of 300"
	[ "$(cut -d, -f1 out | sort -u | wc -l)" -gt 2 ] || fail "only one table"
}

# While sonde stands still it reads of no new process: programs find the mappings of these, and the tables of files that
# sonde has read, by themselves.
# kernels=all arch=yes
test_unread_processes() {
	gate callers 3 5
	start sonde stackcount -f "$getpgid"
	kill -STOP "$started"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		callers 3 5
	done
	kill -CONT "$started"
	open_gate
	stop INT
	expect_exit 0
	expect_no_line '\[truncated\]'
	expect_line ';main;branch;left;leaf;.* 33$'
	expect_line ';main;branch;right;deeper;leaf;.* 55$'
}

# While a task executes a program, the memory of the old one is gone, and its registers still are there.
# kernels=ends arch=yes
test_between_two_programs() {
	run sonde stackcount -f setup_arg_pages -- execs 5 /bin/noop
	expect_exit 0
	expect_no_line '\[truncated\]\|\[unknown\]'
	expect_line '^entry_[^ ]*;setup_arg_pages 6$'
}

# A command begins as a copy of sonde, and its first calls come before its mappings are read: they have no names rather
# than those of sonde.
test_after_exec() {
	run sonde stackcount --json -P "$getpgid" -- callers 3 5
	expect_exit 0
	grep -q '"comm":"callers"' out || fail "no calls"
	! grep '"sonde+' out || fail "names of another program"
}

test_folded() {
	counting 3 5 -- --folded out.folded u:/bin/callers:leaf
	expect_exit 0
	grep -qE '(^|;)main;branch;left;leaf 3$' out.folded && grep -qE '(^|;)main;branch;right;deeper;leaf 5$' out.folded ||
		fail "other stacks: $(cat out.folded)"
	run sonde stackcount --folded out.folded u:/bin/callers:leaf -- callers 3 5
	expect_exit 1
	expect_one_err 'out.folded'
	run sonde stackcount --overwrite --folded out.folded u:/bin/callers:leaf -- callers 3 5
	expect_exit 0
}

# A program with the frames of Python: each call of the loop shows the function that it executes, in both threads.
# kernels=one arch=yes
test_frames_of_an_interpreter() {
	mkfifo gate
	pythons 100 < gate > did &
	program=$!
	exec 3> gate
	start sonde stackcount -p $program --folded out.folded "$getppid"
	echo >&3
	wait_until 60 grep -q 'did pythons 100' did || fail "the program has not run"
	stop INT
	expect_exit 0
	exec 3>&-
	wait $program
	grep -qE '(^|;)main;execute;outer \(fake.py:11\);inner \(fake.py:21\);([^;]*;)*[^;]* 100$' out.folded &&
		[ "$(grep -c 'outer (fake.py:11);inner (fake.py:21);' out.folded)" = 2 ] || fail "other stacks: $(cat out.folded)"
}

# More stacks than there is room for are counted as lost.
# kernels=ends
test_no_room() {
	run sonde stackcount --stack-storage-size 1 --json "$getpgid" -- callers 3 5
	expect_exit 0
	expect_json count
	lost=$(sed -n 's/.* \([0-9]*\) hits* lost: .*/\1/p' err)
	[ $(($(add_up 1 rows) + lost)) = 8 ] || fail "$(add_up 1 rows) and ${lost:-0} lost of 8"
}

test_errors() {
	run sonde stackcount
	expect_exit 2
	expect_err 'nothing to count: name at least one probe'
	run sonde stackcount no_such_function
	expect_exit 1
	expect_err no_such_function
	run sonde stackcount -c 1 vfs_read
	expect_exit 2
	expect_err 'for a processor: --cpu 1'
}
