# SPDX-License-Identifier: BSD-2-Clause
# The measurements that need a guest; tests/bench/run boots it with a clock that counts instructions,
# one a nanosecond. Lines of the report begin with "@@ ".
cd /tmp || exit
tool=funccount
calls=/bin/bench-calls plain= plain_read= plain_open= file='-f rows'

say() {
	echo "@@ $*"
}

# with WORKLOAD TRACER ARG...: sets $cost to the instructions of one call of the workload while the tracer is
# armed, $targets to the number of its targets, and $reader to the tracer's own instructions in all. Fails with $why.
with() {
	workload=$1
	shift
	if out=$(bench-hold $file -w "bench-calls $workload" "$@" 2> why); then
		cost=$(echo "$out" | head -n 1)
		targets=$(echo "$out" | sed -n 's/ .*//p')
		reader=$(echo "$out" | awk 'NF > 1 { print $6 }')
	else
		why=$(reason)
		return 1
	fi
}

reason() {
	tail -n 1 why | sed 's/^bench-[a-z]*: //'
}

# row LABEL PLAIN EMPTY SONDE TARGETS: costs of a call; prints what EMPTY and SONDE add to PLAIN.
row() {
	awk -v label="$1" -v plain="$2" -v empty="$3" -v sonde="$4" -v targets="$5" 'BEGIN {
		empty -= plain; sonde -= plain
		if (empty >= 1)
			ratio = sprintf("%.2f", sonde / empty)
		printf "@@ %-40s %8s %8.0f %8.0f %7s%s\n", label, targets, empty, sonde, ratio, (ratio > 1.15) ? "  <-" : "" }'
}

# compare LABEL WORKLOAD "MECHANISM WHERE..." SONDE-ARG...: prints a row, or why there is none.
compare() {
	label=$1 workload=$2 empty=$3
	shift 3
	eval "plain=\$plain_$workload"
	if ! with "$workload" bench-empty $empty; then
		say "$label: skipped, $why"
	else
		floor=$cost
		if with "$workload" sonde $tool "$@"; then
			row "$label" "$plain" "$floor" "$cost" "$targets"
		else
			say "$label: sonde fails, $why"
		fi
	fi
}

# Writes the addresses that sonde attaches to into a file: the empty program is attached to the same places.
addresses() {
	addresses=$1
	shift
	sonde $tool "$@" > /dev/null 2> armed &
	tracer=$!
	while ! grep -q '^Tracing' armed && kill -0 $tracer 2> /dev/null; do
		usleep 10000
	done
	awk 'FNR == NR { traced[$1]; next } $2 in traced { print $1 }' /sys/kernel/tracing/enabled_functions \
		/sys/kernel/tracing/available_filter_functions_addrs > "$addresses"
	kill -INT $tracer
	wait $tracer
}

per_call() {
	say "Instructions added to one call (read: of a byte of /dev/zero; user functions: the"
	say "first instruction is emulated, or executed by a single step)"
	say
	say "$(printf '%-40s %8s %8s %8s %7s' 'attach point' places empty sonde ratio)"
	compare 'fentry vfs_read' read 'fentry vfs_read' --mechanism fentry vfs_read
	compare 'fexit vfs_read' read 'fexit vfs_read' --mechanism fentry r:vfs_read
	compare 'kprobe.multi vfs_read' read 'kprobe.multi vfs_read' --mechanism kprobe.multi vfs_read
	compare 'kprobe.multi return of vfs_read' read 'kretprobe.multi vfs_read' --mechanism kprobe.multi r:vfs_read
	addresses ./list --mechanism kprobe.multi 'vfs_*'
	compare 'kprobe.multi vfs_*' read 'kprobe.multi ./list' --mechanism kprobe.multi 'vfs_*'
	if sonde funccount --mechanism fentry.multi vfs_read -- true > /dev/null 2>&1; then
		compare 'fentry.multi vfs_*' read 'fentry vfs_read' --mechanism fentry.multi 'vfs_*'
		compare 'fexit.multi vfs_*' read 'fexit vfs_read' --mechanism fentry.multi 'r:vfs_*'
	fi
	addresses ./list --mechanism kprobe.multi 'r:vfs_*'
	compare 'kprobe.multi return of vfs_*' read 'kretprobe.multi ./list' --mechanism kprobe.multi 'r:vfs_*'
	compare 'perf kprobe vfs_read' read 'kprobe vfs_read' --mechanism kprobe vfs_read
	compare 'perf kretprobe vfs_read' read 'kretprobe vfs_read' --mechanism kprobe r:vfs_read
	compare 'raw_tp sys_enter' read 'raw_tp sys_enter' --mechanism raw_tp t:raw_syscalls:sys_enter
	compare 'perf tp raw_syscalls:sys_enter' read 'tp raw_syscalls/sys_enter' --mechanism tp t:raw_syscalls:sys_enter
	compare 'perf tp syscalls:sys_enter_read' read 'tp syscalls/sys_enter_read' --mechanism tp t:syscalls:sys_enter_read
	for kind in emulated stepped; do
		at="$calls $(bench-calls -a $kind)"
		compare "uprobe.multi, $kind" $kind "uprobe.multi $at" --mechanism uprobe.multi u:$calls:$kind
		compare "uprobe.multi return, $kind" $kind "uretprobe.multi $at" --mechanism uprobe.multi ur:$calls:$kind
		compare "perf uprobe, $kind" $kind "uprobe $at" --mechanism uprobe u:$calls:$kind
		compare "perf uretprobe, $kind" $kind "uretprobe $at" --mechanism uprobe ur:$calls:$kind
	done
}

