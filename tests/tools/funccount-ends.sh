# SPDX-License-Identifier: BSD-2-Clause
# How sonde funccount ends: by signals, by crashes, and by errors of its output.
# of file: kernels=one

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

# Hangups that were ignored when sonde was started stay ignored.
test_nohup() {
	start sh -c "trap '' HUP; exec sonde funccount --comm calls do_sys_openat2"
	kill -HUP "$started"
	calls 20 openat
	stop INT
	expect_exit 0
	expect_count do_sys_openat2 20
}

# The command is asked to end and waited for, and counted until then.
test_end_takes_the_command_along() {
	cat > until_term <<-'END'
	trap "calls 30 getppid; exit" TERM
	calls 50 getppid
	: > ready
	while :; do sleep 0.02; done
	END
	start sonde funccount "$getppid" -- sh until_term
	wait_until 20 test -e ready || fail "the command does nothing"
	stop TERM
	expect_exit 0
	expect_line '^did getppid 30$'
	[ "$(counted "$getppid")" -ge 80 ] || fail "not counted until its end"
}

# Half a second may have passed before the command has started.
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

# Before tracing, a signal ends sonde like any program, at whatever moment: the number of a system
# call sets the moment, not a clock. The held command must not have run.
test_ended_before_tracing() {
	for n in 1 2 4 8 12; do
		run interrupts openat $n 2 sonde funccount do_sys_openat2 -- calls 1 openat
		expect_line '^did end signal 2$'
		expect_line "^did calls $n$"
		expect_no_line '^did openat'
		[ $n = 1 ] || expect_one_err '^sonde funccount: ended before tracing began$'
	done
	run interrupts bpf 3 15 sonde funccount do_sys_openat2 -- calls 1 openat
	expect_line '^did end signal 15$'
	expect_no_line '^did openat'
	expect_one_err '^sonde funccount: ended before tracing began$'
}

# A signal while probes are being attached: sonde stops attaching, and detaches what is attached.
# kernels=ends
test_ended_while_arming() {
	run interrupts perf_event_open 1 0 sonde funccount --mechanism kprobe 'vfs_*' -- calls 1 openat
	all=$(sed -n 's/^did calls //p' out)
	run interrupts perf_event_open $((all / 2)) 2 sonde funccount --mechanism kprobe 'vfs_*' -- calls 1 openat
	expect_line '^did end signal 2$'
	expect_no_line '^did openat'
	expect_one_err '^sonde funccount: ended before tracing began$'
	[ "$all" -gt 40 ] && [ "$(sed -n 's/^did calls //p' out)" -le $((all / 2 + 1)) ] || fail "it went on arming"
}

# Signals that were ignored stay ignored to the end. But a signal that a process sends to sonde is
# no Ctrl-C meant for others.
test_ignored_by_a_shell() {
	start sh -c "trap '' INT; exec sonde funccount --comm calls do_sys_openat2"
	calls 20 openat
	stop INT
	expect_exit 0
	expect_count do_sys_openat2 20
}

# dies_with_sonde PROGRAM CMD...: true if the command, which becomes PROGRAM, ends when sonde is
# killed.
dies_with_sonde() {
	program=$1
	shift
	start sonde funccount "$getppid" -- "$@"
	wait_until 20 runs "$program" || fail "the command does not run"
	kill -KILL "$started"
	wait "$started" || :
	! wait_until 2 gone "$command" || return 0
	kill -KILL "$command"
	return 1
}

# Sets command to the process id of PROGRAM, once it is executed.
runs() {
	for command in $(pidof "$1"); do
		return 0
	done
	return 1
}

gone() {
	! kill -0 "$1" 2> /dev/null || grep -q '^State:.*[ZX]' "/proc/$1/status"
}

