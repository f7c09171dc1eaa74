# SPDX-License-Identifier: BSD-2-Clause
# What sonde why writes for Perfetto, read by Perfetto's trace processor. That the states are those of the page, tests
# in guests check by tests/programs/pftrace.c: so its states must be the trace processor's.

. "$0/tests/convert/query.sh"

# Z and X are what is left of a thread.
states="SELECT 'state', tid, state, coalesce(blocked_function, '-'), count(*),
	sum(iif(dur < 0, (SELECT end_ts FROM trace_bounds) - ts, dur)) FROM thread_state
	JOIN thread USING (utid) WHERE name = 'waits' AND state IN ('Running', 'R', 'R+', 'S', 'D') GROUP BY 2, 3, 4"
wakers="SELECT 'woken', t.tid, iif(s.irq_context, 0, w.tid), count(*) FROM thread_state s JOIN thread t USING (utid)
	JOIN thread w ON w.utid = s.waker_utid WHERE t.name = 'waits' AND s.state = 'R' GROUP BY 2, 3"
# what it executed is not known
lines="SELECT 'line', pid, cmdline FROM process WHERE name = 'waits' AND cmdline LIKE '%sonde%'"
names="SELECT 'name', tid, pid, process.name FROM thread JOIN process USING (upid) WHERE thread.name = 'waits'"

# The same of pftrace's lines, on stdin.
as_queried() {
	awk '
		$1 == "name" && $4 == "waits" { its[$2] = $3 }
		$1 == "state" && $3 ~ /^(Running|R\+?|S|D)$/ {
			key = $2 "|" $3 "|"
			tid[key substr($0, index($0, $5))] = $2
			ns[key substr($0, index($0, $5))] += $4
			n[key substr($0, index($0, $5))]++
		}
		$1 == "woken" { wakings[$2, $3]++ }
		END {
			for (key in ns)
				if (tid[key] in its)
					printf "state|%s|%d|%d\n", key, n[key], ns[key]
			for (key in wakings) {
				split(key, part, SUBSEP)
				if (part[1] in its)
					printf "woken|%d|%d|%d\n", part[1], part[2], wakings[key]
			}
			for (key in its)
				printf "name|%d|%d|waits\n", key, its[key]
		}' | sort
}

# slow=yes
test_trace_processor() {
	needs_trace_processor
	run sonde why --no-stacks --perfetto a.pftrace -- waits 3 20 sleep pipe lock poll condition child
	expect_exit 0
	query a.pftrace "$complaints" "$states" "$wakers" "$names" "$lines" | grep . | sort > got
	pftrace a.pftrace > picture || fail "pftrace: $?"
	as_queried < picture > wanted
	cmp -s got wanted || fail "$(diff got wanted | head -n 20)"
	for what in 'sleep' 'pipe: other' 'lock: 0x[0-9a-f]* of [0-9]* held by waits [0-9]*' 'child: waits'; do
		grep -q "^state|[0-9]*|[SD]|$what|" got || fail "no $what: $(cat got)"
	done
}

# Requests are slices with their steps, and arrows lead into threads and on to the servers behind.
# slow=yes
test_requests() {
	needs_trace_processor
	for how in loop threads pool; do
		behind=
		[ $how != loop ] || behind="-B $PWD/sock -2"
		rm -f a.pftrace sock
		# shellcheck disable=SC2086 # several words
		run sonde why --requests --json -n 1000 --perfetto a.pftrace -- serve $behind -s 20 -e 50 $how 300
		expect_exit 0
		! grep -q 'missed by the kernel' err || skip "the kernel skipped hits"
		total=$(grep '"kind":"total"' out)
		requests=$(echo "$total" | sed 's/.*"requests":\([0-9]*\),.*/\1/')
		inner=$(echo "$total" | sed 's/.*"inner":\([0-9]*\),.*/\1/')
		query a.pftrace "$complaints" | grep . > wrong || :
		[ ! -s wrong ] || fail "$how: $(cat wrong)"
		# on connections; those that another server has asked for have an arrow into them
		of_server="JOIN track t ON s.track_id = t.id JOIN track p ON t.parent_id = p.id
			WHERE p.name LIKE 'requests at %'"
		query a.pftrace "SELECT count(*) FROM slice s $of_server AND s.category = 'request'" \
			"SELECT count(*) FROM flow f JOIN slice s ON f.slice_in = s.id $of_server" \
			"SELECT count(*) FROM flow f JOIN slice s ON f.slice_out = s.id $of_server" \
			"SELECT count(*) FROM flow f JOIN slice o ON f.slice_out = o.id
			JOIN slice i ON f.slice_in = i.id WHERE i.ts < o.ts" \
			"SELECT count(*) FROM slice p JOIN (SELECT parent_id, sum(dur) AS ns FROM slice
			WHERE category = 'step' GROUP BY 1) c ON c.parent_id = p.id WHERE ns = dur" \
			"SELECT max(depth) FROM slice" | grep . > got
		all=$((requests + inner))
		[ "$(sed -n 1p got)" = $all ] || fail "$how: $(sed -n 1p got) drawn, not $requests and $inner"
		[ "$(sed -n 2p got)" -le "$inner" ] && [ "$(sed -n 2p got)" -ge $((inner * 95 / 100)) ] ||
			fail "$how: $(sed -n 2p got) arrows to $inner"
		[ "$(sed -n 3p got)" -ge $((all * 95 / 100)) ] || fail "$how: $(sed -n 3p got) have threads"
		[ "$(sed -n 4p got)" = 0 ] || fail "$how: arrows back in time"
		[ "$(sed -n 5p got)" = $all ] || fail "$how: steps of $(sed -n 5p got) sum to it"
		[ "$(sed -n 6p got)" = 1 ] || fail "$how: slices in each other"
		query a.pftrace "SELECT 'slept', count(DISTINCT parent_id) FROM slice
			WHERE name = 'sleep' AND category = 'step' AND dur > 10000000" > got
		grep -qx 'slept|6' got || fail "$how: $(cat got)"
	done
}

# A gap is one for the importer, too.
# slow=yes
test_gap() {
	needs_trace_processor
	run sonde why --no-stacks --perfetto a.pftrace -- sh -c 'kill -STOP $PPID; laps pass 5000 1; kill -CONT $PPID'
	expect_exit 0
	expect_err 'events missing from a.pftrace'
	query a.pftrace "$complaints" > got
	[ "$(sed 's/|[0-9]*|1$//' got | sort -u)" = 'complaint|ftrace_cpu_has_data_loss' ] || fail "$(cat got)"
}
