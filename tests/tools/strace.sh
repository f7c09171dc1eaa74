# SPDX-License-Identifier: BSD-2-Clause
# sonde strace: lines of calls that strace-calls makes.
# of file: kernels=one

# expect_line LINE: the file `log` has this line, as grep -x with extended expressions.
expect_line() {
	grep -qxE -- "$1" log || fail "no line: $1"
}

# kernels=all arch=yes
test_lines() {
	run sonde strace -f -o log -- strace-calls
	expect_exit 3
	sed -i 's/^[0-9]* *//; s/)  *= /) = /' log
	expect_line 'execve\("[^"]*strace-calls", \["strace-calls"\], 0x[0-9a-f]+ /\* [0-9]+ vars \*/\) = 0'
	expect_line 'open(at)?\((AT_FDCWD, )?"/nowhere/at\\tall", O_RDWR\|O_CREAT\|O_EXCL(\|O_LARGEFILE)?, 0640\) = -1 ENOENT \(No such file or directory\)'
	expect_line 'open(at)?\((AT_FDCWD, )?"/dev/null", O_WRONLY(\|O_LARGEFILE)?\|O_CLOEXEC\) = [0-9]+'
	expect_line 'write\([0-9]+, "a text that is longer than thirt"\.\.\., 43\) = 43'
	expect_line 'write\([0-9]+, "\\0011\\18\\"\\\\\\n", 7\) = 7'
	expect_line 'writev\([0-9]+, \[\{iov_base="one", iov_len=3\}, \{iov_base="two\\n", iov_len=4\}\], 2\) = 7'
	expect_line 'pipe2\(\[[0-9]+, [0-9]+\], O_CLOEXEC\) = 0'
	expect_line 'read\([0-9]+, "abc", 64\) = 3'
	expect_line 'fcntl\([0-9]+, F_GETFL\) = 0(x[0-9a-f]+)? \(flags O_RDONLY(\|O_LARGEFILE)?\)'
	expect_line 'fcntl\([0-9]+, F_SETFD, FD_CLOEXEC\) = 0'
	expect_line 'close\(-1\) = -1 EBADF \(Bad file descriptor\)'
	expect_line 'mkdirat\(AT_FDCWD, 0x10, 0700\) = -1 EFAULT \(Bad address\)'
	expect_line 'mkdirat\(AT_FDCWD, "xxxxxx+"\.\.\., 0700\) = -1 ENAMETOOLONG \(File name too long\)'
	expect_line 'execve\("/nowhere", \["a"\], 0x[0-9a-f]+(\) = -1 ENOENT| /\* 2 vars, unterminated \*/\) = -1 EFAULT) .*'
	expect_line 'socket\(AF_UNIX, SOCK_STREAM\|SOCK_CLOEXEC, 0\) = [0-9]+'
	expect_line 'connect\([0-9]+, \{sa_family=AF_UNIX, sun_path="/nowhere"\}, 11\) = -1 ENOENT \(No such file or directory\)'
	expect_line 'p?poll\(\[\{fd=-1\}\], 1, (0|\{tv_sec=0, tv_nsec=0\}, NULL, [08])\) = 0 \(Timeout\)'
	expect_line '--- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=[0-9]+, si_uid=0\} ---'
	expect_line 'rt_sigreturn\(\{mask=\[\]\}\) = 0'
	expect_line 'syscall_0x3e7\(.*\) = -1 ENOSYS \(Function not implemented\)'
	expect_line 'wait4\(-1, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 5\}\], 0, NULL\) = [0-9]+'
	expect_line 'exit_group\(3\) = \?'
	expect_line '\+\+\+ exited with 5 \+\+\+'
	[ "$(tail -n 1 log)" = '+++ exited with 3 +++' ] || fail "the last line is another one"
}

