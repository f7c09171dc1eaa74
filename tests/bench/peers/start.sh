# SPDX-License-Identifier: BSD-2-Clause
# What running a tracer costs: the time until it is armed and until it is gone, its memory and its maps. Also prints the
# versions of the tools.

# Workloads: each causes $done events, after a moment, because a tool that reports to be ready may not be: bcc cannot
# handle a signal yet. Before a tool that prints is stopped it gets another moment, since this is not about loss. Some
# workloads write into "hooks" how many functions have ftrace hooks at that time.
hooks='grep -c "^[^[:space:]]" /sys/kernel/tracing/enabled_functions > hooks'
moment='usleep 100000'
printf '%s\n' "$moment" "$hooks" 'exec dd if=/dev/zero of=/dev/null bs=1 count=1000' > reads
printf '%s\n' "$moment" 'exec dd if=/dev/zero of=/dev/null bs=1 count=100' > few
printf '%s\n' "$moment" "$hooks" 'exec dd if=/sys/bus/pci/devices/0000:00:00.0/config of=/dev/null bs=1 count=64' > configs
printf '%s\n' "$moment" 'n=0' 'while [ $((n += 1)) -le 20 ]; do /bin/true; done' "$moment" > execs
printf '%s\n' "$moment" "exec peer /usr/bin/printf '%f\n' $(seq 100 | tr '\n' ' ') > /dev/null" > numbers
printf '%s\n' "$moment" "exec bash -c 'for i in {1..100}; do read x; done < /dev/null'" > lines

# counted NAME: prints the tool's count for this name.
counted() {
	if [ -e trace.dat ]; then
		peer trace-cmd report -i /tmp/trace.dat 2> /dev/null | grep -c "$1"
		return
	fi
	awk -v name="$1" '
		/^(Tracing|Attaching)/ { next }
		$2 == "->" { n += $5; next } # a histogram, of one function
		$0 ~ name {
			most = 0
			for (i = 1; i <= NF; i++) {
				word = $i
				gsub(",", "", word)
				if (word ~ /^[0-9]+$/ && word + 0 > most)
					most = word + 0
			}
			n += most
		}
		END { print n + 0 }' kept
}

# printed NAME: prints the number of lines with this name.
printed() {
	if [ -e trace.dat ]; then
		peer trace-cmd report -i /tmp/trace.dat 2> /dev/null
	elif [ -e perf.data ]; then
		peer perf script -i /tmp/perf.data 2> /dev/null
	else
		cat kept
	fi | grep -c "$1"
}

# once HOLD-OPTION... COMMAND...: measures $tool once with the $workload of $row. $seen finds what the tool has seen.
# Fails with $why.
once() {
	rm -f kept trace.dat perf.data hooks
	hold -t 60 -o kept -w "sh $workload" "$@" || return
	found=$($seen)
	if [ "$found" -lt "$done" ]; then
		why="it has seen $found of $done: $(grep -v '^$' kept | tail -n 1 | cut -c 1-100)"
		return 1
	fi
	echo "of this on a processor: $cpu"
	row armed "$row" "$tool" "$armed"
	row gone "$row" "$tool" "$stopped"
	row memory "$row" "$tool" "$tree"
	case $tool in
	sonde* | b* | lib*) row maps "$row" "$tool" "$maps" ;;
	esac
	[ "$targets" != 0 ] || targets=$(cat hooks 2> /dev/null)
	[ "$glob" = - ] && return
	targets=${targets:-$traceable}
	row functions "$glob" "$tool" "$targets $armed $tree"
}

# measure HOLD-OPTION... COMMAND...: measures five times if that is quick.
measure() {
	shown armed "$row" "$tool" "$@"
	repeat 5
	while again; do
		once "$@" && continue
		for table in armed gone memory; do
			none $table "$row" "$tool" "$why"
		done
		targets=
		break
	done
	[ ! "$targets" ] || numbers="$numbers${numbers:+, }$tool $targets"
	case $tool in
	trace-cmd*) peer trace-cmd reset > /dev/null 2>&1 ;;
	esac
}

# functions ROW WORKLOAD DONE NAME PATTERN TOOL...: counts kernel functions; the workload calls NAME DONE times.
functions() {
	row=$1 workload=$2 done=$3 seen="counted $4" glob=$5 numbers=
	shift 5
	for tool; do
		count_with "$tool" "$glob" measure
	done
	note armed "$row: $glob, functions by what the tool or the kernel says: $numbers"
}

