# SPDX-License-Identifier: BSD-2-Clause
# sonde why: its page and its rows, the objects that threads wait for, and threads that were there before or are at the
# end.
# of file: kernels=one
. /threads.sh

# What a wait is for: the other end, the holder, the child.
# kernels=all
test_objects() {
	run sonde why --json -- waits 3 20 pipe socket epoll condition lock child network accept fifo
	expect_exit 0
	expect_json kind cause object count
	sed -n 's/^object	//p' rows > objects
	for want in 'pipe	other' 'socket	other' 'poll	other' 'condition	waits' 'child	waits'; do
		grep -q "^$want	" objects || fail "no object $want"
	done
	grep -qE '^lock	0x[0-9a-f]+ of [0-9]+ held by waits [0-9]+	' objects || fail "no holder"
	grep -qE '^network	.*127\.0\.0\.1' objects || fail "no peer"
	grep -qE '^network	port [0-9]+	[1-3]$' objects || fail "no port: $(grep network objects)"
}

# A timer that interrupts somebody: whoever it is has not woken the thread. The one that runs all the time is in a
# system call, and there is one processor.
# kernels=ends
test_bystander() {
	run sonde why --json -- waits 20 10 poll select pause condition-timed kernel
	expect_exit 0
	expect_json kind cause object ns
	sed -n 's/^object	//p' rows > objects
	awk -F '\t' '$2 != "an interrupt" && ($1 == "poll" || $1 == "signal" || ($1 == "condition" && $3 > 1000000)) {
		printf "%s by %s: %d ns\n", $1, $2, $3 }' objects > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	for want in poll signal condition; do
		grep -q "^$want	an interrupt" objects || fail "no $want"
	done
}

# The network's interrupts run in the call that sends, if it is to this machine: then the sender is named.
# kernels=ends
test_loopback() {
	run sonde why --json -n 100 -- waits 3 20 network
	expect_exit 0
	expect_json kind cause tid waker_tid
	awk -F '\t' '
		$1 == "wait" && $2 == "network" { n++; other += $4 != "null" && $4 != $3 }
		END { exit !n || n != other }' rows || fail "no waker: $(cat rows)"
}

