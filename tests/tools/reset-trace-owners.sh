# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace: the owner of an event decides whether it is removed.
#
# What a test makes and expects to be removed has "gone" in its name; everything else must stay.

. /tracefs.sh

left="Left alone in $T/uprobe_events"

# hits_of KIND EVENT: prints how often it was hit, from uprobe_profile or kprobe_profile. The first has
# a path before the name.
hits_of() {
	grep -oE "(^|[[:space:]])$2 +[0-9]+" $T/$1_profile | awk '{ print $2 }'
}

# A running tracer is named, and its counts keep rising while the other events are removed.
test_live_owner() {
	pid=$(dead_pid)
	uprobes uprobes/p__gone_0x1_bcc_$pid uprobes/p__live_0x1_bcc_$$ uprobes/p__live_0x2_bcc_$$ \
		uprobes/libbpf_${pid}_gone_0x1 dt_$$_pid/live ply$$/live
	for event in uprobes/p__gone_0x1_bcc_$pid uprobes/p__live_0x1_bcc_$$ uprobes/libbpf_${pid}_gone_0x1; do
		echo 1 > $T/events/$event/enable
	done
	ufuncs 10 > /dev/null
	state > before
	reset
	expect_exit 0
	expect_out "Needed to reset $T/uprobe_events" \
		"$left: 1 event of dtrace, process $$ (sh), another command (--owner dtrace removes them)" \
		"$left: 1 event of ply, process $$ (sh), another command (--owner ply removes them)" \
		"$left: 2 events of bcc, process $$ (sh)"
	grep -v gone before > expected
	state | diff expected - || fail "another state"
	ufuncs 10 > /dev/null
	hits=$(hits_of uprobe p__live_0x1_bcc_$$)
	[ "$hits" = 20 ] || fail "$hits hits, not 20"
	reset --owner bcc
	expect_exit 0
	state | diff expected - || fail "what lives needs -F"
	# no ply process is called sh: the user who names it knows more than we do
	reset --owner ply
	expect_exit 0
	grep -v ply expected > e
	state | diff e - || fail "more than ply's"
	uprobes uprobes/on
	echo 1 > $T/events/uprobes/on/enable
	reset -F --owner bcc
	expect_exit 0
	[ "$(sed 's/ .*//' $T/uprobe_events | tr '\n' ' ')" = "p:dt_$$_pid/live p:uprobes/on " ] ||
		fail "left: $(cat $T/uprobe_events)"
	reset -F
	expect_exit 0
	empty $T/uprobe_events || fail "-F left something"
}

# A running tracer must count on and miss nothing while everything around it is removed, at the same
# places.
# kernels=one
test_beside_the_living() {
	pid=$(dead_pid) at=$(place)
	start sonde funccount 'u:/bin/ufuncs:f_*' "$getpgid"
	for n in $(seq 1 20); do
		uprobes uprobes/gone${n}_bcc_$pid
	done
	uprobes uprobes/live_bcc_$$ uprobes/held uprobes/unused
	echo "p:kprobes/gone_bcc_$pid $getpgid" >> $T/kprobe_events
	echo "p:kprobes/live_bcc_$$ $getpgid" >> $T/kprobe_events
	for event in uprobes/gone1_bcc_$pid uprobes/gone2_bcc_$pid uprobes/live_bcc_$$ kprobes/gone_bcc_$pid \
		kprobes/live_bcc_$$; do
		echo 1 > $T/events/$event/enable
	done
	pin link $P/sonde/gone/link
	pin link $P/sonde/live/link
	holders=
	holder perfhold "$(cat $T/events/uprobes/held/id)"
	holder pin hold $P/sonde/live/link
	ufuncs 10 > /dev/null
	calls 5 getpgid > /dev/null
	state > before
	sonde reset-trace > reset.out 2> reset.err || fail "reset-trace: $(cat reset.err)"
	cat reset.out
	grep -v gone before > expected
	state | diff expected - || fail "another state"
	ufuncs 10 > /dev/null
	calls 5 getpgid > /dev/null
	hits="$(hits_of uprobe live_bcc_$$) $(hits_of kprobe live_bcc_$$)"
	[ "$hits" = '20 10' ] || fail "$hits hits, not 20 and 10"
	stop INT
	expect_exit 0
	expect_count f_one 20
	expect_count f_two 40
	expect_count f_three 60
	expect_count "$getpgid" 10
	end_of_round
	reset -F
	empty $T/dynamic_events && [ ! -e $P/sonde ] || fail "left"
}

