# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace: what is orphaned goes, and everything else stays as it was, file by file.
#
# What a test makes and expects to go has "gone" in its name; what is to stay has not.

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
	for file in kprobe_events uprobe_events dynamic_events trace current_tracer set_ftrace_filter set_ftrace_notrace \
		set_graph_function set_ftrace_pid set_event events/enable tracing_thresh tracing_on; do
		expect_line "^Checking $T/$file\$"
	done
	! grep -v -e '^Checking /' -e '^$' -e '^Resetting' -e '^Done' out || fail "more than checks"
	state | diff before - || fail "something has changed"
}

# The example of bcc's text: 317 user functions, and the tracer is killed. Some are enabled, not all: the kernel takes
# up to 0.1 s to take one away that was.
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
	[ "$(sort rows | uniq -c | sed 's/^ *//' | sort | tr '\t' ' ')" = "$(printf '317 uprobe remove false dead\n40 enabled disable false null')" ] || fail "rows"
	[ "$(wc -l < $T/uprobe_events)" = 317 ] && [ "$(wc -l < $T/set_event)" = 40 ] || fail "-n has changed something"
	reset
	expect_exit 0
	expect_out "Needed to reset $T/uprobe_events"
	state | diff before - || fail "not all is gone"
}

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

# A tracer that lives is named, and its counts keep rising while the others go.
test_live_owner() {
	pid=$(dead_pid)
	uprobes uprobes/p__gone_0x1_bcc_$pid uprobes/p__live_0x1_bcc_$$ uprobes/p__live_0x2_bcc_$$ uprobes/libbpf_${pid}_gone_0x1 \
		dt_$$_pid/live ply$$/live
	for event in uprobes/p__gone_0x1_bcc_$pid uprobes/p__live_0x1_bcc_$$ uprobes/libbpf_${pid}_gone_0x1; do
		echo 1 > $T/events/$event/enable
	done
	ufuncs 10 > /dev/null
	state > before
	reset
	expect_exit 0
	expect_out "Needed to reset $T/uprobe_events" "Left alone in $T/uprobe_events: 1 event of dtrace, process $$ (sh), another command (--owner dtrace takes them away)" \
		"Left alone in $T/uprobe_events: 1 event of ply, process $$ (sh), another command (--owner ply takes them away)" \
		"Left alone in $T/uprobe_events: 2 events of bcc, process $$ (sh)"
	grep -v gone before > expected
	state | diff expected - || fail "another state"
	ufuncs 10 > /dev/null
	hits=$(awk -v e=p__live_0x1_bcc_$$ '$2 == e { print $3 }' $T/uprobe_profile)
	[ "$hits" = 20 ] || fail "$hits hits, not 20"
	reset --owner bcc
	expect_exit 0
	state | diff expected - || fail "what lives needs -F"
	# no ply is called sh: who names it knows more than we
	reset --owner ply
	expect_exit 0
	grep -v ply expected > e
	state | diff e - || fail "more than ply's"
	uprobes uprobes/on
	echo 1 > $T/events/uprobes/on/enable
	reset -F --owner bcc
	expect_exit 0
	[ "$(sed 's/ .*//' $T/uprobe_events | tr '\n' ' ')" = "p:dt_$$_pid/live p:uprobes/on " ] || fail "left: $(cat $T/uprobe_events)"
	reset -F
	expect_exit 0
	empty $T/uprobe_events || fail "-F left something"
}

# What lives counts on, and nothing of it is missed while all around it goes, at the same places.
test_beside_the_living() {
	pid=$(dead_pid) at=$(place)
	start sonde funccount 'u:/bin/ufuncs:f_*' "$getpgid"
	for n in $(seq 1 20); do
		uprobes uprobes/gone${n}_bcc_$pid
	done
	uprobes uprobes/live_bcc_$$ uprobes/held uprobes/unused
	echo "p:kprobes/gone_bcc_$pid $getpgid" >> $T/kprobe_events
	echo "p:kprobes/live_bcc_$$ $getpgid" >> $T/kprobe_events
	for event in uprobes/gone1_bcc_$pid uprobes/gone2_bcc_$pid uprobes/live_bcc_$$ kprobes/gone_bcc_$pid kprobes/live_bcc_$$; do
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
	hits=$(awk -v e=live_bcc_$$ '$2 == e { print $3 }' $T/uprobe_profile)-$(awk -v e=live_bcc_$$ '$1 == e { print $2 }' $T/kprobe_profile)
	[ "$hits" = 20-10 ] || fail "$hits hits, not 20-10"
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

# An event that is older than the process with its owner's id was made by another. The clock is set back for its making; a
# kernel that says of an event when it was looked at proves nothing. Nor does any clock that was set and stayed so.
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
	expect_out "Left alone in $T/uprobe_events: 2 events of bcc, process $! (perfhold)"
	reset
	expect_exit 0
	expect_line "${expected:-: 2 events of bcc, process $! }"
	[ $before -lt 1800 ] || expect_line ": 1 event of bcc, process $! \(perfhold\)\$"
	kill $!
	wait $! || :
	reset
	empty $T/uprobe_events || fail "left"
}

