# SPDX-License-Identifier: BSD-2-Clause
# sonde cpudist: the kernel's own account of who ran how long (/proc/PID/schedstat) is what is shown.

test_on() {
	run sonde cpudist -P --json -i 0.1 -- turns -s 20,5 2 200
	expect_exit 0
	expect_turns ran
}

# cpus=2
test_on_two_processors() {
	run sonde cpudist -P --json -- turns -s 20,5 2 200
	expect_exit 0
	expect_turns ran
}

# Sleeps of 20 ms are as long: all but what the machine is late with.
test_off() {
	run sonde cpudist -O -P -- turns -s 20,20 1 50
	expect_exit 0
	expect_line '^pid = [0-9]+ turns$'
	expect_between "sleeps of 16 to 65 ms" 15 25 "$(awk '/^ +(16384|32768) ->/ && n < last + $5 { n = last + $5 } { last = $1 == 16384 ? $5 : 0 } END { print n + 0 }' out)"
}

# Who has nothing to do but wait leaves the processor idle for most of it.
test_idle() {
	run sonde cpudist -I -P --json -d 0.3
	expect_exit 0
	expect_json pid total
	expect_between "idle ms" 100 600 "$(awk '$1 == 0 { n = $2 } END { print int(n / 1000) }' rows)"
	run sonde cpudist -P --json -d 0.1
	! grep '"pid":0,' out || fail "the idle task was not asked for"
}

test_words() {
	run sonde cpudist -m -- turns 1 30
	expect_exit 0
	expect_err 'Tracing on-CPU time\.\.\. Hit Ctrl-C to end'
	expect_line '^     msecs               : count     distribution$'
	run sonde cpudist -O -L --json -- turns 2 50
	expect_exit 0
	expect_err 'Tracing off-CPU time\.\.\. Hit Ctrl-C to end'
	expect_json tid comm
	[ "$(grep -c '	turns$' rows)" -eq 3 ] || fail "not three threads"
	run sonde cpudist --max-pending 1 -O 0.1 1
	expect_exit 0
	run sonde cpudist -p 4000000
	expect_exit 1
	expect_one_err 'no process has the id 4000000'
}
