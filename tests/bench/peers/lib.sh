# SPDX-License-Identifier: BSD-2-Clause
# What the scripts of this directory share; tests/bench/peers/run puts it in front of each, in a guest with the image of
# peers. A line for the report begins with "@@ ", and its fields are separated by tabs: tests/bench/peers/report says which there are.
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

# none TABLE ROW TOOL REASON: what could not be measured.
none() {
	fields none "$@"
}

# note TABLE TEXT: what the table's reader needs to know.
note() {
	fields note "$@"
}

# typed TABLE ROW TOOL ARG...: what was typed, the tool being in the image or not.
typed() {
	where="$1	$2	$3"
	shift 3
	[ "$1" != peer ] || shift
	fields command "$where" "$(for word; do
		case $word in
		*[!a-zA-Z0-9_./:=,%+@-]* | '') printf "'%s' " "$(echo "$word" | sed "s/'/'\\\\''/g")" ;;
		*) printf '%s ' "$word" ;;
		esac
	done | sed 's/ $//')"
}

# hold ARG...: bench-hold, what it prints in variables of these names; or fails with $why.
hold() {
	if out=$(bench-hold "$@" 2> why < /dev/null); then
		# what a workload prints comes before
		said=$(echo "$out" | sed '$d')
		read -r targets armed cpu detach memory total stopped tree maps << EOF
$(echo "$out" | tail -n 1)
EOF
	else
		why=$(grep -v '^$' why | tail -n 1 | sed 's/^bench-[a-z]*: //' | cut -c 1-200)
		return 1
	fi
}

# The command that a tool is given, which runs until the workload has ended; in what is typed it is COMMAND.
held='/guest/bin/bench-hold -m'

# as_typed TABLE ROW TOOL ARG...: as typed, with names for what differs from run to run.
as_typed() {
	typed "$@" | sed "s|'$held'|COMMAND|; s|$held|COMMAND|; s|%p|PID|"
}

seconds() {
	cut -d . -f 1 /proc/uptime
}

# repeat TIMES, then while again: so often what is quick; what is not, as often as 10 s allow, but twice, and once what takes a minute.
repeat() {
	times=0 most=$1 began=$(seconds)
}

again() {
	took=$(($(seconds) - began)) times=$((times + 1))
	[ $times -le $most ] && [ $took -lt 60 ] && { [ $times -le 2 ] || [ $took -lt 10 ]; }
}

# Of what a tool says, what it says of its failure.
complaint() {
	grep -i -E 'lost|drop|overrun|miss|error' | tail -n 1 | cut -c 1-150
}

# A peer is still on the disk when it is first run: nobody is to wait for that, for who waits looks like one that has begun.
warm() {
	cat /peers/usr/bin/perf /peers/usr/bin/bpftrace $(find /peers/usr/lib -name 'libLLVM*' -o -name 'libclang*') > /dev/null
	hold -a Tracing peer funccount-bpfcc vfs_read
	hold -c peer bpftrace -e 'kprobe:vfs_read { @ = count(); }' -c "$held"
	hold -i peer opensnoop-libbpf -p $$
	hold -i peer perf trace -e openat -p $$
	hold -a Hit peer trace-cmd record -e syscalls:sys_exit_openat -o warm
}

# The last line of each script: all of it has run.
finish() {
	echo "@@ end"
}
