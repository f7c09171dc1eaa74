# SPDX-License-Identifier: BSD-2-Clause
# What tracing adds to one call, in instructions (tables cost and reader). bench-calls makes the calls, in rounds
# without a timer interrupt, and measures its own thread's processor time. That excludes the work of the tool's process,
# which is in the table reader. Each tool's output is checked: it must show about as many calls as were made.
set -f
made=20000

# cost TOOL HOW CHECK TRACER...: adds what tracing adds to a call of $workload to the row $of. HOW: options of
# bench-hold. CHECK fails and prints what is wrong if the tool has not counted all calls.
cost() {
	tool=$1 how=$2 check=$3
	shift 3
	case $quick$tool in
	1bcc* | '1perf ftrace'* | 1trace-cmd*) return ;;
	esac
	as_typed cost "$of" "$tool" "$@"
	repeat 3
	while again; do
		rm -f out kept data
		if ! hold -t 150 $how -o kept -w "$workload" "$@" || ! why=$($check); then
			none cost "$of" "$tool" "$why"
			return 1
		fi
		row cost "$of" "$tool" "$(echo "$said $plain" | awk '{ print $1 - $2 }')"
	done
}

# floor WHICH MECHANISM WHERE...: an empty program in the same place; WHICH is empty if there is only one.
floor() {
	name="(floor${1:+, $1})"
	shift
	cost "$name" '' true bench-empty "$@"
}

# --- checks: has the tool counted? ---

# about COUNT: the calls that were made and not many more: calls of the tool and of bench-hold count as well.
about() {
	[ "${1:-0}" -ge $made ] && [ "$1" -le $((made * 5 / 4)) ] || {
		echo "counts ${1:-nothing} of $made: $(cat out kept 2> /dev/null | complaint)"
		return 1
	}
}

# Prints the largest number in the lines that match PATTERN.
counted() {
	about "$(cat out kept 2> /dev/null | awk -v pattern="$1" '
		$0 ~ pattern { gsub(/,/, ""); for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/ && $i + 0 > most) most = $i + 0 }
		END { print most + 0 }')"
}

# Histograms: "4 -> 7 : COUNT |***", "[4, 8) COUNT |@@@", "1 - 2 us | COUNT | ###".
histogram() {
	about "$(cat out kept 2> /dev/null | awk -F '|' 'NF > 1 {
		n = split($1 ~ /[a-z] *$/ ? $2 : $1, words, " ")
		if (words[n] ~ /^[0-9]+$/) sum += words[n] }
		END { print sum + 0 }')"
}

# lines PATTERN: counts lines of the file that the tool wrote
lines() {
	about "$(grep -c -e "$1" out)"
}

# printed PATTERN: the same wherever the tool wrote
printed() {
	about "$(cat out kept 2> /dev/null | grep -c -e "$1")"
}

# reported PATTERN: counts lines of what trace-cmd has recorded
reported() {
	peer trace-cmd report -i data > out 2> /dev/null
	lines "$1"
}

# --- the rows ---

one_function() {
	of='count: one kernel function' workload='bench-calls read' plain=$read
	floor fentry fentry vfs_read
	floor kprobe.multi kprobe.multi vfs_read
	floor kprobe kprobe vfs_read
	cost 'sonde funccount' '' 'counted vfs_read' sonde funccount vfs_read
	cost 'sonde funccount --mechanism kprobe.multi' '' 'counted vfs_read' sonde funccount --mechanism kprobe.multi vfs_read
	cost 'sonde funccount --mechanism kprobe' '' 'counted vfs_read' sonde funccount --mechanism kprobe vfs_read
	cost 'bpftrace fentry' -c 'counted @:' peer bpftrace -e 'fentry:vfs_read { @ = count(); }' -c "$held"
	cost 'bpftrace kprobe' -c 'counted @:' peer bpftrace -e 'kprobe:vfs_read { @ = count(); }' -c "$held"
	cost 'bcc funccount' '-a Tracing' 'counted vfs_read' peer funccount-bpfcc vfs_read
	peer perf probe -q vfs_read
	cost 'perf stat' -c 'counted probe:vfs_read' peer perf stat -a -e probe:vfs_read -- $held
	peer perf probe -q -d vfs_read
	cost 'perf ftrace profile' '-c -f out' 'counted vfs_read' peer perf ftrace profile -a -T vfs_read -- $held
}

