# SPDX-License-Identifier: BSD-2-Clause
# sonde vfsstat: exactly what a workload reports.
# of file: kernels=one

keys='reads writes fsyncs opens creates'

# sums: prints the sum of each column over all rows of JSON.
sums() {
	expect_json $keys
	awk '
		{ for (i = 1; i <= 5; i++) n[i] += $i }
		END { print n[1] + 0, n[2] + 0, n[3] + 0, n[4] + 0, n[5] + 0 }' rows
}

# of CALL...: prints how many of these calls the workload made.
of() {
	awk -v calls=" $* " '$1 == "did" && index(calls, " " $2 " ") { n += $3 } END { print n + 0 }' out
}

# expect_sums: apart from what its calls do, the workload writes its report once, opens the device
# for its first read, and its program is opened when it is executed.
expect_sums() {
	want="$(of read) $(($(of write) + 1)) $(of fsync fdatasync)"
	want="$want $(($(of open creat) + 1 + ($(of read) > 0))) $(of creat mkfile)"
	seen=$(sums)
	[ "$seen" = "$want" ] || fail "'$seen', not '$want'"
}

# kernels=ends
test_exact() {
	run sonde vfsstat --json -- calls 70 read 30 write 11 fsync 13 fdatasync 17 open 19 creat 5 mkfile 3 mknod \
		9 openat
	expect_exit 0
	expect_err '^Tracing file system calls\.\.\. Hit Ctrl-C to end\.$'
	expect_sums
}

# Each call is in its own column, and fsync and fdatasync are counted once.
# kernels=ends
test_each_alone() {
	for call in read write fsync fdatasync open creat mkfile mknod; do
		run sonde vfsstat --json -c "calls 7 $call"
		expect_exit 0
		expect_sums
	done
}

# cpus=2
test_two_processors() {
	run sonde vfsstat --json 0.02 -- calls -t 20000 read 20000 write 500 fsync 300 fdatasync 1500 open 1500 creat
	expect_exit 0
	seen=$(sums)
	counts=$(echo "$seen" | cut -d ' ' -f 1-3,5)
	[ "$counts" = "40000 40001 1600 3000" ] || fail "'$seen'"
	# each of two threads may find the device closed, and opens it
	expect_between opens 6002 6003 "$(echo "$seen" | cut -d ' ' -f 4)"
}

test_text() {
	run sonde vfsstat -- calls 500 read 400 write 300 fsync 200 open 100 creat
	expect_exit 0
	expect_heading 'TIME       READ/s  WRITE/s  FSYNC/s   OPEN/s CREATE/s'
	sed '/^did /d; 1d' out > rows
	[ "$(grep -cvE '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]( +[0-9]+){5}$' rows)" = 0 ] || fail "other rows"
	for column in 2 3 4 5 6; do
		[ "$(add_up $column rows)" -gt 0 ] || fail "column $column is empty"
	done
}

# expect_rows N: as many rows, or fewer where the machine stood still for longer than an interval.
expect_rows() {
	expect_between rows 1 "$1" "$(wc -l < rows)"
}

test_interval_and_count() {
	run sonde vfsstat 0.05 2 --json
	expect_exit 0
	expect_json ns $keys
	expect_rows 2
	[ "$(add_up 1 rows)" -ge 100000000 ] || fail "the intervals are shorter than 2 x 50 ms"
	run sonde vfsstat 0.05 3
	[ "$(grep -c 'READ/s' out)" = 1 ] || fail "not one heading"
	tail -n +2 out > rows
	expect_rows 3
	run sonde vfsstat --csv 0.05 2
	[ "$(tr -d '\r' < out | head -n 1)" = time,ns,reads,writes,fsyncs,opens,creates ] || fail "other headings"
	tail -n +2 out > rows
	expect_rows 2
}

test_pid() {
	gate calls 40 read 30 write 20 fdatasync 10 creat
	start sonde vfsstat -p $gated 0.05 --json
	open_gate > said
	stop INT
	expect_exit 0
	cat said >> out
	expect_json $keys
	# the workload opens its gate, and reads from it
	[ "$(sums | cut -d ' ' -f 2,3,5)" = "31 20 10" ] || fail "'$(sums)'"
}

# On SIGINT a last row has the hits since the row before.
test_interrupted() {
	start sonde vfsstat --json 100
	calls 60 fsync
	stop INT
	expect_exit 0
	[ "$(sums | cut -d ' ' -f 3)" -ge 60 ] || fail "no last row"
	[ "$(wc -l < rows)" = 1 ] || fail "not one row"
}

test_reader_ends() {
	sonde vfsstat 0.02 2> err | head -n 3 > out || fail "exit"
	[ "$(wc -l < out)" = 3 ] || fail "not three lines"
	! grep -v '^Tracing file system calls' err || fail "something was said"
}

test_errors() {
	run sonde vfsstat --mechanism raw_tp
	expect_exit 1
	expect_one_err "cannot attach to 'vfs_read' by raw_tp: raw_tp cannot attach to a kernel function"
	run sonde vfsstat vfs_read
	expect_exit 2
	expect_err "'vfs_read' is not an interval in seconds"
	run sonde vfsstat 1 2 3
	expect_exit 2
	expect_err "unexpected argument '3'"
	run sonde vfsstat -T
	expect_exit 2
	expect_err 'this tool has no option -T: each row has the time$'
}
