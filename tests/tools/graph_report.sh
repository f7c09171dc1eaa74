# SPDX-License-Identifier: BSD-2-Clause
# sonde graph --record, and what sonde report makes of it: the same trees, sums by function, differences.
# of file: kernels=one

# recorded OPTION... FUNCTION... -- COMMAND: its trees, and those of its recording, are the same, in lines and in data.
recorded() {
	rm -f calls.trace
	run sonde graph --record calls.trace "$@"
	expect_exit 0
	sed '/^did /d' out > live
	run sonde report calls.trace tree
	expect_exit 0
	cmp live out || fail "$(diff live out | head -n 6)"
	run sonde report calls.trace tree --json
	expect_exit 0
}

test_tree() {
	: > file
	recorded -ar -g do_sys_openat2 vfs_open security_file_open -- cat file no-such-file
	expect_line '"func":"do_sys_openat2","args":"dfd=-100, filename=\\"no-such-file\\", .*"result":"-ENOENT"}$'
	[ "$(stat -c %a calls.trace)" = 600 ] || fail "others may read it"
	recorded 'u:/bin/nested:n_*' -- nested tree 40 1
	recorded 'u:/bin/nested:n_*' -- nested deep 100
}

# same_calls: the last run wrote calls.trace, and its rows are those of the recording, in another order.
same_calls() {
	expect_exit 0
	expect_json tid pid comm depth func ns retval
	sort rows > live
	run sonde report calls.trace tree --json
	expect_exit 0
	expect_json tid pid comm depth func ns retval
	sort rows | cmp - live || fail "$(sort rows | diff - live | head -n 6)"
}

# One clock for both: live and in the recording a call begins at the same time since boot, but for the time between two
# readings of clocks.
test_times() {
	run sonde graph --json --record calls.trace u:/bin/nested:n_deep -- nested deep 3
	expect_json depth boot_ns
	cp rows live
	run sonde report calls.trace tree --json
	expect_json depth boot_ns
	paste live rows | awk -F '\t' '$1 != $3 || $2 - $4 > 1e8 || $4 - $2 > 1e8 { bad = 1 } END { exit bad || NR != 3 }' ||
		fail "$(paste live rows)"
}

# Trees of threads that run at the same time come in another order than they ended in, but each is whole.
# kernels=one arch=yes
test_threads() {
	rm -f calls.trace
	run sonde graph --json --record calls.trace 'u:/bin/nested:n_*' -- nested tree 50 20
	same_calls
	# a tree of n_root has 1 + 2 + 6 calls, one behind the other
	awk -F '\t' '
		FNR % 9 == 1 { tid = $1 }
		tid != $1 || ($4 == 0) != (FNR % 9 == 1) { bad = 1 }
		END { exit bad }' rows || fail "trees are mixed"
}

# What has not returned is known at the end only; in the recording it stands where it began.
test_without_end() {
	rm -f calls.trace
	run sonde graph --json --record calls.trace 'u:/bin/nested:n_*' -- nested end 3
	same_calls
	[ "$(grep -c 'n_end.*null' rows)" = 3 ] || fail "no call that has not returned"
	run sonde report calls.trace tree
	expect_line '^ +[0-9]+ +} /\* has not returned \*/$'
}

# Goroutines have trees of their own, of no thread.
test_go() {
	rm -f calls.trace
	run sonde graph --json --max-calls 8192 --record calls.trace 'u:/bin/gofuncs:main.*' -- gofuncs 30
	expect_exit 0
	expect_json depth func ns
	sort rows > live
	run sonde report calls.trace tree --json
	expect_json depth func ns
	sort rows | cmp - live || fail "$(sort rows | diff - live | head -n 6)"
}

# sums: of the rows depth func ns, trees one behind the other: func, calls, ns, ns without the calls in each. Time in a
# call of the same function counts once.
sums() {
	awk -F '\t' '
		{
			depth = $1; n[$2]++; self[$2] += $3
			for (i = 0; i < depth && at[i] != $2; i++)
				;
			if (i == depth) total[$2] += $3
			if (depth) self[at[depth - 1]] -= $3
			at[depth] = $2
		}
		END { for (f in n) print f "\t" n[f] "\t" total[f] + 0 "\t" self[f] }' rows | sort
}

test_functions() {
	for what in 'tree 20 1' 'deep 30'; do
		rm -f calls.trace
		run sonde graph --json --record calls.trace 'u:/bin/nested:n_*' -- nested $what
		expect_exit 0
		expect_json depth func ns
		sums > want
		run sonde report calls.trace --json
		expect_exit 0
		grep '"table":"functions"' out | json func count total_ns self_ns | sort > have
		cmp want have || fail "$(diff want have)"
		! grep -q '"table":"threads"' out || fail "nothing is known of the threads"
	done
	run sonde report calls.trace
	expect_exit 0
	expect_line '^FUNCTION +COUNT +SELF\(ms\) +TOTAL\(ms\) +AVG\(us\) +MAX\(us\)$'
	expect_line '^n_deep +30 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$'
}