# Several processes: each is traced, with -f its children too; the run ends with the last one.
# kernels=ends
test_processes() {
	loop='while :; do sleep 0.1'
	sh -c "$loop; umask 1; (umask 3); done" & first=$!
	sh -c "$loop; umask 2; done" & second=$!
	sh -c "$loop; umask 4; done" & other=$!
	start sonde strace -e umask -p $first -p "$second" -o log
	wait_until 20 grep -q "^$first *umask(0*1)" log || fail "the first is not traced"
	wait_until 20 grep -q "^$second *umask(0*2)" log || fail "the second is not traced"
	stop INT
	! grep -e '(0*3)' -e '(0*4)' log || fail "a child or another process"
	start sonde strace -f -e umask -p "$first,$second
		" -o log
	wait_until 20 grep -q "umask(0*3)" log || fail "no child"
	wait_until 20 grep -q "^$second *umask(0*2)" log || fail "the second is not traced with -f"
	kill $first $second
	await
	expect_exit 0
	! grep '(0*4)' log || fail "another process"
	sh -c "$loop; (umask 3); done" & first=$!
	start sonde strace -f -e umask -p $first -o log
	wait_until 20 grep -q "umask(0*3)" log || fail "no child of the only one"
	kill $first $other
	await
	expect_exit 0
	# the child goes on when its parent, which is named, has ended
	sh -c 'until [ -e go ]; do sleep 0.1; done; (sleep 1; umask 6) &' & first=$!
	start sonde strace -f -e umask -p $first -o log
	: > go
	await
	expect_exit 0
	grep -q "umask(0*6)" log || fail "not to the end of the child"
	# no record says that it ends: the filter leaves it out
	sleep 60 & first=$!
	start sonde strace -p $first --uid 1 -e umask -o log
	kill $first
	await
	expect_exit 0
	# one that ends while sonde attaches to it
	for delay in 0.05 0.15 0.3; do
		sleep 60 & first=$!
		(sleep $delay; kill $first) & other=$!
		run timeout 30 sonde strace -p $first -e umask -o log
		grep -qE "no process|: process .* has ended" err || expect_exit 0
		wait $other
	done
}

# What it waits in when sonde attaches is printed first, though its begin was not seen.
# kernels=ends arch=yes
test_waits_when_attached() {
	mkfifo fifo
	exec 8<>fifo
	dd if=fifo of=/dev/null bs=1 count=1 & first=$!
	# read(2), on both architectures
	wait_until 20 grep -qE '^(0|63) ' /proc/$first/syscall || fail "it does not read"
	start sonde strace -e '!read' -p $first -o other
	stop INT
	[ ! -s other ] || fail "a call that is not wanted"
	start sonde strace -T -y -p $first -o log
	wait_until 20 grep -qE '^read\([0-9]<[^>]*/fifo>, ' log || fail "not what it waits for: $(cat log)"
	echo hello >fifo
	await
	expect_exit 0
	# how long it took is not known
	grep -qE '^read\([0-9]<[^>]*/fifo>, "h", 1\) *= 1$' log || fail "no end: $(cat log)"
	grep -qE '^write\(1</dev/null>, "h", 1\) *= 1 <' log || fail "not what it does then: $(cat log)"
}

# Choices of calls and of results, and other forms.
# kernels=one
test_choices() {
	run sonde strace -e close,%file -- strace-calls
	sed '/^+++/d; /^---/d' err > log
	! grep -vE '^sonde|^(execve|open|openat|close|mkdirat|access|readlink|readlinkat|fstat|newfstatat)\(' log ||
		fail "other calls"
	run sonde strace -Z -qq -e trace=all -- strace-calls
	! grep -vE '^sonde|^---|= (-1 E|\?)' err || fail "calls that did not fail"
	run sonde strace -j -e getppid -- strace-calls 20
	[ "$(grep -c '"call":"getppid","args":"","ret":' out)" -eq 20 ] || fail "not 20 objects"
	run sonde strace -T -ttt -e getppid -- strace-calls 1
	grep -qE '^[0-9]+\.[0-9]{6} getppid\(\) += [0-9]+ <0\.[0-9]{6}>$' err || fail "no time"
	run sonde strace -s 3 -xx -e write -- strace-calls
	grep -qF 'write(3, "\x61\x20\x74"..., 43)' err || grep -qE 'write\([0-9]+, "\\x61\\x20\\x74"\.\.\., 43\)' err || fail "no hex"
}

# A call that does not end soon is shown before its end.
# kernels=ends
test_pending() {
	mkfifo fifo
	: > err
	dfl sonde strace -e '?open,openat' -- sh -c 'exec < fifo; exit 4' > out 2> err &
	started=$!
	wait_until 20 grep -qE '^open(at)?\([^"]*$' err || fail "nothing is shown"
	: > fifo # opens it, and no more: the reader may have ended when something is written
	await
	expect_exit 4
	expect_err '^open(at)?\((AT_FDCWD, )?"fifo", O_RDONLY(\|O_LARGEFILE)?\) += [0-9]+$'
}

