# SPDX-License-Identifier: BSD-2-Clause
# The test house itself: do the checks that all other tests lean on notice what they are there for?

must_fail() {
	! (set -e; "$@") > /dev/null 2>&1 || fail "passed and should not: $*"
}

test_boot() {
	[ -e /sys/kernel/btf/vmlinux ]
	grep -q . /sys/kernel/tracing/available_filter_functions
	[ "$(nproc)" = "$CPUS" ]
}

# cpus=2
test_boot_two() {
	[ "$(nproc)" = 2 ]
}

test_programs_do_what_they_say() {
	trace=/sys/kernel/tracing
	echo 1 > $trace/events/syscalls/sys_enter_getppid/enable
	echo 1 > $trace/tracing_on
	echo > $trace/trace
	calls 123 getppid > did
	calls -t 50 getppid >> did
	forks 3 2 10 >> did
	forks -d 4 0 5 >> did
	cp $trace/trace trace
	echo 0 > $trace/events/syscalls/sys_enter_getppid/enable
	cat did
	said=$(awk '{ n += $3 } END { print n }' did)
	[ "$said" = 303 ] || fail "the programs said $said"
	saw=$(grep -c 'sys_getppid(' trace)
	[ "$saw" = 303 ] || fail "the kernel saw $saw"
}

test_residue_sees_kprobe_events() {
	echo 'p:left vfs_read' > /sys/kernel/tracing/kprobe_events
	residue || :
	! residue > /dev/null || fail "a kprobe event was not noticed"
	echo > /sys/kernel/tracing/kprobe_events
}

test_residue_sees_processes() {
	spin > /dev/null &
	! residue > /dev/null || fail "a process was not noticed"
	kill $!
	wait $! || :
}

test_residue_sees_mounts() {
	mkdir here
	mount -t tracefs x here
	! residue > /dev/null || fail "a mount was not noticed"
	umount here
}

test_expectations_can_fail() {
	printf 'FUNC COUNT\nvfs_read 5\n' > out
	: > err
	status=0
	expect_exit 0
	expect_count vfs_read 5
	expect_count vfs_write 0
	expect_line '^FUNC'
	must_fail expect_exit 1
	must_fail expect_count vfs_read 4
	must_fail expect_count vfs_write 1
	must_fail expect_line nothing
	must_fail expect_err .
	must_fail expect_one_err .
	must_fail expect_no_line FUNC
}

test_gate_holds() {
	gate calls 5 getppid
	usleep 100000
	[ ! -s did ]
	open_gate
	[ "$(cat did)" = "did getppid 5" ]
}

# What the tests of counting tools take for granted: a call of the program is one of this function.
test_calls_are_functions() {
	cd /sys/kernel/tracing
	sys=__$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')_sys
	printf 'p:o do_sys_openat2\nr:oret do_sys_openat2\np:r vfs_read\np:g %s_getpgid\n' "$sys" > kprobe_events
	echo > trace
	echo 1 > events/kprobes/enable
	calls 70 openat
	calls 50 read 30 getpgid
	# Off before it is read: reading is a vfs_read.
	echo 0 > events/kprobes/enable
	grep ' *calls-[0-9]' trace > /tmp/saw
	echo > kprobe_events
	cd /tmp
	saw=$(sed 's/.*[0-9]: \([a-z]*\): .*/\1/' saw | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }')
	[ "$saw" = "g 30 o 71 oret 71 r 50 " ] || fail "$saw"
}
