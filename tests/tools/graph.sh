# SPDX-License-Identifier: BSD-2-Clause
# sonde graph: trees must be those of the calls that were made, whole, with callers no shorter than what they called.
# of file: kernels=one

# tree CHILD:PARENT...: of the rows (tid depth func ns), which are in the order of begins, each must be in a call of its
# parent ("-": in none) and no longer than that, and all calls in one together too.
tree() {
	echo "$*" | awk -F '\t' '
		NR == FNR { n = split($0, pairs, " "); for (i = 1; i <= n; i++) { split(pairs[i], pair, ":"); parent[pair[1]] = pair[2] } next }
		!($3 in parent) { print "row " FNR ": " $3; exit 1 }
		{
			at = $1
			above = $2 ? func_of[at, $2 - 1] : "-"
			if (above != parent[$3]) { print "row " FNR ": " $3 " in " above; exit 1 }
			func_of[at, $2] = $3
			left[at, $2] = $4
			if ($2 && (left[at, $2 - 1] -= $4) < 0) { print "row " FNR ": more than its caller"; exit 1 }
		}' - rows > why || fail "$(cat why)"
}

# rows_of FUNC N
rows_of() {
	[ "$(cut -f 3 rows | grep -cx "$1")" = "$2" ] || fail "$(cut -f 3 rows | grep -cx "$1") calls of $1, not $2"
}

# kernels=ends arch=yes
test_user_tree() {
	run sonde graph --json --fail-on-loss 'u:/bin/nested:n_*' -- nested tree 40 30
	expect_exit 0
	expect_json tid depth func ns
	tree n_root:- n_mid:n_root n_leaf:n_mid
	rows_of n_root 1200
	rows_of n_mid 2400
	rows_of n_leaf 7200
}

test_recursion() {
	run sonde graph --json --fail-on-loss u:/bin/nested:n_deep -- nested deep 100
	expect_exit 0
	expect_json depth retval
	seq 0 99 | awk '{ print $1 "\t" 100 - $1 }' | cmp - rows || fail "$(head -n 3 rows)"
}

# Calls that jump away have no end, and those after them are where they belong.
# kernels=ends
test_jump() {
	run sonde graph --json 'u:/bin/nested:n_*' -- nested jump 5
	expect_exit 0
	expect_json tid depth func ns
	# all are said to be lost, and none is open behind the tree that it was in
	! grep 'n_throw\|n_jump' rows || fail "they have returned, or their caller has not"
	expect_err '^sonde graph: 10 calls not measured: their return was not seen$'
	rows_of n_catch 5
	rows_of n_leaf 5
	# n_leaf is behind two calls that have not returned, as far as anybody can know before n_catch does
	awk -F '\t' '$3 == "n_catch" ? $2 != 0 : $2 != 3' rows > wrong
	[ ! -s wrong ] || fail "$(cat rows)"
	run sonde graph --json -D 2 'u:/bin/nested:n_*' -- nested jump 5
	expect_json tid depth func ns
	rows_of n_catch 5
}

# Calls that a thread has jumped out of are not open when it is as deep again, at the end of tracing or in its own.
# kernels=ends
test_jump_and_deep_again() {
	start sonde graph --json 'u:/bin/nested:n_*'
	nested stay 2 > here &
	wait_until 30 grep -q here here
	stop INT
	kill $!
	only_last_open
	run sonde graph --json 'u:/bin/nested:n_*' -- nested leave 2
	only_last_open
}

only_last_open() {
	expect_exit 0
	expect_json depth func ns
	! grep 'n_throw\|n_jump' rows || fail "they are open, and nobody is in them"
	grep 'n_last\|n_end' rows | tr '\t' ' ' | cmp - <<- 'END' || fail "$(cat rows)"
		0 n_last null
		1 n_end null
	END
	expect_err '4 calls not measured: their return was not seen$'
}

