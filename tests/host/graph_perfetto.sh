# SPDX-License-Identifier: BSD-2-Clause
# What sonde graph writes for Perfetto, read by Perfetto's trace processor: the same tree as the rows of the same run.

. "$0/tests/convert/query.sh"

nested=$(command -v nested)

slices="SELECT tid, depth, s.name, dur FROM slice s JOIN thread_track t ON s.track_id = t.id JOIN thread USING (utid)
	WHERE category = 'function' ORDER BY tid, s.ts, depth"
names="SELECT DISTINCT 'name', pid, thread.name, process.name FROM thread JOIN process USING (upid)
	JOIN thread_track t USING (utid)"

# slow=yes
test_same_tree() {
	needs_trace_processor
	run sonde graph --json -a -r --perfetto a.pftrace "u:$nested:n_*" -- nested tree 20 3
	expect_exit 0
	expect_json tid depth func ns pid
	cut -f 1-4 rows | tr '\t' '|' | sort -s -t '|' -n -k 1,1 > wanted
	[ "$(wc -l < wanted)" = 540 ] || fail "not 540 calls: $(wc -l < wanted)"
	query a.pftrace "$complaints" "$slices" | grep . > got
	cmp -s got wanted || fail "$(diff got wanted | head -n 20)"
	query a.pftrace "$names" | grep . > got
	[ "$(cat got)" = "name|$(cut -f 5 rows | sort -u)|nested|nested" ] || fail "$(cat got)"
	# an n_leaf returns its argument plus 1
	more="extract_arg(arg_set_id, 'debug.result') - extract_arg(arg_set_id, 'debug.arg0')"
	query a.pftrace "SELECT count(*), min($more), max($more) FROM slice WHERE name = 'n_leaf'" > got
	[ "$(grep . got)" = "360|1|1" ] || fail "$(cat got)"
}

# A call that has not returned is there, and spoils no other one's end.
# slow=yes
test_without_end() {
	needs_trace_processor
	run sonde graph --json --perfetto a.pftrace "u:$nested:n_*" -- nested jump 5
	expect_exit 0
	expect_json func ns
	grep -v null rows | tr '\t' '|' | sort > wanted
	query a.pftrace "$complaints" "SELECT name, dur FROM slice WHERE category = 'function'
		AND extract_arg(arg_set_id, 'debug.end') IS NULL" | grep . | sort > got
	cmp -s got wanted || fail "$(diff got wanted | head -n 20)"
	[ "$(grep -c '^n_catch' got)" = 5 ] || fail "$(cat got)"
	query a.pftrace "SELECT name FROM slice WHERE extract_arg(arg_set_id, 'debug.end') = 'has not returned'
		ORDER BY 1" | grep . > got || :
	grep null rows | cut -f 1 | sort | cmp -s - got || fail "$(cat got)"
	# what has no end and is in no other call lasts
	run sonde graph --perfetto b.pftrace "u:$nested:n_*" -- nested end 1
	query b.pftrace "SELECT name, depth, dur FROM slice ORDER BY name" | grep . | grep 'n_last\|n_end' > got
	[ "$(cat got)" = "$(printf 'n_end|1|-1\nn_last|0|-1')" ] || fail "$(cat got)"
}

# A goroutine's calls nest in each other, on whatever threads it runs.
# slow=yes
test_goroutines() {
	needs_trace_processor
	run sonde graph --json --max-calls 40000 --perfetto a.pftrace "u:$(command -v gofuncs):main.*" -- gofuncs 10
	expect_exit 0
	expect_json func ns
	grep -v null rows | tr '\t' '|' | sort > wanted
	query a.pftrace "$complaints" "SELECT name, dur FROM slice WHERE category = 'function' AND dur >= 0 AND
		extract_arg(arg_set_id, 'debug.end') IS NULL" | grep . | sort > got
	cmp -s got wanted || fail "$(diff got wanted | head -n 20)"
	query a.pftrace "SELECT count(*) FROM track WHERE name LIKE 'gofuncs %, goroutine %'" > got
	[ "$(grep . got)" -ge 10 ] || fail "$(cat got) goroutines"
}
