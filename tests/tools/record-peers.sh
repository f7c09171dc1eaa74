# SPDX-License-Identifier: BSD-2-Clause
# sonde record beside `trace-cmd record` of the same time: converted, its recording must say the same.

events='sched:sched_switch sched:sched_waking sched:sched_process_fork sched:sched_process_exec
	sched:sched_process_exit'

# said NAME: what trace-cmd reads in NAME.dat, a file NAME.EVENT for each event: lines "TIME CPU TEXT".
said() {
	peer trace-cmd report -t -i "$1.dat" > "$1.report" 2> "$1.errors" || fail "trace-cmd report: $(cat "$1.errors")"
	[ ! -s "$1.errors" ] || fail "trace-cmd says of $1.dat: $(head -n 3 "$1.errors")"
	! grep 'EVENTS DROPPED' "$1.report" || fail "$1 lost events"
	for event in $events; do
		event=${event#*:}
		sed -n "s/^.* \[0*\([0-9]\{1,3\}\)\] [^ ]* *\([0-9.]*\): *$event: */\2 \1 /p" "$1.report" > "$1.$event"
	done
}

# same EVENT: ours has each event of theirs, in their order and without others in between, on the same processor and
# with the same words. Both clocks are the kernel's monotonic one, and both tools are called in the same moment: so the
# time of ours is behind the event before and in front of the event behind in theirs.
same() {
	awk '
		{ at[FILENAME, FNR] = $1; $1 = ""; text[FILENAME, FNR] = $0; n[FILENAME] = FNR }
		END {
			ours = ARGV[1]; theirs = ARGV[2]
			if (!n[theirs])
				print "trace-cmd has none"
			for (from = 0; from <= n[ours] - n[theirs] && !found; from++) {
				for (i = 1; i <= n[theirs] && text[ours, from + i] == text[theirs, i]; i++)
					;
				if (i > most) { most = i; differs = text[ours, from + i] " and" text[theirs, i] }
				found = i > n[theirs]
			}
			if (n[theirs] && !found)
				printf "no %d of %d are the same: after %d come%s\n",
						n[theirs], n[ours], most - 1, differs
			for (i = 1; found && i <= n[theirs]; i++)
				if ((i > 1 && at[ours, from - 1 + i] < at[theirs, i - 1]) ||
				    (i < n[theirs] && at[ours, from - 1 + i] > at[theirs, i + 1]))
					printf "%d: %s of ours, %s of theirs\n",
						i, at[ours, from - 1 + i], at[theirs, i]
		}' "ours.$1" "theirs.$1" > wrong
	[ ! -s wrong ] || fail "$1: $(head -n 3 wrong)"
}

# image=peers timeout=400 kernels=all
test_trace_cmd() {
	# the image has its own programs; ours are below /guest
	printf '/guest/bin/%s\n' 'waits 2 10 sleep pipe lock socket' 'turns 3 30' 'forks 20 3 1' \
		'calls 100 nanosleep' > load
	patience=100 start sonde record sched -o ours.trace
	# shellcheck disable=SC2046 # a list
	peer trace-cmd record -C mono $(printf ' -e %s' $events) -o theirs.dat sh load > recorded 2>&1 ||
		fail "trace-cmd record: $(cat recorded)"
	stop INT
	expect_exit 0
	run sonde report ours.trace --trace-dat ours.dat
	expect_exit 0
	said ours
	said theirs
	[ "$(wc -l < theirs.sched_switch)" -gt 300 ] || fail "only $(wc -l < theirs.sched_switch) switches"
	for event in $events; do
		same "${event#*:}"
	done
}