# Nor do calls whose thread ends in them; they are shown as what they are, though the next thread has the same stack.
test_thread_ends() {
	run sonde graph --json --fail-on-loss 'u:/bin/nested:n_*' -- nested end 3
	expect_exit 0
	expect_json tid depth func ns comm
	[ "$(grep -c '	0	n_last	null	nested$\|	1	n_end	null	nested$' rows)" = 6 ] || fail "not 6 calls: $(cat rows)"
	awk -F '\t' '$3 == "n_mid" { print $2 }' rows | grep -qx 0 || fail "n_mid is in another call: $(cat rows)"
	run sonde graph 'u:/bin/nested:n_*' -- nested end 1
	expect_line '^ +[0-9]+ n_last\(\) \{$'
	expect_line '^ +[0-9]+   n_end\(\) /\* has not returned \*/$'
	expect_line '^ +[0-9]+ \} /\* has not returned \*/$'
}

# Functions that never return are open until their thread has ended, then their tree comes: tracing goes on.
# kernels=all arch=yes
test_never_returns() {
	start sonde graph -a --fail-on-loss exit_fs do_exit u:/bin/nested:exit
	nested tree 1 1 > /dev/null
	wait_until 30 grep -q '} /. has not returned' out
	stop INT
	expect_exit 0
	expect_line '^ +[0-9]+ exit\(.*\) \{$'
	expect_line '^ +[0-9]+   do_exit\(code=0\) \{$'
	expect_line '^ +[0-9.]+ +[0-9]+     exit_fs\(tsk=0x[0-9a-f]+\)$'
	expect_line '^ +[0-9]+   \} /\* has not returned \*/$'
	run sonde graph -g do_exit exit_fs -- true
	expect_line '^ +[0-9]+ do_exit\(\) \{$'
	# a mechanism that is asked for is that of functions, not of the ends of threads
	start sonde graph --mechanism kprobe do_exit
	true_ends 'do_exit()'
	stop INT
	expect_line '^ +[0-9]+ do_exit\(\) /\* has not returned \*/$'
}

# true_ends TEXT: processes end until TEXT comes, while sonde goes on.
true_ends() {
	wait_until 30 sh -c "/bin/true; grep -q '$1' out"
}

# One program at both ends of all functions, where the kernel has sessions of trampolines; with a filter as well, which
# says at the entry that the return is of no interest.
# kernels=ends
test_one_link_for_both_ends() {
	has fentry.multi || { refused_by fentry.multi; return 0; }
	for tool in graph 'graph -ar' funclatency; do
		start sonde $tool --mechanism fentry.multi -p $$ 'vfs_*'
		traces bpf | awk '$1 == "link" && $3 == 15' > links
		[ "$(wc -l < links)" = 1 ] || fail "$tool: links of trampolines: $(cat links)"
		stop INT
		no_residue
	done
	run sonde graph --json --mechanism fentry.multi 'vfs_re*' -- calls 300 read
	expect_json func depth
	[ "$(grep -c '^vfs_read	0$' rows)" -ge 250 ] || grep -q 'missed by the kernel\|the kernel skipped' err || fail "calls are missing"
}

# A few programs serve all functions, also at their returns on a kernel without cookies (5.10).
# kernels=ends
test_many_functions() {
	start sonde graph -p $$ 'vfs_*'
	traces bpf | awk '$1 == "prog"' > programs
	[ "$(wc -l < programs)" -le 8 ] || fail "programs: $(wc -l < programs)"
	stop INT
	run sonde graph --json 'vfs_*' -- calls 300 open
	expect_json func depth
	n=$(grep -c '^vfs_open	' rows)
	[ "$n" -ge 300 ] && [ "$n" -le 310 ] || grep -q 'missed by the kernel' err || fail "$n calls of vfs_open"
}

refused_by() {
	run sonde graph --mechanism "$1" 'vfs_*' -- true
	expect_exit 1
	expect_one_err "$1"
}

