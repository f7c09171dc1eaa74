# SPDX-License-Identifier: BSD-2-Clause
# sonde tcpconnect: its rows must be the attempts to connect of tests/programs/tcp.c, field by
# field.
# of file: kernels=one

# Writes what the workload did, without the role, to the file dids; mapped IPv4 addresses become
# IPv4.
did() {
	sed -nE 's/^did (connect|refused)	//p' out |
		sed 's/	6	::ffff:\(.*\)::ffff:/	4	\1/' > dids
	[ -s dids ] || fail "the workload did nothing"
}

# The JSON rows must be these attempts and no others. $1: what LPORT may be instead of its value.
expect_attempts() {
	did
	expect_json pid comm ip saddr lport daddr dport uid
	awk -F '\t' -v instead="$1" -v uid="${2:-0}" '
		function key(lport) { return $1 FS $2 FS $3 FS $4 FS lport FS $6 FS $7 }
		NR == FNR { done[key(instead ? "" : $5)] = $5; next }
		{
			at = key(instead ? "" : $5)
			if (!instead && !(at in done))
				at = key("?")
			if (!(at in done) || $8 != uid || (instead && $5 != instead && $5 != done[at])) {
				print "not done, or not so: " $0
				bad = 1
			}
			delete done[at]
		}
		END {
			for (at in done) {
				print "no row: " at
				bad = 1
			}
			exit bad
		}' dids rows || fail "rows are not what was done"
}

# kernels=ends
test_tcpconnect() {
	workload='tcp client 4; tcp server 6; tcp reset mapped; tcp refused 4; tcp refused 6; tcp refused mapped
		tcp -b client 4; tcp -b refused 6'
	run sonde tcpconnect -j -- sh -c "$workload"
	expect_exit 0
	expect_one_err Tracing
	expect_attempts null
	[ "$(cut -f 5 rows | grep -c null)" = 6 ] || fail "not two known ports"
	run sonde tcpconnect -L -j -- sh -c "$workload"
	expect_exit 0
	expect_attempts ''
	! cut -f 5 rows | grep null || fail "a port is not known"
}

test_tcpconnect_text() {
	run sonde tcpconnect -- sh -c 'tcp client 4; tcp refused 6'
	expect_exit 0
	did
	awk -F '\t' '{ printf "%-6s %-12s %-2s %-16s %-16s %s\n", $1, $2, $3, $4, $6, $7 }
		END { print "PID    COMM         IP SADDR            DADDR            DPORT" }' dids | sort > expected
	grep -v '^did ' out | sort > rows
	diff expected rows || fail "rows are not what was done"
	run sonde tcpconnect -L -U -T -t -- sh -c 'tcp client 6; tcp -b refused mapped'
	did
	{
		echo 'UID    PID    COMM         IP SADDR            LPORT  DADDR            DPORT'
		awk -F '\t' '{ printf "0      %-6s %-12s %-2s %-16s %-6s %-16s %s\n", $1, $2, $3, $4, $5, $6, $7 }' dids
	} | sort > expected
	grep -v '^did ' out | cut -c 23- | sort > rows
	diff expected rows || fail "rows are not what was done"
	expect_line '^TIME     TIME\(s\)      UID '
	expect_line '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] [0-9]+\.[0-9]{6} +0 '
}

# kernels=ends
test_tcpconnect_burst() {
	run sonde tcpconnect -j -L --fail-on-loss -- tcp -n 400 client 4
	none_lost 400 || return 0
	expect_attempts ''
}

test_tcpconnect_filters() {
	workload='tcp -s 8001 client 4; tcp -s 8002 client 6; tcp -s 8003 client mapped; tcp -s 8004 refused 4'
	run sonde tcpconnect -j -4 -P 8002,8003 -P 8004 -- sh -c "$workload"
	expect_exit 0
	sed -i '/^did .*	800[12]	/d' out
	expect_attempts null
	run sonde tcpconnect -j -L -6 -- sh -c "$workload"
	expect_exit 0
	sed -i '/^did .*127\.0\.0\.1/d' out
	expect_attempts ''
	start sonde tcpconnect -j -u user
	tcp client 4
	su user -c 'exec tcp refused 4' > workload
	stop INT
	expect_exit 0
	cat workload >> out
	expect_attempts null 1000
}

# Rows by addresses and remote port, the most frequent last.
test_tcpconnect_count() {
	workload='tcp -s 8001 -n 7 client 4; tcp -s 8002 -n 3 client 6; tcp -s 8001 -n 2 client mapped
		tcp -s 8003 client 4'
	run sonde tcpconnect -c --fail-on-loss -- sh -c "$workload"
	none_lost 0 || return 0
	sed '/^did /d' out > rows
	{
		printf '%-25s %-25s %-20s %s\n' LADDR RADDR RPORT CONNECTS \
			127.0.0.1 127.0.0.1 8003 1 ::1 ::1 8002 3 127.0.0.1 127.0.0.1 8001 9
	} | diff - rows || fail "other counts"
	run sonde tcpconnect --count --json -6 -- sh -c "$workload"
	expect_exit 0
	expect_json saddr daddr dport connects
	printf '::1\t::1\t8002\t3\n' | diff - rows || fail "other counts"
}

test_tcpconnect_errors() {
	run sonde tcpconnect -P 80,http
	expect_exit 2
	expect_err "option -P '80,http': 'http' is not a port: ports are 1 to 65535, separated by commas$"
	run sonde tcpconnect -4 -6
	expect_exit 2
	expect_err '^sonde tcpconnect: option -6: -4 and -6 exclude each other'
	run sonde tcpconnect nothing
	expect_exit 2
	expect_err "unexpected argument 'nothing'"
}