# A tool's events that name no process go when nothing uses them; the kernel knows best who does. Nobody's stay.
test_nobody() {
	uprobes uprobes/mine uprobes/on uprobes/triggered ebpf_0a/busy uprobes/p${$}_1 probe/mine probe_ufuncs/mine perfetto_kprobes/gone
	echo 1 > $T/events/uprobes/on/enable
	echo stacktrace > $T/events/uprobes/triggered/trigger
	perfhold "$(cat $T/events/ebpf_0a/busy/id)" > held &
	wait_until 10 grep -q . held
	state > before
	reset
	expect_exit 0
	expect_out "Needed to reset $T/uprobe_events" "Left alone in $T/uprobe_events: 2 events of perf (--owner perf takes them away)" \
		"Left alone in $T/uprobe_events: 1 event of systemtap, process $$ (sh), another command (--owner systemtap takes them away)" \
		"Left alone in $T/uprobe_events: 1 event in use by perf or BPF programs" "$(unrelated uprobe_events)"
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
	expect_one_err "cannot remove ebpf_0a/busy in $T/uprobe_events: (Device or r|R)esource busy \(perf or a BPF program uses it\)"
	kill $!
	wait $! || :
	reset -F
	expect_exit 0
	empty $T/dynamic_events || fail "left: $(cat $T/dynamic_events)"
}

# An event that somebody has made by hand and not enabled yet is no leftover; who names its group, or an instance, gets rid of it.
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
	expect_line '^Left yours/one: no tool writes such names: --owner takes its group$'
	run sonde status
	! grep orphan out || fail "called an orphan"
	reset --owner mine
	expect_exit 0
	expect_out "$(unrelated kprobe_events)" "Needed to reset $T/uprobe_events" "$(unrelated uprobe_events)" "Needed to reset $T/instances/mine"
	[ "$(cut -d ' ' -f 1 $T/uprobe_events) $(ls $T/instances)" = 'p:yours/one yours' ] || fail "left: $(cat $T/uprobe_events)"
	reset --owner kprobes -F
	expect_exit 0
	empty $T/kprobe_events && ! empty $T/uprobe_events || fail "not the group alone"
	reset -F
	state > after
	empty $T/dynamic_events && [ ! -e $T/instances/yours ] || fail "left"
}

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
	expect_out "$(unrelated set_ftrace_filter set_ftrace_notrace max_graph_depth set_ftrace_pid tracing_thresh tracing_on events/enable)" \
		"$(unrelated events/sched/sched_process_hang/filter events/sched/sched_process_wait/trigger | sort)"
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
	for file in set_ftrace_filter set_ftrace_notrace max_graph_depth set_ftrace_pid tracing_thresh tracing_on events/enable \
		events/sched/sched_process_hang/filter events/sched/sched_process_wait/trigger; do
		expect_line "^Needed to reset $T/$file\$"
	done
	! grep -v '^Needed to reset' out || fail "more than that"
	reset
	expect_silence
}

# Settings bear no name, but who reads what they record has a file open.
test_reader_of_an_instance() {
	mkdir $T/instances/mine $T/instances/minery
	for instance in mine minery; do
		echo 1 > $T/instances/$instance/events/sched/sched_process_hang/enable
	done
	cat $T/instances/mine/trace_pipe > /dev/null &
	wait_until 10 sh -c "ls -l /proc/$!/fd | grep -q trace_pipe"
	reset
	expect_exit 0
	expect_out "$(unrelated instances/mine/events/enable)" "Process $! (cat) reads what is recorded in $T/instances/mine/trace." \
		"$(unrelated instances/minery/events/enable)"
	reset --json
	expect_json instance kind pid comm
	printf 'mine\tenabled\t%s\tcat\nminery\tenabled\tnull\tnull\nmine\tinstance\t%s\tcat\nminery\tinstance\tnull\tnull\n' $! $! |
		sort > expected
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
	# what an eprobe was put on is enabled for it
	grep -v -e gone -e '^\(\./\)*set_event:sched:sched_process_hang$' made > expected
	state | diff expected - || fail "another state"
	reset -F
	state | diff before - || fail "not all is gone"
}

