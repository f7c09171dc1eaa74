# SPDX-License-Identifier: BSD-2-Clause
# sonde tcpretrans: its rows must be what tests/programs/drops.c says of its connections, and as many as the kernel
# counts.
# of file: kernels=one

# counter FILE NAME: a number of /proc/net/FILE, of all protocols.
counter() {
	awk -v name="$2" '
		$1 in names {
			split(names[$1], n)
			for (i in n)
				if (n[i] == name)
					print $i
		}
		{ names[$1] = $0 }' "/proc/net/$1"
}

retransmissions() {
	counter snmp RetransSegs
}

# Runs the tool with a workload; `sent` is how many segments the kernel has sent again meanwhile, `probes` how many loss
# probes.
traced() {
	sent=$(retransmissions) probes=$(counter netstat TCPLossProbes)
	run sonde tcpretrans --fail-on-loss "$@"
	expect_exit 0
	expect_one_err 'Tracing TCP retransmissions'
	sent=$(($(retransmissions) - sent)) probes=$(($(counter netstat TCPLossProbes) - probes))
	sed -n 's/^did //p' out > dids
}

# Each connection of the file dids must have as many rows of retransmissions as its socket knows, with its number.
expect_rows() {
	expect_json type ip laddr lport raddr rport state seq
	[ "$(grep -c '^R	' rows)" = "$sent" ] || fail "rows are not $sent: $(cat rows)"
	[ "$(grep -c '^L	' rows)" = "${1:-0}" ] || fail "loss probes are not ${1:-0}: $(cat rows)"
	awk -F '\t' '
		function key(of) { return $of FS $(of + 1) FS $(of + 2) FS $(of + 3) FS $(of + 4) }
		NR == FNR { what[key(2)] = $1; seq[key(2)] = $7; left[key(2)] = $8; next }
		{ bad = bad || !(key(2) in what) || $7 != (what[key(2)] == "syn" ? "SYN_SENT" : "ESTABLISHED") }
		$1 == "L" { bad = bad || $8 != "null" }
		$1 == "R" {
			if (what[key(2)] == "syn")
				seq[key(2)] = seq[key(2)] == "?" ? $8 : seq[key(2)]
			else
				left[key(2)]--
			bad = bad || $8 != seq[key(2)]
			seen[key(2)] = 1
		}
		END {
			for (i in what)
				bad = bad || !(i in seen) || (what[i] == "data" && left[i])
			exit bad
		}' dids rows || fail "rows are not what was done"
}

# kernels=turns
test_retransmissions() {
	traced -j -- sh -c 'drops syn 4; drops syn 6; drops data 4; drops data 6; drops data mapped'
	expect_rows
	traced --json --lossprobe -- sh -c 'drops data 4; drops data 6'
	[ "$probes" -ge 2 ] || fail "the kernel sent no loss probes"
	expect_rows "$probes"
}

# The rows as bcc has them, by the same numbers.
test_text() {
	traced -l -s -- sh -c 'drops data 4; drops data 6'
	awk -F '\t' '
		{
			for (i = 0; i <= $8; i++)
				printf "%-2s %-20s %s> %-20s %-12s %s\n", $2, $3 ":" $4, i ? "R" : "L", $5 ":" $6,
					"ESTABLISHED", i ? $7 : "-"
		}
		END { print "IP LADDR:LPORT          T> RADDR:RPORT          STATE        SEQ" }' dids | sort > expected
	grep -v '^did ' out | cut -c 18- | sort > rows
	diff expected rows || fail "rows are not what was done"
	expect_line '^TIME     PID     IP '
	expect_line '^[0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]+ +4  127\.0\.0\.1:'
	traced -- drops data 4
	expect_line ' R> 127\.0\.0\.1:[0-9]+ +ESTABLISHED$'
}

test_only_one_version() {
	traced -j -6 -- sh -c 'drops data 4; drops data mapped; drops data 6'
	expect_json ip
	[ "$(sort -u rows)" = 6 ] && [ "$(wc -l < rows)" = "$(awk '$2 == 6 { print $8 }' dids)" ] || fail "$(cat rows)"
	traced -j -4 -- sh -c 'drops data 6; drops data mapped'
	expect_json ip
	[ "$(sort -u rows)" = 4 ] && [ "$(wc -l < rows)" = "$(awk '$2 == 4 { print $8 }' dids)" ] || fail "$(cat rows)"
}

test_count() {
	traced -c -- sh -c 'drops data 4; drops data 6'
	{
		printf '%-25s %-25s %s\n' LADDR:LPORT RADDR:RPORT RETRANSMITS
		awk -F '\t' '{ printf "%-25s %-25s %s\n", $3 ":" $4, $5 ":" $6, $8 }' dids | sort -n -k 3
	} > expected
	sed '/^did /d' out | sort -n -k 3 | diff expected - || fail "other counts"
	traced --count --json -- drops data 6
	expect_json laddr lport raddr rport retransmits
	cut -f 3-6,8 dids | diff - rows || fail "other counts"
}

test_bystanders() {
	run sonde tcpretrans -p 1
	expect_exit 2
	expect_err 'this tool has no option -p: '
	run sonde tcpretrans -4 -6
	expect_exit 2
	run sonde tcpretrans nothing
	expect_exit 2
}
