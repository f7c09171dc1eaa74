# SPDX-License-Identifier: BSD-2-Clause
# Switches and wake-ups, kept in order in a file, or added up by what threads wait for: what a wait costs (table wait),
# its bytes in the file (size_of_wait), and how much longer three workloads run (slowdown); and system calls in a file
# (cost).
set -f
mkdir made
for n in $(seq 20); do
	awk -v n="$n" 'BEGIN {
		for (i = 0; i < 100; i++)
			printf "int f%d_%d(int a)\n{\n\tint s = %d;\n\n\twhile (a)\n\t\ts += a--;\n\treturn s;\n}\n",
				n, i, i
	}' > "made/$n.c"
done
cat > made/Makefile << 'EOF2'
.PHONY: all
all: $(patsubst %.c,%.o,$(wildcard *.c))
%.o: %.c
	@mkdir -p built && tcc -c -o built/$@ $<
EOF2
cat > script.sh << 'EOF2'
n=0
while [ $((n += 1)) -le 10 ]; do
	busybox cat /guest.conf | busybox sed 's/a/b/' > /dev/null
	busybox true
done
EOF2
cat > both.sh << 'EOF2'
now() {
	sed -n 's/^now at \(.*\) nsecs$/\1/p; 4q' /proc/timer_list
}
took() {
	begin=$(now)
	"$@"
	end=$(now)
	echo $(((end - begin) / 1000))
}
bench-waits "$1"
took sh script.sh
took peer make -s -B -j 2 -C /tmp/made
usleep 100000
EOF2

# What LTTng needs to be told for a recording into the directory "data" while COMMAND runs. A daemon reads the buffers:
# it is there until lttng_ends. It stores the session's name in $HOME, which the image could not keep.
lttng_records() {
	echo "lttng create -o /tmp/data && lttng enable-event -k $* && lttng start && $held; lttng destroy"
}

lttng_ends() {
	[ ! -e /peers/run/lttng/lttng-sessiond.pid ] || kill "$(cat /peers/run/lttng/lttng-sessiond.pid)"
}

# Fails with $why if a tool reports losses: what is lost costs less.
lossless() {
	case $tool in
	trace-cmd*) peer trace-cmd report --stat -i /tmp/data 2> /dev/null | grep -i -w overrun >> kept ;;
	esac
	why=$(grep -h -i -w -E 'lost|dropped|overrun|discarded' kept | grep -v -E ': *0$' | tail -n 1 | cut -c 1-150)
	[ -z "$why" ]
}

# both ROUNDS HOLD-OPTION... TRACER...: sets $waited, $ran and $built to what a wait, the script and make take. Fails
# with $why.
both() {
	rounds=$1
	shift
	rm -rf data out kept
	hold -t 170 -o kept -w "sh both.sh $rounds" "$@" && lossless || return
	waited=$(echo "$said" | sed -n 's/ ns a wait//p')
	ran=$(echo "$said" | sed -n 2p) built=$(echo "$said" | sed -n 3p)
	echo "wait $waited, script $ran, make $built: $tool"
}

# measured: the rows of both
measured() {
	row wait "$of" "$tool" "$(echo "$waited $wait" | awk '{ print $1 - $2 }')"
	row slowdown "pipe ping-pong: $of" "$tool" "$(echo "$waited $wait" | awk '{ print $1 / $2 }')"
	row slowdown "processes: $of" "$tool" "$(echo "$ran $script" | awk '{ print $1 / $2 }')"
	row slowdown "make: $of" "$tool" "$(echo "$built $make" | awk '{ print $1 / $2 }')"
}

shown_here() {
	as_typed wait "$of" "$tool" "$@"
	as_typed slowdown "processes: $of" "$tool" "$@"
	as_typed slowdown "make: $of" "$tool" "$@"
}

# recorded TOOL HOW TRACER...: the tool writes the file "data". Measures twice, with a short and a long run: the file
# grows by the difference. HOW: options of bench-hold
recorded() {
	tool=$1 how=$2 bytes=
	shift 2
	shown_here "$@"
	for rounds in 10 20; do
		both $rounds $how "$@" || {
			tail -n 5 kept
			none wait "$of" "$tool" "$why"
			return
		}
		measured
		bytes="$bytes $(find data -type f -exec cat {} + | wc -c)"
	done
	case $tool in
	*memory) ;;
	*) row size_of_wait "$of" "$tool" "$(echo "$bytes" | awk '{ print ($2 - $1) / 10000 }')" ;;
	esac
}

