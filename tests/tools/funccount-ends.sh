# SPDX-License-Identifier: BSD-2-Clause
# How sonde funccount ends: by signals, by crashes, by what its output meets.

ends_by() {
	start sonde funccount --comm calls do_sys_openat2
	calls 123 openat
	stop "$1"
	expect_exit 0
	expect_count do_sys_openat2 123
}

test_end_by_sigint() {
	ends_by INT
}

test_end_by_sigterm() {
	ends_by TERM
}

# Who ignores hangups for us means it.
test_nohup() {
	start sh -c "trap '' HUP; exec sonde funccount --comm calls do_sys_openat2"
	kill -HUP "$started"
	calls 20 openat
	stop INT
	expect_exit 0
	expect_count do_sys_openat2 20
}

test_end_takes_the_command_along() {
	start sonde funccount "$getppid" -- sh -c 'calls 50 getppid > did; exec spin'
	wait_until 20 test -s did || fail "the command does nothing"
	stop TERM
	expect_exit 0
	[ "$(counted "$getppid")" -ge 50 ] || fail "not counted"
}

# Half a second may be over before a command has begun.
half_a_second() {
	fc -d 0.5 "$getppid" -- spin
	expect_exit 0
	[ "$(counted "$getppid")" -gt 0 ] || fail "nothing counted"
}

test_end_of_duration() {
	read -r began _ < /proc/uptime
	one_of_three half_a_second
	read -r ended _ < /proc/uptime
	[ "$(awk "BEGIN { print ($ended - $began >= 0.49) }")" = 1 ] || fail "ended early"
}

test_crashes_leave_nothing() {
	for signal in KILL SEGV QUIT HUP; do
		start sonde funccount do_sys_openat2 r:do_sys_openat2 t:syscalls:sys_enter_getpgid 'u:/bin/ufuncs:f_*' \
			'usdt:/bin/usdt:*' -- spin
		kill -$signal "$started"
		wait "$started" || :
		no_residue
	done
}

# 16 moments on each kernel, other ones on each. One kernel function by its name, and no glob: the kernel takes
# seconds to list its functions, and in these there is nothing yet to leave behind.
# timeout=300
test_killed_at_any_moment() {
	specs='do_sys_openat2 r:do_sys_openat2 t:sched:sched_process_exit t:syscalls:sys_enter_getpgid u:/bin/ufuncs:f_* usdt:/bin/usdt:*'
	read -r began _ < /proc/uptime
	fc $specs -- true
	expect_exit 0
	read -r ended _ < /proc/uptime
	whole=$(awk "BEGIN { print int(($ended - $began) * 1000000) }")
	awk -v kernel="$KERNEL" -v whole="$whole" 'BEGIN {
		for (n = 1; n <= 16; n++) {
			srand(n * 1000 + kernel * 100)
			print int((n - rand()) / 16 * whole)
		}
	}' > moments
	n=0
	while read -r moment; do
		sonde funccount $specs -- spin > /dev/null 2>&1 < /dev/null &
		usleep "$moment"
		kill -9 $!
		wait $! 2> /dev/null || :
		[ $(((n += 1) % 5)) != 0 ] || no_residue
	done < moments
	echo "$n kills within $whole us"
	[ $n = 16 ] || fail "only $n kills"
}

test_closed_pipe() {
	spin > /dev/null &
	other=$!
	read -r began _ < /proc/uptime
	(
		status=0
		sonde funccount -i 0.2 -d 40 "$getppid" 2> err || status=$?
		echo $status > status
	) | head -n 2 > out
	read -r ended _ < /proc/uptime
	kill $other
	cat out err status
	expect_line '^FUNC +COUNT$'
	! grep -v '^Tracing ' err || fail "not quiet"
	[ "$(cat status)" = 0 ] || fail "exit status $(cat status)"
	[ "${ended%.*}" -lt $((${began%.*} + 20)) ] || fail "went on for $((${ended%.*} - ${began%.*})) s"
}

# A reader that takes nothing more: a signal ends it all the same, and what is lost is told.
test_stalled_reader() {
	mkfifo pipe
	sleep 50 < pipe &
	reader=$!
	# Nearly full: there is room for no table, the last one neither.
	head -c 65500 /dev/zero > pipe
	: > out
	dfl sonde funccount -i 0.001 t:sched:sched_switch 't:sched:*' > pipe 2> err < /dev/null &
	started=$!
	wait_until 20 armed || fail "not armed"
	sleep 1
	stop INT
	kill -0 $reader || fail "the reader was gone before"
	kill $reader
	expect_err 'the reader takes nothing \([0-9]+ rows? lost\)'
}

test_full_disk() {
	run sh -c 'exec sonde funccount do_sys_openat2 -- calls 1 openat > /dev/full'
	expect_exit 1
	expect_err 'No space left'
}

test_closed_stdout() {
	run sh -c 'exec sonde funccount do_sys_openat2 -- calls 1 openat >&-'
	expect_exit 1
	grep -v '^Tracing' err | grep -q . || fail "not said"
}

test_closed_stdin_and_stderr() {
	run sh -c 'exec sonde funccount do_sys_openat2 -- calls 10 openat <&- 2>&-'
	expect_exit 0
	expect_count do_sys_openat2 10
}