# Calls that are made while sonde attaches: their begins are not seen without their ends.
# kernels=ends
test_attaches_to_busy() {
	sh -c 'while :; do strace-calls 1; done' > /dev/null 2>&1 &
	run sonde strace -d 1 -e execve,getppid -o log
	expect_exit 0
	grep -qE 'getppid\(\) += ' log || fail "nothing is traced"
	! grep 'without an end' err || fail "begins without their ends"
	run sonde strace -c -d 1 -e execve,getppid
	kill $!
	expect_err '[1-9][0-9]* +getppid$'
	! grep 'without a time' err || grep missed err || fail "ends without their begins are counted"
}

# No call is lost, or a line says how many are.
# kernels=turns
test_storm() {
	run sonde strace -e getppid -o log --buffer-size 64k -- strace-calls 100000
	n=$(grep -c '^getppid() ' log) lost=$(sed -n 's/.*strace: \([0-9]*\) records\{0,1\} of calls lost.*/\1/p' err)
	missed=$(sed -n 's/.*strace: \([0-9]*\) hits\{0,1\} at begins or ends of calls missed.*/\1/p' err)
	[ $((n)) -le 100000 ] || fail "$n lines"
	[ $((n + ${lost:-0} + ${missed:-0})) -ge 100000 ] || fail "$n lines, lost ${lost:-0}, missed ${missed:-0}"
	[ "$n" -eq 100000 ] || grep -q '^\.\.\. [0-9]* records* of calls lost \.\.\.' log || fail "the log does not say it"
	# three times as much as the default buffer holds, in parts that it does hold: none is lost but what the kernel skips
	run sonde strace -f -e getppid -o log -- sh -c '
		for part in 1 2 3 4 5; do
			strace-calls 20000
			tries=0
			until [ "$(grep -c "getppid() " log)" -ge $((part * 20000 - 50)) ]; do
				[ $((tries += 1)) -le 1200 ] || exit 9
				sleep 0.1
			done
		done
		exit 4'
	expect_exit 4
	! grep -E 'lost|without' err || fail "some were lost"
}

# Programs that are preempted skip hits: a call whose begin was seen has a line, also if its end was skipped.
# kernels=turns
test_storm_of_processes() {
	run sonde strace -f -T -e getppid --buffer-size 64M -o log -- sh -c '
		for n in 1 2 3 4 5 6; do strace-calls 10000 & done
		wait
		exit 4'
	expect_exit 4
	ended=$(grep -cE '^[0-9]+ +(getppid\(|<\.\.\. getppid resumed>)\) += [0-9]+( |$)' log)
	unended=$(sed -n 's/.*strace: \([0-9]*\) calls\{0,1\} without an end.*/\1/p' err)
	echo "$ended ended, ${unended:-0} not; $(cat err)"
	[ $((ended + ${unended:-0})) -ge 60000 ] || fail "$ended calls ended, ${unended:-0} did not"
	! grep -q 'calls lost' err || fail "the buffer was full"
}

# A call that takes its thread out of the filter has its end, and nothing comes after it.
# kernels=all arch=yes
test_leaves_the_filter() {
	run sonde strace -f -qq --comm strace-calls -e prctl,getppid,execve -o log -- sh -c '
		strace-calls rename; strace-calls execute; exit 4'
	expect_exit 4
	sed -i 's/^[0-9]* *//' log
	grep -qxE 'prctl\(PR_SET_NAME, "elsewhere"\) += 0' log || fail "no end of prctl"
	grep -qxE 'execve\("/proc/self/exe", \["another", "1"\], .*\) += 0' log || fail "no end of execve"
	! grep -e getppid -e unfinished log || fail "calls of what the filter leaves out"
	run sonde strace -f -qq --uid 0 -e setuid,getppid -o log -- strace-calls setuid
	grep -qxE '[0-9]* *setuid\(1\) += 0' log || fail "no end of setuid"
	! grep getppid log || fail "a call of another user"
	run sonde strace -c -f --uid 0 -e setuid,getppid -- strace-calls setuid
	expect_err '^ *[0-9.]+ +[0-9.]+ +[0-9]+ +1 +setuid$'
}

# The exec by which a thread comes into the filter: its registers are gone, what was executed is known.
# kernels=ends
test_comes_into_the_filter() {
	run sonde strace -f -qq --comm strace-calls -e execve -o log -- sh -c 'strace-calls 1; true'
	grep -qE '^[0-9]* *execve\("[^"]*/strace-calls", \["strace-calls", "1"\], \?\) += 0$' log ||
		fail "not what is known: $(cat log)"
}