# An event that is older than the process with its owner's id was made by another process. The clock
# is set back to make it. A kernel whose times are those of the look-up proves nothing; nor does a
# clock that was set and stayed so.
test_reused_id() {
	perfhold > held &
	wait_until 10 grep -q . held
	now=$(date +%s)
	date -s @$((now - 3600)) > /dev/null
	uprobes uprobes/gone_bcc_$!
	date -s @$now > /dev/null
	uprobes uprobes/live_bcc_$!
	before=$((now - $(stat -c %Z $T/events/uprobes/gone_bcc_$!)))
	echo "made $before s before"
	[ $before -lt 1800 ] || expected="^Needed to reset $T/uprobe_events\$"
	date -s @$((now + 3600)) > /dev/null
	reset
	date -s @$now > /dev/null
	expect_out "$left: 2 events of bcc, process $! (perfhold)"
	reset
	expect_exit 0
	expect_line "${expected:-: 2 events of bcc, process $! }"
	[ $before -lt 1800 ] || expect_line ": 1 event of bcc, process $! \(perfhold\)\$"
	kill $!
	wait $! || :
	reset
	empty $T/uprobe_events || fail "left"
}

# A tool's events without a process id are removed if nothing uses them; the kernel knows that best.
# Events without a tool stay.
test_nobody() {
	uprobes uprobes/mine uprobes/on uprobes/triggered ebpf_0a/busy uprobes/p${$}_1 probe/mine probe_ufuncs/mine \
		perfetto_kprobes/gone
	echo 1 > $T/events/uprobes/on/enable
	echo stacktrace > $T/events/uprobes/triggered/trigger
	perfhold "$(cat $T/events/ebpf_0a/busy/id)" > held &
	wait_until 10 grep -q . held
	state > before
	reset
	expect_exit 0
	expect_out "Needed to reset $T/uprobe_events" "$left: 2 events of perf (--owner perf removes them)" \
		"$left: 1 event of systemtap, process $$ (sh), another command (--owner systemtap removes them)" \
		"$left: 1 event in use by perf or BPF programs" "$(unrelated uprobe_events)"
	grep -v gone before > expected
	state | diff expected - || fail "another state"
	reset --json
	expect_json name owner action why done error
	grep -q "^ebpf_0a/busy	cilium	remove	[^	]*	false	EBUSY\$" rows || fail "busy: $(cat rows)"
	grep -q "^probe/mine	perf	leave	" rows || fail "perf: $(cat rows)"
	reset --owner perf
	expect_exit 0
	grep -v probe/mine expected | grep -v probe_ufuncs > e
	state | diff e - || fail "more than perf's"
	reset -F
	expect_exit 1
	expect_one_err "cannot remove ebpf_0a/busy in $T/uprobe_events: $busy"
	kill $!
	wait $! || :
	reset -F
	expect_exit 0
	empty $T/dynamic_events || fail "left: $(cat $T/dynamic_events)"
}

# An event that somebody has made by hand and not enabled yet is no leftover. A user who names its
# group, or an instance, removes it.
# kernels=one
test_made_by_hand() {
	uprobes mine/one mine/two yours/one
	echo "p:kprobes/one vfs_fallocate" >> $T/kprobe_events
	echo 1 > $T/events/mine/two/enable
	mkdir $T/instances/mine $T/instances/yours
	state > before
	reset
	expect_exit 0
	expect_out "$(unrelated kprobe_events uprobe_events)"
	state | diff before - || fail "something is gone"
	reset -n -v
	expect_exit 0
	expect_line '^Left yours/one: no known tool uses such names: name its group with --owner$'
	run sonde status
	! grep orphan out || fail "called an orphan"
	reset --owner mine
	expect_exit 0
	expect_out "$(unrelated kprobe_events)" "Needed to reset $T/uprobe_events" "$(unrelated uprobe_events)" \
		"Needed to reset $T/instances/mine"
	[ "$(cut -d ' ' -f 1 $T/uprobe_events) $(ls $T/instances)" = 'p:yours/one yours' ] ||
		fail "left: $(cat $T/uprobe_events)"
	reset --owner kprobes -F
	expect_exit 0
	empty $T/kprobe_events && ! empty $T/uprobe_events || fail "not the group alone"
	reset -F
	state > after
	empty $T/dynamic_events && [ ! -e $T/instances/yours ] || fail "left"
}

# A tracer in a container writes another id than the one we see. Inside a container no owner can be
# proven dead.
# kernels=one
test_pid_namespaces() {
	pid=$(dead_pid)
	unshare -p -f sh -c 'perfhold & wait' > held &
	wait_until 10 grep -q . held
	uprobes uprobes/p__x_0x1_bcc_2 uprobes/p__x_0x1_bcc_$pid
	cat $T/uprobe_events > before
	run unshare -p -f sonde reset-trace
	expect_exit 0
	expect_line "^$left: 1 event of bcc, process $pid, which may be alive outside this pid namespace\$"
	diff before $T/uprobe_events || fail "something is gone"
	reset
	expect_exit 0
	expect_line "^$left: 1 event of bcc, process 2 \(perfhold, [0-9]* here\)\$"
	expect_line "^Needed to reset $T/uprobe_events\$"
	kill "$(sed -n 's/.*(perfhold, \([0-9]*\) here).*/\1/p' out)"
	wait $! || :
	reset
	expect_out "Needed to reset $T/uprobe_events"
	empty $T/uprobe_events || fail "left"
}