execs() {
	row=execsnoop glob=- workload=execs done=20 seen='printed true'
	tool='sonde execsnoop' && measure sonde execsnoop
	tool='bcc execsnoop' && measure -a COMM peer execsnoop-bpfcc
	tool='libbpf-tools execsnoop' && measure -a PCOMM peer execsnoop-libbpf
	tool='bpftrace execsnoop.bt' && measure -c peer bpftrace -c "$held" /usr/sbin/execsnoop.bt
	tool='perf trace' && measure -c peer perf trace -a -e execve -- $held
	tool='perf record' && measure -c peer perf record -q -a -e sched:sched_process_exec -o /tmp/perf.data -- $held
	tool='trace-cmd record' && measure -c peer trace-cmd record -e sched:sched_process_exec -o /tmp/trace.dat $held
}

# program ROW WORKLOAD DONE CHECK PROGRAM: one program for sonde trace and for bpftrace
program() {
	row="program: $1" glob=- workload=$2 done=$3 seen=$4
	tool='sonde trace' && measure -a Attached sonde trace -e "$5"
	tool=bpftrace && measure -c peer bpftrace -e "$5" -c "$held"
}

# user ROW WORKLOAD DONE NAME FILE FILE-OF-PEERS GLOB: counts functions of a file, which has another path for tools in
# the image.
user() {
	row=$1 glob=- workload=$2 done=$3 seen="counted $4" numbers=
	tool='sonde funccount' && measure sonde funccount "u:$5:$7"
	# it detaches hundreds of probes one by one, which takes the guest a minute
	[ "$1" = 'bash r*' ] || { tool='bcc funccount' && measure -a Tracing peer funccount-bpfcc "$6:$7"; }
	for table in armed gone memory; do
		none $table "$row" bpftrace "with -c it traces functions of that command alone, and without it does not say when it is armed"
	done
	tool='perf stat' && measure -c peer sh -c \
		"perf probe --max-probes 1000 -x $6 '$7' && perf stat -a -e 'probe_*:*' -- $held; perf probe -q -d 'probe_*:*'"
	note armed "$row: functions by what the tool says: $numbers"
}

versions() {
	version kernel "Linux $(uname -r)"
	version sonde "$(sonde --version | head -n 1)"
	version bcc "$(peer python3 -c 'import bcc; print(bcc.__version__)')"
	version bpftrace "$(peer bpftrace --version | head -n 1)"
	version perf "$(peer perf --version | head -n 1)"
	version trace-cmd "$(peer trace-cmd --version | grep -o 'version [0-9.]*' | head -n 1)"
	version strace "$(peer strace --version | head -n 1)"
}

sleep 3
versions
warm
traceable=$(wc -l < /sys/kernel/tracing/available_filter_functions)
if [ "$quick" ]; then
	functions 'one function' reads 1000 vfs_read vfs_read 'sonde funccount' 'libbpf-tools funclatency' bpftrace 'perf ftrace profile'
	functions 'vfs_*' reads 1000 vfs_read 'vfs_*' 'sonde funccount' bpftrace 'perf ftrace profile'
	finish
	exit
fi
# trace-cmd takes as long for one function as for vfs_*, so it is measured once.
functions 'one function' reads 1000 vfs_read vfs_read 'sonde funccount' 'bcc funccount' 'libbpf-tools funclatency' \
	bpftrace 'perf stat' 'perf ftrace profile' 'trace-cmd record'
functions 'vfs_*' reads 1000 vfs_read 'vfs_*' 'sonde funccount' 'bcc funccount' bpftrace 'perf stat' 'perf ftrace profile'
program '@[comm] = count()' reads 1000 'counted dd' 'kprobe:vfs_read { @[comm] = count(); }'
program 'printf of opens' reads 1 'printed dev/zero' "$opens"
execs
user 'libc str*' numbers 100 str /peers/usr/lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libc.so.6 'str*'
user 'bash r*' lines 100 read_builtin /bin/bash /guest/bin/bash 'r*'
functions 'all functions' reads 1000 vfs_read '*' 'sonde funccount' 'bcc funccount' bpftrace
# If each call is recorded, reading the list of hooks would be recorded too.
functions 'all functions' few 100 vfs_read '*' 'perf ftrace profile'
globs pci_read_config > of_name
functions 'about 1,000 functions' configs 64 pci_read_config "$(nearest 990 < of_name)" 'sonde funccount' bpftrace \
	'perf ftrace profile' 'bcc funccount'
finish