# summed TOOL HOW TRACER...: the tool adds up, and writes no file.
summed() {
	tool=$1 how=$2
	shift 2
	shown_here "$@"
	both 10 $how "$@" && measured || none wait "$of" "$tool" "$why"
}

switches() {
	of='switches and wake-ups, recorded'
	sched='-e sched:sched_switch -e sched:sched_waking'
	recorded 'sonde record' '-a Recording' sonde record sched -o data
	recorded 'sonde record, in memory' '-a Recording' sonde record sched --flight 8M -o data
	recorded 'trace-cmd record' -c peer trace-cmd record $sched -o /tmp/data $held
	recorded 'perf record' -c peer perf record -q -a $sched -o /tmp/data -- $held
	recorded 'perf sched record' -c peer perf sched record -o /tmp/data -- $held
	recorded 'LTTng' -c peer env HOME=/tmp sh -c "$(lttng_records sched_switch,sched_waking)"
	lttng_ends
}

reasons() {
	of='why threads wait, in sums'
	summed 'sonde why' '' sonde why
	summed 'sonde why --no-stacks' '' sonde why --no-stacks
	summed 'sonde offcputime' '' sonde offcputime
	summed 'libbpf-tools offcputime' '-i' peer offcputime-libbpf
	summed 'bcc offcputime' '-a Tracing' peer offcputime-bpfcc
}

# called TOOL HOW TRACER...: records the begin and the end of each system call.
called() {
	tool=$1 how=$2
	shift 2
	as_typed cost "$of" "$tool" "$@"
	rm -rf data out kept
	hold -t 170 $how -o kept -w 'bench-calls -s 10 -n 100 -r 200 read' "$@" && lossless &&
		row cost "$of" "$tool" "$(echo "$said $read" | awk '{ print $1 - $2 }')" ||
		none cost "$of" "$tool" "$why"
}

# What is not in the rows: the work of the reader, which writes the file. On one processor, the calls wait for it.
with_reader() {
	workload='bench-calls -e -n 50000 -r 1 read'
	alone=$($workload)
	rm -rf data kept
	hold -t 170 -a Recording -o kept -w "$workload" sonde record syscalls -o data && lossless || return
	more=$(echo "$said $alone" | awk '{ printf "%.0f", $1 - $2 }')
	text="system calls, recorded: what a call costs the thread that makes it. With the work of sonde record,"
	note cost "$text which writes a file on the same processor, it takes $more more"
}

calls() {
	of='system calls, recorded'
	called 'sonde record' '-a Recording' sonde record syscalls -o data
	with_reader
	called 'trace-cmd record' -c peer trace-cmd record -e raw_syscalls -o /tmp/data $held
	called 'perf trace record' -c peer perf trace record -a -o /tmp/data -- $held
	called 'LTTng' -c peer env HOME=/tmp sh -c "$(lttng_records --syscall --all)"
	lttng_ends
}

# the first make reads the compiler from the disk
peer make -s -B -C /tmp/made
# In its first seconds a guest needs more instructions for a switch. Nothing passes this tracepoint.
sleep 3
nothing='bench-empty raw_tp sched_process_hang'
tool='(nothing)'
both 10 $nothing
wait=$waited script=$ran make=$built
hold -w 'bench-calls -s 10 -n 100 -r 200 read' $nothing
read=$said
note wait "without a tracer a wait takes $wait instructions: two system calls and a switch to another process"
note slowdown "pipe ping-pong: two processes that wake each other in turns; all tools trace all processes"
note slowdown "processes: a script that starts 30 of them, with pipes, in $script us without a tracer"
note slowdown "make: 20 files of C, for each a shell, mkdir and tcc, in $make us without a tracer"
note size_of_wait "trace-cmd compresses its file when it ends; waits that are all alike are compressed well"
switches
reasons
calls
finish
