# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace with real tools: perf, trace-cmd, bpftrace and bcc, killed while they trace or
# still running. Also what sonde status shows of those that run.
# of file: kernels=all

. /tracefs.sh

# A command for tools that run one: they are tracing when it starts.
hold='sh /tmp/hold'

# held CMD...: runs a tool in the background until it traces: it has started $hold, or printed that
# it is ready. $held is its id.
held() {
	echo "+ peer $* &"
	printf 'touch /tmp/begun\nexec sleep 1000\n' > hold
	rm -f begun
	peer env PYTHONUNBUFFERED=1 "$@" > said 2>&1 < /dev/null &
	held=$!
	wait_until 120 at_work && kill -0 "$held" || {
		cat said
		fail "not at work: $*"
	}
}

at_work() {
	[ -e begun ] || grep -q -e '^ready$' -e 'Hit Ctrl-C' said || ! kill -0 "$held" 2> /dev/null
}

# Kills a tool, which gets no chance to clean up, and the processes that it has started.
slay() {
	kill -9 "$held"
	wait "$held" || :
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/root")" != /peers ] || kill -9 "${process#/proc/}" 2> /dev/null || :
	done
}

# Ends the tool as Ctrl-C does, with the command that it runs.
interrupt() {
	kill -INT "$held"
	wait "$held" || :
	cat said
}

orphans() {
	pid=$(dead_pid)
	uprobes uprobes/p__gone_0x1_bcc_$pid uprobes/p__gone_0x2_bcc_$pid
	echo 1 > $T/events/uprobes/p__gone_0x1_bcc_$pid/enable
}

needed() {
	for file in "$@"; do
		echo "Needed to reset $T/$file"
	done
}

# timeout=240 image=peers
test_perf_probe_at_work() {
	everything > before
	peer perf probe -q "getpgid=$getpgid"
	peer perf probe -q -x /guest/bin/ufuncs f_one
	orphans
	grep -H . $T/kprobe_events $T/uprobe_events
	held perf record -q -a -e probe:getpgid,probe_ufuncs:f_one -o /tmp/recorded $hold
	calls 30 getpgid
	ufuncs 5 > /dev/null
	run sonde status
	expect_line "^perf_event +perf +\([0-9]+\) .* perf \($held\)\$"
	expect_line "^kprobe event +probe/getpgid +_text\+[0-9]+ +30 .* inferred: perf\$"
	expect_line '^uprobe event +probe_ufuncs/f_one +ufuncs:0x[0-9a-f]+ +5 .* inferred: perf$'
	expect_line '^uprobe event +uprobes/\(2\) .* orphan: bcc \(pid [0-9]+, dead\)$'
	reset
	expect_exit 0
	expect_out "Left alone in $T/kprobe_events: 1 event of perf (--owner perf removes them)" \
		"$(needed uprobe_events)" \
		"Left alone in $T/uprobe_events: 1 event of perf (--owner perf removes them)"
	calls 40 getpgid
	ufuncs 6 > /dev/null
	for option in '--owner perf' -F; do
		reset $option
		expect_exit 1
		[ "$(wc -l < err)" = 2 ] || fail "more or less than two events are refused"
		expect_err "cannot remove probe/getpgid in $T/kprobe_events: $busy"
		expect_err "cannot remove probe_ufuncs/f_one in $T/uprobe_events: $busy"
	done
	calls 50 getpgid
	ufuncs 7 > /dev/null
	interrupt
	peer perf script -i /tmp/recorded -F comm,event | sort | uniq -c | sed 's/^ *//; s/  */ /g; s/: *$//' > saw
	printf '120 calls probe:getpgid\n18 ufuncs probe_ufuncs:f_one\n' | diff - saw ||
		fail "perf has not counted all"
	reset --owner perf
	expect_exit 0
	expect_out "$(needed kprobe_events uprobe_events)"
	expect_as_before
}

# timeout=240 image=peers kernels=one
test_perf_killed() {
	everything > before
	peer perf probe -q -x /guest/bin/ufuncs -a f_one -a f_two
	held perf record -q -e 'probe_ufuncs:*' -o /tmp/recorded $hold
	slay
	reset
	expect_exit 0
	expect_out "Left alone in $T/uprobe_events: 2 events of perf (--owner perf removes them)"
	[ "$(wc -l < $T/uprobe_events)" = 2 ] || fail "something is gone"
	reset -F
	expect_exit 0
	expect_out "$(needed uprobe_events)"
	expect_as_before
	held perf trace -o /tmp/recorded $hold
	slay
	reset
	expect_silence
	expect_as_before
}

# perf traces in an instance of its own, which stays if perf is killed.
# timeout=240 image=peers kernels=one
test_perf_ftrace_killed() {
	everything > before
	held perf ftrace trace -T 'vfs_*' -- $hold
	slay
	own=$(cd $T && echo instances/perf-ftrace-*)
	reset
	expect_exit 0
	expect_out "$(unrelated $own/current_tracer $own/set_ftrace_filter $own/set_ftrace_pid)"
	[ "$(cat $T/$own/current_tracer)" = function ] || fail "the tracer is off"
	grep -q '^vfs_read$' $T/$own/set_ftrace_filter || fail "the filter is gone"
	reset -F
	expect_exit 0
	expect_line "^Needed to reset $T/$own\$"
	expect_as_before
}

