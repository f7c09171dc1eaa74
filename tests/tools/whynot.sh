# SPDX-License-Identifier: BSD-2-Clause
# sonde whynot: what decided that a system call failed. The workload, `fails REASON`, says how it failed.
# of file: kernels=all timeout=400

# What the reasons need.
prepare() {
	mkdir closed ro busy empty noexec nodev small sticky full
	echo text > own
	chmod 666 own
	echo x > secret
	chmod 600 secret
	echo x > closed/file
	chmod 700 closed
	mount -t tmpfs -o size=64k,nr_inodes=20 small small
	mount -t tmpfs busy busy
	echo x > busy/file
	mount -t tmpfs ro ro
	mount -o remount,ro ro
	mount -t tmpfs -o noexec noexec noexec
	cp /bin/busybox noexec/true
	mount -t tmpfs -o nodev nodev nodev
	mknod nodev/null c 1 3
	chmod 1777 sticky
	echo x > sticky/file
	echo x > full/x
	ln -s loop loop
	ln -s own link
	mkfifo fifo
	mknod nodriver c 240 200
	echo garbage > garbage
	printf '#!/no/such\n' > script
	chmod 755 garbage script
	chmod 755 .
}

clear_away() {
	umount small busy ro noexec nodev 2> /dev/null || :
}

# reasons FILE: the lines of the table on stdin (REASON PATTERN) are tried at once; FILE gets a line for each that
# is wrong:
# no answer to the process that failed so has words that match the pattern; one that begins with a quote is matched with
# the whole row, and one that begins with ! may match no words.
reasons() {
	cat > table
	# unquoted on purpose: several words
	run sonde whynot --json -- fails $(awk '{ print $1 }' table)
	grep '^{' out > calls || :
	grep '^did ' out > dids
	: > "$1"
	while read -r reason pattern; do
		grep -q "^did $reason [1-9]" dids || fail "$reason has not failed"
		pid=$(awk -v reason="$reason" '$2 == reason { print $4 }' dids)
		grep "\"pid\":$pid," calls > answers || :
		case $pattern in
			!*) ! grep -qE -e "\"reason\":\"[^}]*(${pattern#!})" answers ;;
			\"*) grep -qE -e "$pattern" answers ;;
			*) grep -qE -e "\"reason\":\"[^}]*($pattern)" answers ;;
		esac || echo "$reason: $pattern" >> "$1"
	done < table
}

# kernels=ends
test_silence() {
	run sonde whynot -- true
	expect_silence
}

# The command's output and exit status are its own.
# kernels=one
test_transparent() {
	run sonde whynot -q -- sh -c 'echo hello; cat /no/such 2> /dev/null; exit 7'
	expect_exit 7
	[ "$(cat out)" = hello ] || fail "$(cat out)"
	expect_err '^(\[pid +[0-9]+\] )?open(at)?\(.*"/no/such".* = -1 ENOENT'
	expect_err '^    decided by  ([a-z_0-9]+\(.*\) = -ENOENT|not known: none of the [0-9]+ watched functions .*)$'
}

# kernels=turns
test_chosen_calls() {
	echo x > own
	run sonde whynot -e openat,open --errno EACCES -- sh -c 'cat /no/such; rmdir /proc 2> /dev/null; true'
	expect_exit 0
	! grep -q 'decided by' err || fail "$(cat err)"
	run sonde whynot -e rmdir,unlinkat -- sh -c 'cat /no/such; rmdir /tmp/no-such; true'
	expect_err '^rmdir\(|^unlinkat\(|\] rmdir\('
	! grep -qE '^(\[pid +[0-9]+\] )?open' err || fail "$(cat err)"
}