# The same where the thread waits within the call: it moves itself to another cgroup.
# kernels=ends
test_leaves_the_cgroup() {
	mkdir -p /sys/fs/cgroup/house
	start sonde strace --cgroup /sys/fs/cgroup/house -e write -o log
	sh -c 'echo $$ > /sys/fs/cgroup/house/cgroup.procs; echo $$ > /sys/fs/cgroup/cgroup.procs; echo $$ > /dev/null'
	stop INT
	rmdir /sys/fs/cgroup/house
	[ "$(grep -cE '(write\(1, "[0-9]+\\n", [0-9]+|<\.\.\. write resumed>)\) += [0-9]+$' log)" -eq 2 ] ||
		fail "not two writes"
	[ "$(grep -c 'write(1' log)" -eq 2 ] || fail "more than two"
}

# A thread that ends within a call.
# kernels=all arch=yes
test_ends_within_a_call() {
	run sonde strace -f -e reboot -o log -- strace-calls reboot
	expect_exit 3
	sed -i 's/^[0-9]* *//' log
	magic='LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2'
	expect_line "reboot\\($magic, LINUX_REBOOT_CMD_RESTART <unfinished \\.\\.\\.>\\) += \\?"
}

# -yy: names of unix sockets.
# kernels=all arch=yes
test_unix_names() {
	run sonde strace -yy -qq -e listen -- strace-calls unix
	grep -qE '^listen\(3<UNIX-STREAM:\[[0-9]+,@"sonde-name"\]>, 5\) += 0$' err || fail "another name"
}

# Messages of netlink, also with -s in memory that is larger than what was received; a length that is wrong.
# kernels=all arch=yes
test_netlink() {
	request='nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=7, nlmsg_pid=0}, {ifi_family=AF_UNSPEC, '
	request="${request}ifi_type=ARPHRD_NETROM, ifi_index="
	for size in 32 4000; do
		run sonde strace -e sendto,recvmsg,readv -s $size -o log -- strace-calls untouched
		expect_exit 3
		grep -qF "[{nlmsg_len=32, ${request}if_nametoindex(\"lo\"), ifi_flags=0, ifi_change=0}], 32, 0, NULL, 0)" log ||
			fail "no request with -s $size"
		grep -qF "[{nlmsg_len=4000, ${request}2147483647, ifi_flags=0, ifi_change=0}], 32, 0, NULL, 0)" log ||
			fail "no wrong length with -s $size"
		grep -q '^recvmsg(.*{nlmsg_len=[0-9]*, nlmsg_type=RTM_NEWLINK.*{nla_len=7, nla_type=IFLA_IFNAME}, "lo"\]' log ||
			fail "no answer with -s $size"
		grep -q '^readv(.*{iov_base="some bytes", iov_len=1048576}, {iov_base="", iov_len=1048576}\], 2) *= 10$' log ||
			fail "no vectors with -s $size"
	done
	[ "$(wc -c < log)" -lt 50000 ] || fail "the lines are long"
}

# Vectors and messages of a 32-bit program, whose pointers have 4 bytes.
# kernels=all arch=yes
test_narrow() {
	narrow=$(command -v narrow || command -v narrow-arm) || skip "no such program for this architecture"
	run sonde strace -o log -- "$narrow" with vectors
	expect_exit 0
	out='\[{iov_base="one", iov_len=3}, {iov_base="two", iov_len=3}\]'
	in='\[{iov_base="onet", iov_len=4}, {iov_base="wo", iov_len=20}\]'
	rights='msg_control=\[{cmsg_len=16, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=\[3\]}\], msg_controllen=16'
	none='{msg_name=NULL, msg_namelen=0, '
	grep -q "^writev(3, $out, 2) *= 6\$" log || fail "no writev"
	grep -q "^readv(4, $in, 2) *= 6\$" log || fail "no readv"
	grep -q "^sendmsg(3, ${none}msg_iov=$out, msg_iovlen=2, $rights, msg_flags=0}, 0) *= 6\$" log || fail "no sendmsg"
	grep -q "^recvmsg(4, ${none}msg_iov=$in, msg_iovlen=2, msg_controllen=0, msg_flags=.*}, 0) *= 6\$" log || fail "no recvmsg"
	all="msg_iovlen=2, msg_controllen=0, msg_flags=0}, msg_len=6}\\]"
	grep -q "^sendmmsg(3, \[{msg_hdr=${none}msg_iov=$out, $all, 1, 0) *= 1\$" log || fail "no sendmmsg"
	grep -q "^recvmmsg(4, \[{msg_hdr=${none}msg_iov=$in, $all, 1, 0, NULL) *= 1\$" log || fail "no recvmmsg"
	# arm64 itself has none of these
	grep -q '^stat("/", {st_mode=S_IFDIR|0[0-7]*, st_size=[0-9]*, \.\.\.}) *= 0$' log || fail "no stat"
	grep -q '^access("/nowhere", R_OK) *= -1 ENOENT' log || fail "no access"
	grep -q '^unlink("/nowhere") *= -1 ENOENT' log || fail "no unlink"
}

