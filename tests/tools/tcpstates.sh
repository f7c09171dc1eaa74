# SPDX-License-Identifier: BSD-2-Clause
# sonde tcpstates: its rows must be the states of the connections that tests/programs/tcp.c makes.
# of file: kernels=one

changes='OLDSTATE    -> NEWSTATE    MS'

# expect_states ROLE STATES: the states of the end of a connection in the file did, one after the other, from the first
# row on that has both ports.
expect_states() {
	seen=$(awk -F '\t' -v role="$1" '$1 == "did " role { print $6, $8 }' did | while read -r lport rport; do
		sed 's/^\(.\{16\} .\{7\} .\{10\} \)\([46]  \)\{0,1\}/\1/; s/^.\{36\}//' out |
			awk -v lport="$lport" -v rport="$rport" '
				$2 == lport && $4 == rport { from = from ? from : $5; to = to " " $7 }
				END { print from to }'
	done)
	# Linux 7 knows the other port before an accepted socket leaves LISTEN
	[ "${seen#LISTEN }" = "$2" ] || fail "the states of $1: $seen"
}

# kernels=ends
test_tcpstates() {
	for ip in 4 6; do
		start sonde tcpstates
		tcp client $ip > did
		stop INT
		expect_exit 0
		expect_heading \
			"SKADDR           C-PID   C-COMM     LADDR           LPORT RADDR           RPORT $changes"
		expect_line '^[0-9a-f]{16} [0-9]+ +tcp +[0-9a.:]+1 +0 +[0-9a.:]+1 +[0-9]+ CLOSE +-> SYN_SENT +0\.000$'
		expect_states connect 'SYN_SENT ESTABLISHED FIN_WAIT1 FIN_WAIT2 CLOSE'
		expect_states accept 'SYN_RECV ESTABLISHED CLOSE_WAIT LAST_ACK CLOSE'
	done
}

# A connection is in a state as long as the workload says at least.
test_tcpstates_times() {
	run sonde tcpstates -Tt -w -c 'tcp client 6 1 1 300'
	expect_exit 0
	ends="$(printf '%-39s LPORT %-39s RPORT' LADDR RADDR)"
	expect_heading "TIME     TIME(s)        SKADDR           C-PID   C-COMM           IP $ends $changes"
	awk '/ ESTABLISHED -> FIN_WAIT1/ { n++; bad = bad || $NF < 300 || $7 != "::1" || $6 != 6 }
		END { exit bad || n != 1 }' out ||
		fail "not a connection of 300 ms"
}

test_tcpstates_only_some() {
	start sonde tcpstates -L 8003,8001
	tcp -s 8001 client 4 > did
	tcp -s 8002 client 4 > not
	stop INT
	expect_states accept 'SYN_RECV ESTABLISHED CLOSE_WAIT LAST_ACK CLOSE'
	expect_states connect ''
	expect_no_line ' 8002 '
	start sonde tcpstates -D 8001 -4
	tcp -s 8001 client 4 > did
	tcp -s 8001 client 6 > not
	stop INT
	expect_states connect 'SYN_SENT ESTABLISHED FIN_WAIT1 FIN_WAIT2 CLOSE'
	expect_states accept ''
	expect_no_line '::1'
}

test_tcpstates_csv() {
	run sonde tcpstates -s -Tt -c 'tcp client 6 1 1 10'
	expect_exit 0
	expect_heading TIME,TIME\(s\),SKADDR,C-PID,C-COMM,IP,LADDR,LPORT,RADDR,RPORT,OLDSTATE,NEWSTATE,MS
	begin='^[0-9:]{8},[0-9]+\.[0-9]{6},[0-9a-f]{16},[0-9]+,tcp,6'
	expect_line "$begin,::1,[0-9]+,::1,[0-9]+,ESTABLISHED,FIN_WAIT1,[0-9]+\\.[0-9]{3}\$"
	run sonde tcpstates -s -c true
	expect_heading SKADDR,C-PID,C-COMM,IP,LADDR,LPORT,RADDR,RPORT,OLDSTATE,NEWSTATE,MS
}

test_tcpstates_wrong_usage() {
	run sonde tcpstates -Y
	expect_exit 2
	expect_err '^sonde tcpstates: this tool has no option -Y: .*systemd-cat$'
	for ports in http 80, 80,http ,80 ''; do
		run sonde tcpstates -L "$ports"
		expect_exit 2
		expect_err "^sonde tcpstates: option -L '$ports': not a list of numbers, such as 80,443$"
	done
}
