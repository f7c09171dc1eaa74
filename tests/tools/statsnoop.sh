# SPDX-License-Identifier: BSD-2-Clause
# sonde statsnoop: its rows must be the calls that tests/programs/stats.c makes.

# arch=yes
test_statsnoop() {
	run sonde statsnoop -s -c stats
	expect_exit 0
	expect_heading 'PID     COMM             SYSCALL      FD ERR PATH'
	sed -n 's/^did //p' out > dids
	[ "$(wc -l < dids)" -ge 6 ] || fail "the workload did nothing"
	grep '^[0-9]' out > seen
	expect_dids
	run sonde statsnoop -t -x -c stats
	expect_exit 0
	expect_heading 'TIME(s)        PID     COMM               FD ERR PATH'
	sed -n 's/^did \(.\{24\} \).\{11\}\( *-1 .*\)$/\1\2/p' out > dids
	sed -n 's/^ *[0-9]*\.[0-9]\{6\} //p' out > seen
	[ -s dids ] || fail "no call failed"
	expect_dids
}