# Lengths in structs of a hostile program are only numbers.
test_hostile_lengths() {
	run sonde strace -e sendmsg,open_by_handle_at -s 4000 -o log -- strace-calls hostile
	expect_exit 3
	[ "$(grep -c '^sendmsg(-1, .*EBADF' log)" -eq 10 ] || fail "not ten messages"
	[ "$(grep -c '^open_by_handle_at(-100, {handle_bytes=42949672[89].*}, .*) = -1' log)" -eq 8 ] ||
		fail "not eight handles"
	[ "$(wc -c < log)" -lt 10000 ] || fail "the lines are long"
}

test_refuses() {
	run sonde strace -p 1,x
	expect_exit 2
	expect_err "'x' is not a number"
	run sonde strace -p 1 -p 4194305
	expect_exit 1
	expect_err 'there is no process 4194305'
	# once its parent is no shell any more, which would wait for it
	sh -c '(until grep -q sleep /proc/$$/comm; do :; done; exit 2) & echo $! > zombie; exec sleep 60' &
	wait_until 20 test -s zombie || fail "no child"
	wait_until 20 grep -q '^State:.*Z' "/proc/$(cat zombie)/status" || fail "no zombie"
	run sonde strace -p "$(cat zombie)"
	expect_exit 1
	expect_err 'has ended: its parent has not asked for its status yet'
	kill $!
	run sonde opensnoop -p 1 -p 2
	expect_exit 2
	expect_err 'option -p: given twice, but only one PID is possible'
	run sonde strace --comm a --comm b
	expect_exit 2
	expect_err 'option --comm: given twice'
	run sonde strace -e inject=open:error=EIO -- true
	expect_exit 2
	expect_err 'inject=... is refused: sonde never changes'
	run sonde strace --fault=open -- true
	expect_exit 2
	expect_err 'refused: sonde never changes'
	run sonde strace -e nosuchcall -- true
	expect_exit 2
	expect_err 'no such system call: nosuchcall'
	run sonde strace -e trace=%nosuch -- true
	expect_exit 2
	run sonde strace -o /nowhere/log -- true
	expect_exit 1
}

# -y: what descriptors are open on, as it is in the kernel at that moment: also of one that is closed by the call.
# kernels=ends
test_descriptors() {
	run sonde strace -y -qq -e '?open,openat,close,write,?pipe,pipe2,read' strace-calls
	grep -qE '^open(at)?\((AT_FDCWD</.*>, )?"[^"]*", .*\) += 3</' err || fail "no file"
	grep -qE '^close\(3</[^>]*>\) += 0$' err || fail "no file that is closed"
	run sonde strace -yy -qq -e '?dup2,close' sh -c 'exec 3< /dev/null; exec 3<&-'
	grep -qE '^close\(3</dev/null<char 1:3>>\) += 0$' err || fail "no device"
	run sonde strace -y -qq -e read,write -f sh -c 'echo text | cat'
	grep -qE '^(\[pid +[0-9]+\] )?write\(1<pipe:\[[0-9]+\]>, "text\\n", 5\)? ' err || fail "no pipe"
	run sonde strace -qq -e close sh -c 'exec 3< /dev/null; exec 3<&-'
	grep -qE '^close\(3\) += 0$' err || fail "without -y"
}

# -Y: names beside ids, of children as well; the command's own line has the name from before.
# kernels=ends
test_names() {
	run sonde strace -Y -f -o log -e '?fork,?vfork,clone,execve,getpid,kill' -- strace-calls
	grep -qE '^[0-9]+<[^>]+> execve\(' log || fail "no name in front"
	grep -qE '^([0-9]+)<strace-calls> kill\(\1<strace-calls>, 0\) += 0$' log || fail "no name of an id"
	grep -qE '^[0-9]+<strace-calls> .* = [0-9]+<strace-calls>$' log || fail "no name of a child"
	# in a namespace of its own, 1 is not the host's first process
	run sonde strace -Y -qq --decode-pids=pidns -f -o log -e getpid strace-calls reboot
	grep -qE "^([0-9]+)<strace-calls> getpid\(\) += 1<strace-calls> /\* \1 in strace's PID NS \*/$" log ||
		fail "no id of another namespace"
	run sonde strace --decode-pids=names true
	expect_exit 2
}

