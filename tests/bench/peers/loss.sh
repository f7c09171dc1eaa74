# SPDX-License-Identifier: BSD-2-Clause
# clock=wall
# Events lost: what a workload has done, what of it a tool has printed, and what the tool reports as lost.

# The same paths for us and for the tools in the image.
ln -s / /guest
touch storm
cat > opens-storm << 'END'
/guest/bin/opens -t 2 "$1" /tmp/storm
END
cat > execs-storm << 'END'
/guest/bin/execs -v "$1" /guest/bin/noop &
/guest/bin/execs -v "$1" /guest/bin/noop
wait
END
# a call is two events
cat > calls-storm << 'END'
for half in 1 2; do
	/guest/bin/calls "$1" getppid | awk '{ print $1, $2, 2 * $3 }' &
done
wait
END
# What a user types to record with LTTng until Ctrl-C. The first SIGINT ends the wait, and no other one comes to what
# follows.
cat > lttng-records << 'END'
set -e
export HOME=/tmp
lttng create -o /tmp/recorded
lttng enable-event -k "$@"
lttng start
trap "trap '' INT" INT
sleep 1000 &
wait || kill $!
lttng destroy
kill "$(cat /run/lttng/lttng-sessiond.pid)"
END

# Waits until both processors have done nothing for a second: the tool is armed, or has written everything. The check is
# on time spent working: the kernel only guesses whether a processor is idle or waits for a disk.
at_rest() {
	busy='' tries=90
	while [ $((tries -= 1)) -ge 0 ]; do
		was=$busy
		read -r _ user nice system _ _ irq softirq _ < /proc/stat
		busy=$((user + nice + system + irq + softirq))
		[ -z "$was" ] || [ $((busy - was)) -gt 15 ] || return 0
		usleep 1000000
	done
	return 1
}

# begin CMD...: starts the tool in the background, as a user does: the storm is not its child, and no filter keeps
# other events from it. Its output goes to rows; if the reader is $late, through a pipe to a reader that starts when the
# storm has ended.
begin() {
	rm -rf rows rows.old err recorded* pipe go
	to=rows
	if [ "$late" ]; then
		mkfifo pipe go
		sh -c 'read -r _ < go; cat > rows' < pipe &
		to=pipe
	fi
	setsid dfl "$@" > $to 2> err < /dev/null &
	tool=$!
	at_rest && kill -0 $tool 2> /dev/null
}

# Sends SIGINT when the tool has had time to read everything, to its whole group as a terminal does, and again if the
# tool does not end.
end() {
	at_rest
	tries=0
	while kill -0 $tool 2> /dev/null; do
		[ $((tries % 50)) != 0 ] || kill -INT -$tool
		[ $((tries += 1)) -le 300 ] || slay
		usleep 100000
	done
	wait
}

slay() {
	echo "$who does not end: $(cat /proc/$tool/wchan) $(grep ^Sig /proc/$tool/status | tr '\n\t' '  ')"
	kill -9 -$tool
}

# Prints how many events the tool reported as lost, on stderr or between its rows. bcc: Possibly lost N samples;
# bpftrace, libbpf-tools: lost N events; perf trace: LOST N events!; perf script: PERF_RECORD_LOST lost N; trace-cmd: N
# events lost, N EVENTS DROPPED; sonde: N events lost: WHY, (N rows lost); babeltrace2: Tracer discarded N events. "N
# events lost so far" is in the sum that sonde reports at the end.
told() {
	grep -h -i -w -e lost -e 'events dropped' -e 'tracer discarded' err rows | grep -v 'lost so far$' | awk '
		match($0, /(ost|OST|discarded) [0-9]+/) {
			n += substr($0, RSTART + index(substr($0, RSTART), " "))
			next
		}
		match($0, /[0-9]+ ((event|row)s? lost|EVENTS DROPPED)/) { n += substr($0, RSTART) }
		END { printf "%d\n", n }'
}

# storm ROW TOOL STORM N PATTERN CMD...: runs STORM with N events in each of its two halves; PATTERN matches their rows.
# Three times, or fewer if $patience seconds are over. $after: a command that prints the rows that CMD has recorded.
storm() {
	what=$1 who=$2 storm=$3 n=$4 pattern=$5
	shift 5
	typed loss "$what" "$who" "$@"
	[ -z "$after" ] || typed loss "$what" "$who" $after
	round=0 began=$(seconds)
	while [ $((round += 1)) -le 3 ] && [ $(($(seconds) - began)) -lt "$patience" ]; do
		if ! begin "$@"; then
			kill -9 -$tool 2> /dev/null
			[ -z "$late" ] || echo > go
			why=$(grep -v '^$' err | tail -n 1 | cut -c 1-200)
			none loss "$what" "$who" "${why:-not armed, it says nothing}"
			return
		fi
		sh $storm-storm "$n" > did
		[ -z "$late" ] || echo > go
		end
		account
	done
}

# The tool runs the storm as its command, and ends with it.
own_storm() {
	what=$1 who=$2 storm=$3 n=$4 pattern=$5
	shift 5
	typed loss "$what" "$who" "$@" sh $storm-storm "$n"
	"$@" sh $storm-storm "$n" > did 2> err < /dev/null
	account
}