# A histogram of somebody's that feeds a synthetic event: both are in use.
test_hist_of_others() {
	grep -q 'keys=' $T/README || skip "this kernel has no hist triggers"
	echo 's:synthetic/fed u64 lat; pid_t pid' >> $T/dynamic_events
	echo 'hist:keys=pid:ts=common_timestamp.usecs' > $T/events/sched/sched_waking/trigger
	echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts:onmatch(sched.sched_waking).trace(fed,$lat,next_pid)' > $T/events/sched/sched_switch/trigger
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

# Whatever name the kernel accepts can be taken away again.
test_odd_names() {
	n=0
	for name in a-b/c a/c-d a.b/c _/_ A9/9 a/b.c 'a/b:c' a/b@c+d a/b=c 'a/é' a/$(printf %063d 0 | tr 0 x) $(printf %063d 0 | tr 0 g)/x 'a/b;c' 'a/b[c]' a/b,c 'a/b*c'; do
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

# cpus=2
test_many() {
	pid=$(dead_pid) at=$(place)
	# the kernel takes whole lines: each is written by itself
	awk -v pid="$pid" -v at="$at" 'BEGIN { for (i = 0; i < 2000; i++) { print "p:uprobes/p_" i "_bcc_" pid, at; fflush() } }' >> $T/uprobe_events
	[ "$(wc -l < $T/uprobe_events)" = 2000 ] || fail "not made"
	read -r began _ < /proc/uptime
	reset
	read -r ended _ < /proc/uptime
	expect_exit 0
	empty $T/uprobe_events || fail "left"
	awk "BEGIN { print $ended - $began \" s for 2000\" }"
}

# A tracer in a container knows itself by another id than we do; and from within one nobody can be proven dead.
test_pid_namespaces() {
	pid=$(dead_pid)
	unshare -p -f sh -c 'perfhold & wait' > held &
	wait_until 10 grep -q . held
	uprobes uprobes/p__x_0x1_bcc_2 uprobes/p__x_0x1_bcc_$pid
	cat $T/uprobe_events > before
	run unshare -p -f sonde reset-trace
	expect_exit 0
	expect_line "^Left alone in $T/uprobe_events: 1 event of bcc, process $pid, which may be alive outside this pid namespace\$"
	diff before $T/uprobe_events || fail "something is gone"
	reset
	expect_exit 0
	expect_line "^Left alone in $T/uprobe_events: 1 event of bcc, process 2 \(perfhold, [0-9]* here\)\$"
	expect_line "^Needed to reset $T/uprobe_events\$"
	kill "$(sed -n 's/.*(perfhold, \([0-9]*\) here).*/\1/p' out)"
	wait $! || :
	reset
	expect_out "Needed to reset $T/uprobe_events"
	empty $T/uprobe_events || fail "left"
}

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

# One of the things that others do, by number; N is a name of its own. What it makes is called "gone" where it must go.
# shellcheck disable=SC2154
random_thing() {
	case $1 in
	0) uprobes uprobes/gone${n}_bcc_$pid ;;
	1) uprobes uprobes/gone${n}_bcc_$pid; echo 1 > $T/events/uprobes/gone${n}_bcc_$pid/enable ;;
	2) uprobes uprobes/live${n}_bcc_$$ ;;
	3) uprobes uprobes/live${n}_bcc_$$; echo 1 > $T/events/uprobes/live${n}_bcc_$$/enable ;;
	4) uprobes uprobes/mine$n ;;
	5) uprobes uprobes/on$n; echo 1 > $T/events/uprobes/on$n/enable ;;
	6) uprobes uprobes/trig$n; echo stacktrace > $T/events/uprobes/trig$n/trigger ;;
	7) uprobes probe/mine$n ;;
	8) echo 1 > $T/events/sched/sched_process_hang/enable ;;
	9) echo 'pid > 0' > $T/events/sched/sched_process_wait/filter ;;
	10) echo traceon:1 > $T/events/sched/sched_process_hang/trigger 2> /dev/null || : ;; # a second one is refused
	11) mkdir $T/instances/mine$n ;;
	12) mkdir $T/instances/used$n; echo 1 > $T/instances/used$n/events/sched/sched_process_hang/enable ;;
	13) uprobes uprobes/gone${n}_bcc_$pid; mkdir $T/instances/gone$n; echo 1 > $T/instances/gone$n/events/uprobes/gone${n}_bcc_$pid/enable ;;
	14) uprobes uprobes/gone${n}_bcc_$pid; echo stacktrace > $T/events/uprobes/gone${n}_bcc_$pid/trigger ;;
	15) uprobes uprobes/live${n}_bcc_$$; mkdir $T/instances/live$n; echo 1 > $T/instances/live$n/events/uprobes/live${n}_bcc_$$/enable ;;
	16) echo $n > $T/set_event_pid ;;
	17) echo vfs_open >> $T/set_ftrace_filter ;;
	18) uprobes uprobes/gone${n}_bcc_$pid; echo '__probe_ip > 0' > $T/events/uprobes/gone${n}_bcc_$pid/filter ;;
	19) echo 100 > $T/tracing_thresh ;;
	20) echo "p:kprobes/gone${n}_bcc_$pid vfs_fallocate" >> $T/kprobe_events; echo 1 > $T/events/kprobes/gone${n}_bcc_$pid/enable ;;
	21) echo "p:kprobes/live${n}_bcc_$$ vfs_fallocate" >> $T/kprobe_events; echo 1 > $T/events/kprobes/live${n}_bcc_$$/enable ;;
	22) echo "p:kprobes/mine$n vfs_fallocate" >> $T/kprobe_events ;;
	23) echo vfs_fallocate > $T/set_ftrace_filter; echo function > $T/current_tracer ;;
	24) pin link $P/sonde/gone$n/link; pin map $P/sonde/gone$n/map ;;
	25) pin link $P/sonde/live$n/link; pin map $P/sonde/live$n/map; holder pin hold $P/sonde/live$n/map ;;
	26) pin program $P/tool/x$n; pin map $P/alone$n ;;
	27) uprobes uprobes/held$n; holder perfhold "$(cat $T/events/uprobes/held$n/id)" ;;
	28) uprobes uprobes/held${n}_bcc_$$; holder perfhold "$(cat $T/events/uprobes/held${n}_bcc_$$/id)" ;;
	29) [ -z "$synthetic" ] || echo "s:synthetic/mine_s$n u64 x" >> $T/dynamic_events ;;
	30) [ -z "$synthetic" ] || { echo "s:synthetic/on_s$n u64 x" >> $T/dynamic_events; echo 1 > $T/events/synthetic/on_s$n/enable; } ;;
	31) [ -z "$eprobes" ] || { eprobe gone_e${n}_bcc_$pid; echo 1 > $T/events/eprobes/gone_e${n}_bcc_$pid/enable; } ;;
	32) [ -z "$eprobes" ] || { eprobe live_e${n}_bcc_$$; echo 1 > $T/events/eprobes/live_e${n}_bcc_$$/enable; } ;;
	33) [ -z "$eprobes" ] || eprobe mine_e$n ;;
	34) [ -z "$eprobes$synthetic" ] || { echo "s:synthetic/mine_t$n u64 x" >> $T/dynamic_events; echo "e:eprobes/mine_t$n synthetic.mine_t$n x=\$x:u64" >> $T/dynamic_events; } ;;
	35) mkdir $T/instances/mine$n; mkdir $T/instances/kept$n; echo function > $T/instances/kept$n/current_tracer ;;
	esac
}
kinds_of_things=36