# Ids in a container are others: the holder is whoever unlocks.
# kernels=ends
test_container() {
	run unshare -p -f sonde why --json -- waits 3 20 lock
	expect_exit 0
	run sonde why --json -- unshare -p -f waits 3 20 lock lock-pi lock-file rwlock-read
	expect_exit 0
	expect_json kind cause object ns
	sed -n 's/^object	lock	//p' rows > objects
	awk -F '\t' '
		$1 !~ / held by waits [0-9]+$/ { print $1 " has no holder" }
		{ sub(/ held .*/, "", $1); ns[$1] += $2 }
		END { for (lock in ns) n += ns[lock] > 5000000; if (n != 4) print n " locks" }' objects > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# What PostgreSQL calls that for which it waits is told by its functions, and what a process does by its title.
test_lock_names() {
	run sonde why -n 1 -- postgres 3
	expect_exit 0
	expect_line '^  1\. +[0-9.]+  condition  postgres [0-9]+  row lock \(PostgreSQL\): futex'
	echo 'postgres XactLockTableWait the cart of a customer' > names
	run sonde why --json --locks names -- postgres 3
	expect_exit 0
	expect_json kind lock
	grep -q '^wait	the cart of a customer$' rows || fail "no name of ours: $(cat rows)"
	echo 'postgres' > names
	run sonde why --locks names -- postgres 1
	expect_exit 1
	expect_err 'names, line 1: not MODULE FUNCTION NAME'
}

# The five functions that used most of the time of running threads.
test_running() {
	run sonde why --folded stacks -- spin 1
	expect_exit 0
	expect_line '^RUNNING, USER '
	sed -n '/^RUNNING, USER/,/^WORST/p' out | grep -cE '^ +[0-9.]+ % +[0-9.]+ %  ' > n
	[ "$(cat n)" -ge 1 ] && [ "$(cat n)" -le 5 ] || fail "$(cat n) functions"
}

test_text() {
	run sonde why -t -n 50 -- waits 3 20 sleep pipe lock
	expect_exit 0
	expect_line "^[0-9.]+ s wall, [0-9]+ processes, [0-9]+ threads, [0-9.]+ s of threads' time \(explained 100\.0 %\)$"
	expect_line '^  sleep +0\.[0-9]+ +[0-9]+ %'
	expect_line '^  lock .* held by waits [0-9]+ 0\.'
	# the function that held it
	expect_line '^ +[0-9]+\. +0\.[0-9]+  lock +waits [0-9]+  futex .* held by waits [0-9]+ in [a-z_]+$'
	expect_line '^WORST WAITS$'
	expect_line '^ +[0-9]+\. +0\.[0-9]+  child +waits [0-9]+  wait4 waits [0-9]+$'
	expect_line '^ +PID +TID COMM +LIFE '
	# percentages are of the sum
	awk '
		/^ALL THREADS/ { on = 1 }
		on && / %  / { for (i = 2; i <= NF; i++) if ($i == "%") { all += $(i - 1); break } }
		END { if (all < 95 || all > 105) print all " %" }' out > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# The stack of a wait: the kernel's frames and the program's.
# kernels=ends
test_stacks() {
	run sonde why --json -n 20 -- waits 3 20 sleep
	expect_exit 0
	grep '"kind":"wait"' out | grep '"cause":"sleep"' | grep '"comm":"waits"' > its || fail "no wait"
	grep '"kernel_stack":\["__schedule",.*"hrtimer_nanosleep"' its | grep -q '"wait_sleep",.*"main"' || fail "no stack"
	grep -q '"call":"clock_nanosleep"\|"call":"nanosleep"' its || fail "no call"
	run sonde why --json -n 2 --no-stacks -- waits 3 20 sleep
	expect_exit 0
	[ "$(grep -c '"kind":"wait"' out)" = 2 ] || fail "not 2 waits"
	[ "$(grep -c '"kernel_stack":\[' out)" = 0 ] || fail "a stack"
}

# After many short waits a thread waits for another object in the same function: the long wait has its stack, too.
# kernels=ends arch=yes
test_stack_of_a_surprise() {
	for _ in 1 2 3; do
		run sonde why --json -n 3 -- waits 1 500 pipe-late
		grep -q 'missed by the kernel' err || break
	done
	expect_exit 0
	awk -F '"ns":' '/"kind":"wait","cause":"pipe"/ && $2 + 0 > 400000000 { print; exit }' out > long
	grep -q '"kernel_stack":\[".*"wait_pipe_late"' long || fail "no stack: $(cat long)"
}

# With stacks sonde reads what processes map. Where many live and die, it does not wake for each: 8 times in 40 ms, and
# at the end of those.
test_calm() {
	start sonde why
	before=$(awk '/^voluntary/ { print $2 }' /proc/$started/status)
	begun=$(cut -d ' ' -f 1 /proc/uptime)
	forks 2000 0 1
	wakes=$(($(awk '/^voluntary/ { print $2 }' /proc/$started/status) - before))
	ended=$(cut -d ' ' -f 1 /proc/uptime)
	echo "$wakes wakes in $begun to $ended s"
	stop INT
	expect_exit 0
	most=$(echo "$begun $ended" | awk '{ print int(($2 - $1) / 0.04 * 9 + 20) }')
	[ "$wakes" -le "$most" ] || fail "$wakes wakes, at most $most"
}

# A thread that sleeps all the time is never seen by the programs.
# kernels=ends
test_sleeper() {
	sleep 1000 &
	sleeper=$!
	run sonde why --json -t -p $sleeper -d 1
	kill $sleeper
	rows_of_threads
	expect_whole
	awk -v tid=$sleeper '$1 == tid && $2 == "sleep" && $3 > 900000000 { found = 1 } END { exit !found }' threads ||
		fail "no sleep: $(cat threads)"
}

# Threads that only wait for work have one line, and percentages are of the others.
# kernels=ends
test_idle() {
	sleep 1000 &
	idle=$!
	start sonde why --json
	spin 1 > /dev/null
	stop INT
	expect_exit 0
	grep -q '"kind":"idle","cause":"sleep".*"comm":"sleep".*"threads":1' out || fail "where is sleep?"
	! grep '"kind":"idle"' out | grep -q '"comm":"spin"' || fail "spin worked"
	sed -n 's/.*"kind":"\(worked\|idle\|cause\)".*"ns":\([0-9]*\).*/\1 \2/p' out |
		awk '{ n[$1] += $2 }
			END { all = n["worked"] + n["idle"]; print all, n["cause"]; exit all != n["cause"] }' ||
		fail "other sums"
	start sonde why
	spin 1 > /dev/null
	stop INT
	kill $idle
	expect_line '^THREADS THAT WORKED  seconds        [0-9]+ of [0-9]+; the others only waited for work$'
	expect_line '^  idle +[0-9.]+        [^ ]'
	# what the threads that worked did is all there is
	awk '/^THREADS THAT/ { on = 1 }
		on && / %  / { for (i = 2; i <= NF; i++) if ($i == "%") { all += $(i - 1); break } }
		END { if (all < 95 || all > 105) print all " %" }' out > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# who: what has a row by thread.
who() {
	sed -n 's/.*"kind":"thread".*"comm":"\([^"]*\)".*/\1/p' out | sort -u | tr '\n' ' '
}

# A service by its name: all processes of the unit or program, what they start, and nothing else.
# kernels=ends
test_service() {
	printf '#!/bin/sh\nwhile [ ! -e enough ]; do sleep 0.1; done\n' > napd
	chmod +x napd
	sleep 1000 &
	other=$!
	./napd > /dev/null &
	service=$!
	wait_until 20 grep -q napd /proc/$service/comm
	run sonde why --json -t -d 1 napd
	expect_exit 0
	expect_err 'in napd \(1 process\)'
	case $(who) in # busybox begins as exe
	'exe napd sleep ' | 'napd sleep ') ;;
	*) fail "$(who)" ;;
	esac
	! grep -q "\"tid\":$other," out || fail "another process"
	touch enough
	wait $service
	mkdir /sys/fs/cgroup/nap@1.service
	sh -c 'echo $$ > /sys/fs/cgroup/nap@1.service/cgroup.procs
		sleep 1000 & sleep 0.5; kill $!; exec spin' > /dev/null &
	unit=$!
	wait_until 20 grep -q nap@1 /proc/$unit/cgroup
	for name in nap nap.service nap@1.service; do
		run sonde why --json -t -d 0.2 $name
		expect_exit 0
		! grep -q "\"tid\":$other," out || fail "another process"
		grep -q "\"kind\":\"thread\".*\"tid\":$unit," out || fail "$name: not the unit's"
	done
	kill $unit
	wait $unit || :
	rmdir /sys/fs/cgroup/nap@1.service
	kill $other
	run sonde why napd
	expect_exit 1
	expect_err "^sonde why: no service or program 'napd' runs$"
	run sonde why nap.service
	expect_exit 1
	expect_err "^sonde why: no unit 'nap.service' runs$"
	run sonde why -p 1 init
	expect_exit 2
	expect_err "'init' names what is traced; so does an option or a command: choose one"
}

# A stopped thread is in no call; where it was stopped is no page fault.
# kernels=ends
test_stopped_before() {
	spin 1000 > /dev/null &
	stopped=$!
	kill -STOP $stopped
	wait_until 20 grep -q '^State:.T' /proc/$stopped/status || fail "it does not stop"
	run sonde why --json -t -p $stopped -d 1
	kill -KILL $stopped
	rows_of_threads
	expect_whole
	awk -v tid=$stopped '
		$1 == tid && $2 == "stopped" && $3 > 900000000 { found = 1 }
		END { exit !found }' threads ||
		fail "not stopped: $(cat threads)"
}

# Without CAP_SYS_PTRACE, /proc does not show in which call a thread of another user sleeps.
test_hidden_before() {
	sleep 1000 &
	sleeper=$!
	memory=$([ "$KERNEL" != 5.10 ] || echo sys_resource)
	run caps bpf perfmon $memory -- sonde why --json -t --no-stacks -p $sleeper -d 1
	kill $sleeper
	rows_of_threads
	[ "$(cut -f 1-2 threads | sort -u)" = "$sleeper	unknown" ] || fail "not unknown: $(cat threads)"
	expect_err '1 thread not known before the first run: .proc does not show the cause of the wait$'
}

# It would trace the whole machine, and the user would wait for the end of a command that was never started.
test_arguments() {
	run sonde why sleep 0
	expect_exit 2
	expect_err "unexpected argument 'sleep': a command comes after --"
}

# What still waits at the end: for nobody yet; or, of a thread that runs rarely, for the processor.
test_not_ended() {
	run sonde why --json -t -d 1 -- sh -c 'sleep 1000; :'
	killall sleep 2> killed || :
	rows_of_threads
	expect_whole
	expect_json kind cause object
	grep -q '^object	child	nobody yet$' rows || fail "no child that nobody has ended: $(cat rows)"
}

queued() {
	run sonde why --json -t -d 2 -- sh -c 'spin & renice -n 19 -p $$ > niced && exec spin'
	killall spin 2> killed || :
	rows_of_threads
	expect_whole
	# all of the command's time, to the end, whenever it last ran
	command=$(sed -n 's/.*"kind":"thread".*"pid":\([0-9]*\),.*/\1/p' out | sort -n | head -1)
	wall=$(sed -n 's/.*"kind":"total".*"wall_ns":\([0-9]*\),.*/\1/p' out)
	awk -v tid="$command" -v wall="$wall" '
		$1 == tid && $2 == "processor" { queued = $3; life = $4 }
		END { exit !(wall > 1900000000 && queued > wall / 2 && life > wall - wall / 100) }' threads ||
		fail "$command: not in the queue for most of $wall ns, up to the end: $(cat threads)"
}

# kernels=ends
test_queued_at_the_end() {
	one_of_three queued
}

# What a thread waited for before tracing began: /proc knows the call, and the protocol of the socket.
# kernels=ends
test_before() {
	nc -l -p 7799 > /dev/null &
	server=$!
	wait_until 20 grep -q ':1E77 ' /proc/net/tcp /proc/net/tcp6 || fail "nc does not listen"
	run sonde why --json -t -p $server -d 1
	kill $server
	rows_of_threads
	expect_whole
	awk -v tid=$server '$1 == tid && $2 == "network" && $3 > 900000000 { found = 1 } END { exit !found }' threads ||
		fail "no wait in accept: $(cat threads)"
}

# So it does for threads that are chosen by their name, whether they come to a processor or not.
# kernels=ends
test_before_by_name() {
	mkfifo fifo
	sleep 1000 &
	long=$!
	sleep 1000 &
	short=$!
	cat fifo &
	other=$!
	start sonde why --json -t --comm sleep
	sleep 1
	kill $short
	wait $short || :
	stop INT
	kill $long $other
	rows_of_threads
	expect_whole
	for tid in $long $short; do
		awk -v tid=$tid '$1 == tid && $2 == "sleep" && $3 > 2e8 { found = 1 } END { exit !found }' threads ||
			fail "no sleep of $tid: $(cat threads)"
	done
	! grep "^$other	" threads || fail "another name: $(cat threads)"
}

# A thread that gets the name while it runs has run under it since it last came to the processor; and what it ran, the
# kernel's account has, so nothing is left for interrupts.
# kernels=ends
test_named_while_it_runs() {
	mkfifo fifo
	ln -s "$(command -v spin)" namesake
	sh -c 'read -r line < fifo; exec ./namesake 1' &
	slept=$!
	wait_until 20 grep -q '^State:.S' /proc/$slept/status || fail "it does not wait"
	start sonde why --json -t --comm namesake
	usleep 1000000
	echo go > fifo
	wait $slept || :
	stop INT
	rows_of_threads
	awk -v tid=$slept '$1 == tid { ns[$2] += $3; life = $4 }
		END { exit !(life && ns["interrupts"] < life / 4) }' threads ||
		fail "it was asleep, not interrupted: $(cat threads)"
}

# A path that was being looked up before: /proc knows the call, but not how far it has come.
# kernels=ends
test_path_before() {
	mkfifo fifo
	cat fifo &
	reader=$!
	wait_until 20 grep -q '^State:.S' /proc/$reader/status || fail "it does not wait"
	run sonde why --json -t -p $reader -d 1
	kill $reader
	rows_of_threads
	expect_whole
	awk -v tid=$reader '$1 == tid && $2 == "kernel" && $3 > 900000000 { found = 1 } END { exit !found }' threads ||
		fail "no wait in open: $(cat threads)"
}

# Real programs: nearly all of their time has a cause, and hardly any is in calls of which nothing is known.
# kernels=ends
test_programs() {
	run sonde why --json -- sh -c '
		head -c 1000000 "$(command -v sonde)" | gzip -1 | gunzip | sort | uniq | wc -l
		tar cf - /etc /proc/sys/kernel 2> /dev/null | tar tf - | tail -1
		for i in 1 2 3 4 5; do sh -c "find /sys/class /proc/sys | sort -r | tail -1" & done
		wait'
	expect_exit 0
	grep '"kind"' out > ours && mv ours out
	expect_json kind cause ns
	awk -F '\t' '
		$1 == "total" { life = $3 }
		$1 == "cause" { ns[$2] = $3 }
		END {
			if (!life || ns["unknown"] > life * 0.001 || ns["kernel"] > life * 0.01)
				printf "of %d ns %d are unknown, %d in the kernel\n", life, ns["unknown"], ns["kernel"]
		}' rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# While sonde stands still, ends do not fit into the buffer, nor what a process was until its exec. What it is from then
# on is still known, and that alone.
test_ends_lost() {
	run sonde why --json -t -- sh -c 'kill -STOP $PPID; forks 40 60 1
		exec sh -c "kill -CONT $PPID; sleep 0.05; :"'
	expect_exit 0
	expect_err '^sonde why: [0-9]+ ended threads, [0-9.]+ s in all, missing from the sums: the buffer was full$'
	expect_json kind tid ns wall_ns
	awk -F '\t' '
		$1 == "thread" { ns[$2] += $3; wall[$2] = $4; if ($4 > wall[first]) first = $2 }
		END {
			if (ns[first] < 50000000 || ns[first] > wall[first] / 2)
				printf "%s: %d ns of %d\n", first, ns[first], wall[first]
		}' rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# A program's name is its own from exec on.
test_names() {
	run sonde why -- sh -c 'waits 2 50 user; :'
	expect_exit 0
	expect_line '^  running, user .* waits 0\.'
}

# Threads that come and go are all counted, and all of their time.
storm() {
	run sonde why --json -t -- forks "$@"
	rows_of_threads
	expect_whole
	grep -q "\"processes\":$processes,\"threads\":$threads," out || fail "not $processes processes, $threads threads"
	grep 'not measured\|missing from the sums' err && fail "lost"
	return 0
}

# timeout=300 kernels=turns
test_storm() {
	processes=2001 threads=2001 storm 2000 0 10
	processes=101 threads=401 storm 100 3 10
	processes=201 threads=201 storm -d 200 0 10
}