# Without the kernel's debug information perf accepts no pattern for functions, so each one is named. perf ends at a
# function that it does not accept, so the rest is added by another call.
all_probes() {
	sed -n 's/^\(vfs_[a-z0-9_]*\)$/\1/p' /sys/kernel/tracing/available_filter_functions | sort -u > names
	peer perf probe -q $(sed 's/^/-a /' names) 2> /dev/null
	sed -n 's/^p:probe.\([a-z0-9_]*\).*/\1/p' /sys/kernel/tracing/kprobe_events | sort > defined
	for name in $(sort names defined | uniq -u); do
		peer perf probe -q "$name" 2> /dev/null
	done
	note cost "perf probe has defined $(grep -c . /sys/kernel/tracing/kprobe_events) of $(grep -c . names) functions vfs_*, named one by one, before perf stat began"
}

many_functions() {
	of='count: vfs_*' workload='bench-calls read' plain=$read
	awk '$2 ~ /^vfs_/ { print "0x" $1 }' /sys/kernel/tracing/available_filter_functions_addrs | sed 's/^0x0x/0x/' > list
	floor '' kprobe.multi ./list
	cost 'sonde funccount' '' 'counted vfs_read' sonde funccount 'vfs_*'
	cost bpftrace -c 'counted vfs_read' peer bpftrace -e 'kprobe:vfs_* { @[func] = count(); }' -c "$held"
	all_probes
	cost 'perf stat' -c 'counted probe:vfs_read' peer perf stat -a -e 'probe:vfs_*' -- $held
	peer perf probe -q -d 'probe:*'
	cost 'perf ftrace profile' '-c -f out' 'counted vfs_read' peer perf ftrace profile -a -T 'vfs_*' -- $held
}

# tracepoint EVENT PATTERN: PATTERN matches the line with the count
tracepoint() {
	workload='bench-calls read' plain=$read
	floor raw_tp raw_tp sys_enter
	floor tp tp "$(echo "$1" | tr : /)"
	cost 'sonde funccount' '' "counted $2" sonde funccount "t:$1"
	cost bpftrace -c 'counted @:' peer bpftrace -e "tracepoint:$1 { @ = count(); }" -c "$held"
	cost 'perf stat' -c "counted $2" peer perf stat -a -e "$1" -- $held
}

tracepoints() {
	of='count: tracepoint'
	tracepoint raw_syscalls:sys_enter sys_enter
	cost 'bcc funccount' '-a Tracing' 'counted sys_enter' peer funccount-bpfcc t:raw_syscalls:sys_enter
	cost 'trace-cmd record' -c 'reported sys_enter' peer trace-cmd record -e raw_syscalls:sys_enter -o data $held
	cost 'bpftrace rawtracepoint' -c 'counted @:' peer bpftrace -e 'rawtracepoint:sys_enter { @ = count(); }' -c "$held"
	of='count: tracepoint of one system call'
	tracepoint syscalls:sys_enter_read sys_enter_read
}

# bpftrace -c would count only the command.
user_function() {
	calls=/guest/bin/bench-calls
	of='count: user function' workload='bench-calls emulated' plain=$emulated
	at="/bin/bench-calls $(bench-calls -a emulated)"
	floor uprobe.multi uprobe.multi $at
	floor uprobe uprobe $at
	cost 'sonde funccount' '' 'counted emulated' sonde funccount u:/bin/bench-calls:emulated
	cost bpftrace -i 'counted @:' peer bpftrace -e "uprobe:$calls:emulated { @ = count(); }"
	cost 'bcc funccount' '-a Tracing' 'counted emulated' peer funccount-bpfcc $calls:emulated
	peer perf probe -q -x $calls emulated
	cost 'perf stat' -c 'counted emulated' peer perf stat -a -e 'probe_bench:*' -- $held
	peer perf probe -q -d 'probe_bench:*'
}