# What is expected of each reason: a function, or words.
# kernels=turns
test_reasons() {
	prepare
	reasons wrong <<- 'EOF'
	port CAP_NET_BIND_SERVICE
	packet CAP_NET_RAW
	chroot CAP_SYS_CHROOT
	hostname "sethostname".*CAP_SYS_ADMIN
	mount "mount".*CAP_SYS_ADMIN
	chown CAP_CHOWN
	chmod CAP_FOWNER
	kill CAP_KILL
	clock CAP_SYS_TIME
	mknod "mknod.*directory of uid 0
	reboot CAP_SYS_BOOT
	unshare "unshare".*CAP_SYS_ADMIN
	module CAP_SYS_MODULE
	iopl CAP_SYSLOG|dmesg_restrict
	setuid CAP_SETUID
	ptrace CAP_SYS_PTRACE
	nofile RLIMIT_NOFILE (is|may be) reached: 3
	nproc RLIMIT_NPROC (is|may be) reached: 1
	as RLIMIT_AS (is|may be) reached: 67108864
	fsize RLIMIT_FSIZE (is|may be) reached: 4096
	memlock RLIMIT_MEMLOCK (is|may be) reached: 65536
	nice RLIMIT_NICE|CAP_SYS_NICE
	rtprio RLIMIT_RTPRIO|CAP_SYS_NICE
	sigpending RLIMIT_SIGPENDING
	seccomp a seccomp filter stopped
	read "secret.*file of uid 0.*mode 0600
	search "closed/file.*directory of uid 0.*mode 0700
	sticky sticky
	readonly read-only
	noexec noexec
	nodev nodev
	busy something in the mount is open
	fstype no file system of this name
	option does not know this option
	notblock no block device
	toolong NAME_MAX|255
	pathlong PATH_MAX|4095
	loop too many symbolic links
	notempty directory is not empty
	exdev different mounts
	textbusy program that runs
	noformat no ELF|no format
	nospace tmpfs is full
	noinodes no more inodes
	fifo FIFO
	lock another open file
	badf descriptor is not open
	pipe nobody has the pipe
	mmapmin mmap_min_addr
	mprotect not open for writing
	seal seal
	inuse another socket has this
	refused nothing listens
	unreach no route
	notavail no interface has this address
	unix no socket is bound|no socket listens|nothing listens
	broadcast SO_BROADCAST
	key no such key|key_lookup
	verifier verifier refuses|RLIMIT_MEMLOCK
	nochild no such child
	msgsize msgmax
	shmmode CAP_IPC_OWNER|mode does not permit
	setsid leads a process group
	locked RLIMIT_MEMLOCK (is|may be) reached: 65536
	epolls watch each other
	unpolled cannot be polled
	peer other side has closed|at the other end
	mounted mount.* on the directory
	nstype another type
	longarg longer than 128 KB|one than 128 KB
	below below itself
	nropen fs.nr_open
	longhost longer than 64
	semaphore no semaphore of this number
	notlink no symbolic link
	delmodule no module of this name
	ambient permitted and inheritable
	nodriver no driver for this device
	handle CAP_DAC_READ_SEARCH is missing
	stale handle is of no file
	fanotify CAP_SYS_ADMIN is missing
	semmsl kernel\.sem is [0-9]+
	mapdir cannot be mapped
	mapwrite not open for reading, or for writing
	maplarge no free range of addresses
	maphuge no huge pages are free
	setgroups CAP_SETGID is missing
	random a flag is unknown
	raise CAP_SYS_RESOURCE is missing|raised only with CAP_SYS_RESOURCE
	pidfd no such process
	acct CAP_SYS_PACCT is missing
	kexec CAP_SYS_BOOT is missing
	fsopen CAP_SYS_ADMIN is missing
	fsopentype no file system of this name
	memfdname longer than 249
	script interpreter.*does not exist
	tty does not know this request
	EOF
	clear_away
	total=$(wc -l < table) bad=$(wc -l < wrong)
	echo "$((total - bad)) of $total: $(tr '\n' ';' < wrong)"
	# nine of ten where sessions make functions cheap, three of four elsewhere
	if has kprobe.multi; then most=$((total / 10)); else most=$((total / 4)); fi
	[ "$bad" -le "$most" ] || fail "$bad of $total: $(tr '\n' ';' < wrong)"
}

