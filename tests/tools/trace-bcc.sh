# SPDX-License-Identifier: BSD-2-Clause
# sonde trace with probes in the notation of bcc's trace.
# of file: kernels=one

# rows TEXT: how many lines of stdout contain it.
rows() {
	grep -cF -e "$1" out || :
}

expect_rows() {
	[ "$(rows "$2")" = "$1" ] || fail "$(rows "$2") rows with '$2', not $1"
}

test_strings() {
	run sonde trace 'do_sys_openat2 (STRCMP("/no/such", arg2@user)) "open %s %d", arg2@user, arg1' \
		-c 'calls 40 openat 7 read'
	expect_exit 0
	[ "$(head -n 1 out)" = "PID     TID     COMM            FUNC             -" ] || fail "another heading"
	expect_rows 40 ' calls           do_sys_openat2   open /no/such/file -100'
	[ "$(wc -l < out)" = 43 ] || fail "other lines"
	[ ! -s err ] || fail "something on stderr"
}

# kernels=ends arch=yes
test_returns() {
	probe='r::do_sys_openat2(int dfd) ((int)retval == -2 && $entry(dfd) == -100)'
	run sonde trace "$probe \"%d %lld %x\", retval, \$entry(dfd), -1" 'r::vfs_read (retval == 1) "one"' \
		--comm calls -c 'calls 40 openat 7 read'
	expect_exit 0
	[ "$(rows ' -2 -100 ffffffff')" -ge 40 ] || fail "too few"
	expect_rows 7 'vfs_read         one'
}

test_signatures() {
	probe='p::vfs_read(struct file *file, char *buf, size_t count) (count == 1)'
	run sonde trace "$probe \"%s %d %c %hu\", file->f_path.dentry->d_name.name, count, 0x41, 65537" \
		'vfs_read (((struct file *)arg1)->f_mode & 1 && arg3 == 1) "mode %K", arg1' -c 'calls 7 read'
	expect_exit 0
	expect_rows 7 'vfs_read         zero 1 A 1'
	expect_rows 7 'vfs_read         mode '
}

# The arguments of a system call's function are in the registers of its caller.
# kernels=ends arch=yes
test_syscalls() {
	probe='r::sys_read(int fd, char *buf, size_t n) ($entry(n) == 1) "got %d", retval'
	run sonde trace 'sys_read (arg3 == 1) "%d bytes", arg3' "$probe" \
		'sys_openat (STRCMP("/no/such", arg2@user)) "%s", arg2@user' -c 'calls 40 openat 7 read'
	expect_exit 0
	expect_rows 7 'sys_read         1 bytes'
	expect_rows 7 'sys_read         got 1'
	expect_rows 40 'sys_openat       /no/such/file'
	run sonde trace 'sys_openat(int dfd, const char *name) (STRCMP("/no/such", name)) "%d %s", dfd, name' \
		-c 'calls 40 openat'
	expect_rows 40 ' -100 /no/such/file'
	run sonde trace 'p::SyS_nanosleep(struct __kernel_timespec *ts) "sleep for %lld ns", ts->tv_nsec' \
		-c 'calls 2 nanosleep'
	expect_rows 2 'SyS_nanosleep    sleep for 20000000 ns'
	run sonde argdist -C 'p::sys_read(int fd, char *buf, size_t n):size_t:n:n==1' -c -- calls 7 read
	expect_exit 0
	expect_line '	7 +n = 1$'
}

test_tracepoints() {
	run sonde trace 't:sched:sched_process_exit "%s %d %d", args->comm, args->pid == $pid, $uid' -T -C \
		-c 'calls 7 read'
	expect_exit 0
	expect_line '^TIME     CPU PID     TID     COMM            FUNC             -$'
	expect_line '^[0-9:]{8} [0-9]+ +[0-9]+ +[0-9]+ +calls           sched_process_exit calls 1 0$'
}

