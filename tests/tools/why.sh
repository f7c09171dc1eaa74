# SPDX-License-Identifier: BSD-2-Clause
# sonde why: each thread's time must be where the workload (tests/programs/waits.c) says that it waited, and running and
# waiting for a processor must be as in the kernel's own account.

# The cause of each wait of the workload. What it waits for outside its waits has another cause.
cat_causes() {
	cat << 'END'
sleep sleep
pipe pipe
pipe-write pipe
readv pipe
splice pipe
sendfile pipe
socket socket
socket-write socket
accept-unix socket
network network
network-write network
udp network
accept network
terminal terminal
event event
timerfd event
inotify event
signalfd event
poll poll
select poll
epoll poll
pidfd poll
child child
waitid child
vfork child
join child
lock lock
lock-pi lock
lock-robust lock
lock-file lock
lock-rust lock
lock-musl lock
rwlock-read lock
rwlock-write lock
condition condition
semaphore condition
condition-timed condition
condition-musl condition
barrier condition
parked condition
flock lock
fcntl lock
signal signal
pause signal
stopped stopped
traced stopped
killed exit
ipc ipc
message ipc
mqueue ipc
aio async_I/O
fault page_fault
fsync disk
read disk
END
}

# Causes without a blank, so that awk's fields are columns.
rows_of_threads() {
	expect_exit 0
	expect_json kind tid cause ns wall_ns
	sed -n 's/^thread	//p' rows |
		sed 's/page fault/page_fault/; s/async I/async_I/; s/running, /running_/' > threads
	[ -s threads ] || fail "no threads"
}