# Many threads, each of which makes one call and ends: all rows say whose they are.
# kernels=ends
test_short_lived() {
	run sonde graph --json --fail-on-loss u:/bin/threads:worker -- threads 2000
	expect_exit 0
	expect_json pid tid comm depth func
	rows=$(wc -l < rows)
	[ "$rows" = 2000 ] || fail "$rows rows of 2000"
	awk -F '\t' '!$1 || !$2 || $3 != "threads" || $4 || $5 != "worker"' rows > wrong
	[ ! -s wrong ] || fail "$(head -n 3 wrong)"
}

test_depth_and_under() {
	run sonde graph --json -D 2 'u:/bin/nested:n_*' -- nested tree 5 2
	expect_json tid depth func ns
	tree n_root:- n_mid:n_root
	rows_of n_mid 20
	run sonde graph --json -g u:/bin/nested:n_mid u:/bin/nested:n_leaf u:/bin/nested:n_root -- nested tree 5 2
	expect_json tid depth func ns
	tree n_mid:- n_root:none n_leaf:n_mid
	rows_of n_leaf 60
	rows_of n_root 0
	run sonde graph --json -g u:/bin/nested:n_leaf -g u:/bin/nested:n_root -- nested tree 5 2
	expect_json tid depth func ns
	tree n_root:- n_leaf:n_root
	rows_of n_leaf 60
}

# Kernel functions of a command, with arguments and results: the same open, seen by two functions.
# kernels=all arch=yes
test_kernel_tree() {
	echo text > file
	# a command that writes by sendfile, such as cat, moves the offset that it shares with sonde's output
	run sonde graph -a -r -g do_sys_openat2 vfs_open -- sh -c 'exec cat file no-such-file > text'
	expect_exit 0
	lost=$(sed -n 's/.*: \([0-9]*\) calls* lost: the kernel skipped.*/\1/p' err)
	[ -z "$lost" ] || skip "the kernel skipped a probe: it can be any of these"
	expect_heading '    TIME(us)     TID FUNCTION'
	expect_line '^ +[0-9]+ do_sys_openat2\(dfd=-100, filename="file", how=0x[0-9a-f]+\) \{$'
	expect_line '^ +[0-9.]+ +[0-9]+   vfs_open\(path="file", file=0x[0-9a-f]+\) = 0$'
	expect_line '^ +[0-9.]+ +[0-9]+ \} = [0-9]+$'
	expect_line '^ +[0-9.]+ +[0-9]+ do_sys_openat2\(dfd=-100, filename="no-such-file", how=0x[0-9a-f]+\) = -ENOENT$'
}

# A tree of the kernel and of the program.
test_both_sides() {
	run sonde graph --json u:/bin/calls:main do_sys_openat2 -- calls 3 openat
	expect_json tid depth func ns
	none=$(sed -n 's/.*: \([0-9]*\) calls* lost.*/\1/p' err)
	[ -n "$none" ] || [ "$(awk -F '\t' '$2 == 1 && $3 == "do_sys_openat2"' rows | wc -l)" -ge 3 ] || fail "$(cat rows)"
}

test_slower() {
	run sonde graph --json -t 200ms 'u:/bin/laps:lap_nap' -- sh -c 'laps nap 20 500; laps nap 3 210000'
	expect_json ns
	[ "$(awk '$1 >= 210000000' rows | wc -l)" -ge 3 ] || fail "$(cat rows)"
	! awk '$1 < 200000000' rows | grep . || fail "a short call"
}

# What runs when sonde ends has no time yet.
test_not_returned() {
	start sonde graph u:/bin/laps:lap_nap
	laps nap 1 60000000 > /dev/null &
	napping=$!
	wait_until 30 grep -q nanosleep "/proc/$napping/stack"
	stop INT
	kill $napping
	expect_exit 0
	expect_line '^ +[0-9]+ lap_nap\(\) /\* has not returned \*/$'
}

