# SPDX-License-Identifier: BSD-2-Clause
# sonde setuids: its rows must be the calls that tests/programs/setids.c makes.

# kernels=one arch=yes
test_setuids() {
	run sonde setuids -c setids
	expect_exit 0
	expect_heading 'TIME     PID     COMM             UID    SYSCALL   ARGS (RET)'
	awk -F '\t' '/^did/ { printf "%-7d %-16s %-6d %-9s %s\n", $2, "setids", $3, $4, $5 }' out > dids
	sed -n 's/^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] //p' out > seen
	[ "$(wc -l < dids)" = 7 ] || fail "the workload did something else"
	expect_dids
}
