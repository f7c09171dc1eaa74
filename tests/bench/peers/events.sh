# SPDX-License-Identifier: BSD-2-Clause
# How long it takes until all events have been printed, and how much memory, by their number (table events): opens of
# one file, as fast as they go, the tool's output to a file; from the first open until the tool is gone. It is told to
# stop a tenth of a second after the last, which counts: some print nothing more from then on.
set -f
of='opens, as fast as they go'

# What is wrong where not all of $n have been printed, in the words of the tool.
whole() {
	printed=$(grep -c -e "$1" out)
	[ "$printed" -ge "$n" ] || {
		echo "printed $printed of $n: $(cat out kept | grep -v dev/null | complaint)"
		return 1
	}
}

# For who only records: the time of the report counts as well.
reported() {
	time -o spent -f '%e' peer trace-cmd report -i data > out 2> /dev/null
	whole "$1"
}

# What is left of the $points from $n on, where not all were printed.
rest() {
	echo " $points " | sed "s/.* $n /$n /"
}

# grow TOOL HOW CHECK TRACER...: all $points, until more would take $most s by what the last ones took, or some are
# lost: then it fails.
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
		# of few, the end takes longest
		[ $ns -lt 1000000000 ] || [ $last = 0 ] || more=$(((ns - before) / (n - last)))
		last=$n
	done
}

warm
# Who takes long to begin does so for each of them: bcc is tried with two.
points='1 10 100 1000 10000 100000 1000000' most=15
# Who loses events gets a larger buffer for those, where it has an option for that.
grow 'sonde opensnoop' '-f out' 'whole dev/null' sonde opensnoop -p %p ||
	grow 'sonde opensnoop --buffer-size' '-f out' 'whole dev/null' sonde opensnoop --buffer-size 256M -p %p
points='100 100000'
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
