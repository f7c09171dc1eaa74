# SPDX-License-Identifier: BSD-2-Clause
# sonde shmsnoop: its rows must be the calls that tests/programs/shm.c makes.
# of file: kernels=one

# kernels=ends
test_shmsnoop() {
	run sonde shmsnoop -n sh -c shm
	expect_exit 0
	expect_heading 'PID    COMM                SYS              RET ARGs'
	sed -n 's/^did //p' out > dids
	[ "$(wc -l < dids)" = 5 ] || fail "the workload did something else"
	grep '^[0-9]' out > seen
	expect_dids
	run sonde shmsnoop -T -c shm
	expect_exit 0
	expect_heading 'TIME(s)        PID    COMM                SYS              RET ARGs'
	sed -n 's/^did //p' out > dids
	sed -n 's/^ *[0-9]*\.[0-9]\{6\} //p' out > seen
	expect_dids
}

test_shmsnoop_only_some() {
	run sonde shmsnoop -n other -c shm
	expect_exit 0
	expect_no_line '^[0-9]'
	start sonde shmsnoop -t 1
	shm > did
	stop INT
	expect_exit 0
	expect_no_line '^[0-9]'
}