latencies() {
	of='histogram: one kernel function' workload='bench-calls read' plain=$read
	floor 'fentry, fexit' fentry+fexit vfs_read
	floor 'kprobe, kretprobe' kprobe+kretprobe vfs_read
	cost 'sonde funclatency' '' histogram sonde funclatency vfs_read
	cost 'sonde funclatency --mechanism kprobe.multi' '' histogram sonde funclatency --mechanism kprobe.multi vfs_read
	cost 'sonde funclatency --mechanism kprobe' '' histogram sonde funclatency --mechanism kprobe vfs_read
	cost 'bpftrace fentry' -c histogram peer bpftrace -e 'fentry:vfs_read { @start[tid] = nsecs; } fexit:vfs_read /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start, tid); }' -c "$held"
	cost 'bpftrace kprobe' -c histogram peer bpftrace -e 'kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start, tid); }' -c "$held"
	cost 'bcc funclatency' '-a Tracing' histogram peer funclatency-bpfcc vfs_read
	cost 'libbpf-tools funclatency' '-a Tracing' histogram peer funclatency-libbpf vfs_read
	cost 'perf ftrace latency' '-c -f out' histogram peer perf ftrace latency -a -T vfs_read -- $held
	cost 'perf ftrace latency -b' '-c -f out' histogram peer perf ftrace latency -b -a -T vfs_read -- $held
}

graphs() {
	of='graph: one kernel function' workload='bench-calls -s 20 read' plain=$read
	floor 'fentry, fexit' fentry+fexit vfs_read
	floor kprobe.session kprobe.session vfs_read
	floor 'kprobe, kretprobe' kprobe+kretprobe vfs_read
	cost 'sonde graph' '-f out' 'lines vfs_read' sonde graph vfs_read
	cost 'sonde graph --mechanism kprobe.multi' '-f out' 'lines vfs_read' sonde graph --mechanism kprobe.multi vfs_read
	cost 'sonde graph --mechanism kprobe' '-f out' 'lines vfs_read' sonde graph --mechanism kprobe vfs_read
	note cost "graph: without the work of the reader; sonde's text goes to a file"
	cost 'trace-cmd record -p function_graph' -c 'reported vfs_read' peer trace-cmd record -p function_graph -l vfs_read -o data $held
}

syscalls() {
	of='count: system calls of a process, by number' workload='bench-calls -s 10 -n 100 -r 200 read' plain=$read_slowly
	floor '' raw_tp sys_enter
	cost 'sonde syscount' '' 'counted ^read' sonde syscount -p %p
	cost 'sonde syscount --summary' '' 'counted read$' sonde syscount --summary -p %p
	cost 'bcc syscount' '-a Tracing' 'counted ^read' peer syscount-bpfcc -p %p
	cost 'libbpf-tools syscount' '-a Tracing' 'counted ^read' peer syscount-libbpf -p %p
	cost bpftrace -c 'counted @.0.:' peer bpftrace -e 'tracepoint:raw_syscalls:sys_enter /pid == %p/ { @[args.id] = count(); }' -c "$held"
	cost 'perf stat' -i 'counted raw_syscalls:sys_enter' peer perf stat -e raw_syscalls:sys_enter -p %p
	cost 'perf trace -s' -i 'counted ^.*read' peer perf trace -s -p %p
	workload='bench-calls -e -s 10 -n 100 -r 200 read' plain=$read_elapsed
	cost 'strace -c' '-a strace:' 'counted read$' peer strace -c -p %p
}