test_bad_usage() {
	run sonde graph
	expect_exit 2
	run sonde graph -g nosuchfunction vfs_read
	expect_exit 1
	expect_err "no kernel function matches 'nosuchfunction'"
	run sonde graph -D 0 vfs_read
	expect_exit 2
	for file in folded flame perfetto trace-dat record; do
		run sonde graph -k --$file x vfs_read -- true
		expect_exit 2
		expect_one_err "--kernel-stack prints stacks below trees.* --$file\$"
	done
}

# The times of all paths are those of all roots.
test_folded() {
	run sonde graph --json --folded paths --flame graph.svg 'u:/bin/nested:n_*' -- nested tree 20 2
	expect_exit 0
	expect_json depth ns
	awk -F '\t' '!$1 { n += $2 } END { printf "%.0f\n", n / 1000 }' rows > all
	cut -d ' ' -f 1 paths | sort > seen
	printf 'nested;%s\n' n_root 'n_root;n_mid' 'n_root;n_mid;n_leaf' | diff - seen || fail "other paths"
	awk '{ n += $2 } END { print n }' paths > sum
	expect_between "microseconds" $(($(cat all) - 3)) $(($(cat all) + 3)) "$(cat sum)"
	grep -q '</svg>' graph.svg || fail "no picture"
	run sonde graph --folded paths vfs_read -- true
	expect_exit 1
	run sonde graph --record trace --folded live --flame live.svg 'u:/bin/nested:n_*' -- nested tree 20 2
	run sonde report trace tree --folded recorded --flame recorded.svg
	expect_exit 0
	expect_line '^ +[0-9.]+ +[0-9]+     n_leaf\(\)$'
	diff live recorded || fail "other times than live"
	for file in live recorded; do sed '/<title>sonde\|id="title"/d' $file.svg > $file.untitled; done
	cmp live.untitled recorded.untitled || fail "another picture than live"
	run sonde report trace tree --folded -
	diff live out || fail "other times on stdout"
	run sonde report trace tree --json --folded -
	expect_exit 2
	run sonde graph --folded - 'u:/bin/nested:n_*' -- nested tree 1 1
	expect_line '^nested;n_root;n_mid;n_leaf [0-9]+$'
	expect_no_line 'FUNCTION'
	run sonde graph --json --folded - vfs_read
	expect_exit 2
}

# Calls that come before the one that they are in has returned are in it, in files.
# kernels=turns timeout=300
test_folded_large() {
	run sonde graph --folded - 'u:/bin/nested:n_*' -- nested wide 70000
	expect_exit 0
	! grep 'too many others' err || fail "files have all calls in their callers"
	sed 's/ [0-9]*$//' out | sort > paths
	printf 'nested;n_wide\nnested;n_wide;n_leaf\n' | cmp - paths || fail "$(cat paths)"
}

# The slices themselves, tests/host/graph_perfetto.sh checks.
# kernels=ends
test_perfetto() {
	echo text > file
	run sonde graph -ar --perfetto a.pftrace -g do_sys_openat2 vfs_open -- cat file no-such-file
	expect_exit 0
	expect_line 'filename="no-such-file".* = -ENOENT$'
	for what in do_sys_openat2 vfs_open dfd filename no-such-file ENOENT; do
		grep -q "$what" a.pftrace || fail "no $what in the file"
	done
	[ "$(stat -c %a a.pftrace)" = 600 ] || fail "others may read it"
	run sonde graph --perfetto a.pftrace vfs_read -- true
	expect_exit 1
	expect_one_err 'a.pftrace exists: --overwrite replaces it'
	run sonde graph --json --perfetto - vfs_read -- true
	expect_exit 2
	run sonde graph -r --perfetto - u:/bin/nested:n_leaf -- nested tree 1 1
	expect_exit 0
	grep -q n_leaf out && ! grep -q FUNCTION out || fail "stdout has something else"
}

