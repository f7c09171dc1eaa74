# SPDX-License-Identifier: BSD-2-Clause
# What sonde graph writes for trace-cmd, read by trace-cmd: the same tree as the rows of the same run, as ftrace's
# function graph.

nested=$(command -v nested)

# From rows (tid depth func ended) to lines "TID DEPTH FUNC {" and "TID DEPTH }": each thread's by itself.
expanded() {
	awk -F '\t' '
		function leave(tid, depth) {
			while (n[tid] && at[tid, n[tid]] >= depth) {
				if (has_end[tid, n[tid]])
					print tid, at[tid, n[tid]], "}"
				n[tid]--
			}
		}
		{
			leave($1, $2)
			print $1, $2, $3, "{"
			at[$1, ++n[$1]] = $2
			has_end[$1, n[$1]] = $4 != "null"
		}
		END { for (tid in n) leave(tid, 0) }' "$1" | sort -s -n -k 1,1
}

# The same of what trace-cmd prints: "COMM-PID [CPU] TIME: funcgraph_entry: 0.5 us | n_leaf();"
graph_of() {
	trace-cmd report -i "$1" > report 2> errors || fail "trace-cmd: $(cat errors)"
	[ ! -s errors ] || fail "trace-cmd says: $(head -n 3 errors)"
	awk '/funcgraph_(entry|exit):/ {
			tid = $1; sub(/.*-/, "", tid)
			text = $0; sub(/^[^|]*\|/, "", text)
			depth = match(text, /[^ ]/) - 1
			text = substr(text, depth + 1)
			depth = (depth - 2) / 2
			if (text ~ /^}/) { print tid, depth, "}"; next }
			func_name = text; sub(/\(.*/, "", func_name)
			print tid, depth, func_name, "{"
			if (text ~ /;$/) print tid, depth, "}"
		}' report | sort -s -n -k 1,1
}

test_same_tree() {
	command -v trace-cmd > /dev/null || skip "there is no trace-cmd"
	run sonde graph --json --trace-dat a.dat --record a.trace "u:$nested:n_*" -- nested tree 20 3
	expect_exit 0
	expect_json tid depth func ns
	expanded rows > wanted
	[ "$(grep -c '{$' wanted)" = 540 ] || fail "not 540 calls"
	graph_of a.dat > got
	cmp -s got wanted || fail "$(diff got wanted | head -n 10; head -n 5 report)"
	run sonde report a.trace --trace-dat b.dat
	expect_exit 0
	cmp a.dat b.dat || fail "another file of the same recording"
}

# A call that has not returned has no end.
test_without_end() {
	command -v trace-cmd > /dev/null || skip "there is no trace-cmd"
	run sonde graph --json --trace-dat a.dat "u:$nested:n_*" -- nested jump 5
	expect_exit 0
	expect_json tid depth func ns
	expanded rows | grep '{$' | sort > wanted
	graph_of a.dat | grep '{$' | sort > got
	cmp -s got wanted || fail "$(diff got wanted | head -n 10)"
	[ "$(grep -c funcgraph_exit: report)" -le "$(grep -vc null rows)" ] || fail "more ends than calls that returned"
}
