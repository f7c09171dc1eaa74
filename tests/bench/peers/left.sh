# SPDX-License-Identifier: BSD-2-Clause
# clock=wall
# Left behind: what the kernel holds after kill -9 of a tool at work and of all processes that it has started, and did
# not hold before.
T=/sys/kernel/tracing

# Prints what can be left behind, a line for each item, in the report's five classes.
state() {
	traces bpf | sed -n 's/^prog /programs &/p; s/^link /links &/p'
	(
		cd $T || exit
		sed 's/^/events /' dynamic_events
		sed 's/^/enabled /' set_event
		# an empty list has a line that says so
		for file in current_tracer set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace set_ftrace_pid \
			set_ftrace_notrace_pid set_event_pid set_event_notrace_pid stack_trace_filter; do
			[ ! -e $file ] || sed "1s/^/enabled $file /; q" $file
		done
		grep -v -e '^none$' -e '^#' events/sched/*/filter events/sched/*/trigger | sed 's/^/enabled /'
		find instances -mindepth 1 -maxdepth 1 | sed 's/^/other /'
		grep . options/* trace_clock tracing_on tracing_thresh tracing_cpumask max_graph_depth function_profile_enabled \
			/proc/sys/kernel/*enabled /proc/sys/kernel/kptr_restrict /proc/sys/kernel/perf_* | sed 's/^/other /'
	) 2> /dev/null
	find /sys/fs/bpf -mindepth 1 | sed 's/^/other pin /'
	sed 's/^/other mount /' /proc/mounts
	# a traced process that its tracer left stopped
	sed 's/^.*) \([A-Zt]\) .*/\1/' "/proc/$tracee/stat" | sed -n 's/^[tT]$/other stopped/p'
}

# Waits until no BPF object has appeared or gone for two seconds: the kernel frees them some time after their last user.
settled() {
	same=0 tries=60
	traces bpf > objects
	while [ $same -lt 4 ] && [ $((tries -= 1)) -gt 0 ]; do
		usleep 500000
		traces bpf > next
		same=$((same + 1))
		cmp -s objects next || same=0
		mv next objects
	done
	differences
}

differences() {
	state > now
	grep -vxFf before now > left
}

counts() {
	awk '{ n[$1]++ } END { print n["programs"] + 0, n["links"] + 0, n["events"] + 0, n["enabled"] + 0, n["other"] + 0 }' left
}

# left ROW TOOL [-a TEXT | -c | -i] CMD...: options as for bench-hold. The command "bench-hold -m" implies -c.
left() {
	what=$1 who=$2
	shift 2
	if hold -k "$@"; then
		settled
		row left "$what" "$who" "$(counts)"
		sed "s/^/$who leaves: /" left | cut -c 1-150 | head -n 12
		reset
		row left "$what, then sonde reset-trace" "$who" "$(counts)"
	else
		none left "$what" "$who" "$why"
	fi
	echo "$(seconds) s: $who"
	while [ "${1#-}" != "$1" ]; do
		[ "$1" != -a ] || shift
		shift
	done
	typed left "$what" "$who" "$@"
	clean
}

# Runs reset-trace as a user does; if it leaves something, its own words say why.
reset() {
	was=$(wc -l < left)
	sonde reset-trace > words 2>&1
	sed 's/^/sonde reset-trace: /' words
	if [ "$was" = 0 ]; then
		differences
	else
		settled
		[ ! -s left ] || note left "after $who, $what: $(head -n 1 words | cut -c 1-200)$(awk 'END { if (NR > 1) print " (and " NR - 1 " more)" }' words)"
	fi
}

# Removes by hand what sonde is not meant to remove.
clean() {
	[ -s left ] || return
	sonde reset-trace -F > /dev/null
	echo 1 > $T/options/irq-info
	settled
	[ ! -s left ] || sed 's/^/not cleaned: /' left
}

sleep 1000 &
tracee=$!
ufuncs=/guest/bin/ufuncs
# The same paths for us and for the tools in the image.
ln -s / /guest
state > before
# Debian creates it when a package is installed, and libbpf-tools use it to find programs.
mkdir bin && ln -s /usr/bin/which.debianutils bin/which

row='kernel function'
left "$row" 'sonde funccount' sonde funccount vfs_read
left "$row" 'bcc funccount' -i peer funccount-bpfcc vfs_read
left "$row" bpftrace -c peer bpftrace -e 'kprobe:vfs_read { @ = count(); }' -c "$held"
left "$row" 'libbpf-tools funclatency' -a Tracing peer funclatency-libbpf vfs_read
left "$row" 'perf probe, perf stat' -c peer sh -c "perf probe -q vfs_read && perf stat -a -e probe:vfs_read $held"
left "$row" 'perf ftrace' -c peer perf ftrace trace -T vfs_read -- $held
left "$row" 'trace-cmd record' -c peer trace-cmd record -p function -l vfs_read -o recorded $held
row='user function'
left "$row" 'sonde funccount' sonde funccount "u:$ufuncs:f_one"
left "$row" 'bcc funccount' -i peer funccount-bpfcc "$ufuncs:f_one"
left "$row" bpftrace -c peer bpftrace -e "uprobe:$ufuncs:f_one { @ = count(); }" -c "$held"
left "$row" 'libbpf-tools funclatency' -a Tracing peer env PATH=/tmp/bin:/usr/sbin:/usr/bin funclatency-libbpf "$ufuncs:f_one"
left "$row" 'perf probe, perf record' -c peer sh -c "perf probe -q -x $ufuncs f_one && perf record -q -a -e probe_ufuncs:f_one -o recorded $held"
row=execs
left "$row" 'sonde execsnoop' sonde execsnoop
left "$row" 'bcc execsnoop' -i peer execsnoop-bpfcc
left "$row" 'libbpf-tools execsnoop' -i peer execsnoop-libbpf
left "$row" 'bpftrace execsnoop.bt' -i peer execsnoop.bt
left "$row" 'trace-cmd record' -c peer trace-cmd record -q -e sched:sched_process_exec -o recorded $held
left "$row" 'perf trace' -c peer perf trace -a -e execve $held
left "$row" strace -i peer strace -f -e trace=execve -p $tracee
row=opens
left "$row" 'sonde opensnoop' sonde opensnoop
left "$row" 'bcc opensnoop' -i peer opensnoop-bpfcc
left "$row" 'libbpf-tools opensnoop' -i peer opensnoop-libbpf
left "$row" 'bpftrace opensnoop.bt' -i peer opensnoop.bt
left "$row" 'trace-cmd record' -c peer trace-cmd record -q -e syscalls:sys_enter_openat -o recorded $held
left "$row" 'perf trace' -c peer perf trace -a -e openat $held
left "$row" strace -i peer strace -f -e trace=openat -p $tracee
note left "what perf probe defines is its user's until perf probe -d takes it away: it is counted"
kill $tracee
finish
