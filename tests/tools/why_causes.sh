# SPDX-License-Identifier: BSD-2-Clause
# sonde why: each thread's time must be where the workload (tests/programs/waits.c) says that it waited, and running and
# waiting for a processor must be as in the kernel's own account.
. /threads.sh

# The cause of each wait of the workload. What it waits for outside its waits has another cause.
cat_causes() {
	cat << 'END'
sleep sleep
pipe pipe
pipe-write pipe
readv pipe
fifo pipe
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
join-musl child
barrier condition
parked condition
flock flock
fcntl flock
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
allocation allocation
fsync disk
read disk
END
}

# expect_waits N: N processes of the workload waited for what they say. The workload measures from before a call until
# it runs again, so its time includes the call itself, and the queue for the processor.
expect_waits() {
	cat_causes > causes
	read_did
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
more_calls="readv fifo splice sendfile socket-write accept-unix network-write udp accept inotify signalfd
	pidfd mqueue aio"
more_waits="lock-robust lock-file lock-rust lock-musl rwlock-read rwlock-write condition-timed condition-musl join-musl
	barrier parked fcntl pause traced killed"

each() {
	for cause in "$@"; do
		run sonde why --json -t -- waits 3 20 "$cause"
		rows_of_threads
		expect_whole
		expect_waits 1
	done
}

# timeout=300 kernels=turns
test_each_cause() {
	# shellcheck disable=SC2086 # several words
	one_of_three each $all_causes
}

# timeout=300 kernels=turns
test_each_call() {
	# shellcheck disable=SC2086 # several words
	one_of_three each $more_calls
}

# timeout=300 kernels=turns
test_each_lock() {
	# shellcheck disable=SC2086 # several words
	one_of_three each $more_waits
}

mixed() {
	# shellcheck disable=SC2086 # several words
	run sonde why --json -t -- waits 3 20 $all_causes $more_calls $more_waits
	rows_of_threads
	expect_whole
	expect_waits 53
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
			if (far(ran, $4, $6) || far(ns[$3, "processor"], $5, $6))
				printf "%s: ran %d, waited %d; the kernel says %d, %d\n",
					$3, ran, ns[$3, "processor"], $4, $5
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

# kernels=all
test_account() {
	one_of_three account 3 100
	one_of_three account -s 20,5 3 50
}

# A lock of a file is named with the process that holds it, which the kernel knows; not with one that holds another part
# of the same file.
flock_holders() {
	run sonde why --json -t -- waits 3 20 flock fcntl
	rows_of_threads
	expect_whole
	expect_waits 2
	expect_json kind cause object count
	grep '^did held' out | tr '\t' ' ' > held
	awk -F '\t' '
		FILENAME == "held" { split($0, of, " "); want[of[3] " held by waits " of[4]]; next }
		$1 == "object" && $2 == "flock" { if ($3 in want) n++; else print "not " $3 }
		END { if (n != 6) printf "%d of 6 holders\n", n }' held rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong held)"
}

# kernels=all
test_flock_holders() {
	one_of_three flock_holders
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

# System calls of 32-bit programs have other numbers, and their arguments are in other registers.
# arch=yes
test_32_bit() {
	narrow=$(command -v narrow || command -v narrow-arm) || skip "no such program for this architecture"
	run sonde why --json -t -- "$narrow" waits
	[ "$status" = 0 ] || ! grep -q 'Exec format' err || skip "no 32-bit programs"
	rows_of_threads
	expect_whole
	# it measures nothing: on a busy machine its waits begin late
	for want in sleep poll socket condition; do
		awk -v cause=$want '
			$2 == cause && $3 > 5000000 { n++ }
			END { exit n != 1 }' threads ||
			fail "no $want: $(cat threads)"
	done
}

# The runtime of Go waits by conditions and in epoll_wait. What it does not know of is in the thread's calls, for most
# of the time that the workload measures.
test_go() {
	run sonde why --json -t -- gowaits
	rows_of_threads
	expect_whole
	grep '^did gowaits' out | tr '\t' ' ' > did
	awk '
		FILENAME == "threads" { ns[$1, $2] += $3; all[$2] += $3; next }
		{
			queued = ns[$3, "processor"] + ns[$3, "running_user"] + ns[$3, "running_kernel"] + 1000000
			if (ns[$3, "sleep"] < $4 - queued || ns[$3, "pipe"] < $5 - queued)
				printf "slept %d of %d, read %d of %d\n", ns[$3, "sleep"], $4, ns[$3, "pipe"], $5
			if (all["condition"] + all["poll"] < 20000000)
				printf "the others: %d in conditions, %d in poll\n", all["condition"], all["poll"]
		}' threads did > wrong
	[ -s did ] || fail "nothing was done"
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# One cgroup, with what is in it before and what comes later.
# kernels=one
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

# A cgroup with 8 MB: what goes beyond is reclaimed, or waits.
allocation() {
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control || skip "no memory controller"
	mkdir /sys/fs/cgroup/small
	echo 8M > /sys/fs/cgroup/small/memory.high
	run sonde why --json -t -- sh -c 'echo $$ > /sys/fs/cgroup/small/cgroup.procs; exec waits 3 100 allocation'
	rmdir /sys/fs/cgroup/small
	rows_of_threads
	expect_whole
	expect_waits 1
	awk '$2 == "allocation" && $3 > 10000000 { n++ } END { exit n != 1 }' threads || fail "no wait: $(cat threads)"
}

# kernels=all
test_allocation() {
	one_of_three allocation
}

# The kernel says how long the group was held up.
test_throttled() {
	slow_cgroup
	run sonde why --json -t -- sh -c 'echo $$ > /sys/fs/cgroup/slow/cgroup.procs; exec waits 1 500 user'
	kernel=$(sed -n 's/^throttled_usec //p' /sys/fs/cgroup/slow/cpu.stat)
	rmdir /sys/fs/cgroup/slow
	rows_of_threads
	expect_whole
	awk -v kernel="$kernel" '$2 == "throttled" { ns += $3 }
		END { want = kernel * 1000; exit !(want > 1e8 && ns > want * 0.8 && ns < want * 1.2 + 2e7) }' threads ||
		fail "the kernel says $kernel us: $(cat threads)"
}

# A thread that is woken while others have used up the share of its cgroup waits for the share, not for a processor.
# kernels=ends
test_woken_while_throttled() {
	slow_cgroup
	run sonde why --json -t -- sh -c 'echo $$ > /sys/fs/cgroup/slow/cgroup.procs
		spin & waits 20 30 sleep; kill $!; wait'
	rmdir /sys/fs/cgroup/slow
	expect_exit 0
	expect_json kind comm cause ns tid
	# the other thread of it waits for this one, and begins in the queue
	awk -F '\t' '$1 == "thread" && $2 == "waits" { ns[$5, $3] += $4; tids[$5] }
		END {
			for (tid in tids)
				n += ns[tid, "throttled"] > 2e8 && ns[tid, "processor"] < ns[tid, "throttled"] / 2
			exit !n
		}' rows ||
		fail "not throttled: $(grep '^thread	waits' rows)"
}
