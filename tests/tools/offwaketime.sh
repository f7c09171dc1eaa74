# SPDX-License-Identifier: BSD-2-Clause
# sonde offwaketime: a giver wakes a taker (tests/programs/blocks.c).
# of file: kernels=one

# kernels=ends
test_both_stacks() {
	gate blocks 20 10
	start sonde offwaketime --json
	open_gate
	stop INT
	expect_exit 0
	grep '"comm":"taker"' out > its
	grep '"waker_comm":"giver"' its | grep -F '"waker_user_stack":[' | grep -F '"give","giver","start","main"' |
		grep -F '"take","taker","start","main"' > these || fail "not both stacks"
	grep -q '"kernel_stack":\["__schedule",.*"vfs_read"' these || fail "no kernel part"
	grep -q '"waker_kernel_stack":\[[^]]*"vfs_write"' these || fail "no kernel part of the waker"
	sed 's/.*"ns":\([0-9]*\),"count":\([0-9]*\).*/\1 \2/' these > sums
	# a taker whose byte is there already does not sleep
	expect_between "sleeps" 15 20 "$(add_up 2 sums)"
	# no more than it was off the processor, by the kernel's account and within 2 %
	expect_between "ns" 150000000 "$(awk '$2 == "taker" { printf "%.0f", $5 * 1.02 + 4e6 }' did)" "$(add_up 1 sums)"
	# a clock wakes who only sleeps: an interrupt, whoever runs
	grep '"comm":"sleeper"' out | grep -q '"waker_kernel_stack":\[[^]]*"hrtimer_wakeup"' || fail "the timer wakes nobody"
}

# bcc's layout: the waker from its root, a line, the sleeper to its root.
test_text() {
	gate blocks 20 10
	start sonde offwaketime --comm taker
	open_gate
	stop INT
	expect_exit 0
	expect_err 'Tracing blocked time \(us\) and who ends it\.\.\. Hit Ctrl-C to end'
	awk -v RS= '/target: +taker/ && /waker: +giver/ { text = $0 } END { print text }' out > last
	head -n 1 last | grep -qxE '    waker:           giver [0-9]+' || fail "the first line is another"
	sed '/^    --               --$/q' last > above
	sed '1,/^    --               --$/d' last > below
	[ "$(grep -nx '    giver' above | cut -d: -f1)" -lt "$(grep -nx '    give' above | cut -d: -f1)" ] || fail "the waker's root is not first"
	head -n 1 below | grep -qx '    __schedule' || fail "the line is not in the middle"
	[ "$(grep -nx '    take' below | cut -d: -f1)" -lt "$(grep -nx '    taker' below | cut -d: -f1)" ] || fail "the sleeper's root is not last"
	tail -n 2 last | head -n 1 | grep -qxE '    target:          taker [0-9]+' || fail "no target"
	tail -n 1 last | grep -qxE '        [0-9]+' || fail "no time"
}

# The filters choose sleepers, not wakers.
test_filters() {
	run sonde offwaketime --json --comm taker -- blocks 5 10
	expect_exit 0
	expect_json comm waker_comm
	! grep -v '^taker	' rows || fail "other sleepers"
	grep -q '	giver$' rows || fail "no waker"
	run sonde offwaketime --state 0
	expect_exit 2
	expect_err 'nobody wakes it'
}

# timeout=240
test_many() {
	run sonde offwaketime --json -- blocks pingpong 10000
	expect_exit 0
	! grep -E 'lost|missed|not measured' err || fail "something was lost"
	expect_json comm count
	expect_times 7
}