# Of a tree with more calls than graph keeps, the first come before the call that they are in. Their time is not its own.
# timeout=300
test_large() {
	rm -f calls.trace
	run sonde graph --json --record calls.trace 'u:/bin/nested:n_*' -- nested wide 100000
	expect_exit 0
	expect_err 'they are shown without it, before it has returned'
	expect_json func ns
	awk -F '\t' '
		$1 == "n_leaf" { leaves++; inner += $2 }
		$1 == "n_wide" { wide = $2 }
		END { printf "%d\t%.0f\n", leaves, wide - inner }' rows > want
	run sonde report calls.trace --json
	expect_exit 0
	grep '"table":"functions"' out | json func count self_ns > sums
	awk -F '\t' '
		$1 == "n_leaf" { leaves = $2 }
		$1 == "n_wide" { self = $3 }
		END { printf "%d\t%.0f\n", leaves, self }' sums > have
	cmp want have || fail "calls and own time are $(cat have), not $(cat want)"
}

# The same of a function in itself: what comes early is in the outermost call, whose time is all that there is.
# timeout=300
test_deep() {
	rm -f calls.trace
	run sonde graph --max-calls 131072 --record calls.trace u:/bin/nested:n_deep -- nested deep 70000
	! grep 'this kernel has no room for 131072 pending calls' err || skip "$(cat err)"
	expect_exit 0
	expect_err 'they are shown without it, before it has returned'
	run sonde report calls.trace --json
	expect_exit 0
	grep '"table":"functions"' out | json func count total_ns max_ns > sums
	[ "$(cut -f 2 sums)" = 70000 ] || fail "$(cat sums)"
	[ "$(cut -f 3 sums)" = "$(cut -f 4 sums)" ] || fail "the total is not that of the longest call: $(cat sums)"
}

# taken COMMAND...: its ms, which are million instructions here.
taken() {
	read -r began _ < /proc/uptime
	"$@" > out || fail "$*"
	read -r ended _ < /proc/uptime
	ms=$(elapsed "$began" "$ended")
}

# Many calls in one tree take as long as many in small trees.
# cpus=1-icount timeout=300
test_large_is_quick() {
	rm -f ./*.trace
	run sonde graph -q --record small.trace 'u:/bin/nested:n_*' -- nested tree 4445 1
	expect_exit 0
	run sonde graph -q --record large.trace 'u:/bin/nested:n_*' -- nested wide 40000
	expect_exit 0
	taken sonde report small.trace tree --json
	small=$ms
	taken sonde report large.trace tree --json
	[ "$(wc -l < out)" = 40001 ] || fail "$(wc -l < out) calls"
	[ "$ms" -lt $((small * 3 / 2)) ] || fail "it took $ms ms, small trees $small"
}

test_diff() {
	for n in 10 30; do
		run sonde graph --overwrite --record $n.trace 'u:/bin/nested:n_*' -- nested tree $n 1
		expect_exit 0
	done
	run sonde report 30.trace diff 10.trace --json
	expect_exit 0
	expect_json what name old_count new_count
	for what in self total; do
		for row in 'n_root	10	30' 'n_mid	20	60' 'n_leaf	60	180'; do
			grep -qx "$what	$row" rows || fail "no $what $row: $(cat rows)"
		done
	done
}

# Perfetto's file is the same, whether it is made at once or of the recording.
test_perfetto() {
	run sonde graph -ar --perfetto a.pftrace --record calls.trace vfs_read vfs_open -- cat /etc/passwd
	expect_exit 0
	run sonde report calls.trace --perfetto b.pftrace
	expect_exit 0
	cmp a.pftrace b.pftrace || fail "they differ"
}

test_bad() {
	run sonde graph --record calls.trace --flat vfs_read -- true
	expect_exit 2
	: > calls.trace
	run sonde graph --record calls.trace vfs_read -- true
	expect_exit 1
	expect_one_err 'calls.trace exists: --overwrite replaces it'
	# it is about probes
	run sonde graph --force --record calls.trace vfs_read -- true
	expect_exit 1
	expect_one_err 'calls.trace exists: --overwrite replaces it'
	run sonde record sched -o sched.trace -- true
	expect_exit 0
	run sonde report sched.trace tree
	expect_exit 1
	expect_one_err 'no calls of functions'
	run sonde graph --overwrite -t 1h --record calls.trace 'u:/bin/nested:n_*' -- nested tree 1 1
	expect_exit 0
	run sonde report calls.trace tree
	expect_exit 1
	expect_one_err 'no calls of functions'
	run sonde graph -q --overwrite --record calls.trace 'u:/bin/nested:n_*' -- nested tree 2000 1
	expect_exit 0
	head -c $(($(wc -c < calls.trace) / 2)) calls.trace > cut.trace
	run sonde report cut.trace tree
	expect_exit 0
	expect_err 'cut.trace: '
	run sonde graph --record full/a vfs_read -- true
	expect_exit 1
}
