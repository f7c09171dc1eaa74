# SPDX-License-Identifier: BSD-2-Clause
# sonde tcpsynbl: its histogram must have the connections of the workload, under the limit of their queue.
# of file: kernels=one

# kernels=ends
test_tcpsynbl() {
	start sonde tcpsynbl
	tcp -n 20 client 4
	tcp -n 7 client 6
	stop INT
	expect_exit 0
	[ "$(grep -c '^@' out)" = 1 ] || fail "not one limit"
	expect_line '^@backlog\[[0-9]+\]:$'
	[ "$(sed -n 's/^[[(][^ ]*.* \([0-9]*\) |.*/\1/p' out | awk '{ n += $1 } END { print n + 0 }')" = 27 ] ||
		fail "not 27 connections"
}

test_tcpsynbl_only_some() {
	for ip in 4 6; do
		start sonde tcpsynbl -$ip
		tcp -n 20 client 4
		tcp -n 7 client 6
		stop INT
		expect_exit 0
		n=$(sed -n 's/^[[(][^ ]*.* \([0-9]*\) |.*/\1/p' out | awk '{ n += $1 } END { print n + 0 }')
		[ "$n" = $((ip == 4 ? 20 : 7)) ] || fail "$n connections of IPv$ip"
	done
}
