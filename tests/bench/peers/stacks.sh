# SPDX-License-Identifier: BSD-2-Clause
# Profiles of stacks (tables sample, incomplete, bytes; and armed, memory and maps of the profilers). bench-calls has no
# frame pointers, makes its calls some 27 frames deep, and measures its own time, in which everything counts: the
# interrupt, the walk, and a reader on the same processor.
set -f
hz=999

# Each of these prints "SAMPLES COMPLETE": the samples of bench-calls, and those that reach its _start, or have at least
# 30 frames where a tool has no names left when the process has ended.

# The file of folded stacks that the tool wrote.
folded() {
	awk '/^bench-calls;/ { n = $NF; all += n; if (/;_start;/) whole += n } END { print all + 0, whole + 0 }' data
}

# A paragraph for each stack, the innermost frame first, then the process, then the count.
paragraphs() {
	awk '
		/^ +- +bench-calls/ { ours = 1 }
		/^ +[0-9]+$/ && ours { all += $1; if (frames >= 30) complete += $1 }
		{ frames++ }
		/^$/ { frames = ours = 0 }
		END { print all + 0, complete + 0 }' kept
}

# @[...]: count, one frame a line between.
maps() {
	awk '
		/^@\[/ { frames = 0 }
		{ frames++ }
		/\]: [0-9]+$/ { all += $NF; if (frames >= 30) complete += $NF }
		END { print all + 0, complete + 0 }' kept
}

scripted() {
	peer perf script -i data -F comm,ip,sym 2> /dev/null | awk '
		/^bench-calls/ { ours = 1; all++ }
		/ _start$/ { complete += ours }
		/^$/ { ours = 0 }
		END { print all + 0, complete + 0 }'
}

# profiled TOOL HOW SUM TRACER...: HOW: options of bench-hold. SUM prints how many samples there are.
profiled() {
	tool=$1 how=$2 sum=$3
	shift 3
	as_typed sample "$of" "$tool" "$@"
	repeat 3
	while again; do
		rm -f out kept data data.old
		if ! hold -t 600 $how -o kept -w "$workload" "$@"; then
			none sample "$of" "$tool" "$why"
			return
		fi
		account $($sum) || return
	done
}

# account SAMPLES COMPLETE
account() {
	# what there must be at least: a tool that skips samples would be cheap
	least=$(echo "$said $calls" | awk -v hz=$hz '{ printf "%d", $1 * $2 / 1e9 * hz * 0.9 }')
	[ "$1" -ge "$least" ] || {
		none sample "$of" "$tool" "it has $1 samples, not $least: $(cat kept | complaint)"
		return 1
	}
	row sample "$of" "$tool" "$(echo "$said $plain" | awk -v hz=$hz '{ print ($1 - $2) / $1 * 1e9 / hz }')"
	row incomplete "$of" "$tool" "$(echo "$1 $2" | awk '{ print ($1 - $2) / $1 * 100 }')"
	[ ! -e data ] || row bytes "$of" "$tool" "$(echo "$(stat -c %s data) $1" | awk '{ print $1 / $2 }')"
	row armed profile "$tool" "$armed"
	row memory profile "$tool" "$tree"
	case $tool in
	sonde* | b*) row maps profile "$tool" "$maps" ;;
	esac
}

# profilers ROW CALL CALLS
profilers() {
	of=$1 calls=$3
	workload="/tmp/bench-calls -e -d 27 -r 1 -n $calls $2"
	plain=$($workload)
	profiled sonde '' folded sonde profile -F $hz -p %p --folded data
	profiled 'bcc profile' -i paragraphs peer profile-bpfcc -F $hz -p %p
	profiled bpftrace -c maps peer bpftrace -e "profile:hz:$hz /pid == %p/ { @[ustack, kstack, comm] = count(); }" -c "$held"
	profiled 'perf record -g' -c scripted peer perf record -q -e cpu-clock -F $hz -g -a -o data -- $held
	profiled 'perf record --call-graph dwarf' -c scripted peer perf record -q -e cpu-clock -F $hz --call-graph dwarf -a -o data -- $held
}

warm
# Where every tool finds the file under the name that its process has.
cp /bin/bench-calls .
profilers 'computing, 30 frames' spin 1000000
profilers 'in system calls, 30 user and 10 kernel frames' stat 100000
note bytes "bcc and bpftrace keep counts in the kernel, and write no file"
note sample "perf record only stores the samples and, with --call-graph dwarf, copies of 8 KB of the stack, which perf report unwinds later"
finish
