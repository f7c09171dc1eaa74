# SPDX-License-Identifier: BSD-2-Clause
# sonde tcpaccept: its rows must be the connections that tests/programs/tcp.c accepts.
# of file: kernels=one

# expect_accepts [IP]: of the file did, all, or those of this version.
expect_accepts() {
	awk -F '\t' -v ip="${1:-}" '
		/^did accept/ && (ip == "" || $4 == ip) {
			printf "%-7d %-12s %-2d %-16s %-5d %-16s %d\n", $2, $3, $4, $7, $8, $5, $6
		}' did | sort > dids
	[ -s dids ] || fail "the workload accepted nothing"
	grep 'tcp server' out | grep -v '^did' | sed 's/^ *[0-9:.]*[:.][0-9]* *//' | sort > seen
	expect_dids
}

# kernels=ends
test_tcpaccept() {
	run sonde tcpaccept -c 'sh -c "tcp -n 3 client 4; tcp client 6; tcp client mapped"'
	expect_exit 0
	expect_heading 'PID     COMM         IP RADDR            RPORT LADDR            LPORT'
	cp out did
	expect_accepts
	run sonde tcpaccept -T -t -c 'tcp client 4'
	expect_heading 'TIME     TIME(s)        PID     COMM         IP RADDR            RPORT LADDR            LPORT'
	expect_line '^[0-9]{2}:[0-9]{2}:[0-9]{2} +[0-9]+\.[0-9]{6} [0-9]+ +tcp server '
}

test_tcpaccept_only_some() {
	start sonde tcpaccept -4
	tcp client 4 > did
	tcp client 6 >> did
	stop INT
	expect_accepts 4
	start sonde tcpaccept -6
	tcp client 4 > did
	tcp client 6 >> did
	stop INT
	expect_accepts 6
	start sonde tcpaccept -P 8003,8001
	tcp -s 8001 client 4 > did
	tcp -s 8002 client 4 > not
	stop INT
	expect_accepts
}