# A disk without room has no half file, and the tree is there.
test_full_disk() {
	mkdir full
	mount -t tmpfs -o size=8k none full
	run sonde graph --perfetto full/a 'u:/bin/nested:n_*' -- nested tree 200 1
	left=$(ls -A full)
	umount full
	expect_exit 1
	expect_line ' n_root\(\) \{$'
	expect_err '^sonde graph: cannot write full/a: No space left on device'
	[ ! "$left" ] || fail "left: $left"
}

# Entries with their callers: of the same run, the same lines as ftrace's function tracer has.
# kernels=ends arch=yes
test_flat() {
	tracefs=/sys/kernel/tracing
	grep -qw function $tracefs/available_tracers || skip "the kernel has no function tracer"
	printf 'vfs_open\ndo_sys_openat2\n' > $tracefs/set_ftrace_filter
	echo function > $tracefs/current_tracer
	run sonde graph --flat --json --fail-on-loss vfs_open do_sys_openat2 -- calls 3 openat
	echo 0 > $tracefs/tracing_on
	grep -v '^#' $tracefs/trace > traced
	echo nop > $tracefs/current_tracer
	echo > $tracefs/set_ftrace_filter
	echo 1 > $tracefs/tracing_on
	expect_exit 0
	expect_json tid func caller
	tid=$(cut -f 1 rows | sort -u)
	n=$(wc -l < rows)
	[ "$(cut -f 2 rows | grep -cx do_sys_openat2)" -ge 3 ] || fail "$(cat rows)"
	sed -n "s/.*-$tid .*: \([a-z_0-9]*\) <-\(.*\)/$tid\t\1\t\2/p" traced | tail -n "$n" > wanted
	cmp -s rows wanted || fail "$(diff rows wanted)"
}

# kernels=all
test_flat_lines() {
	echo text > file
	run sonde graph --flat -a vfs_open do_exit -- cat file
	expect_exit 0
	expect_heading '     TIME(s)     TID COMM            FUNCTION <- CALLER'
	expect_line '^ +[0-9]+\.[0-9]+ +[0-9]+ cat +vfs_open\(path="file", file=0x[0-9a-f]+\) <- [a-z_]+'
	expect_line '^ +[0-9]+\.[0-9]+ +[0-9]+ cat +do_exit\(code=0\) <- [a-z_]+$'
	for other in -r '-D 2' '-t 1ms' '-g vfs_read' '--folded a' '--flame a' '--perfetto a'; do
		# shellcheck disable=SC2086 # two words
		run sonde graph --flat $other vfs_read
		expect_exit 2
		expect_err 'does not go with --[a-z]'
	done
	for spec in u:/bin/nested:n_leaf t:sched:sched_switch r:vfs_read vfs_read+4; do
		run sonde graph --flat $spec
		expect_exit 2
		expect_err "'.*': --flat takes functions"
	done
}

# Each tree has one stack, from its first function to that of the system call.
# kernels=ends arch=yes
test_kernel_stack() {
	run sonde graph -k -g do_sys_openat2 vfs_open -- calls 3 openat
	expect_exit 0
	trees=$(grep -cE '^ +[0-9.]+ +[0-9]+ (do_sys_openat2\(\)|\})$' out)
	[ "$trees" -ge 3 ] || fail "$trees trees"
	[ "$(grep -cE '^    do_sys_openat2(\.|$)' out)" = "$trees" ] || fail "not $trees stacks: $(cat out)"
	[ "$(grep -cE '^    __(x64|arm64)_sys_openat$' out)" = "$trees" ] || fail "not $trees system calls: $(cat out)"
	expect_no_line '^    vfs_open'
	run sonde graph -k --json -g do_sys_openat2 vfs_open -- calls 3 openat
	expect_json func kernel_stack
	[ "$(grep -c '^do_sys_openat2	.*sys_openat' rows)" -ge 3 ] || fail "$(cat rows)"
	[ "$(grep -c '^vfs_open	.*sys_openat' rows)" = 0 ] || fail "$(cat rows)"
	# user functions have no kernel stack
	run sonde graph -k u:/bin/nested:n_leaf -- nested tree 1 1
	expect_exit 0
	expect_no_line '^    [a-z_]'
}