account() {
	[ -z "$after" ] || $after > rows 2>> err
	did=$(awk '/^did/ { n += $3 } END { printf "%d\n", n }' did)
	printed=$(grep -c -e "$pattern" rows)
	told=$(told)
	row loss "$what" "$who" "$did $printed $told"
	echo "$(seconds) s; $who says: $(grep -v '^$' err | tail -n 1 | cut -c 1-200)"
	[ "$did" = $((printed + told)) ] || { head -n 3 rows; tail -n 3 rows; } | cut -c 1-200
}

after='' late='' patience=8
path='/tmp/storm$'
noop='/guest/bin/noop'
# matches the name, if the name is printed first
first='^noop '
from_opens='^ *opens.*openat'

row='open storm'
storm "$row" 'sonde opensnoop' opens 50000 "$path" sonde opensnoop
storm "$row" 'bcc opensnoop' opens 50000 "$path" peer opensnoop-bpfcc
storm "$row" 'libbpf-tools opensnoop' opens 50000 "$path" peer opensnoop-libbpf
storm "$row" 'bpftrace opensnoop.bt' opens 50000 "$path" peer opensnoop.bt
storm "$row" 'perf trace' opens 50000 'opens/.* = [0-9]*$' peer perf trace -a -e openat -o rows
after='peer perf script -i recorded --show-lost-events'
storm "$row" 'perf record' opens 50000 "$from_opens" peer perf record -q -a -e syscalls:sys_enter_openat -o recorded
after='peer trace-cmd report -i recorded'
storm "$row" 'trace-cmd record' opens 50000 "$from_opens" peer trace-cmd record -e syscalls:sys_enter_openat -o recorded
after=
of=syscalls:sys_enter_openat
after='sonde report recorded timeline'
storm "$row" 'sonde record' opens 50000 "$from_opens" sonde record t:$of -o recorded
after='peer babeltrace2 recorded'
storm "$row" LTTng opens 50000 'entry_openat.*/tmp/storm' peer sh lttng-records --syscall openat
after=
# the tool takes milliseconds for each
own_storm "$row" strace opens 1000 '/tmp/storm"' peer strace -f -e trace=openat -o rows

row='open storm, 64 KB of buffer in all'
storm "$row" 'sonde opensnoop' opens 10000 "$path" sonde opensnoop --buffer-size 64k
storm "$row" 'bpftrace opensnoop.bt' opens 10000 "$path" peer env BPFTRACE_PERF_RB_PAGES=8 opensnoop.bt
storm "$row" 'perf trace' opens 10000 'opens/.* = [0-9]*$' peer perf trace -m 8 -a -e openat -o rows
after='peer perf script -i recorded --show-lost-events'
storm "$row" 'perf record' opens 10000 "$from_opens" peer perf record -q -m 8 -a -e syscalls:sys_enter_openat -o recorded
after='peer trace-cmd report -i recorded'
storm "$row" 'trace-cmd record' opens 10000 "$from_opens" peer trace-cmd record -b 32 -e syscalls:sys_enter_openat -o recorded
after=

# not some seconds late: a tool that makes the storm slow would have lost less
row='open storm, a reader that begins after it' late=1
storm "$row" 'sonde opensnoop' opens 50000 "$path" sonde opensnoop
storm "$row" 'libbpf-tools opensnoop' opens 50000 "$path" peer opensnoop-libbpf
storm "$row" 'bpftrace opensnoop.bt' opens 50000 "$path" peer opensnoop.bt
storm "$row" 'perf trace' opens 50000 'opens/.* = [0-9]*$' peer perf trace -a -e openat -o pipe
late=

row='exec storm'
storm "$row" 'sonde execsnoop' execs 1000 "$first" sonde execsnoop
storm "$row" 'libbpf-tools execsnoop' execs 1000 "$first" peer execsnoop-libbpf
storm "$row" 'bpftrace execsnoop.bt' execs 1000 " [0-9][0-9]*  *[0-9][0-9]*  *$noop" peer execsnoop.bt
storm "$row" 'perf trace' execs 1000 'execve(.* = 0$' peer perf trace -a -e execve -o rows
after='peer perf script -i recorded --show-lost-events'
storm "$row" 'perf record' execs 1000 "$noop" peer perf record -q -a -e sched:sched_process_exec -o recorded
after='peer trace-cmd report -i recorded'
storm "$row" 'trace-cmd record' execs 1000 "$noop" peer trace-cmd record -e sched:sched_process_exec -o recorded
after=
own_storm "$row" strace execs 250 "execve(\"$noop" peer strace -f -e trace=execve -o rows

row='system calls, each with its end, recorded' patience=1
after='sonde report recorded timeline'
storm "$row" 'sonde record' calls 50000 'sys_e[a-z]* *syscall=getppid' sonde record syscalls -o recorded
after='peer perf script -i recorded --show-lost-events'
# recording its own calls, it would never be at rest
own_storm "$row" 'perf record' calls 50000 'sys_e[a-z]*: NR 110 ' peer perf record -q -a -e 'raw_syscalls:*' -o recorded
after='peer trace-cmd report -i recorded'
storm "$row" 'trace-cmd record' calls 50000 'sys_e[a-z]*: *NR 110 ' peer trace-cmd record -e raw_syscalls -o recorded
after='peer babeltrace2 recorded'
storm "$row" LTTng calls 50000 'syscall_e[a-z]*_getppid' peer sh lttng-records --syscall --all
after=

note loss "perf trace loses what it reads of the kernel, and says how many: of an open that is two, the call and its return"
note loss "strace stops a process at each call: it runs a smaller storm, for it takes milliseconds for each"
finish