# arch=yes
test_user() {
	run sonde trace "$(command -v ufuncs):f_one \"%d\", (int)arg1 >= 0" \
		"r:$(command -v ufuncs):f_two(int x) (\$retval - \$entry(x) == 2) \"two\"" -c 'ufuncs 5'
	expect_exit 0
	expect_rows 5 'f_one            1'
	expect_rows 10 'f_two            two'
}

test_headings() {
	run sonde trace 'vfs_read (arg3 == 1)' --print_cpu -t -T -c 'calls 2 read'
	expect_exit 0
	[ "$(head -n 1 out)" = "TIME     CPU PID     TID     COMM            FUNC             " ] ||
		fail "another heading"
	run sonde trace 'vfs_read (arg3 == 1)' 'vfs_read (arg3 == 1) "x"' -c 'calls 2 read'
	[ "$(head -n 1 out)" = "PID     TID     COMM            FUNC             -" ] || fail "another heading"
}

# arch=yes
test_usdt() {
	run sonde trace 'u:/bin/usdt:all "%d %d", arg1, arg2' 'u:/bin/usdt:args:all (arg1 == 1)' -c 'usdt 3'
	expect_exit 0
	expect_rows 3 ' all              '
	expect_rows 1 ' all              2 2000000'
	expect_rows 1 ' args:all         '
}

test_options() {
	run sonde trace -M 3 'do_sys_openat2 "%s", arg2@user' -n cal -f such -c 'calls 40 openat'
	expect_exit 0
	expect_rows 3 '/no/such/file'
	run sonde trace -A 'vfs_read (arg3 == 1) "x"' -c 'calls 7 read'
	expect_exit 0
	expect_rows 1 'vfs_read         x'
	expect_line '^-->COUNT 7$'
	run sonde trace -Z 4 'do_sys_openat2 (STRCMP("/no", arg2)) "<%s>", arg2' -c 'calls 2 openat'
	expect_rows 2 '/no'
	expect_no_line 'such'
	run sonde trace -t 'vfs_read (arg3 == 1)' -c 'calls 2 read'
	expect_line '^TIME     PID'
	expect_line '^[0-9]\.[0-9]{6} [0-9]+ .* vfs_read'
	run sonde trace -t -u 'vfs_read (arg3 == 1)' -c 'calls 2 read'
	expect_line '^[0-9]{10}\.[0-9]{6} [0-9]+ .* vfs_read'
	run sonde trace -j 'vfs_read (arg3 == 1) "%d", arg3' -c 'calls 2 read'
	expect_line '"comm":"calls","func":"vfs_read","message":"1",'
	run sonde trace --bin_cmp 'do_sys_openat2 (STRCMP("{0x2f, 0x6e, 0x6f}", arg2@user)) "bytes"' -c 'calls 5 openat'
	expect_rows 5 bytes
}

test_stacks() {
	run sonde trace -K 'vfs_read (arg3 == 1)' -M 1 -c 'calls 7 read'
	expect_exit 0
	expect_line '^        vfs_read\+0x[0-9a-f]+ \[kernel\]$'
	[ "$(tail -n 1 out)" = "" ] || fail "no empty line behind the stack"
	run sonde trace -K -a 'vfs_read (arg3 == 1)' -M 1 -c 'calls 7 read'
	expect_line '^        ffff[0-9a-f]{12} vfs_read\+0x'
}

# Stacks of a command that begins, and of a process that runs since before.
# arch=yes
test_user_stacks() {
	run sonde trace -U 'vfs_read (arg3 == 1)' -c 'calls 7 read'
	expect_exit 0
	[ "$(grep -cE '^        main\+0x[0-9a-f]+ \[calls\]$' out)" = 7 ] || fail "not 7 times main"
	expect_no_line 'unknown|truncated'
	spin 60 &
	spinning=$!
	run sonde trace -U 'r::sys_getppid' -M 2 -p $spinning
	kill $spinning
	expect_exit 0
	expect_rows 2 '        main+0x'
}

# begin ARG...: sonde trace in the background. It prints its heading when it is armed.
begin() {
	: > out # what the last one printed must not be taken for this one's
	sonde trace "$@" > out 2> err &
	tracing=$!
	wait_until 30 grep -q '^PID ' out || fail "not armed: $(cat err)"
}

