# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace: random states.
#
# What a test makes and expects to be removed has "gone" in its name; everything else must stay.

. /tracefs.sh

# enable EVENT: enables an event of tracefs.
enable() {
	echo 1 > "$T/events/$1/enable"
}

# instance NAME EVENT: makes an instance of tracefs and enables this event in it.
instance() {
	mkdir "$T/instances/$1"
	echo 1 > "$T/instances/$1/events/$2/enable"
}

kprobe() {
	echo "p:kprobes/$1 vfs_fallocate" >> $T/kprobe_events
}

synthetic_event() {
	echo "s:synthetic/$1 u64 x" >> $T/dynamic_events
}

eprobe() {
	echo "e:eprobes/$1 sched.sched_kthread_stop pid=\$pid:u32" >> $T/dynamic_events
}

# eprobe_on SYNTHETIC-EVENT: makes an eprobe of the same name on it.
eprobe_on() {
	echo "e:eprobes/$1 synthetic.$1 x=\$x:u64" >> $T/dynamic_events
}

# Does one of the things that tracers do, by number. N is unique and becomes part of its name. What
# must be removed is called "gone".
# shellcheck disable=SC2154
random_thing() {
	gone=gone${n}_bcc_$pid live=live${n}_bcc_$$
	case $1 in
	0) uprobes uprobes/$gone ;;
	1) uprobes uprobes/$gone; enable uprobes/$gone ;;
	2) uprobes uprobes/$live ;;
	3) uprobes uprobes/$live; enable uprobes/$live ;;
	4) uprobes uprobes/mine$n ;;
	5) uprobes uprobes/on$n; enable uprobes/on$n ;;
	6) uprobes uprobes/trig$n; echo stacktrace > $T/events/uprobes/trig$n/trigger ;;
	7) uprobes probe/mine$n ;;
	8) enable sched/sched_process_hang ;;
	9) echo 'pid > 0' > $T/events/sched/sched_process_wait/filter ;;
	10) echo traceon:1 > $T/events/sched/sched_process_hang/trigger 2> /dev/null || : ;; # a second one is refused
	11) mkdir $T/instances/mine$n ;;
	12) instance used$n sched/sched_process_hang ;;
	13) uprobes uprobes/$gone; instance gone$n uprobes/$gone ;;
	14) uprobes uprobes/$gone; echo stacktrace > $T/events/uprobes/$gone/trigger ;;
	15) uprobes uprobes/$live; instance live$n uprobes/$live ;;
	16) echo $n > $T/set_event_pid ;;
	17) echo vfs_open >> $T/set_ftrace_filter ;;
	18) uprobes uprobes/$gone; echo '__probe_ip > 0' > $T/events/uprobes/$gone/filter ;;
	19) echo 100 > $T/tracing_thresh ;;
	20) kprobe $gone; enable kprobes/$gone ;;
	21) kprobe $live; enable kprobes/$live ;;
	22) kprobe mine$n ;;
	23) echo vfs_fallocate > $T/set_ftrace_filter; echo function > $T/current_tracer ;;
	24) pin link $P/sonde/gone$n/link; pin map $P/sonde/gone$n/map ;;
	25) pin link $P/sonde/live$n/link; pin map $P/sonde/live$n/map; holder pin hold $P/sonde/live$n/map ;;
	26) pin program $P/tool/x$n; pin map $P/alone$n ;;
	27) uprobes uprobes/held$n; holder perfhold "$(cat $T/events/uprobes/held$n/id)" ;;
	28) uprobes uprobes/held_$live; holder perfhold "$(cat $T/events/uprobes/held_$live/id)" ;;
	29) [ -z "$synthetic" ] || synthetic_event mine_s$n ;;
	30) [ -z "$synthetic" ] || { synthetic_event on_s$n; enable synthetic/on_s$n; } ;;
	31) [ -z "$eprobes" ] || { eprobe gone_e_$gone; enable eprobes/gone_e_$gone; } ;;
	32) [ -z "$eprobes" ] || { eprobe live_e_$live; enable eprobes/live_e_$live; } ;;
	33) [ -z "$eprobes" ] || eprobe mine_e$n ;;
	34) [ -z "$eprobes$synthetic" ] || { synthetic_event mine_t$n; eprobe_on mine_t$n; } ;;
	35) mkdir $T/instances/mine$n $T/instances/kept$n; echo function > $T/instances/kept$n/current_tracer ;;
	esac
}
kinds_of_things=36

# Makes ROUNDS states of up to seven things each, chosen by SEED. To run many, in a guest of its own
# (run -s SCRIPT):
#	. /lib.sh; . /tests/reset-trace-random.sh; cd /tmp; ROUNDS=300 SEED=1; test_random_states
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
		# the kernel reports that an event is held only when it is to be removed
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
