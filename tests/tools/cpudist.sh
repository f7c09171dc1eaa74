# SPDX-License-Identifier: BSD-2-Clause
# sonde cpudist: it must show the kernel's own account of each process's time on a processor
# (/proc/PID/schedstat).

on() {
	run sonde cpudist -P --json "$@" -- turns -s 20,5 2 200
	expect_exit 0
	expect_turns ran
}

test_on() {
	one_of_three on -i 0.1
}

# cpus=2
test_on_two_processors() {
	one_of_three on
}

# Sleeps of 20 ms must be at least that long, unless the machine stands still between the start of
# the timer and the sleep. All together must fit into the time of the whole run. There may be no
# more of them than the kernel has given the process a processor.
test_off() {
	read -r began _ < /proc/uptime
	run sonde cpudist -O -P --json -- turns -s 20,20 1 50
	read -r ended _ < /proc/uptime
	expect_exit 0
	read -r _ _ child _ _ times <<-END
		$(grep '^did turns' out)
	END
	expect_json pid comm count total buckets
	read -r pid comm count total buckets <<-END
		$(grep "^$child	" rows)
	END
	[ "$comm" = turns ] || fail "no row of $child: $(cat rows)"
	echo "$buckets" | tr '}' '\n' | sed -n 's/.*"min":\([0-9]*\),.*"count":\([0-9]*\)$/\1 \2/p' > begins
	long=$(add_up 2 begins '$1 >= 16384')
	expect_between "values" 15 "$times" "$count"
	expect_between "sleeps of 16 ms and more" 15 "$count" "$long"
	expect_between "usecs off" 245000 $((($(elapsed "$began" "$ended") + 10) * 1000)) "$total"
}

# Prints how long the only processor was idle, in ms, by the kernel's account.
idle() {
	awk '$1 == "cpu0" { print ($5 + $6) * 10 }' /proc/stat
}

# Processes that only wait leave the processor idle: as long as the kernel says, and no longer than
# the run takes.
test_idle() {
	read -r began _ < /proc/uptime
	start sonde cpudist -I -P --json
	before=$(idle)
	usleep 300000
	after=$(idle)
	stop INT
	read -r ended _ < /proc/uptime
	expect_exit 0
	expect_json pid total
	[ $((after - before)) -gt 0 ] || fail "the processor was not idle"
	expect_between "idle ms" $((after - before - 20)) $(($(elapsed "$began" "$ended") + 20)) \
		"$(awk '$1 == 0 { n = $2 } END { print int(n / 1000) }' rows)"
	run sonde cpudist -P --json -d 0.1
	! grep '"pid":0,' out || fail "the idle task was not asked for"
}

# kernels=one
test_words() {
	run sonde cpudist -P -m -- turns 1 30
	expect_exit 0
	expect_line '^pid = [0-9]+ turns$'
	expect_err 'Tracing on-CPU time\.\.\. Hit Ctrl-C to end'
	expect_line '^     msecs               : count     distribution$'
	run sonde cpudist -O -L --json -- turns -s 2,5 2 50
	expect_exit 0
	expect_err 'Tracing off-CPU time\.\.\. Hit Ctrl-C to end'
	expect_json tid comm
	[ "$(grep -c '	turns$' rows)" -eq 3 ] || fail "not three threads"
	run sonde cpudist --max-pending 1 -O 0.1 1
	expect_exit 0
	run sonde cpudist -p 4000000
	expect_exit 1
	expect_one_err 'there is no process 4000000'
}
