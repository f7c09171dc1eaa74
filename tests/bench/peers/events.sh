# SPDX-License-Identifier: BSD-2-Clause
# How long it takes until all events have been printed, and how much memory, by their number (table events). The
# workload opens one file as fast as it can, and the tool's output goes to a file. The time runs from the first open
# until the tool is gone. SIGINT comes a tenth of a second after the last open, which counts: some tools print nothing
# more after the signal.
set -f
of='opens, as fast as they go'

# Prints what is wrong, in the tool's own words, if not all of $n events have been printed.
whole() {
	printed=$(grep -c -e "$1" out)
	[ "$printed" -ge "$n" ] || {
		echo "printed $printed of $n: $(cat out kept | grep -v dev/null | complaint)"
		return 1
	}
}

# For tools that only record: the time of the report counts as well.
reported() {
	time -o spent -f '%e' peer trace-cmd report -i data > out 2> /dev/null
	whole "$1"
}

# Prints the $points from $n on, which were not all printed.
rest() {
	echo " $points " | sed "s/.* $n /$n /"
}

# grow TOOL HOW CHECK TRACER...: measures all $points, until the next would take more than $most s, judging by the
# last ones, or until events are lost: then it fails.
grow() {
	tool=$1 how=$2 check=$3
	shift 3
	as_typed events "$of" "$tool" "$@"
	ns=0 last=0 more=0
	for n in $points; do
		if [ $((more * n / 1000000000)) -ge $most ]; then
			none events "$of" "$tool" "$n were not tried: $last took $((ns / 1000000)) ms, and $more ns each"
			return
		fi
		before=$ns
		rm -f out kept data spent
		if ! hold -t 150 $how -o kept -w "bench-calls -e -s 100 -n $n -r 1 open" "$@" || ! why=$($check); then
			none events "$of" "$tool" "$why"
			return 1
		fi
		ns=$(echo "$said $n $stopped $(cat spent 2> /dev/null)" | awk '{ printf "%.0f\n", $1 * $2 + 1e8 + $3 + $4 * 1e9 }')
		row events "$of" "$tool" "$n $ns $tree"
		# with few events, ending takes longest
		[ $ns -lt 1000000000 ] || [ $last = 0 ] || more=$(((ns - before) / (n - last)))
		last=$n
	done
}

warm
# bcc takes long to start for each point, so it is measured with two.
points='1 10 100 1000 10000 100000 1000000' most=15
# A tool that loses events gets a larger buffer, if it has an option for that.
grow 'sonde opensnoop' '-f out' 'whole dev/null' sonde opensnoop -p %p ||
	grow 'sonde opensnoop --buffer-size' '-f out' 'whole dev/null' sonde opensnoop --buffer-size 256M -p %p
points='100 100000'
grow 'sonde strace' '' 'whole dev/null' sonde strace -e openat -o out -p %p
grow 'bcc opensnoop' '-i -f out' 'whole dev/null' peer opensnoop-bpfcc -p %p ||
	points=$(rest) grow 'bcc opensnoop -b' '-i -f out' 'whole dev/null' peer opensnoop-bpfcc -b 65536 -p %p
points='1 100 10000 100000 1000000'
grow 'libbpf-tools opensnoop' '-i -f out' 'whole dev/null' peer opensnoop-libbpf -p %p
grow 'bpftrace opensnoop.bt' '-c -f out' 'whole dev/null' peer bpftrace /usr/sbin/opensnoop.bt -c "$held" ||
	points=$(rest) grow 'bpftrace, more pages' '-c -f out' 'whole dev/null' peer env BPFTRACE_PERF_RB_PAGES=65536 bpftrace /usr/sbin/opensnoop.bt -c "$held"
grow 'perf trace' -i 'whole openat(' peer perf trace -e openat -o out -p %p ||
	points=$(rest) grow 'perf trace -m' -i 'whole openat(' peer perf trace -e openat -m 65536 -o out -p %p
grow 'trace-cmd record, report' '-a Hit' 'reported sys_exit_openat' peer trace-cmd record -e syscalls:sys_exit_openat -o data -P %p ||
	points=$(rest) grow 'trace-cmd record -b, report' '-a Hit' 'reported sys_exit_openat' peer trace-cmd record -b 262144 -e syscalls:sys_exit_openat -o data -P %p
grow strace '-a strace:' 'whole dev/null' peer strace -e trace=openat -o out -p %p
note events "trace-cmd: record and then report, which prints; perf trace and trace-cmd print no paths"
finish
