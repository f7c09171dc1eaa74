# SPDX-License-Identifier: BSD-2-Clause
# sonde tcplife: its rows must be the ends of the connections of tests/programs/tcp.c, field by
# field.
# of file: kernels=one

# Writes the workload's connections of these roles (a regular expression), without the role, to the
# file dids; mapped IPv4 addresses become IPv4.
did() {
	sed -nE "s/^did ($1)	//p" out | sed 's/	6	::ffff:\(.*\)::ffff:/	4	\1/' > dids
	[ -s dids ] || fail "the workload did nothing"
}

# The JSON rows must be these connections and no others; each event that the kernel skipped may have
# changed one.
expect_lives() {
	did "$1"
	expect_json pid comm ip laddr lport raddr rport tx_bytes rx_bytes duration_ns
	awk -F '\t' -v allowed="$(skipped)" '
		function key(lport) { return $1 FS $2 FS $3 FS $4 FS lport FS $6 FS $7 FS $8 FS $9 }
		NR == FNR { least[key($5)] = $10; most[key($5)] = $11; next }
		{
			at = key($5) in least ? key($5) : key("?")
			if (!(at in least)) {
				print "not done, or not so: " $0
				bad++
			} else if ($10 < least[at] || $10 > most[at]) {
				print "not of this duration (" least[at] " to " most[at] "): " $0
				bad++
			}
			delete least[at]
		}
		END {
			for (at in least) {
				print "no row: " at
				missing++
			}
			exit (bad > allowed || missing > allowed)
		}' dids rows || fail "rows are not what was done"
}

# shellcheck disable=SC2016 # expanded by the shell that is traced
# kernels=all
test_tcplife() {
	run sonde tcplife -j -- sh -c 'for family in 4 6 mapped; do
		for closer in client server reset half; do
			tcp "$closer" "$family" 5000 70000 3 || exit
		done
	done
	tcp refused 4
	tcp -b refused 6
	tcp -b -u server 4 100 0 1
	tcp unaccepted 4'
	expect_exit 0
	sed -i '/^did accept	null/d' out
	expect_lives '[a-z]*'
	[ "$(skipped)" != 0 ] || expect_one_err 'Tracing'
}

# The table for dids as bcc has it, but for the durations.
as_narrow() {
	echo 'PID   COMM       LADDR           LPORT RADDR           RPORT TX_KB RX_KB MS'
	awk -F '\t' '{
		printf "%-5s %-10s %-15s %-5s %-15s %-5s %5d %5d\n", $1, $2, $4, $5, $6, $7, $8 / 1024, $9 / 1024
	}' dids
}

# The same with -w.
as_wide() {
	printf '%s %s\n' 'PID   COMM             IP LADDR                      LPORT RADDR                     ' \
		'RPORT  TX_KB  RX_KB MS'
	awk -F '\t' '{
		printf "%-5s %-16s %-2s %-26s %-5s ", $1, $2, $3, $4, $5
		printf "%-26s %-5s %6d %6d\n", $6, $7, $8 / 1024, $9 / 1024
	}' dids
}

test_tcplife_text() {
	run sonde tcplife -- sh -c 'tcp server 4 1023 1024 3; tcp -b refused 4'
	expect_exit 0
	did '[a-z]*'
	as_narrow | sort > expected
	sed -E '/^did /d; s/ [0-9]+\.[0-9][0-9]$//' out | sort > rows
	diff expected rows || fail "rows are not what was done"
	run sonde tcplife -w -T -t -- tcp client mapped 70000 5 0
	did '[a-z]*'
	as_wide | sort > expected
	grep -v '^did ' out | cut -c 23- | sed -E 's/ [0-9]+\.[0-9][0-9]$//' | sort > rows
	diff expected rows || fail "rows are not what was done"
	expect_line '^TIME     TIME\(s\)      PID '
	expect_line '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] [0-9]+\.[0-9]{6} +[0-9]+ +tcp '
}

# kernels=ends
test_tcplife_burst() {
	run sonde tcplife -j --fail-on-loss -- tcp -n 300 client 4 10 20 0
	none_lost 600 || return 0
	expect_lives '[a-z]*'
}

# A connection that no process has accepted has a row if no filter asks for a process.
# kernels=ends
test_tcplife_unaccepted() {
	start sonde tcplife -j
	tcp unaccepted 4 > workload
	stop INT
	expect_exit 0
	cat workload >> out
	expect_lives '[a-z]*'
	start sonde tcplife
	tcp unaccepted 6 > workload
	stop INT
	cat workload
	port=$(awk -F '\t' '/^did accept/ { print $6 }' workload)
	expect_line "^-     -          ::1             $port +::1 "
}

# Filters apply to the process that connected or accepted, whichever process closed.
test_tcplife_filters() {
	gate tcp reset 4 300 10 0
	start sonde tcplife -j -p "$gated"
	tcp client 4
	open_gate
	stop INT
	cat did >> out
	expect_exit 0
	expect_lives connect
	run sonde tcplife -j --comm 'tcp server' -- \
		sh -c 'tcp client 4 9 9 0; tcp server 4; tcp reset 4; tcp half 4; tcp -u client 4'
	expect_exit 0
	expect_lives accept
}

test_tcplife_ports() {
	workload='tcp -s 8001 client 4; tcp -s 8002 -n 3 client 4; tcp -s 8003 client 6; tcp -s 8003 client mapped
		tcp -s 8004 refused 6'
	# the ends that are served at port 8002 need no room
	run sonde tcplife -j -4 -L 8001,8003 --max-connections 3 --fail-on-loss -- sh -c "$workload"
	expect_exit 0
	sed -i '/^did accept.*127.0.0.1	8002	/d; /^did accept.*::1/d' out
	expect_lives accept
	run sonde tcplife -j -6 -D 8002 -D 8003 -- sh -c "$workload"
	expect_exit 0
	sed -i '/^did .*127\.0\.0\.1/d' out
	expect_lives connect
}

test_tcplife_max_connections() {
	run sonde tcplife --max-connections 50 --fail-on-loss -- tcp -n 40 client 4
	expect_exit 1
	# what 7.x skips is reported, and leaves room for others
	if ! grep -q 'the kernel skipped' err; then
		expect_err ': 30 connections lost: more were open than are followed at a time \(--max-connections\)$'
		[ "$(grep -c ' 127\.0\.0\.1 .*\.[0-9][0-9]$' out)" = 50 ] || fail "not 50 rows"
	fi
	# connections that have ended make room
	run sonde tcplife --max-connections 2 --fail-on-loss -- \
		sh -c 'tcp client 4; tcp reset 6; tcp refused 4; tcp server 4'
	expect_exit 0
}

test_tcplife_errors() {
	for option in -L -D; do
		run sonde tcplife $option 80,http
		expect_exit 2
		expect_err "option $option '80,http': 'http' is not a port: ports are 1 to 65535, separated by commas$"
	done
	run sonde tcplife -6 -4
	expect_exit 2
	expect_err '^sonde tcplife: option -4: -4 and -6 exclude each other'
	run sonde tcplife --max-connections 0
	expect_exit 2
	expect_err '--max-connections: 0 is out of range'
}