# program NAME WORKLOAD EMPTY CHECK PROGRAM: one program for sonde trace and for bpftrace. It pauses, so that its reader
# prints all opens.
program() {
	of="program: $1" workload="bench-calls -s 10 -n 100 -r 200 $2"
	case $2 in
	read) plain=$read_slowly ;;
	open) plain=$open ;;
	esac
	floor '' $3
	cost 'sonde trace' '-a Attached' "$4" sonde trace -e "$5"
	cost bpftrace '-c -f out' "$4" peer bpftrace -e "$5" -c "$held"
}

# --- events that go to a file ---

# Prints the tool's processor time in ns from when it is armed, while $made calls are made.
taken() {
	rm -f out kept data later
	workload="bench-calls -s 10 -n 100 -r $((made / 100)) $elapsed open"
	hold -t 150 $how -o kept -w "$workload" "$@" && why=$($check) || return 1
	taken=$((total - cpu + $(cat later 2> /dev/null || echo 0)))
}

# stream TOOL HOW CHECK TRACER...: what the tool adds to a call, and its own time for an event: the difference between
# many events and a few.
stream() {
	tool=$1 how=$2 check=$3
	shift 3
	as_typed cost "$of" "$tool" "$@"
	as_typed reader "$of" "$tool" "$@"
	repeat 3
	while again; do
		made=200
		taken "$@" && few=$taken && made=20000 && taken "$@" || {
			none cost "$of" "$tool" "$why"
			none reader "$of" "$tool" "$why"
			return
		}
		row cost "$of" "$tool" "$(echo "$said $plain" | awk '{ print $1 - $2 }')"
		row reader "$of" "$tool" $(((taken - few) / (20000 - 200)))
	done
}

# reported_later PATTERN: as reported, and adds the time of the report, since nothing can be read before.
reported_later() {
	time -o spent -f '%U %S' peer trace-cmd report -i data > out 2> /dev/null
	awk '{ printf "%d\n", ($1 + $2) * 1e9 }' spent > later
	lines "$1"
}

streams() {
	of='stream: open' plain=$open elapsed=
	workload='bench-calls -s 10 -n 100 -r 200 open'
	floor '' fexit __x64_sys_openat
	stream 'sonde opensnoop' '-f out' 'lines dev/null' sonde opensnoop -p %p
	stream 'sonde strace' '' 'lines dev/null' sonde strace -e openat -o out -p %p
	stream 'bcc opensnoop' '-i -f out' 'lines dev/null' peer opensnoop-bpfcc -p %p
	stream 'libbpf-tools opensnoop' '-i -f out' 'lines dev/null' peer opensnoop-libbpf -p %p
	stream 'bpftrace opensnoop.bt' '-c -f out' 'lines dev/null' peer bpftrace /usr/sbin/opensnoop.bt -c "$held"
	stream 'perf trace' -i 'lines openat(' peer perf trace -e openat -o out -p %p
	stream 'trace-cmd record' '-a Hit' 'reported_later sys_exit_openat' peer trace-cmd record -e syscalls:sys_exit_openat -o data -P %p
	elapsed=-e plain=$open_elapsed
	stream strace '-a strace:' 'lines dev/null' peer strace -e trace=openat -o out -p %p
	note cost "opensnoop.bt has no filter by process, the others trace one process; perf trace and trace-cmd print no paths, perf trace their addresses and trace-cmd what was returned"
	note reader "trace-cmd: record and then report, which prints; perf trace and trace-cmd print no paths"
}

read=$(bench-calls read)
read_slowly=$(bench-calls -s 10 -n 100 -r 200 read)
read_elapsed=$(bench-calls -e -s 10 -n 100 -r 200 read)
open=$(bench-calls -s 10 -n 100 -r 200 open)
open_elapsed=$(bench-calls -e -s 10 -n 100 -r 200 open)
emulated=$(bench-calls emulated)
note cost "without any tracer a read of a byte of /dev/zero takes $read instructions, open and close of /dev/null $open, the user function $emulated"
note cost "strace: the time that passes until the call returns, for its work is done by another process, for which the call waits"
warm
if [ "$quick" ]; then
	one_function
	finish
	exit
fi
one_function
many_functions
tracepoints
user_function
latencies
graphs
syscalls
programs program
streams
finish