# What matches is there with its callers, and nothing else: leaves of n_mid return 1 to 6 in order.
# kernels=ends
test_if() {
	run sonde graph --json --if 'ret == 5 || arg0 == 1 && ret < 3' 'u:/bin/nested:n_*' -- nested tree 1 1
	expect_exit 0
	expect_json depth func retval args
	printf '0\tn_root\t6\tnull\n1\tn_mid\t3\tnull\n2\tn_leaf\t2\tnull\n1\tn_mid\t6\tnull\n2\tn_leaf\t5\tnull\n' |
		cmp -s - rows || fail "$(cat rows)"
	run sonde graph --json --if 'ret == 100' 'u:/bin/nested:n_*' -- nested tree 1 1
	expect_exit 0
	! grep '^{' out || fail "a call that does not match"
	# what has not returned has no result, but arguments
	run sonde graph --if 'ret == 0 || ret != 0' u:/bin/nested:n_end u:/bin/nested:n_last -- nested end 1
	expect_no_line n_end
}

# kernels=all arch=yes
test_if_kernel() {
	echo text > file
	run sonde graph -a -r --if 'ret == -ENOENT' do_sys_openat2 vfs_open -- cat file no-such-file
	expect_exit 0
	expect_line ' do_sys_openat2\(dfd=-100, filename="no-such-file", how=0x[0-9a-f]+\) = -ENOENT$'
	expect_no_line '"file"'
	run sonde graph -r --if 'path == "file" && ret >= 0' -g do_sys_openat2 vfs_open -- cat file no-such-file
	expect_exit 0
	expect_line '^ +[0-9]+ do_sys_openat2\(\) \{$'
	expect_line '^ +[0-9.]+ +[0-9]+   vfs_open\(\) = 0$'
	[ "$(grep -c 'vfs_open\|openat2' out)" = 2 ] || fail "$(cat out)"
	run sonde graph --if 'fish == 1' vfs_open
	expect_exit 2
	expect_one_err "none of these functions has an argument 'fish'"
	run sonde graph --if 'file == "x"' vfs_open
	expect_exit 2
	expect_one_err "'file' that is read as a text"
	for condition in 'ret <' 'ret = 1' 'ret > 0) {} if (1' 'strlen(path)' '"a" == "b"' '@x'; do
		run sonde graph --if "$condition" vfs_open
		expect_exit 2
		expect_one_err "--if '"
	done
}

# The tables of calls are small here: calls are lost, and said to be; what is shown has its callers, also afterwards.
# kernels=ends
test_too_many_calls() {
	run sonde graph --json --max-calls 1 --fail-on-loss u:/bin/nested:n_deep -- nested deep 100 3
	expect_exit 1
	lost=$(sed -n 's/.*: \([0-9]*\) calls not measured: too many at a time.*/\1/p' err)
	expect_json depth retval
	shown=$(wc -l < rows)
	[ $((shown + lost)) = 300 ] || fail "$shown shown and $lost lost of 300"
	# each time from the outermost call on
	awk -F '\t' '$2 != 100 - $1' rows > wrong
	[ ! -s wrong ] && [ "$(grep -c '^0	100$' rows)" = 3 ] || fail "$(cat rows)"
	run sonde graph --json --fail-on-loss u:/bin/nested:n_deep -- nested deep 100
	expect_exit 0
}

# Threads that take entries of the pending table from each other: each call is shown or said to be lost, once.
# cpus=2 kernels=one
test_too_many_calls_at_once() {
	[ "$KERNEL" != 5.10 ] || skip 'BPF of this kernel has no compare-and-swap'
	run sonde graph --json --max-calls 1 --buffer-size 16m u:/bin/nested:n_root u:/bin/nested:n_mid \
		u:/bin/nested:n_leaf -- nested tree 500 8
	expect_exit 0
	lost=$(awk '/ calls not measured: / { n += $3 } END { print n }' err)
	[ "${lost:-0}" -gt 0 ] && [ $(($(wc -l < out) + lost)) = 36000 ] ||
		fail "$(wc -l < out) shown and ${lost:-0} lost of 36000: $(cat err)"
}