end() {
	kill -INT $tracing
	wait $tracing || fail "exit status $?: $(cat err)"
}

# -L is one thread, -p all of a process: the threads of the process call worker(), the first one main().
test_one_thread() {
	program=$(command -v threads)
	for only in "-L 0" "-p 3"; do
		mkfifo go
		sh -c 'read -r x < go; exec threads 3' > did &
		waiting=$!
		begin "${only% *}" $waiting "$program:main \"begins\"" "$program:worker \"works\""
		echo > go
		wait $waiting
		end
		rm go
		expect_rows 1 "$(printf '%-7d %-7d threads         main             begins' $waiting $waiting)"
		expect_rows "${only#* }" ' worker           works'
	done
}

# lost_of PAGES: sets $lost and $seen, of 2000 events while the reader does not read.
lost_of() {
	begin -b "$1" 'do_sys_openat2 (STRCMP("/no/such", arg2@user)) "open %s", arg2@user' -n calls
	kill -STOP $tracing
	calls 2000 openat > did
	kill -CONT $tracing
	end
	seen=$(rows 'open /no/such/file')
	lost=$(sed -n 's/.*: \([0-9]*\) events* lost: the buffer.*/\1/p' err)
	[ $((seen + ${lost:-0})) = 2000 ] || fail "-b $1: $seen shown and ${lost:-0} lost"
}

# Pages of a processor's buffer; the guest has one processor.
test_buffer_pages() {
	lost_of 1
	[ "$seen" -gt 0 ] && [ "$seen" -lt 100 ] || fail "a page held $seen events"
	of_one=$seen
	lost_of 8
	[ "$seen" -gt $((of_one * 6)) ] && [ "$seen" -lt $((of_one * 10)) ] ||
		fail "a page held $of_one events, eight held $seen"
	lost_of 1024
	[ "$seen" = 2000 ] || fail "1024 pages held $seen events"
}

# Stacks of a process that has ended have names whatever files are listed.
test_files_of_symbols() {
	for files in '' '-s /bin/calls,/lib/nothing.so'; do
		run sonde trace -U $files 'vfs_read (arg3 == 1)' -c 'calls 7 read'
		expect_exit 0
		[ "$(grep -cE '^        main\+0x[0-9a-f]+ \[calls\]$' out)" = 7 ] || fail "not 7 times main"
		[ ! -s err ] || fail "a message: $(cat err)"
	done
}

test_errors() {
	run sonde trace 'no_such_function "%d", arg1'
	expect_exit 2
	expect_err 'no_such_function'
	run sonde trace 'sched_process_exit+0x12'
	expect_exit 2
	expect_err "no kernel function matches 'sched_process_exit'"
	run sonde trace 'vfs_read "%d %d", arg1'
	expect_exit 2
	expect_err '2 specifiers for 1 argument'
	run sonde trace 'p::vfs_read(struct file *file) "%d", file->f_flgs'
	expect_exit 2
	expect_err '^probe:1:'
	run sonde trace -M 3 -e 'begin { exit(); }'
	expect_exit 2
	expect_err 'for .*probes'
	run sonde trace -c /sys/fs/cgroup vfs_read
	expect_exit 2
	expect_err 'is a directory \(for a cgroup: --cgroup /sys/fs/cgroup\)'
	run sonde trace nothing.bt
	expect_exit 1
	expect_err 'nothing.bt: No such file'
}

# An offset in a function, and an address.
# arch=yes
test_places() {
	run sonde trace "$(command -v ufuncs):f_one+0x0 \"%d\", \$pid > 0" -c 'ufuncs 5'
	expect_exit 0
	expect_rows 5 'f_one            1'
	address=$(awk '$3 == "'"$getppid"'" { print $1; exit }' /proc/kallsyms)
	run sonde trace "p::0x$address \"here\"" -c 'calls 5 getppid'
	expect_exit 0
	expect_rows 5 ' here'
}