# The table of -c: what the workload says it did, without and beside lines; no line has the calls before execve.
# kernels=all arch=yes
test_table() {
	run sonde strace -c -f -- strace-calls
	expect_exit 3
	expect_err '^% time     seconds  usecs/call     calls    errors syscall$'
	expect_err '^ +[0-9.]+ +[0-9.]+ +[0-9]+ +1 +1 connect$'
	expect_err '^ +[0-9.]+ +[0-9.]+ +[0-9]+ +2 +1 execve$'
	expect_err '^ +[0-9.]+ +[0-9.]+ +[0-9]+ +1           (clone3?|fork|vfork)$'
	expect_err '^100.00 +[0-9.]+ +[0-9]+ +[0-9]+ +[0-9]+ total$'
	! grep -E '\) *= |^\+\+\+|exit' err | grep -v '^sonde' || fail "lines, or calls that do not return"
	run sonde strace -C -qq -e getppid -o log -- strace-calls 50
	[ "$(grep -c '^getppid() ' log)" -eq 50 ] || fail "not 50 lines"
	grep -qE '^100.00 +[0-9.]+ +[0-9]+        50           getppid$' log || fail "no row"
	run sonde strace -c -e getppid -U name,calls -- true
	[ ! -s out ] && ! grep -v '^sonde' err || fail "a table of nothing"
}

# The time of a call that waits: -w has it, the time on a processor has not.
# kernels=one
test_table_times() {
	run sonde strace -c -w -U total-time,name -- sleep 1
	awk '$2 ~ /nanosleep/ && $1 >= 1 { found = 1 } END { exit !found }' err || fail "sleep took less than a second"
	run sonde strace -c -U total-time,name -- sleep 1
	awk '$2 ~ /nanosleep/ && $1 < 0.5 { found = 1 } END { exit !found }' err || fail "sleep was on a processor"
}