# As documented: if a program takes on another user's rights, the kernel forgets that it is to die
# with sonde.
test_kill_of_sonde_and_other_users() {
	cp "$(command -v spin)" ordinary
	cp ordinary others
	chown 12345 others
	chmod 4755 others
	dies_with_sonde ordinary ./ordinary || fail "the command goes on"
	! dies_with_sonde others ./others || fail "it dies as well: the documentation says that it does not"
	! dies_with_sonde ordinary su user -s /bin/sh -c 'exec ./ordinary' ||
		fail "it dies as well: the documentation says that it does not"
	# it ends nevertheless when it is asked to
	start sonde funccount "$getppid" -- ./others
	wait_until 20 runs others || fail "the command does not run"
	[ "$(sed -n 's/^Uid:[^0-9]*[0-9]*[^0-9]*\([0-9]*\).*/\1/p' "/proc/$command/status")" = 12345 ] ||
		fail "it is not another user's"
	stop TERM
	expect_exit 0
	expect_line '^did getppid'
}

# The limit on file sizes does not end sonde by a signal: it is a write error like others.
test_file_size_limit() {
	for what in 'funccount -d 0.1 t:sched:sched_switch' 'funccount -j -d 0.1 t:sched:sched_switch' \
		'execsnoop -d 0.1' 'syscount -l' help 'funccount --help' 'funccount t:sched:sched_switch -- true'; do
		(
			ulimit -f 0
			status=0
			sonde $what > results || status=$?
			echo "exit $status" >&2
		) 2>&1 | cat > err
		echo "+ sonde $what"
		cat err
		grep -q '^exit 1$' err || fail "another exit status: $what"
		expect_err '^sonde.*: (cannot write.*|.*the kernel.s BTF): File too large'
		[ ! -s results ] || fail "written all the same"
	done
}

# kernels=all
test_crashes_leave_nothing() {
	for signal in KILL SEGV QUIT HUP; do
		start sonde funccount do_sys_openat2 r:do_sys_openat2 t:syscalls:sys_enter_getpgid 'u:/bin/ufuncs:f_*' \
			'usdt:/bin/usdt:*' -- spin
		kill -$signal "$started"
		wait "$started" || :
		no_residue
	done
}

# 16 moments on each kernel, other moments on each. One kernel function by its name, not a glob: the
# kernel takes seconds to list its functions, and during that time there is nothing to leave behind.
# timeout=300 kernels=turns
test_killed_at_any_moment() {
	specs='do_sys_openat2 r:do_sys_openat2 t:sched:sched_process_exit t:syscalls:sys_enter_getpgid'
	specs="$specs u:/bin/ufuncs:f_* usdt:/bin/usdt:*"
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

# A bystander calls the probed functions on the other processor meanwhile: it computes what it does without probes.
# QEMU in several threads runs an instruction of another thread's copy now and then: tests/guest/run.
# timeout=300 cpus=2-single kernels=one
test_killed_on_two_processors() {
	ufuncs 2000 > plain
	while [ ! -e enough ]; do
		ufuncs 2000 > seen || echo "ended with $?" >> differs
		cmp plain seen >> differs 2>&1 || :
		echo >> rounds
	done &
	bystander=$!
	for moment in 0 5000 20000 40000 70000 100000 150000 200000 300000 400000 600000 800000; do
		sonde funclatency do_sys_openat2 'u:/bin/ufuncs:f_*' > /dev/null 2>&1 < /dev/null &
		usleep $moment
		kill -9 $!
		wait $! 2> /dev/null || :
	done
	# and when the probes are armed for certain
	for moment in 0 50000 200000; do
		start sonde funclatency do_sys_openat2 'u:/bin/ufuncs:f_*'
		usleep $moment
		stop KILL
	done
	no_residue
	: > enough
	wait $bystander
	[ "$(wc -l < rounds)" -gt 1 ] || fail "the bystander did not run"
	[ ! -s differs ] || fail "the bystander: $(head -3 differs)"
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

# The reader takes no more data: a signal must end sonde nevertheless, and the loss be reported.
test_stalled_reader() {
	mkfifo pipe
	sleep 50 < pipe &
	reader=$!
	# Nearly full: there is no room for any table, not even the last.
	head -c 65500 /dev/zero > pipe
	: > out
	dfl sonde funccount -i 0.001 t:sched:sched_switch 't:sched:*' > pipe 2> err < /dev/null &
	started=$!
	wait_until 20 armed || fail "not armed"
	sleep 1
	stop INT
	kill -0 $reader || fail "the reader was gone before"
	kill $reader
	expect_err 'nobody reads them \([0-9]+ rows? lost\)'
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