# sonde does more than a program that returns at once: it reads the clock twice, and stores and finds a start time.
latencies() {
	tool=funclatency
	say
	say "The same at entry and return, for a histogram of the time between (funclatency)"
	say
	say "$(printf '%-40s %8s %8s %8s %7s' 'attach point' places empty sonde ratio)"
	compare 'fentry, fexit vfs_read' read 'fentry+fexit vfs_read' --mechanism fentry vfs_read
	floor=$(with read bench-empty 'fentry+fexit' vfs_read && echo "$cost")
	with read bench-empty -t 'fentry+fexit' vfs_read && row '(two programs that only read the clock)' "$plain_read" "$floor" "$cost" 1
	compare 'the same, --precise' read 'fentry+fexit vfs_read' --mechanism fentry --precise vfs_read
	compare 'the same, -u' read 'fentry+fexit vfs_read' --mechanism fentry -u vfs_read
	compare 'the same, -p' read 'fentry+fexit vfs_read' --mechanism fentry -p %p vfs_read
	compare 'kprobe.multi session vfs_read' read 'kprobe.session vfs_read' --mechanism kprobe.multi vfs_read
	addresses ./list --mechanism kprobe.multi 'vfs_*'
	compare 'kprobe.multi session vfs_*' read 'kprobe.session ./list' --mechanism kprobe.multi 'vfs_*'
	if sonde funccount --mechanism fentry.multi vfs_read -- true > /dev/null 2>&1; then
		compare 'fsession.multi vfs_*' read 'fentry+fexit vfs_read' --mechanism fentry.multi 'vfs_*'
	fi
	compare 'perf kprobe, kretprobe vfs_read' read 'kprobe+kretprobe vfs_read' --mechanism kprobe vfs_read
	for kind in emulated stepped; do
		at="$calls $(bench-calls -a $kind)"
		compare "uprobe.multi, $kind" $kind "uprobe.multi+uretprobe.multi $at" --mechanism uprobe.multi u:$calls:$kind
		compare "perf uprobe, $kind" $kind "uprobe+uretprobe $at" --mechanism uprobe u:$calls:$kind
	done
	tool=funccount
}

filters() {
	mkdir -p /sys/fs/cgroup/bench
	echo $$ > /sys/fs/cgroup/bench/cgroup.procs
	say
	say "The same with a filter (raw_tp sys_enter), which passes unless it says otherwise"
	say
	point="--mechanism raw_tp t:raw_syscalls:sys_enter"
	compare 'none' read 'raw_tp sys_enter' $point
	compare '-p' read 'raw_tp sys_enter' -p %p $point
	compare '-p, another process' read 'raw_tp sys_enter' -p 1 $point
	compare '--tid' read 'raw_tp sys_enter' --tid %p $point
	compare '--uid' read 'raw_tp sys_enter' --uid 0 $point
	compare '--cpu' read 'raw_tp sys_enter' --cpu 0 $point
	compare '--comm' read 'raw_tp sys_enter' --comm bench-calls $point
	compare '--cgroup' read 'raw_tp sys_enter' --cgroup /sys/fs/cgroup/bench $point
	if with read bench-empty raw_tp sys_enter; then
		floor=$cost
		bench-hold -n sonde funccount -c "$calls -o cost read" $point > /dev/null 2> why &&
			row '-c' "$plain_read" "$floor" "$(cat cost)" 1
	fi
	echo $$ > /sys/fs/cgroup/cgroup.procs
}