# Numbers of calls, and a file for each thread.
# kernels=one
test_separate() {
	run sonde strace -n -qq -e getppid -- strace-calls 2
	number=$(sed -n 's/^\[ *\([0-9]*\)\] getppid().*/\1/p' err | sort -u)
	[ "$number" = 110 ] || [ "$number" = 173 ] || fail "number $number"
	run sonde strace -ff -o log -- sh -c 'strace-calls 1; exit 0'
	expect_exit 0
	child=$(grep -l '^execve("[^"]*strace-calls", ' log.*) || fail "no file of strace-calls"
	tid=${child#log.}
	grep -qx "getppid() *= [0-9]*" "$child" || fail "no getppid"
	[ "$(tail -n 1 "$child")" = '+++ exited with 3 +++' ] || fail "another last line"
	grep -h "^wait4(.* = $tid\$" log.* || fail "the parent has not waited"
	[ "$(ls log.* | wc -l)" -eq 2 ] || fail "not two files"
	! grep -E 'resumed>|unfinished' log.* || fail "unfinished calls"
	[ ! -e log ] || fail "a file of all"
	run sonde strace -ff -o /nowhere/log -- true
	expect_exit 1
	expect_err 'cannot write to /nowhere/log\.[0-9]+'
	run sonde strace -ff -o log -c -- true
	expect_exit 2
	run sonde strace -w -- true
	expect_exit 2
}

# -P: calls that name a path or have a descriptor of it, and no others; also by a link to it.
# kernels=ends
test_path() {
	echo text > /tmp/f
	ln -s /tmp/f /tmp/link
	cat > expected <<-END
		sonde strace: Requested path "/tmp/link" resolved into "/tmp/f"
		open /tmp/link
		close
		open /tmp/f
		close
		read
	END
	run sonde strace -P /tmp/link -e '?open,openat,close,read,?access' -qq -- sh -c ': < /tmp/link; read a < /tmp/f; : < /dev/null'
	sed -nE '/^sonde strace: R/p; s/^open(at)?\((AT_FDCWD, )?"([^"]*)".*/open \3/p; s/^(read|close)\([0-9].*/\1/p' err | uniq > seen
	diff expected seen || fail "other calls"
}

# The sets of -e, and -X.
# kernels=turns
test_sets() {
	run sonde strace -qq -e trace=none -e signal=usr1 -- strace-calls
	expect_exit 3
	[ "$(grep -c '^--- SIGUSR1 ' err)" -eq 1 ] || fail "no SIGUSR1"
	! grep -v -e '^--- SIGUSR1 ' -e '^sonde' err || fail "more than SIGUSR1"
	run sonde strace -e quiet=exit -e trace=close -e status=failed -e signal=none -- strace-calls
	grep -v '^sonde' err | grep -vqE '^close\(-1\) += -1 EBADF \(Bad file descriptor\)$' && fail "more than close(-1)"
	grep -q '^close(-1)' err || fail "no close(-1)"
	run sonde strace -qq -e signal=none -e status=unfinished -- strace-calls
	grep -v '^sonde' err > rest
	[ "$(cat rest)" = "$(printf 'exit_group(3)%27s= ?' '')" ] || fail "not only exit_group"
	run sonde strace -qq -e raw=pipe2 -e trace=pipe2 -e signal=none -- strace-calls
	grep -qE '^pipe2\(0x[0-9a-f]+, 0x80000\) += 0$' err || fail "not raw"
	run sonde strace -qq -e verbose=none -e trace=pipe2 -e signal=none -- strace-calls
	grep -qE '^pipe2\(0x[0-9a-f]+, O_CLOEXEC\) += 0$' err || fail "the array is printed"
	run sonde strace -qq -X raw -e trace=pipe2,socket,kill,tgkill -- strace-calls
	grep -qE '^pipe2\(\[[0-9]+, [0-9]+\], 0x80000\) += 0$' err || fail "the flag has its name"
	grep -qE '^socket\(0x1, 0x1\|0x80000, 0\) += [0-9]+$' err || fail "names of sockets"
	run sonde strace -qq -X verbose -e trace=pipe2 -- strace-calls
	grep -qE '^pipe2\(\[[0-9]+, [0-9]+\], 0x80000 /\* O_CLOEXEC \*/\) += 0$' err || fail "not both"
}

# -e write: bytes below the call; also of several buffers, and those that are not recorded are counted.
# kernels=ends
test_dumps() {
	run sonde strace -qq -e write=all -e trace=write,writev -s 4 -o log -- strace-calls
	cat > expected <<-'END'
		 * 3 bytes in buffer 0
		 | 00000  6f 6e 65                                          one              |
		 * 4 bytes in buffer 1
		 | 00000  74 77 6f 0a                                       two.             |
	END
	sed -n '/^writev/,/^[^ ]/p' log | grep '^ ' > seen
	diff expected seen || fail "another dump of writev"
	grep -qE '^write\([0-9]+, "a te"\.\.\., 43\) += 43$' log || fail "-s has no effect on the line"
	sed -n '/^write([0-9]*, "a te"/,/^[^ ]/p' log | grep -c '^ | ' | grep -qx 3 || fail "not 43 bytes"
	run sonde strace -qq -e read=all -e trace=read -o log -- dd if=/dev/zero of=/dev/null bs=20000 count=1
	grep -qx ' \* 13000 bytes more are not recorded' log || fail "nothing says that bytes are missing"
	[ "$(grep -c '^ | .*  00 00 00 00 00 00 00 00  00 00 ' log)" -ge 437 ] || fail "not 7000 bytes"
}

# What strace cannot, and options that have no meaning here.
# kernels=one
test_choices_own() {
	run sonde strace -qq --slower 500ms -e '!wait4' -- sh -c 'strace-calls 3; sleep 1; true'
	! grep -v -e '^sonde' -e 'nanosleep(' -e '^---' err || fail "fast calls"
	run sonde strace -f -qq --slower 500ms -e '!wait4' -- sh -c 'strace-calls 3; sleep 1; true'
	grep -qE '^(\[pid +[0-9]+\] )?(clock_)?nanosleep\(.* = 0$' err || fail "no sleep"
	run sonde strace -f -qq --comm strace-calls -e getppid,close -- sh -c 'strace-calls 5; true'
	[ "$(grep -c 'getppid()' err)" -eq 5 ] || fail "not 5 calls"
	run sonde strace --csv -f -e '?open,openat' -- strace-calls
	head -n 1 out | grep -q 'call,args,ret,error' || fail "no heading"
	grep -q ',open\(at\)\{0,1\},.*""/nowhere/at\\tall"", .*,-1\{0,1\}.*ENOENT' out || fail "no row"
	run sonde strace -I 3 -D --seccomp-bpf -O 1us -e trace=none -qq -- true
	expect_silence
	run sonde strace -I 3 -DD --seccomp-bpf --verbose -e trace=none -qq -- true
	expect_err 'I has no meaning'
	expect_err 'seccomp-bpf has no meaning'
}

# -k: the stack of each call below its line. In its first milliseconds a program may not be known yet.
# kernels=ends arch=yes
test_stacks() {
	run sonde strace -k -qq -e getppid -o log -- strace-calls 5000
	expect_exit 3
	[ "$(grep -c '^getppid()' log)" -eq 5000 ] || fail "not 5,000 calls"
	[ "$(grep -c '^ > ' log)" -ge 5000 ] || fail "there are calls without a stack"
	sed -n '/^getppid/h; /^ > /H; ${ x; p; }' log > last
	grep -q '^ > .*strace-calls(main+0x[0-9a-f]*) \[0x[0-9a-f]*\]$' last || fail "no main below the last call"
	run sonde strace -k -c -- true
	expect_exit 2
}

# -i: where each call goes on; ends of threads have no such place.
# kernels=ends arch=yes
test_instruction_pointer() {
	run sonde strace -i -e getppid,getpid -o log -- strace-calls 3
	expect_exit 3
	sed -n 's/^\[\([0-9a-f]\{16\}\)\] getppid() .*/\1/p' log > places
	[ "$(wc -l < places)" -eq 3 ] && [ "$(sort -u places | wc -l)" -eq 1 ] || fail "not one place for three calls"
	! grep -qx '0*' places || fail "no address"
	grep -qxF '[????????????????] +++ exited with 3 +++' log || fail "another end"
}

# A call that ends at once is one record, one that waits is two; both have the time that they took.
# kernels=ends arch=yes
test_waits() {
	run sonde strace -f -T -o log -- sh -c 'strace-calls 1 | cat; strace-calls 2'
	for call in getppid wait4; do
		grep -qE " ($call\(|<\.\.\. $call resumed>).*\) += [0-9]+ <[0-9]+\.[0-9]{6}>\$" log ||
			fail "no time of $call"
	done
	! grep -E ' (getppid|wait4)\(.*\) += [0-9]+$' log || fail "a call without a time"
}

# Long names with values, and two times in front of a line.
# kernels=one
test_long_names() {
	run sonde strace --silent=exit --syscall-times=ns --absolute-timestamps=format:unix,precision:ms --trace=getppid -- strace-calls 1
	grep -qE '^[0-9]+\.[0-9]{3} getppid\(\) += [0-9]+ <0\.[0-9]{9}>$' err || fail "other times"
	run sonde strace -qq -r -tt -e getppid -- strace-calls 2
	[ "$(grep -cE '^[0-9:]{8}\.[0-9]{6} \(\+     0\.[0-9]{6}\) getppid\(\) += [0-9]+$' err)" -eq 2 ] || fail "not both times"
	run sonde strace -qq --strings-in-hex --string-limit=3 --trace=write -- strace-calls
	grep -qE '^write\([0-9]+, "\\x61\\x20\\x74"\.\.\., 43\)' err || fail "not in hex"
	run sonde strace -qq --decode-fds=dev --trace='?dup2,close' sh -c 'exec 3< /dev/null; exec 3<&-'
	grep -qE '^close\(3</dev/null<char 1:3>>\) += 0$' err || fail "no device"
	run sonde strace --relative-timestamps=hours -- true
	expect_exit 2
	expect_err 'no such precision: hours'
}

# -b execve: a child that executes a program is left, and its children too; the command itself is not.
# kernels=ends
test_detach() {
	run sonde strace -b execve -f -qq -e getppid,execve,exit_group -o log -- sh -c '(strace-calls); (: ; strace-calls 9; exit 7); exit 4'
	expect_exit 4
	# the shell itself calls it once
	[ "$(grep -c 'getppid()' log)" -le 1 ] || fail "calls of a program that was to be left"
	[ "$(grep -c 'execve("[^"]*strace-calls", .*= 0$' log)" -eq 2 ] || fail "not two execve of strace-calls"
	! grep 'exit_group([35])' log || fail "the end of a process that was to be left, or of its child"
	grep -q 'exit_group(7)' log || fail "a child that executes nothing is left, too"
	grep -q 'exit_group(4)' log || fail "the command is left"
	run sonde strace -b open -- true
	expect_exit 2
}
