# SPDX-License-Identifier: BSD-2-Clause
# Functions that the scripts of this directory share. tests/bench/peers/run puts this file in front of each script, in a
# guest with the image of peers. A line for the report begins with "@@ ", and tabs separate its fields (rows.py).
cd /tmp || exit

fields() {
	printf '@@ %s' "$1"
	shift
	printf '\t%s' "$@"
	echo
}

# version TOOL TEXT
version() {
	fields version "$@"
}

# row TABLE ROW TOOL VALUE: one repetition of a measurement.
row() {
	fields row "$@"
}

# none TABLE ROW TOOL REASON: this could not be measured.
none() {
	fields none "$@"
}

# note TABLE TEXT: something that the reader of the table needs to know.
note() {
	fields note "$@"
}

# typed TABLE ROW TOOL ARG...: the command as a user types it, whether the tool is in the image or not.
typed() {
	where="$1	$2	$3"
	echo "$(seconds) s: $1, $2: $3"
	shift 3
	[ "$1" != peer ] || shift
	fields command "$where" "$(for word; do
		case $word in
		*[!a-zA-Z0-9_./:=,%+@-]* | '') printf "'%s' " "$(echo "$word" | sed "s/'/'\\\\''/g")" ;;
		*) printf '%s ' "$word" ;;
		esac
	done | sed 's/ $//')"
}

# hold ARG...: runs bench-hold and stores what it prints in variables of these names. Fails with $why.
hold() {
	if out=$(bench-hold "$@" 2> why < /dev/null); then
		# the output of the workload comes first
		said=$(echo "$out" | sed '$d')
		read -r targets armed cpu detach memory total stopped tree maps << EOF
$(echo "$out" | tail -n 1)
EOF
	else
		why=$(grep -v '^$' why | tail -n 1 | sed 's/^bench-[a-z]*: //' | cut -c 1-200)
		why=${why:-it ended without a word}
		return 1
	fi
}

# The command that a tool runs; it ends when the workload has ended. typed prints it as COMMAND.
held='/guest/bin/bench-hold -m'

# Replaces what differs from run to run by names.
named() {
	sed "s|'$held'|COMMAND|; s|$held|COMMAND|; s|%p|PID|"
}

# as_typed TABLE ROW TOOL ARG...
as_typed() {
	typed "$@" | named
}

seconds() {
	cut -d . -f 1 /proc/uptime
}

# repeat TIMES, then while again: repeats a quick measurement that many times, and a slow one as often as some seconds
# allow, which are minutes of the machine that the guest runs on. Instructions hardly vary.
repeat() {
	times=0 most=$1 began=$(seconds)
}

again() {
	times=$((times + 1))
	[ $times = 1 ] || { [ $times -le $most ] && [ $(($(seconds) - began)) -lt 2 ]; }
}

# Prints the part of a tool's output that explains its failure.
complaint() {
	grep -i -E 'lost|drop|overrun|miss|error' | tail -n 1 | cut -c 1-150
}

# count_with TOOL PATTERN ACT...: calls ACT with the arguments by which hold makes this tool count calls of kernel
# functions.
count_with() {
	counter=$1 pattern=$2 perf_room=
	shift 2
	# a tool that records each call needs room for the calls of all functions
	[ "$pattern" != '*' ] || perf_room='-m 64M'
	case $counter in
	'sonde funccount') "$@" sonde funccount "$pattern" ;;
	'bcc funccount') "$@" -a Tracing peer funccount-bpfcc "$pattern" ;;
	# without -k, by fentry, it counts nothing (0.31, Linux 6.12)
	'libbpf-tools funclatency') "$@" -a Tracing peer funclatency-libbpf -k "$pattern" ;;
	'bpftrace') "$@" -c peer env BPFTRACE_MAX_PROBES=100000 bpftrace -e "kprobe:$pattern { @[func] = count(); }" -c "$held" ;;
	'perf stat') "$@" -c peer sh -c "perf probe '$pattern' && perf stat -a -e 'probe:*' -- $held; perf probe -q -d 'probe:*'" ;;
	'perf ftrace profile') "$@" -c peer perf ftrace profile -a $perf_room -T "$pattern" -- $held ;;
	'trace-cmd record') "$@" -c peer trace-cmd record -p function -l "$pattern" -o /tmp/trace.dat $held ;;
	esac
}

# shown TABLE ROW TOOL HOLD-OPTION... COMMAND...: typed, for the arguments of hold.
shown() {
	table=$1 row=$2 tool=$3
	shift 3
	while [ "${1#-}" != "$1" ]; do
		case $1 in
		-[aowtf]) shift 2 ;;
		*) shift ;;
		esac
	done
	if [ "$1 $2 $3" = 'peer sh -c' ]; then
		echo "$(seconds) s: $table, $row: $tool"
		fields command "$table" "$row" "$tool" "$4"
	else
		typed "$table" "$row" "$tool" "$@"
	fi | named
}

# globs [NAME]: prints all globs that end in a *, a line "COUNT GLOB TWINS" for each. COUNT functions match, TWINS of
# them share their name with another one. NAME: only globs that match this name. Globs that begin with a * are left
# out, because bpftrace matches them only at the end of a name, unlike all other tools.
globs() {
	awk '$2 ~ /^[tTwW]$/ && seen[$3]++ == 1 { print $3 }' /proc/kallsyms > twins
	awk -v name="$1" '
		FILENAME == "twins" { is_twin[$1]; next }
		{
			for (n = 1; n <= 8 && n < length($1); n++) {
				begin = substr($1, 1, n)
				count[begin]++
				twins[begin] += $1 in is_twin
			}
		}
		END {
			for (begin in count)
				if (name == "" || index(name, begin) == 1)
					print count[begin], begin "*", twins[begin]
		}' twins /sys/kernel/tracing/available_filter_functions
}

# nearest N < GLOBS: prints the glob with the most functions, but at most N. Up to 1,000, which bcc refuses to exceed,
# it has no twins, to which bcc cannot attach.
nearest() {
	awk -v most="$1" '$1 <= most && $1 > count && !($3 && most <= 1000) { count = $1; glob = $2 } END { print glob }'
}

# warm: reads everything that the tools will read, from headers to libraries, so that it is in memory. If instructions
# are the clock, waiting for a disk takes an arbitrary time.
warm() {
	find /peers/usr -xdev -type f -print0 | xargs -0 cat > /dev/null
}

# The last line of each script: the whole script has run.
finish() {
	echo "@@ end"
}