# Two processes wake each other in turns. A wait has a switch and a wake-up, with two hits of programs.
waits() {
	say
	say "Instructions of a wait (read of a pipe), with the system calls; without a tracer: $(bench-waits)"
	say "why:                $(sonde why -q -- bench-waits | grep 'a wait')"
	say "why --no-stacks:    $(sonde why -q --no-stacks -- bench-waits | grep 'a wait')"
	say "offcputime:         $(sonde offcputime -q -- bench-waits | grep 'a wait')"
	say "record sched:       $(sonde record -q sched --force -o trace -- bench-waits | grep 'a wait')"
	say "record:             $(sonde record -q --force -o trace -- bench-waits | grep 'a wait')"
	rm -f trace
}

# syscount's programs, beside an empty program at the end of each system call, and at both ends.
syscalls() {
	say
	say "The same of all system calls: by number, with the time, by process"
	say
	with read bench-empty raw_tp sys_exit || return
	floor=$cost
	for option in '' -x -P; do
		with read sonde syscount $option -p %p && row "syscount $option -p" "$plain_read" "$floor" "$cost" 1
	done
	with read bench-empty raw_tp sys_enter && both=$(awk -v a="$floor" -v b="$cost" -v plain="$plain_read" 'BEGIN { print a + b - plain }')
	for option in -L '-P -L'; do
		with read sonde syscount $option -p %p && row "syscount $option -p" "$plain_read" "$both" "$cost" 2
	done
}

# stream LABEL SONDE-ARG...: the cost of an event for the process that causes it, beside an empty program in the same
# place, and for the reader.
stream() {
	label=$1
	shift
	with open bench-empty fexit __x64_sys_openat && floor=$cost && with open sonde "$@" || {
		say "$label: skipped, $why"
		return
	}
	n=$(wc -l < rows)
	row "$label" "$plain_open" "$floor" "$cost" "$n"
	[ "$n" -lt 1000 ] || say "$(awk -v all="$reader" -v less="$idle" -v n="$n" \
		'BEGIN { printf "%-40s %8s %8s %8.0f", "  the reader, an event", "", "", (all - less) / n }')"
}

streams() {
	say
	say "Instructions added to one open and close of a file, and those of the reader for an event: what it"
	say "takes more than without any; rows go to a file"
	say
	with open sonde opensnoop -x -p %p || return
	idle=$reader
	say "$(printf '%-40s %8s %8s %8s %7s' '' rows empty sonde ratio)"
	stream 'opensnoop' opensnoop -p %p
	stream 'opensnoop -F' opensnoop -F -p %p
	stream 'opensnoop --json' opensnoop --json -p %p
	stream 'opensnoop, nothing passes' opensnoop -x -p %p
}

# program NAME WORKLOAD EMPTY CHECK PROGRAM: its cost beside an empty program. It reports on stdout that it is armed.
# Its reader waits while the calls run: the buffer holds all records (8 MB), for a lost one costs less.
program() {
	eval "plain=\$plain_$2"
	with "$2" bench-empty $3 && floor=$cost && file='' &&
		with "$2" -a Attached env BPFTRACE_PERF_RB_PAGES=2048 sonde trace -e "$5" &&
		row "$1" "$plain" "$floor" "$cost" "$targets" || say "$1: fails, $why"
	file='-f rows'
}

language() {
	set -f
	say
	say "Instructions added to one call by programs of the language (sonde trace)"
	say
	say "$(printf '%-40s %8s %8s %8s %7s' program probes empty sonde ratio)"
	programs program
	set +f
}

rings() {
	say
	say "Instructions added to one call by a record of 32 bytes in a ring (raw_tp sys_enter)"
	say
	say "$(printf '%-40s %8s %8s %8s %7s' '' '' empty sonde ratio)"
	file=''
	with read bench-empty raw_tp sys_enter && floor=$cost && with read -a Attached ring record 1024 &&
		row 'a record, 1 MB for a processor' "$plain_read" "$floor" "$cost" '' || say "a record: fails, $why"
	file='-f rows'
}

