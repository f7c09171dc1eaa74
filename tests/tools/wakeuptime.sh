# SPDX-License-Identifier: BSD-2-Clause
# sonde wakeuptime: a giver wakes a taker (tests/programs/blocks.c).
# of file: kernels=one

# kernels=ends
test_wakers() {
	run sonde wakeuptime --json -- blocks 20 10
	expect_exit 0
	grep '"comm":"taker"' out | grep '"waker_comm":"giver"' | grep '"waker_kernel_stack":\[[^]]*"vfs_write"' > these ||
		fail "no stack of the giver"
	sed 's/.*"ns":\([0-9]*\),"count":\([0-9]*\).*/\1 \2/' these > sums
	expect_between "sleeps" 15 20 "$(add_up 2 sums)"
	# no more than it was off the processor, by the kernel's account and within 2 %
	expect_between "ns" 150000000 \
		"$(awk '$1 == "did" && $2 == "taker" { printf "%.0f", $5 * 1.02 + 4e6 }' out)" "$(add_up 1 sums)"
	grep '"comm":"sleeper"' out | grep -q '"waker_kernel_stack":\[[^]]*"hrtimer_wakeup"' || fail "the timer wakes nobody"
}

# bcc's layout, and the waker's stack from the place of the wake-up to its root.
test_text() {
	run sonde wakeuptime -- blocks 10 10
	expect_exit 0
	expect_err 'Tracing blocked time \(us\) by who ends it\.\.\. Hit Ctrl-C to end'
	awk -v RS= '/target: +taker/ && /waker: +giver/ { text = $0 } END { print text }' out > last
	head -n 1 last | grep -qx '    target:          taker' || fail "the first line is another"
	[ "$(grep -nx '    try_to_wake_up' last | cut -d: -f1)" -lt "$(grep -nx '    vfs_write' last | cut -d: -f1)" ] || fail "the root is not last"
	tail -n 2 last | head -n 1 | grep -qx '    waker:           giver' || fail "no waker"
	tail -n 1 last | grep -qxE '        [0-9]+' || fail "no time"
}

test_filters() {
	start sonde wakeuptime --json -u
	blocks 5 10
	stop INT
	expect_exit 0
	grep -q '"comm":"sleeper"' out || fail "no user thread"
	! grep -E '"comm":"(ksoftirqd|rcu|kworker)' out || fail "threads of the kernel"
	run sonde wakeuptime -K
	expect_exit 2
	expect_err 'only the kernel part'
}
