# SPDX-License-Identifier: BSD-2-Clause
# sonde funccount with filters: it must count what they let through, and nothing else.
# of file: kernels=one

# kernels=ends
test_filter_pid() {
	gate calls -t 100 getpgid
	start sonde funccount -p "$gated" "$getpgid"
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_count "$getpgid" 200
}

test_filter_tid() {
	gate calls -t 100 getpgid
	start sonde funccount --tid "$gated" "$getpgid"
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

# kernels=ends
test_filter_pid_user() {
	gate calls 100 getpgid
	start sonde funccount -p "$gated" u:/bin/calls:call_getpgid
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_count call_getpgid 100
}

test_filter_comm() {
	cp /bin/calls other
	start sonde funccount --comm other "$getpgid"
	calls 50 getpgid
	./other 100 getpgid
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

test_filter_uid() {
	start sonde funccount --uid 1000 "$getpgid"
	calls 50 getpgid
	su user -c 'exec calls 100 getpgid'
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

# cpus=2
test_filter_cpu() {
	start sonde funccount --cpu 1 "$getpgid"
	taskset 0x1 calls 50 getpgid
	taskset 0x2 calls 100 getpgid
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

within() {
	sh -c 'echo $$ > "/sys/fs/cgroup/$0/cgroup.procs"; exec "$@"' "$@"
}

# kernels=ends
test_filter_cgroup() {
	mkdir -p /sys/fs/cgroup/house/inner /sys/fs/cgroup/other
	start sonde funccount --cgroup /sys/fs/cgroup/house "$getpgid"
	calls 50 getpgid
	within other calls 50 getpgid
	within house calls 100 getpgid
	within house/inner calls 30 getpgid
	stop INT
	rmdir /sys/fs/cgroup/house/inner /sys/fs/cgroup/house /sys/fs/cgroup/other
	expect_exit 0
	expect_count "$getpgid" 130
}

test_filters_together() {
	gate calls 100 getpgid
	start sonde funccount -p "$gated" --comm calls --uid 0 "$getpgid"
	open_gate
	stop INT
	expect_count "$getpgid" 100
	gate calls 100 getpgid
	start sonde funccount -p "$gated" --uid 1000 "$getpgid"
	open_gate
	stop INT
	expect_exit 0
	expect_count "$getpgid" 0
}

# kernels=ends
test_pid_namespace() {
	run unshare -p -f sonde funccount "$getpgid" -- calls 100 getpgid
	if [ "$status" = 0 ]; then
		expect_count "$getpgid" 100
	else
		expect_exit 1
		expect_one_err 'pid namespace'
	fi
	cat > inside <<-'END'
	mount -t proc proc /proc
	. /lib.sh
	mkdir inner
	cd inner
	gate calls 100 getpgid
	start sonde funccount -p "$gated" "$1"
	calls 50 getpgid
	open_gate
	stop INT
	END
	run unshare -p -m -f sh -e inside "$getpgid"
	expect_exit 0
	cp inner/out out
	expect_count "$getpgid" 100
}
