# SPDX-License-Identifier: BSD-2-Clause
# How much longer a real program runs while a tool counts its system calls or prints its opens (table slowdown): tar of
# many small files. The program measures its own time, starts when the tool is armed, and ends a tenth of a second after
# tar: some tools print nothing more after the signal to stop.
set -f
directory=/peers/usr/lib/python3.13
turns=5
files=$(find $directory -type f | wc -l)
cat > timed.sh << 'EOF'
now() {
	sed -n 's/^now at \(.*\) nsecs$/\1/p; 4q' /proc/timer_list
}
begin=$(now)
n=0
while [ $((n += 1)) -le $1 ]; do
	tar cf - $2 | cat > /dev/null
done
end=$(now)
echo $(((end - begin) / 1000))
usleep 100000
EOF

# Checks that the tool saw at least the $made calls.
all_of() {
	[ "$1" -ge "$made" ] || {
		echo "it saw $1 of $made: $(cat out kept 2> /dev/null | complaint)"
		return 1
	}
}

# counted PATTERN N: prints the sum of the N-th numbers in the lines that match PATTERN.
counted() {
	all_of "$(cat out kept 2> /dev/null | tr -d , | awk -v pattern="$1" -v n="$2" '
		$0 ~ pattern { at = 0; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/ && ++at == n) sum += $i }
		END { print sum + 0 }')"
}

# lines PATTERN: counts lines of the file that the tool wrote
lines() {
	all_of "$(grep -c -e "$1" out)"
}

reported() {
	peer trace-cmd report -i data > out 2> /dev/null
	lines "$1"
}

# slowed TOOL HOW CHECK TRACER...: the program's time with the tool, divided by its time without. HOW: options of
# bench-hold. CHECK fails and prints what is wrong.
slowed() {
	tool=$1 how=$2 check=$3
	shift 3
	as_typed slowdown "$of" "$tool" "$@"
	repeat 3
	while again; do
		rm -f out kept data
		if ! hold -t 150 $how -o kept -w "sh timed.sh $turns $directory" "$@" || ! why=$($check); then
			none slowdown "$of" "$tool" "$why"
			return
		fi
		row slowdown "$of" "$tool" "$(echo "$said $plain" | awk '{ printf "%.4f\n", $1 / $2 }')"
	done
}

# The best of some runs, because all tools are compared with it. The first run brings the files into memory.
alone() {
	for time in 1 2 3 4; do
		sh timed.sh $turns $directory
	done | sort -n | head -n 1
}

# Each tool counts all system calls; the workload makes one of them $made times.
counting() {
	slowed 'sonde syscount' '' "counted ^openat 1" sonde syscount -T 100
	slowed 'sonde syscount --summary' '' "counted [[:space:]]openat\$ 2" sonde syscount --summary
	slowed 'bcc syscount' '-a Tracing' "counted ^openat 1" peer syscount-bpfcc -T 100
	slowed 'libbpf-tools syscount' '-a Tracing' "counted ^openat 1" peer syscount-libbpf -T 100
	slowed bpftrace -c "counted ^@.257.: 1" peer bpftrace -e 'tracepoint:raw_syscalls:sys_enter { @[args.id] = count(); }' -c "$held"
	slowed 'perf stat' -c "counted raw_syscalls:sys_enter 1" peer perf stat -a -e raw_syscalls:sys_enter -- $held
	slowed 'perf trace -s' -i "counted ^.*openat 1" peer perf trace -s -a
	slowed 'strace -c -f' '-a strace:' "counted [[:space:]]openat\$ 2" peer strace -c -f -p %p
}

printing() {
	slowed 'sonde opensnoop' '-f out' "lines $directory" sonde opensnoop
	slowed 'sonde strace -f' '' "lines $directory" sonde strace -f -e openat -o out -p %p
	slowed 'bcc opensnoop' '-i -f out' "lines $directory" peer opensnoop-bpfcc
	slowed 'libbpf-tools opensnoop' '-i -f out' "lines $directory" peer opensnoop-libbpf
	slowed 'bpftrace opensnoop.bt' '-c -f out' "lines $directory" peer bpftrace /usr/sbin/opensnoop.bt -c "$held"
	slowed 'perf trace' -i 'lines tar/.*openat' peer perf trace -a -e openat -o out
	slowed 'trace-cmd record' '-a Hit' 'reported tar-.*openat' peer trace-cmd record -e syscalls:sys_exit_openat -o data
	slowed 'strace -f' '-a strace:' "lines $directory" peer strace -f -e trace=openat -o out -p %p
}

warm
plain=$(alone)
note slowdown "tar: $turns times $files files of $directory, in $plain us without a tracer; all tools trace all processes but strace"
made=$((turns * files))
of='tar: system calls counted'
counting
of='tar: opens printed'
printing
finish
