# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace: it must remove orphans and leave everything else as it was, file by file.
#
# What a test makes and expects to be removed has "gone" in its name; everything else must stay.

. /tracefs.sh

test_nothing_to_do() {
	state > before
	reset
	expect_silence
	reset -q -F
	expect_silence
	run sonde reset --json -n
	expect_silence
	reset -v
	expect_exit 0
	[ "$(sed -n '1p;$p' out)" = "$(printf 'Resetting tracing state...\nDone.')" ] || fail "begin and end"
	for file in kprobe_events uprobe_events dynamic_events trace current_tracer set_ftrace_filter \
		set_ftrace_notrace set_graph_function set_ftrace_pid set_event events/enable tracing_thresh \
		tracing_on; do
		expect_line "^Checking $T/$file\$"
	done
	! grep -v -e '^Checking /' -e '^$' -e '^Resetting' -e '^Done' out || fail "more than checks"
	state | diff before - || fail "something has changed"
}

# The example in bcc's documentation: 317 user functions, whose tracer is killed. Only some are
# enabled: the kernel takes up to 0.1 s to remove an event that was.
# timeout=240
test_killed_tracer() {
	state > before
	cat > tracer <<-'END'
	at=$1 n=0
	while [ $n -lt 317 ]; do
		echo "p:uprobes/p__bin_ufuncs_0x${n}_bcc_$$ $at"
		n=$((n + 1))
	done >> /sys/kernel/tracing/uprobe_events
	for n in $(seq 0 39); do
		echo 1 > /sys/kernel/tracing/events/uprobes/p__bin_ufuncs_0x${n}_bcc_$$/enable
	done
	kill -9 $$
	END
	run sh tracer "$(place)"
	expect_exit 137
	[ "$(wc -l < $T/uprobe_events)" = 317 ] && [ "$(wc -l < $T/set_event)" = 40 ] || fail "not made"
	reset -n -v
	expect_exit 3
	[ "$(grep -c '^ *[0-9]*  p:uprobes/p__bin_ufuncs_0x[0-9]*_bcc_' out)" = 317 ] || fail "not all are listed"
	expect_line '^uprobe_events, before \(line enumerated\):$'
	reset -n --json
	expect_exit 3
	expect_json kind action done state
	printf '317 uprobe remove false dead\n40 enabled disable false null\n' > expected
	sort rows | uniq -c | sed 's/^ *//' | sort | tr '\t' ' ' | diff expected - || fail "rows"
	[ "$(wc -l < $T/uprobe_events)" = 317 ] && [ "$(wc -l < $T/set_event)" = 40 ] || fail "-n has changed something"
	reset
	expect_exit 0
	expect_out "Needed to reset $T/uprobe_events"
	state | diff before - || fail "not all is gone"
}

# kernels=one
test_verbose_and_quiet() {
	pid=$(dead_pid)
	uprobes uprobes/p__a_0x1_bcc_$pid uprobes/p__a_0x2_bcc_$pid
	reset -v
	expect_exit 0
	sed -n '/uprobe_events$/,/^Checking .*dynamic_events$/p' out > part
	sed "s/^/      /; s,NNN,$pid,; s,AT,$(place | sed 's/0x/0x00000000/'),; s/^ *|//" > expected <<-END
	|Checking $T/uprobe_events
	|Needed to reset $T/uprobe_events
	|uprobe_events, before (line enumerated):
	|     1  p:uprobes/p__a_0x1_bcc_NNN AT
	|     2  p:uprobes/p__a_0x2_bcc_NNN AT
	|uprobe_events, after (line enumerated):
	|
	|Checking $T/dynamic_events
	END
	sed 's/:0x0*/:0x/' expected > e
	sed 's/:0x0*/:0x/' part | diff e - || fail "-v says something else"
	uprobes uprobes/p__a_0x1_bcc_$pid
	reset -n
	expect_exit 3
	expect_out "Would reset $T/uprobe_events"
	reset -q
	expect_silence
	empty $T/uprobe_events || fail "-q did not reset"
}

# kernels=one
test_refusals() {
	pid=$(dead_pid)
	run su user -c 'sonde reset-trace'
	expect_exit 1
	expect_one_err 'tracefs.*(sudo|denied|permitted)'
	reset something
	expect_exit 2
	expect_err something
	reset --owner prf
	expect_exit 2
	expect_err 'prf.*perf'
	uprobes uprobes/p__gone_0x1_bcc_$pid
	mount -o remount,ro $T
	reset -n
	expect_exit 3
	reset
	mount -o remount,rw $T
	expect_exit 1
	expect_one_err "cannot remove uprobes/p__gone_0x1_bcc_$pid in $T/uprobe_events: Read-only file system"
	echo 'umount -l /sys/kernel/debug; umount -l /sys/kernel/tracing; sonde reset-trace' > without
	run unshare -m sh without
	expect_exit 0
	expect_line '^Needed to reset tracefs/uprobe_events$'
	empty $T/uprobe_events || fail "left"
}