# A reader that stands still: the newest records take the place of the oldest ones, and those are counted.
# kernels=all
test_overwritten() {
	start sonde graph --json --buffer-size 64k --fail-on-loss u:/bin/nested:n_root u:/bin/nested:n_leaf
	kill -STOP "$started"
	nested tree 2000 1 > /dev/null
	kill -CONT "$started"
	stop INT
	expect_exit 1
	lost=$(sed -n 's/.*: \([0-9]*\) calls lost: the buffer was full .*/\1/p' err)
	expect_json func depth
	shown=$(wc -l < rows)
	[ "${lost:-0}" -gt 0 ] && [ $((shown + lost)) = 14000 ] || fail "$shown shown, ${lost:-0} lost of 14000"
	# no call lacks its caller, but one whose end is among the first records: then it is deep itself
	awk -F '\t' '$1 == "n_leaf" && $2 != 1 || $1 == "n_root" && $2 != 0' rows > wrong
	[ ! -s wrong ] || fail "$(head -n 3 wrong)"
}

# What 5.10 has no room for.
# kernels=ends
test_too_many_pending_calls() {
	run sonde graph --max-calls 131072 u:/bin/nested:n_deep -- nested deep 10
	[ "$KERNEL" != 5.10 ] || {
		expect_exit 1
		expect_err '^sonde graph: this kernel has no room for 131072 pending calls at a time, but for [0-9]+ \(--max-calls\)$'
		room=$(sed -n 's/.*but for \([0-9]*\) .*/\1/p' err)
		run sonde graph --max-calls "$room" u:/bin/nested:n_deep -- nested deep 10
	}
	expect_exit 0
}

# A goroutine has a tree of its own, whatever threads it runs on.
test_go() {
	run sonde graph --json --max-calls 8192 'u:/bin/gofuncs:main.*' -- gofuncs 30
	expect_exit 0
	expect_json depth func
	awk -F '\t' '
		{ above = $1 ? at[$1 - 1] : "-"; at[$1] = $2 }
		$2 == "main.work" && above !~ /^main.(one|work)$/ || $2 == "main.deep" && above !~ /^main.(dive|deep)$/ ||
			$2 ~ /^main.(nap|dive)$/ && above != "main.one" { print FNR ": " $2 " in " above }' rows > wrong
	[ ! -s wrong ] || fail "$(head -n 3 wrong)"
	[ "$(cut -f 2 rows | grep -cx main.deep)" = 6000 ] || fail "$(cut -f 2 rows | sort | uniq -c)"
}

# More threads asleep in a function than the kernel's return probe follows: what returned, and what is said to be lost,
# is what was called.
# kernels=ends
test_missed_returns() {
	asleep=$(yes sleep | head -n 30)
	# shellcheck disable=SC2086 # a list
	run sonde graph --json --fail-on-loss --mechanism kprobe hrtimer_nanosleep -- waits 4 50 $asleep
	expect_exit 1
	missed=$(sed -n 's/.*: \([0-9]*\) \(calls* lost: the kernel skipped\|returns* missed\).*/\1/p' err)
	[ "${missed:-0}" -gt 0 ] || fail "no return was missed"
	expect_err 'with kprobe,? (it follows only a few calls|more calls of a function were under way than it follows)'
	! grep 'return was not seen' err || fail "lost twice"
	expect_json func ns
	ended=$(awk -F '\t' '$2 != "null"' rows | wc -l)
	# the kernel counts those of other processes, too
	expect_between "ended or missed" 120 130 $((ended + missed))
}