# expect_whole: the causes of each thread together are its life, and nothing is unknown.
expect_whole() {
	awk '
		{ sum[$1] += $3; life[$1] = $4 }
		$2 == "unknown" && $3 > 0 { printf "thread %s: %d ns unknown\n", $1, $3 }
		END { for (tid in life) if (sum[tid] != life[tid])
			printf "thread %s: %d ns of %d\n", tid, sum[tid], life[tid] }' threads > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# expect_waits N: N processes of the workload waited for what they say. The workload measures from before a call until
# it runs again, so its time includes the call itself, and the queue for the processor.
expect_waits() {
	cat_causes > causes
	grep '^did wait' out | tr '\t' ' ' > did
	awk -v n="$1" '
		FILENAME == "causes" { cause[$1] = $2; next }
		FILENAME == "threads" { ns[$1, $2] += $3; next }
		{
			said++
			got = ns[$5, cause[$3]]
			if (!($3 in cause))
				next
			if (got > $6 + 5000000 || got < $6 - $7 - $8 - 1000000)
				printf "%s: %d ns of %s, not %d less at most %d\n", $3, got, cause[$3], $6, $7 + $8
		}
		END { if (said != n) printf "%d processes, not %d\n", said, n }' causes threads did > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

all_causes="sleep pipe pipe-write socket network terminal event timerfd poll select epoll child waitid vfork join lock
	lock-pi condition semaphore flock signal stopped ipc message"
# Other calls for the same, and other libraries' locks.
more_calls="readv splice sendfile socket-write accept-unix network-write udp accept inotify signalfd pidfd mqueue aio"
more_waits="lock-robust lock-file lock-rust lock-musl rwlock-read rwlock-write condition-timed condition-musl barrier
	parked fcntl pause traced killed"

each() {
	for cause in "$@"; do
		run sonde why --json -t -- waits 3 20 "$cause"
		rows_of_threads
		expect_whole
		expect_waits 1
	done
}

# timeout=300
test_each_cause() {
	# shellcheck disable=SC2086 # several words
	one_of_three each $all_causes
}

# timeout=300
test_each_call() {
	# shellcheck disable=SC2086 # several words
	one_of_three each $more_calls
}

# timeout=300
test_each_lock() {
	# shellcheck disable=SC2086 # several words
	one_of_three each $more_waits
}

mixed() {
	# shellcheck disable=SC2086 # several words
	run sonde why --json -t -- waits 3 20 $all_causes $more_calls $more_waits
	rows_of_threads
	expect_whole
	expect_waits 51
}

# timeout=300
test_mixed() {
	one_of_three mixed
}

# timeout=300 cpus=2
test_mixed_on_two_processors() {
	one_of_three mixed
}

on_disk() {
	run sonde why --json -t -- waits 3 20 fsync read
	rows_of_threads
	expect_whole
	expect_waits 2
	grep '"kind":"object"' out | grep '"cause":"disk"' | grep -q '"object":"/tmp/mnt/waits-file"' || fail "no file"
}

test_disk() {
	device=$(disk scratch)
	mkfs.ext2 -F "$device" > made 2>&1 || mke2fs "$device" > made 2>&1 || fail "no file system: $(cat made)"
	mkdir mnt
	mount -t ext2 "$device" mnt
	cd mnt || exit
	one_of_three on_disk
	cd .. || exit
	umount mnt
}

test_page_fault() {
	sysctl -q -w vm.unprivileged_userfaultfd=1 || skip "no userfaultfd"
	run sonde why --json -t -- waits 3 20 fault
	! grep -q 'userfaultfd' err || skip "no userfaultfd"
	rows_of_threads
	expect_whole
	expect_waits 1
}

# expect_account: the time on a processor and in its queue is that of /proc/PID/schedstat, within 1 %. The kernel takes
# the time of a run when it looks for the next thread, earlier than we see it come: by some us in these guests.
expect_account() {
	grep '^did turns' out | tr '\t' ' ' > did
	awk '
		function far(got, want, n) {
			d = got - want
			return (d < 0 ? -d : d) > want * 0.01 + 300000 + n * 50000
		}
		FILENAME == "threads" { ns[$1, $2] += $3; next }
		{
			n++
			ran = ns[$3, "running_user"] + ns[$3, "running_kernel"]
			if (far(ran, $4, $6) || far(ns[$3, "processor"], $5, 0))
				printf "%s: ran %d, waited %d; the kernel says %d, %d\n", $3, ran, ns[$3, "processor"], $4, $5
		}
		END { if (n != 3) print "the workload did nothing" }' threads did > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

account() {
	run sonde why --json -t -- turns "$@"
	rows_of_threads
	expect_whole
	expect_account
}

test_account() {
	one_of_three account 3 100
	one_of_three account -s 20,5 3 50
}

# A sleep that was stopped goes on: the call in progress then is restart_syscall.
test_goes_on() {
	run sonde why --json -t -- waits 3 40 stopped-sleep
	rows_of_threads
	expect_whole
	grep '^did wait' out | tr '\t' ' ' > did
	awk '
		FILENAME == "threads" { ns[$1, $2] += $3; next }
		{
			got = ns[$5, "sleep"] + ns[$5, "stopped"]
			if (got < $6 - $7 - $8 - 1000000 || !ns[$5, "stopped"] || ns[$5, "kernel"] > 0)
				printf "slept %d, stopped %d, kernel %d; not %d\n", ns[$5, "sleep"], ns[$5, "stopped"],
					ns[$5, "kernel"], $6
		}' threads did > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# What a wait is for: the other end, the holder, the child.
test_objects() {
	run sonde why --json -- waits 3 20 pipe socket epoll condition lock child network
	expect_exit 0
	expect_json kind cause object count
	sed -n 's/^object	//p' rows > objects
	for want in 'pipe	other' 'socket	other' 'poll	other' 'condition	waits' 'child	waits'; do
		grep -q "^$want	" objects || fail "no object $want"
	done
	grep -qE '^lock	0x[0-9a-f]+ of [0-9]+ held by waits [0-9]+	' objects || fail "no holder"
	grep -qE '^network	.*127\.0\.0\.1' objects || fail "no peer"
}

# A timer that interrupts somebody: whoever it is has not woken the thread. The one that runs all the time is in a
# system call, and there is one processor.
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
test_loopback() {
	run sonde why --json -n 100 -- waits 3 20 network
	expect_exit 0
	expect_json kind cause tid waker_tid
	awk -F '\t' '
		$1 == "wait" && $2 == "network" { n++; other += $4 != "null" && $4 != $3 }
		END { exit !n || n != other }' rows || fail "no waker: $(cat rows)"
}

# Ids in a container are others: the holder is whoever unlocks.
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
		END { for (lock in ns) n += ns[lock] > 50000000; if (n != 4) print n " locks" }' objects > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# Locks of files have the file's name.
test_file_locks() {
	run sonde why --json -- waits 3 20 flock fcntl
	expect_exit 0
	expect_json kind cause object ns
	awk -F '\t' '
		$1 == "object" && $2 == "lock" && $3 ~ /\/tmp\/waits.*/ && $4 > 50000000 { n++ }
		END { exit n != 2 }' rows ||
		fail "not two files: $(cat rows)"
}

test_text() {
	run sonde why -t -n 50 -- waits 3 20 sleep pipe lock
	expect_exit 0
	expect_line "^[0-9.]+ s wall, [0-9]+ processes, [0-9]+ threads, [0-9.]+ s of threads' time \(explained 100\.0 %\)$"
	expect_line '^  sleep +0\.[0-9]+ +[0-9]+ %'
	expect_line '^  lock .* held by waits [0-9]+ 0\.'
	expect_line '^WORST WAITS$'
	expect_line '^ +[0-9]+\. +0\.[0-9]+  child +waits [0-9]+  wait4 waits$'
	expect_line '^ +PID +TID COMM +LIFE '
	# percentages are of the sum
	awk '
		/^ALL THREADS/ { on = 1 }
		on && / %  / { for (i = 2; i <= NF; i++) if ($i == "%") { all += $(i - 1); break } }
		END { if (all < 95 || all > 105) print all " %" }' out > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# The stack of a wait: the kernel's frames and the program's.
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

# A stopped thread is in no call; where it was stopped is no page fault.
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
	expect_err '1 threads not known until they first run: .proc does not show what they wait for'
}

# It would trace the whole machine, and the user would wait for the end of a command that was never started.
test_arguments() {
	run sonde why sleep 0
	expect_exit 2
	expect_err "unexpected argument 'sleep': a command comes after --"
}

# What a thread waited for before tracing began: /proc knows the call, and the protocol of the socket.
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

# System calls of 32-bit programs have other numbers, and their arguments are in other registers.
test_32_bit() {
	command -v narrow > /dev/null || skip "no such program for this architecture"
	run sonde why --json -t -- narrow waits
	[ "$status" = 0 ] || ! grep -q 'Exec format' err || skip "no 32-bit programs"
	rows_of_threads
	expect_whole
	for want in 'sleep 50000000' 'poll 15000000' 'socket 15000000' 'condition 15000000'; do
		awk -v cause="${want% *}" -v least="${want#* }" '
			$2 == cause && $3 > least { n++ }
			END { exit n != 1 }' threads ||
			fail "no $want: $(cat threads)"
	done
}

# The runtime of Go waits by conditions and in epoll_wait. What it does not know of is in the thread's calls.
test_go() {
	run sonde why --json -t -- gowaits
	rows_of_threads
	expect_whole
	grep '^did gowaits' out | tr '\t' ' ' > did
	awk '
		FILENAME == "threads" { ns[$1, $2] += $3; all[$2] += $3; next }
		{
			if (ns[$3, "sleep"] < 50000000 || ns[$3, "pipe"] < 50000000)
				printf "slept %d of %d, read %d of %d\n", ns[$3, "sleep"], $4, ns[$3, "pipe"], $5
			if (all["condition"] + all["poll"] < 200000000)
				printf "the others: %d in conditions, %d in poll\n", all["condition"], all["poll"]
		}' threads did > wrong
	[ -s did ] || fail "nothing was done"
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# One cgroup, with what is in it before and what comes later.
test_cgroup() {
	mkdir /sys/fs/cgroup/ours
	start sonde why --json -t --cgroup /sys/fs/cgroup/ours
	sh -c 'echo $$ > /sys/fs/cgroup/ours/cgroup.procs; exec waits 3 20 pipe lock child sleep' > ours
	waits 1 20 sleep > beside
	stop INT
	cat ours >> out
	rmdir /sys/fs/cgroup/ours
	rows_of_threads
	expect_whole
	expect_waits 4
	! grep -q "^$(cut -f 4 beside) " threads || fail "a thread that is not in the cgroup"
}

# Real programs: nearly all of their time has a cause, and hardly any is in calls of which nothing is known.
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

# A frozen cgroup: whatever its threads waited for.
test_frozen() {
	mkdir /sys/fs/cgroup/ours
	if [ ! -e /sys/fs/cgroup/ours/cgroup.freeze ]; then
		rmdir /sys/fs/cgroup/ours
		skip "no freezer"
	fi
	run sonde why --json -t -- sh -c 'g=/sys/fs/cgroup/ours
		(echo 0 > $g/cgroup.procs; exec waits 1 400 pipe > /dev/null) &
		waits 1 10 sleep
		echo 1 > $g/cgroup.freeze
		waits 1 300 sleep
		echo 0 > $g/cgroup.freeze
		wait'
	rmdir /sys/fs/cgroup/ours
	rows_of_threads
	expect_whole
	awk '$2 == "stopped" && $3 > 250000000 { n++ } END { exit n < 1 }' threads ||
		fail "nothing stopped: $(cat threads)"
}

# A program's name is its own from exec on.
test_names() {
	run sonde why -- sh -c 'waits 2 50 user; :'
	expect_exit 0
	expect_line '^  running, user .* waits 0\.'
}

# A cgroup may run for 20 ms of 100. The kernel says how long it was held up.
test_throttled() {
	echo +cpu > /sys/fs/cgroup/cgroup.subtree_control || skip "no cpu controller"
	mkdir /sys/fs/cgroup/slow
	if ! echo '20000 100000' > /sys/fs/cgroup/slow/cpu.max; then
		rmdir /sys/fs/cgroup/slow
		skip "no quotas"
	fi
	run sonde why --json -t -- sh -c 'echo $$ > /sys/fs/cgroup/slow/cgroup.procs; exec waits 1 500 user'
	kernel=$(sed -n 's/^throttled_usec //p' /sys/fs/cgroup/slow/cpu.stat)
	rmdir /sys/fs/cgroup/slow
	rows_of_threads
	expect_whole
	awk -v kernel="$kernel" '$2 == "throttled" { ns += $3 }
		END { want = kernel * 1000; exit !(want > 1e8 && ns > want * 0.8 && ns < want * 1.2 + 2e7) }' threads ||
		fail "the kernel says $kernel us: $(cat threads)"
}

# Threads that come and go are all counted, and all of their time.
storm() {
	run sonde why --json -t -- forks "$@"
	rows_of_threads
	expect_whole
	grep -q "\"processes\":$processes,\"threads\":$threads," out || fail "not $processes processes, $threads threads"
	grep 'not measured\|not in the sums' err && fail "lost"
	return 0
}

# timeout=300
test_storm() {
	processes=2001 threads=2001 storm 2000 0 10
	processes=101 threads=401 storm 100 3 10
	processes=201 threads=201 storm -d 200 0 10
}
