# SPDX-License-Identifier: BSD-2-Clause
# sonde runqlat: it must show the kernel's own account of each process's waits
# (/proc/PID/schedstat).
# of file: kernels=one

# waited OPTION... -- CMD...: checks the rows of one run.
waited() {
	run sonde runqlat -P --json "$@"
	expect_exit 0
	expect_turns waited
}

# Two processes want the same processor. The tables at intervals must together have all values.
# kernels=all
test_two_on_one() {
	one_of_three waited -i 0.1 -- turns 2 300
	[ "$(cut -f 1,2 rows | grep -c turns)" -gt 2 ] || fail "not several tables"
}

# kernels=all
test_woken() {
	one_of_three waited -- turns -s 50,2 1 50
	# those that compete wait for long, one that is woken alone does not
	run sonde runqlat -P -- turns 2 100
	expect_exit 0
	expect_line '^pid = [0-9]+ turns$'
	expect_line '^     usecs               : count     distribution$'
	expect_line '^ +[0-9]+ -> [0-9]+ +: [0-9]+ +\|\*+ *\|$'
	[ "$(grep -c '^pid = ' out)" -ge 3 ] || fail "not each process by itself"
}

# cpus=2 kernels=ends
test_two_processors() {
	one_of_three waited -- turns -s 30,1 3 150
}

test_by_thread() {
	run sonde runqlat -L --precise --json -- turns 2 100
	expect_exit 0
	expect_json tid comm count percentiles
	sed -n 's/^did turns\t\([0-9]*\)\t.*/\1\tturns/p' out | sort > want
	cut -f 1,2 rows | sort > seen
	[ "$(sort want seen | uniq -d | wc -l)" -eq 2 ] || fail "not each thread is there"
	grep -q '"p99":[0-9]*.*"max":' rows || fail "no percentiles"
}

test_pidns() {
	run sonde runqlat --pidnss -- unshare -pf sh -c 'readlink /proc/self/ns/pid; calls 1 getppid; :'
	expect_exit 0
	expect_line "^pidns = $(readlink /proc/self/ns/pid | tr -dc 0-9)\$"
	[ "$(grep -c '^pidns = [1-9]' out)" -eq 2 ] || fail "not two namespaces"
}

within() {
	sh -c 'echo $$ > "/sys/fs/cgroup/$0/cgroup.procs"; exec "$@"' "$@"
}

# seen_only COMM...: these must have rows, and no others.
seen_only() {
	expect_exit 0
	expect_json comm
	[ "$(sort -u rows | tr '\n' ' ')" = "$* " ] || fail "rows of $(sort -u rows | tr '\n' ' '), not of $*"
}

# The filter must apply to a task that is not the current one.
# kernels=ends
test_filters() {
	start sonde runqlat -P --json --comm turns
	turns 1 20
	stop INT
	seen_only turns
	cp /bin/turns mine
	chmod 755 mine
	start sonde runqlat -P --json --uid 1000
	turns 1 20
	su user -c 'exec ./mine 1 20'
	stop INT
	# a row has the process's name at its first wait, perhaps before it was renamed
	sed -i '/"comm":"s[hu]"/d' out
	seen_only mine
	start sonde runqlat -P --json -p $$
	turns 1 20
	stop INT
	seen_only sh
	mkdir -p /sys/fs/cgroup/house/inner /sys/fs/cgroup/other
	start sonde runqlat -P --json --cgroup house
	within other turns 1 20
	within house/inner ./mine 1 20
	stop INT
	rmdir /sys/fs/cgroup/house/inner /sys/fs/cgroup/house /sys/fs/cgroup/other
	expect_exit 0
	expect_json comm
	grep -qx mine rows && ! grep -qx turns rows || fail "another cgroup's tasks, or not all of ours"
}

test_filter_in_pidns() {
	cat > inside <<-'END'
	mount -t proc proc /proc
	. /lib.sh
	mkdir inner
	cd inner
	start sonde runqlat -P --json -p $$
	turns 1 20
	stop INT
	END
	run unshare -p -m -f sh -e inside
	expect_exit 0
	cp inner/out out
	seen_only sh
}

test_max_keys() {
	run sonde runqlat -P --json --max-keys 2 -- turns 6 10
	expect_exit 0
	expect_json pid
	[ "$(wc -l < rows)" -eq 2 ] || fail "not two rows"
	expect_err '[0-9]+ values not counted: there are more than 2 pids \(--max-keys makes room\)'
	run sonde runqlat -P --max-keys 100000 --precise -d 1
	expect_exit 1
	expect_one_err '100000 histograms of [0-9]+ bytes each are too many: use a smaller --max-keys'
}

# An interval that sonde slept through is not made up for.
three_tables() {
	run sonde runqlat -mT 0.1 3
	expect_exit 0
	[ "$(grep -c '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]$' out)" -eq 3 ] || fail "not three tables"
}

test_times() {
	one_of_three three_tables
	run sonde runqlat -m -- turns 1 30
	expect_line '^     msecs               : count     distribution$'
	expect_no_line '^avg = '
	run sonde runqlat -e -- turns 1 30
	expect_line '^avg = [0-9]+ usecs, total: [0-9]+ usecs, count: [0-9]+$'
	expect_err 'Tracing run queue latency\.\.\. Hit Ctrl-C to end'
}

test_errors() {
	run sonde runqlat soon
	expect_exit 2
	expect_err "'soon' is not an interval in seconds"
	run sonde runqlat 1 0
	expect_exit 2
	expect_err "'0' is not a number of tables"
	# bcc's arguments and our option contradict each other
	for tool in runqlat cpudist biolatency hardirqs softirqs; do
		run sonde "$tool" -i 1 1
		expect_exit 2
		expect_err "the interval is given twice: by --interval and as '1'"
	done
	run sonde runqlat --duration 3 1 2
	expect_exit 2
	expect_err "the end is given twice: by --duration and as '2' tables"
	run sonde runqlat -P -L
	expect_exit 2
	expect_err 'by pid or by tid: choose one'
	run sonde runqlat --precise --linear 5
	expect_exit 2
	expect_err 'choose one'
}
