# SPDX-License-Identifier: BSD-2-Clause
# What tests of reset-trace share: leftovers to make, the contents of tracefs, the words of
# reset-trace. Read in a guest, after lib.sh.

T=/sys/kernel/tracing
P=/sys/fs/bpf

# The error, in the words of either C library, when the kernel refuses to remove an event: for expect_err.
# shellcheck disable=SC2034 # tests read it
busy='(Device or r|R)esource busy \(perf or a BPF program uses it\)'

reset() {
	run sonde reset-trace "$@"
}

# Prints a process id that no process has any more.
dead_pid() {
	sh -c 'echo $$'
}

# empty FILE: true if a file of tracefs has no contents; all its files have the size 0.
empty() {
	! grep -q . "$1"
}

# Prints an offset in /bin/ufuncs at which a function begins.
place() {
	awk '$2 == "f_one" { printf "/bin/ufuncs:0x%x\n", $1 - 0x400000 }' /ufuncs.symbols
}

# uprobes NAME...: makes events GROUP/EVENT, all at one place.
uprobes() {
	at=$(place)
	for event in "$@"; do
		echo "p:$event $at"
	done >> $T/uprobe_events
}

# settings_of GROUP: prints "FILE:contents" for each event of a group.
settings_of() {
	grep -H . "$1"/*/enable "$1"/*/trigger "$1"/*/filter
}

# Prints everything that the tests set, one line each, "FILE:contents"; and pins. The kernel marks
# an event that an eprobe or a trigger uses with a star. Only the tests use sched_kthread_stop, and
# only in this way; so set_event lists it for that reason alone.
state() {
	find $P -type f
	(
		cd $T
		grep -H . kprobe_events uprobe_events dynamic_events set_event || :
		for i in . instances/*; do
			[ -d $i ] || continue
			cd $i
			grep -H . current_tracer set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_event_pid \
				tracing_thresh tracing_on set_event 2> /dev/null | sed "s,^,$i/,"
			settings_of events/sched | sed "s,^,$i/,"
			for group in kprobes uprobes probe synthetic eprobes perfetto_kprobes; do
				[ -d events/$group ] || continue
				settings_of events/$group | sed "s,^,$i/,"
			done
			cd $T
		done
	) | sed 's,\(/enable:[01]\)\*$,\1,; /set_event:sched:sched_kthread_stop$/d'
}

# Prints all of tracefs that can be set or left, file by file, without the size of the buffer: the
# kernel makes the buffer at its first use and does not shrink it again.
everything() {
	(
		cd $T
		grep -H . kprobe_events uprobe_events dynamic_events set_event set_*_filter set_*notrace \
			set_graph_function set_*pid stack_trace_filter current_tracer trace_options options/* trace_clock \
			max_graph_depth tracing_cpumask tracing_thresh tracing_on function_profile_enabled \
			/proc/sys/kernel/stack_tracer_enabled /proc/sys/kernel/ftrace_enabled 2> /dev/null || :
		grep '^# \* Snapshot' snapshot || :
		head -n 3 trace
		ls instances
		find events instances -name enable -o -name filter -o -name trigger -o -name current_tracer \
			-o -name 'set_ftrace_*' | xargs grep -H . |
			grep -v -e '^[^:]*:[0X?]$' -e ':#' -e ':none$' || :
	)
}

# reset-trace must have left everything as it found it, which is in the file before.
expect_as_before() {
	everything > after
	diff before after || fail "tracefs is not as before"
}

unrelated() {
	for file in "$@"; do
		echo "Noticed unrelated tracing file $T/$file isn't set as expected." \
			"Not resetting (-F to force, -v for verbose)."
	done
}

# holder CMD...: runs it until the end of the round; its ids are added to $holders.
holder() {
	rm -f held
	"$@" > held &
	holders="$holders $!"
	wait_until 10 grep -qs . held || fail "not held: $*"
}

# Ends what holds events in use, and removes what -F does not, before -F is used.
end_of_round() {
	for holder in $holders; do
		kill $holder
		wait $holder || :
	done
	holders=
	rm -rf $P/tool $P/alone*
}