# The words have the value of a setting, which interpreter is missing, and the name of what a mount's root is mounted on.
# kernels=ends
test_words() {
	prepare
	reasons wrong <<- 'EOF'
	semmsl more semaphores in a set than the first number of kernel\.sem, .* \(kernel\.sem is [0-9]
	script "decided":"open_exec\(.*/no/such.*interpreter of the program does not exist
	maplarge no free range of addresses
	setgroups !may be
	tty "call":"ioctl".*"decided":(null|"[^}]*= -ENOIOCTLCMD")
	acctdir "decided":"may_open\([^}]*path=[^ ]*tmp
	prctlopt !LSM
	structure longer than the kernel takes
	notchild neither the process itself nor a child of it
	EOF
	clear_away
	[ ! -s wrong ] || fail "$(cat wrong answers)"
}

test_yama() {
	scope=$(cat /proc/sys/kernel/yama/ptrace_scope) || skip "there is no yama"
	echo 1 > /proc/sys/kernel/yama/ptrace_scope
	run sonde whynot -e ptrace -- fails yama
	echo "$scope" > /proc/sys/kernel/yama/ptrace_scope
	expect_err '^    decided by  yama_ptrace_access_check\('
	expect_err 'kernel\.yama\.ptrace_scope is 1$'
}

test_user_namespaces() {
	most=$(cat /proc/sys/user/max_user_namespaces)
	echo 0 > /proc/sys/user/max_user_namespaces
	run sonde whynot -e unshare -- fails userns
	echo "$most" > /proc/sys/user/max_user_namespaces
	expect_err "user\.max_user_namespaces is 0( in sonde's namespace)?\$"
}

# kernels=ends
test_pids_of_the_cgroup() {
	echo +pids > /sys/fs/cgroup/cgroup.subtree_control || skip "no controller of pids"
	mkdir /sys/fs/cgroup/few
	echo 1 > /sys/fs/cgroup/few/pids.max
	run sonde whynot -- sh -c 'echo $$ > /sys/fs/cgroup/few/cgroup.procs; exec fails fork'
	rmdir /sys/fs/cgroup/few
	echo -pids > /sys/fs/cgroup/cgroup.subtree_control
	expect_err "^    decided by  pids_can_fork\("
	expect_err "limit pids\.max (is|may be) reached: 1 \(/sys/fs/cgroup/few\)\$"
}

# kernels=one
test_controllers() {
	has kprobe.multi || skip 'this kernel has fewer functions watched'
	reasons wrong <<- 'EOF'
	controller "decided":"cgroup_subtree_control_write\(.*is not in the cgroup\.subtree_control of the cgroup above
	EOF
	[ ! -s wrong ] || fail "$(cat wrong answers)"
}

# kernels=one
test_json() {
	run sonde whynot --json -e chroot -- fails chroot
	sed -i '/^did /d' out
	expect_json call error because reason
	grep -qE '^chroot	.*cap_capable\(.*CAP_SYS_CHROOT' rows || fail "$(cat rows)"
}

# What is not the reason is not said.
# kernels=turns
test_not_said() {
	reasons wrong <<- 'EOF'
	dup !RLIMIT_NOFILE
	nosuch !CAP_
	mapproc !noexec
	lockhole !RLIMIT_MEMLOCK is
	peer !LSM
	epolls !symbolic
	longarg !RLIMIT_STACK (is|may be) reached
	nstype !may be: the namespace is the process's own, or
	EOF
	[ ! -s wrong ] || fail "$(cat wrong answers)"
}

test_seccomp() {
	run sonde whynot --json -- fails seccomp
	grep -qE '"decided":"__[a-z_]*(seccomp_filter|secure_computing)\(\) = -1","because":null,"chain":null' out ||
		fail "$(cat out)"
}

# Processes that are not the command's have no answers.
# kernels=turns
test_others() {
	touch going did
	while [ -e going ]; do fails chroot >> did; done &
	run sonde whynot -- sh -c 'n=$(wc -l < did); until [ "$(wc -l < did)" -gt $((n + 2)) ]; do sleep 1; done'
	rm going
	wait
	! grep -q chroot err || fail "$(cat err)"
}