eprobe() {
	echo "e:eprobes/$1 sched.sched_kthread_stop pid=\$pid:u32" >> $T/dynamic_events
}

# holder CMD...: it runs until the end of the round; its ids are in $holders
holder() {
	rm -f held
	"$@" > held &
	holders="$holders $!"
	wait_until 10 grep -qs . held || fail "not held: $*"
}

# What holds an event in use, and what no -F is for, goes before -F.
end_of_round() {
	for holder in $holders; do
		kill $holder
		wait $holder || :
	done
	holders=
	rm -rf $P/tool $P/alone*
}

# ROUNDS states made of up to seven things each, chosen by SEED. For many, in a guest of its own (run -s SCRIPT):
#	. /lib.sh; . /tests/reset-trace.sh; cd /tmp; ROUNDS=300 SEED=1; test_random_states
# timeout=240
test_random_states() {
	pid=$(dead_pid) n=0 round=0 holders= synthetic= eprobes=
	[ ! -e $T/synthetic_events ] || synthetic=1
	! grep -q 'e\[:' $T/README || eprobes=1
	awk -v seed="${SEED:-4}" -v rounds="${ROUNDS:-3}" -v kinds=$kinds_of_things 'BEGIN {
		srand(seed)
		while (rounds--) { k = 1 + int(rand() * 7); while (k--) printf "%d ", rand() * kinds; print "" }
	}' > rounds
	state > empty
	while read -r things; do
		for thing in $things; do
			n=$((n + 1))
			random_thing $thing || fail "thing $thing of $things cannot be made"
		done
		state > before
		sonde reset-trace > out 2> err || fail "$things: exit $?: $(cat err)"
		grep -v gone before > expected || :
		state > after
		diff expected after || fail "things $things: another state"
		# who holds an event the kernel says only when it is to be removed
		case " $things " in
		*" 27 "*) ;;
		*) sonde reset-trace -n > out 2> err || fail "$things: -n finds more to do: $(cat out err)" ;;
		esac
		end_of_round
		sonde reset-trace -F > out 2> err || fail "$things: -F: $(cat err)"
		state | diff empty - || fail "things $things: -F left something"
		round=$((round + 1))
	done < rounds
	[ $round = "${ROUNDS:-3}" ] || fail "$round rounds"
	echo "$round rounds, $n things"
}
