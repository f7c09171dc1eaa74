# SPDX-License-Identifier: BSD-2-Clause
# sonde softirqs: it must count as many as the kernel does.
# of file: kernels=one

# of NAME FILE: prints the number in a copy of /proc/softirqs, on all processors.
of() {
	awk -v name="$1" '$1 == name ":" { for (i = 2; i <= NF; i++) n += $i } END { print n + 0 }' "$2"
}

# Saves the kernel's counts around the whole life of sonde, and around the workload alone.
count() {
	cat /proc/softirqs > begin
	cat > workload <<-'END'
	cat /proc/softirqs > before
	tcp -n 20 client 4 5000 100 0 > /dev/null
	cat /proc/softirqs > after
	END
	run sonde softirqs -C "$@" -- sh workload
	cat /proc/softirqs > end
	expect_exit 0
}

# compare NAME FILE: the second column of that name's lines with the kernel's counts.
compare() {
	upper=$(echo "$1" | tr a-z A-Z)
	within=$(($(of "$upper" after) - $(of "$upper" before)))
	around=$(($(of "$upper" end) - $(of "$upper" begin)))
	expect_between "$1" "$within" "$around" "$(add_up 2 "$2" "\$1 == \"$1\"")"
}

# Each table of out is in order, the largest value last.
in_order() {
	awk '
		/TOTAL/ { last = 0; inside = 1; next }
		inside && NF == 2 { if ($2 < last) exit 1; last = $2 }' out
}

# kernels=ends
test_count() {
	count
	expect_line '^SOFTIRQ          TOTAL_count$'
	for name in timer net_rx sched rcu; do
		compare $name out
	done
	[ $(($(of NET_RX after) - $(of NET_RX before))) -ge 20 ] || fail "the workload did nothing"
}

# cpus=2
test_count_two_processors() {
	count -i 0.05 --json
	expect_json softirq count total
	for name in timer net_rx; do
		compare $name rows
	done
	! grep -v 'null$' rows || fail "a count has a total"
}

# There must be as many times, none longer than the whole run.
# kernels=ends
test_time() {
	cat /proc/softirqs > begin
	run sonde softirqs --json -- tcp -n 20 client 4 5000 100 0
	cat /proc/softirqs > end
	expect_json softirq unit count total
	value=$(awk '$1 == "net_rx" { print $3 }' rows)
	expect_between net_rx 20 $(($(of NET_RX end) - $(of NET_RX begin))) "$value"
	expect_between "time of net_rx" 20 5000000 "$(awk '$1 == "net_rx" && $2 == "usecs" { print $4 }' rows)"
	run sonde softirqs -N -- tcp -n 20 client 4 5000 100 0
	expect_line '^SOFTIRQ          TOTAL_nsecs$'
	expect_between "time of net_rx" 20000 5000000000 "$(awk '$1 == "net_rx" { print $2 }' out)"
	in_order || fail "the largest is not last"
}

test_distribution() {
	run sonde softirqs -d -T -- tcp -n 20 client 4 5000 100 0
	expect_exit 0
	expect_err 'Tracing soft irq event time\.\.\. Hit Ctrl-C to end'
	expect_line '^softirq = net_rx$'
	expect_line '^     usecs               : count     distribution$'
	[ "$(grep -c '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$' out)" -eq 1 ] || fail "no time"
	run sonde softirqs -d --precise -N --json -- tcp -n 20 client 4 5000 100 0
	expect_json softirq unit count percentiles
	[ "$(awk '$1 == "net_rx" && $2 == "nsecs" && $3 >= 20 && /"p50":[1-9]/' rows | wc -l)" -eq 1 ] ||
		fail "no percentiles"
}

test_errors() {
	run sonde softirqs -p $$
	expect_exit 2
	expect_err 'this tool has no option -p: interrupts belong to no process$'
	run sonde softirqs -c 0
	expect_exit 2
	expect_err "option -c '0': -c takes a command to run \(for a processor: --cpu 0"
	run sonde softirqs -C -d
	expect_exit 2
	expect_err 'counts have no distribution: --count or --dist'
	run sonde softirqs --precise
	expect_exit 2
	expect_err '[-]-precise needs --dist'
}
