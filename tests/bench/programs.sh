# SPDX-License-Identifier: BSD-2-Clause
# Programs whose cost is measured: by tests/bench/guest.sh beside an empty program, and by tests/bench/peers/cost.sh
# beside bpftrace. Both scripts follow this file in a guest.

# Fails with $why if a nanosecond of the guest's clock is not an instruction: then figures cannot be compared.
# The loop has two to four instructions and a thousand turns.
clock_counts_instructions() {
	loop=$(bench-calls spin)
	awk -v loop="$loop" 'BEGIN { exit !(loop > 1900 && loop < 4100) }' && return
	why="1,000 turns of a loop take $loop ns: the guest's clock does not count instructions"
	return 1
}

opens='tracepoint:syscalls:sys_enter_openat { @name[tid] = args.filename; }
tracepoint:syscalls:sys_exit_openat /@name[tid]/ {
	printf("%-6d %-16s %4d %s\n", pid, comm, args.ret, str(@name[tid]));
	delete(@name, tid);
}'

# time_of ENTRY RETURN: the time between the two
time_of() {
	echo "$1:vfs_read { @start[tid] = nsecs; }
$2:vfs_read /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start, tid); }"
}

# programs FUNCTION: calls FUNCTION NAME WORKLOAD EMPTY CHECK PROGRAM for each program. WORKLOAD: the call of
# bench-calls; EMPTY: where bench-empty attaches an empty program; CHECK: a function that fails if a tool has not seen
# all calls.
programs() {
	$1 '@ = count(), kprobe' read 'fentry vfs_read' 'counted @:' 'kprobe:vfs_read { @ = count(); }'
	$1 '@ = count(), fentry' read 'fentry vfs_read' 'counted @:' 'fentry:vfs_read { @ = count(); }'
	$1 '@[func] = count(), vfs_*' read 'kprobe.multi vfs_read' 'counted vfs_read' \
		'kprobe:vfs_* { @[func] = count(); }'
	$1 '@[comm] = count(), kprobe' read 'fentry vfs_read' 'counted bench-calls' \
		'kprobe:vfs_read { @[comm] = count(); }'
	$1 '@[comm] = count(), fentry' read 'fentry vfs_read' 'counted bench-calls' \
		'fentry:vfs_read { @[comm] = count(); }'
	$1 '@[pid] = count(), kprobe' read 'fentry vfs_read' 'counted @' 'kprobe:vfs_read { @[pid] = count(); }'
	$1 '@[pid] = count(), fentry' read 'fentry vfs_read' 'counted @' 'fentry:vfs_read { @[pid] = count(); }'
	$1 '@[args.id] = count()' read 'tp raw_syscalls/sys_enter' 'counted @.0.:' \
		'tracepoint:raw_syscalls:sys_enter { @[args.id] = count(); }'
	$1 '@[comm] = sum(args.ret)' read 'tp syscalls/sys_exit_read' 'counted bench-calls' \
		'tracepoint:syscalls:sys_exit_read /args.ret > 0/ { @[comm] = sum(args.ret); }'
	$1 '@ = hist(retval)' read 'fexit vfs_read' histogram 'kretprobe:vfs_read { @ = hist(retval); }'
	$1 'hist of times, fentry' read 'fentry+fexit vfs_read' histogram "$(time_of fentry fexit)"
	$1 'hist of times, kprobe' read 'fentry+fexit vfs_read' histogram "$(time_of kprobe kretprobe)"
	$1 'printf of opens' open 'fexit __x64_sys_openat' 'printed dev/null' "$opens"
}

