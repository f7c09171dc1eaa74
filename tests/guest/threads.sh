# SPDX-License-Identifier: BSD-2-Clause
# What tests of sonde why share: the causes of each thread. Read in a guest, after lib.sh.

# Causes without a blank, so that awk's fields are columns.
rows_of_threads() {
	expect_exit 0
	expect_json kind tid cause ns wall_ns
	sed -n 's/^thread	//p' rows |
		sed 's/page fault/page_fault/; s/async I/async_I/; s/running, /running_/' > threads
	[ -s threads ] || fail "no threads"
}

# expect_whole: the causes of each thread together are its life, and nothing is unknown.
expect_whole() {
	awk '
		{ sum[$1] += $3; life[$1] = $4 }
		$2 == "unknown" && $3 > 0 { printf "thread %s: %d ns unknown\n", $1, $3 }
		END { for (tid in life) if (sum[tid] != life[tid])
			printf "thread %s: %d ns of %d\n", tid, sum[tid], life[tid] }' threads > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# The waits that the workload (tests/programs/waits.c) has measured: file did. A wait that began late is shorter than it
# says, on a busy machine by far: so bounds are these, and not what was asked for.
read_did() {
	grep '^did wait' out | tr '\t' ' ' > did
	[ -s did ] || fail "the workload did nothing"
}

# least_waited CAUSE...: prints how long at least, in ns, the workload waited for these: without what it ran, and
# without its waits for a processor, which are both part of what it measures.
least_waited() {
	awk -v causes=" $* " '
		index(causes, " " $3 " ") { ns += $6 - $7 - $8 - 1000000 }
		END { printf "%d\n", ns < 0 ? 0 : ns }' did
}