# timeout=240 image=peers kernels=one
test_trace_cmd_killed() {
	everything > before
	held trace-cmd record -p function -l 'vfs_*' -e sched:sched_process_exec -o /tmp/recorded $hold
	run sonde status
	expect_line '^trace_pipe .* trace-cmd \([0-9]+\)$'
	expect_line '^setting +current_tracer +function .* inferred: trace-cmd \([0-9]+\)$'
	expect_line '^enabled +sched +sched_process_exec .* inferred: trace-cmd \([0-9]+\)$'
	orphans
	slay
	grep -v -e 'trace$' $T/set_ftrace_filter > filter
	grep -q '^vfs_read$' filter || fail "trace-cmd has left no filter"
	reset
	expect_exit 0
	expect_out "$(needed uprobe_events)" "$(unrelated current_tracer set_ftrace_filter events/enable)"
	[ "$(cat $T/current_tracer)" = function ] || fail "the tracer is off"
	diff filter $T/set_ftrace_filter || fail "another filter"
	[ "$(cat $T/set_event)" = sched:sched_process_exec ] || fail "the event is off"
	reset -F
	expect_exit 0
	expect_out "$(needed trace current_tracer set_ftrace_filter events/enable)"
	expect_as_before
	reset
	expect_silence
}

# What it leaves even if it ends normally: a filter and a trigger, and a histogram if the kernel has
# them.
# timeout=240 image=peers
test_trace_cmd_started() {
	everything > before
	trigger=stacktrace
	! grep -q 'keys=' $T/README || trigger=hist:keys=prev_pid
	run peer trace-cmd start -e sched:sched_switch -f 'prev_prio < 100' -R $trigger -e sched:sched_process_exec \
		-p function_graph -g vfs_read -n vfs_write -P 1 -l vfs_read
	expect_exit 0
	everything | sed '/^# /d' > state
	reset
	expect_exit 0
	files="current_tracer set_ftrace_filter set_graph_function set_graph_notrace set_ftrace_pid set_event_pid
		events/enable events/sched/sched_switch/trigger events/sched/sched_switch/filter"
	expect_out "$(unrelated $files)"
	everything | sed '/^# /d' | diff state - || fail "something has changed"
	reset -F
	expect_exit 0
	for file in $files; do
		expect_line "^Needed to reset $T/$file\$"
	done
	expect_as_before
}

# timeout=240 image=peers
test_trace_cmd_instance() {
	everything > before
	held trace-cmd record -B work -e sched -p function -l vfs_read -o /tmp/recorded $hold
	slay
	run peer trace-cmd start -B idle -p nop
	expect_exit 0
	reset
	expect_exit 0
	sort out > sorted
	unrelated instances/work/current_tracer instances/work/events/enable instances/work/set_ftrace_filter |
		diff - sorted || fail "something else is said"
	# an instance without settings has no known owner
	[ "$(ls $T/instances | xargs)" = 'idle work' ] || fail "instances: $(ls $T/instances)"
	grep -q '^sched:sched_switch$' $T/instances/work/set_event || fail "the events are off"
	reset -F
	expect_exit 0
	expect_line "^Needed to reset $T/instances/work\$"
	expect_as_before
}

# timeout=240 image=peers
test_bpftrace_at_work() {
	everything > before
	orphans
	held bpftrace -q -B line -e "BEGIN { printf(\"ready\\n\"); }
		kprobe:$getpgid { @k = count(); }
		uprobe:/guest/bin/ufuncs:f_one { @u = count(); }"
	calls 30 getpgid
	ufuncs 5 > /dev/null
	run sonde status
	expect_line "^kprobe(\\.multi)? +kprobe_[^ ]* +$getpgid .* bpftrace \\($held\\)\$"
	expect_line "^uprobe(\.multi)? .* ufuncs:f_one .* bpftrace \($held\)\$"
	reset
	expect_exit 0
	expect_out "$(needed uprobe_events)"
	calls 40 getpgid
	reset -F
	expect_silence
	calls 50 getpgid
	ufuncs 6 > /dev/null
	interrupt
	[ "$(grep '^@' said | sort | tr '\n' ' ')" = "@k: 120 @u: 11 " ] || fail "bpftrace has not counted all"
	expect_as_before
}

# Tools whose probes belong to descriptors leave nothing, and reset-trace must print nothing.
# timeout=600 image=peers kernels=turns
test_bpf_tools_killed() {
	everything > before
	held bpftrace -q -e 'kprobe:vfs_re* { @k = count(); }
		kretprobe:vfs_read { @r = count(); }
		uprobe:/guest/bin/ufuncs:f_* { @u = count(); }
		tracepoint:sched:sched_process_exec { @t = count(); }' -c "$hold"
	slay
	reset
	expect_silence
	expect_as_before
	held funccount-bpfcc vfs_read
	slay
	reset
	expect_silence
	expect_as_before
}