# sample LABEL CALL CALLS DEPTH TRACER...: the cost of one of 1000 samples a second, for the whole machine: the reader runs
# on the same processor. Prints how many frames a sample has in the mean, if the tracer writes "folded".
sample() {
	label=$1 load="bench-calls -e -r 5 -n $3 -d $4 $2"
	shift 4
	rm -f folded
	plain=$($load)
	out=$(bench-hold -f rows -w "$load" "$@" 2> why) || {
		say "$label: skipped, $(reason)"
		return
	}
	frames=$([ ! -e folded ] || awk '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; frames += n * (split($0, f, ";") - 1) }
		END { if (all) printf "%.1f", frames / all }' folded)
	cost=$(echo "$out" | awk -v plain="$plain" 'NR == 1 { printf "%.0f", ($1 - plain) / $1 * 1000000 }')
	say "$(printf '%-40s %8s %8s %8s' "$label" "$frames" '' "$cost")"
	[ -z "$frames" ] || { costs="$costs $frames $cost"; }
}

# Two depths, so that the difference is the cost of a frame.
samples() {
	say
	say "Instructions of a sample, 1000 a second: the interrupt, the walk, the record and the reader"
	say
	say "$(printf '%-40s %8s %8s %8s' 'profile' frames '' sonde)"
	costs=
	sample '(an empty program)' spin 20000 27 bench-empty sample 1000
	for depth in 27 107; do
		sample "profile -U, computing $depth frames deep" spin 20000 $depth sonde profile -F 1000 -U --folded folded
	done
	echo "$costs" | awk '{ printf "@@ %-40s %8s %8s %8.0f\n", "  a frame more", "", "", ($4 - $2) / ($3 - $1) }'
	sample 'profile, calls 27 frames deep' stat 2000 27 sonde profile -F 1000 --folded folded
}

# ready LABEL [-n] TRACER...
ready() {
	label=$1
	shift
	if bench-hold "$@" > result 2> why; then
		awk -v label="$label" '{
			printf "@@ %-36s %7d %8.2f %8.2f %7.2f %6d\n", label, $1, $2 / 1e6, $3 / 1e6, $4 / 1e6, $5 }' result
	else
		say "$label: skipped, $(reason)"
	fi
}

start_and_end() {
	say
	say "From exec to armed and from the last output to the end, in million instructions (waiting"
	say "counts as if it were instructions; self: what sonde itself executed), and memory in KB"
	say
	say "$(printf '%-36s %7s %8s %8s %7s %6s' 'sonde [funccount]' places armed self detach KB)"
	for spec in vfs_read r:vfs_read t:sched:sched_process_exec; do
		ready "$spec" sonde funccount "$spec"
	done
	for mechanism in kprobe.multi kprobe; do
		ready "--mechanism $mechanism vfs_read" sonde funccount --mechanism $mechanism vfs_read
	done
	ready 'vfs_*' sonde funccount 'vfs_*'
	ready '*' sonde funccount '*'
	ready "u:$calls:emulated" sonde funccount u:$calls:emulated
	ready 'execsnoop' sonde execsnoop
	ready 'execsnoop -x' sonde execsnoop -x
	ready 'opensnoop' sonde opensnoop
	ready 'profile' sonde profile
	ready 'profile -p' sonde profile -p 1
	ready 'trace: @[comm] = count()' -a Attached sonde trace -e 'kprobe:vfs_read { @[comm] = count(); }'
	ready 'trace: printf of opens' -a Attached sonde trace -e "$opens"
	ready '-c true vfs_read' -n sonde funccount -c /bin/true vfs_read
	ready '(an empty program, fentry)' bench-empty fentry vfs_read
	ready '(an empty program, kprobe.multi)' bench-empty kprobe.multi vfs_read
	ready '(an empty program, raw_tp)' bench-empty raw_tp sched_process_exec
	ready '(an empty program, uprobe.multi)' bench-empty uprobe.multi $calls "$(bench-calls -a emulated)"
}

sleep 3
clock_counts_instructions || {
	say "$why"
	exit
}
for workload in read open emulated stepped; do
	eval "plain_$workload=$(bench-calls $workload)"
done
say "Linux $(uname -r), 1 processor; a read without a probe takes $plain_read instructions"
say
per_call
latencies
filters
syscalls
language
streams
rings
samples
waits
start_and_end
