# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace: events of every kind, and what depends on them.
#
# What a test makes and expects to be removed has "gone" in its name; everything else must stay.

. /tracefs.sh

# Triggers, synthetic events, eprobes and instances, each with its dependencies.
test_dependent_events() {
	pid=$(dead_pid)
	cd $T
	grep -q 'e\[:' README && eprobes=1 || eprobes=
	grep -q '^hist\|hist trigger\|^	*hist' README && hist=1 || hist=
	cd /tmp
	state > before
	uprobes uprobes/gone_bcc_$pid uprobes/unused
	mkdir $T/instances/empty
	[ -z "$hist" ] || {
		echo 's:synthetic/synth u64 x' >> $T/dynamic_events
		echo "hist:keys=common_pid:ts=common_timestamp.usecs" > $T/events/uprobes/gone_bcc_$pid/trigger
	}
	echo stacktrace >> $T/events/uprobes/gone_bcc_$pid/trigger
	[ -z "$eprobes" ] || {
		echo "e:eprobes/gone_e_bcc_$pid sched.sched_process_hang pid=\$pid:u32" >> $T/dynamic_events
		echo 1 > $T/events/eprobes/gone_e_bcc_$pid/enable
		[ -z "$hist" ] || echo 'e:eprobes/on_synth synthetic.synth x=$x:u64' >> $T/dynamic_events
	}
	mkdir $T/instances/gone $T/instances/used
	echo 1 > $T/instances/gone/events/uprobes/gone_bcc_$pid/enable
	echo 1 > $T/instances/used/events/sched/sched_process_hang/enable
	cat $T/dynamic_events
	state > made
	reset
	expect_exit 0
	[ ! -s err ] || fail "something on stderr"
	expect_line "^Needed to reset $T/instances/gone\$"
	expect_line "^$(unrelated instances/used/events/enable | sed 's/[()]/\\&/g')\$"
	[ "$(echo $(ls $T/instances))" = 'empty used' ] || fail "instances: $(ls $T/instances)"
	# an event with an eprobe on it is enabled for the eprobe
	grep -v -e gone -e '^\(\./\)*set_event:sched:sched_process_hang$' made > expected
	state | diff expected - || fail "another state"
	reset -F
	state | diff before - || fail "not all is gone"
}

# Somebody's histogram that feeds a synthetic event: both are in use.
test_hist_of_others() {
	grep -q 'keys=' $T/README || skip "this kernel has no hist triggers"
	echo 's:synthetic/fed u64 lat; pid_t pid' >> $T/dynamic_events
	echo 'hist:keys=pid:ts=common_timestamp.usecs' > $T/events/sched/sched_waking/trigger
	echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts:onmatch(sched.sched_waking).trace(fed,$lat,next_pid)' \
		> $T/events/sched/sched_switch/trigger
	state > before
	reset
	expect_exit 0
	grep -qxF "$(unrelated dynamic_events)" out || fail "not said"
	state | diff before - || fail "something has changed"
	reset -F
	expect_exit 0
	empty $T/dynamic_events || fail "left: $(cat $T/dynamic_events)"
	reset
	expect_silence
}

# Whatever name the kernel accepts can also be removed.
test_odd_names() {
	n=0
	long=$(printf %063d 0 | tr 0 x)
	for name in a-b/c a/c-d a.b/c _/_ A9/9 a/b.c 'a/b:c' a/b@c+d a/b=c 'a/é' a/$long $long/x \
		'a/b;c' 'a/b[c]' a/b,c 'a/b*c'; do
		uprobes "$name" 2> /dev/null && n=$((n + 1))
	done
	echo "$n of these names are accepted"
	[ $n -ge 3 ] || fail "only $n names are accepted"
	echo "p:multi $(place)" >> $T/uprobe_events
	echo "p:multi $(place | sed 's,ufuncs,calls,')" >> $T/uprobe_events
	cat $T/uprobe_events
	reset -F
	expect_exit 0
	expect_line "^Needed to reset $T/uprobe_events\$"
	empty $T/uprobe_events || fail "left: $(cat $T/uprobe_events)"
}

test_kprobes() {
	pid=$(dead_pid)
	echo "p:kprobes/p_gone_bcc_$pid vfs_read" >> $T/kprobe_events
	echo "r10:r_gone_bcc_$pid vfs_read" >> $T/kprobe_events
	echo "p:p_live_bcc_$$ vfs_read" >> $T/kprobe_events
	echo 1 > $T/events/kprobes/enable
	! grep -q 'f\[:' $T/README || echo "f:gone_bcc_$pid vfs_read" >> $T/dynamic_events
	! grep -q 'f\[:' $T/README || echo 1 > $T/events/fprobes/gone_bcc_$pid/enable
	reset
	expect_exit 0
	expect_line "^Needed to reset $T/kprobe_events\$"
	! grep gone $T/dynamic_events || fail "left"
	[ "$(cat $T/events/kprobes/p_live_bcc_$$/enable)" = 1 ] || fail "the live one is off"
	reset -F
	empty $T/dynamic_events || fail "left: $(cat $T/dynamic_events)"
}

# cpus=2 kernels=one
test_many() {
	pid=$(dead_pid) at=$(place)
	# the kernel takes whole lines: each is a write of its own
	awk -v pid="$pid" -v at="$at" 'BEGIN {
		for (i = 0; i < 2000; i++) {
			print "p:uprobes/p_" i "_bcc_" pid, at
			fflush()
		}
	}' >> $T/uprobe_events
	[ "$(wc -l < $T/uprobe_events)" = 2000 ] || fail "not made"
	read -r began _ < /proc/uptime
	reset
	read -r ended _ < /proc/uptime
	expect_exit 0
	empty $T/uprobe_events || fail "left"
	awk "BEGIN { print $ended - $began \" s for 2000\" }"
}
