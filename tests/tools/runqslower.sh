# SPDX-License-Identifier: BSD-2-Clause
# sonde runqslower: its rows must be the times that the kernel says its threads waited.

# expect_waits: the rows of each child of turns must add up to the kernel's account of how long it waited.
expect_waits() {
	awk '
		/^did turns/ { want[$3] = $5 / 1000; times[$3] = $6; next }
		$2 == "turns" { sum[$3] += $4; n[$3]++ }
		END {
			for (tid in want) {
				# in each turn, a moment passes between our clock and the kernel
				slack = want[tid] * 0.1 + times[tid] * 300 + 3000
				seen++
				if (sum[tid] - want[tid] > slack || want[tid] - sum[tid] > slack ||
				    n[tid] > times[tid] + 2)
					print tid ": " sum[tid] " us in " n[tid] " rows, the kernel says " \
						want[tid] " in " times[tid]
			}
			if (seen != 2)
				print "the workload did " seen " turns"
		}' out > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

waits() {
	run sonde runqslower "$@"
	expect_exit 0
	expect_waits
}

test_runqslower() {
	one_of_three waits 0 -c 'turns -s 5,10 2 30'
	expect_heading 'TIME     COMM             TID           LAT(us)'
	# nobody waits for ten minutes
	run sonde runqslower 600000000 -c 'turns 2 20'
	expect_exit 0
	[ "$(sed '/^did /d' out | wc -l)" = 1 ] || fail "somebody waited for ten minutes"
}

# kernels=one
test_runqslower_only_some() {
	start sonde runqslower 0 -P
	turns 2 20 > did
	stop INT
	cat did >> out
	expect_heading 'TIME     COMM             TID           LAT(us) PREV COMM        PREV TID'
	expect_line '^[0-9:]{8} turns +[0-9]+ +[0-9]+ turns +[0-9]+$'
	gate calls 10 nanosleep
	start sonde runqslower 0 -t "$gated"
	open_gate
	stop INT
	expect_line "^[0-9:]{8} calls +$gated +[0-9]+\$"
	awk -v tid="$gated" '/^[0-9]/ && $3 != tid { bad = 1 } END { exit bad }' out || fail "others than $gated"
	run sonde runqslower --comm turns
	expect_exit 2
	expect_err 'this tool has no option --comm: another thread runs'
}
