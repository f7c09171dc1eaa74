# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace: settings of tracefs, which do not name an owner.
#
# What a test makes and expects to be removed has "gone" in its name; everything else must stay.

. /tracefs.sh

test_settings_of_others() {
	cd $T
	echo vfs_read > set_ftrace_filter
	echo vfs_write >> set_ftrace_filter
	echo vfs_open > set_ftrace_notrace
	echo 1 > set_ftrace_pid
	echo 2 > max_graph_depth
	echo 100 > tracing_thresh
	echo 1 > events/sched/sched_process_hang/enable
	echo 'pid > 0' > events/sched/sched_process_hang/filter
	echo stacktrace:3 > events/sched/sched_process_wait/trigger
	echo 0 > tracing_on
	cd /tmp
	state > before
	reset
	expect_exit 0
	settings='set_ftrace_filter set_ftrace_notrace max_graph_depth set_ftrace_pid tracing_thresh tracing_on
		events/enable'
	of_events='events/sched/sched_process_hang/filter events/sched/sched_process_wait/trigger'
	expect_out "$(unrelated $settings)" "$(unrelated $of_events)"
	reset -v
	expect_line '^Contents of set_ftrace_filter is \(line enumerated\):$'
	expect_line '^     1  vfs_(read|write)$'
	expect_line '^     2  vfs_(read|write)$'
	expect_line '^Expected ""\.$'
	expect_line '^Expected "1"\.$'
	expect_line '^     1  sched:sched_process_hang$'
	reset -n -F
	expect_exit 3
	state | diff before - || fail "something has changed"
	reset -F
	expect_exit 0
	for file in $settings $of_events; do
		expect_line "^Needed to reset $T/$file\$"
	done
	! grep -v '^Needed to reset' out || fail "more than that"
	reset
	expect_silence
}

# Settings name no owner, but the process that reads their records has a file open.
# kernels=one
test_reader_of_an_instance() {
	mkdir $T/instances/mine $T/instances/minery
	for instance in mine minery; do
		echo 1 > $T/instances/$instance/events/sched/sched_process_hang/enable
	done
	cat $T/instances/mine/trace_pipe > /dev/null &
	wait_until 10 sh -c "ls -l /proc/$!/fd | grep -q trace_pipe"
	reset
	expect_exit 0
	expect_out "$(unrelated instances/mine/events/enable)" \
		"Process $! (cat) reads the records of $T/instances/mine/trace." \
		"$(unrelated instances/minery/events/enable)"
	reset --json
	expect_json instance kind pid comm
	for kind in enabled instance; do
		printf "mine\t$kind\t%s\tcat\nminery\t$kind\tnull\tnull\n" $!
	done | sort > expected
	sort rows | diff expected - || fail "rows"
	kill $!
	wait $! || :
	reset
	expect_out "$(unrelated instances/mine/events/enable)" "$(unrelated instances/minery/events/enable)"
	reset -F
	expect_exit 0
}

test_tracer_and_recorded() {
	echo vfs_read > $T/set_ftrace_filter
	echo vfs_fallocate:traceoff >> $T/set_ftrace_filter
	echo vfs_truncate:traceon:5 >> $T/set_ftrace_filter
	echo function > $T/current_tracer
	calls 5 read > /dev/null
	echo 0 > $T/tracing_on
	reset
	expect_out "$(unrelated current_tracer set_ftrace_filter tracing_on)"
	grep -q vfs_read $T/trace || fail "what was recorded is gone"
	reset -F
	expect_exit 0
	expect_line "^Needed to reset $T/trace\$"
	! grep -q vfs_read $T/trace || fail "what was recorded is still there"
	[ "$(cat $T/current_tracer)" = nop ] || fail "the tracer is on"
	reset
	expect_silence
}
