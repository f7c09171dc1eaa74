# SPDX-License-Identifier: BSD-2-Clause
# sonde threadsnoop: its rows must be the threads of tests/programs/threads.dyn.c.

three_rows() {
	[ "$(grep -c worker out)" = 3 ]
}

# The program lives until its rows are there: its functions have names only so long.
# kernels=one
test_threadsnoop() {
	start sonde threadsnoop
	mkfifo gate
	threads 3 gate > did &
	program=$!
	wait_until 50 three_rows || { stop INT; fail "not three threads"; }
	echo > gate
	wait "$program"
	stop INT
	expect_exit 0
	expect_heading 'TIME(ms)   PID     COMM             FUNC'
	pid=$(sed -n 's/^did //p' did)
	[ "$(grep -cE "^[0-9]+ +$pid +threads +worker\$" out)" = 3 ] || fail "not three threads"
}
