# SPDX-License-Identifier: BSD-2-Clause
# The scripts that sonde ships, each beside a workload that says what it did.

# rows REGEX: prints how many lines of stdout match.
rows() {
	grep -cE -e "$1" out || :
}

# expect_rows N REGEX
expect_rows() {
	[ "$(rows "$2")" = "$1" ] || fail "$(rows "$2") lines match '$2', not $1"
}

# bucket MAP RANGE: prints the count of a range in the histograms of a map, of all its keys; 0 if there is none.
bucket() {
	awk -v map="$1" -v range="$2" '
		/^@/ { inside = $0 ~ "^" map "(\\[|:)" }
		inside && index($0, range " ") == 1 { sub(/^\[[^])]*[])] */, ""); n += $1 }
		END { print n + 0 }' out
}

# With an I/O scheduler a thread of the kernel issues requests, so there is no command here.
test_bitesize() {
	disk=$(disk scratch)
	start sonde bitesize
	dd if=/dev/zero of="$disk" bs=4k count=100 oflag=direct
	dd if=/dev/zero of="$disk" bs=64k count=20 oflag=direct
	stop INT
	expect_exit 0
	[ "$(bucket @kbytes '[4, 8)')" = 100 ] || fail "not 100 requests of 4 KB"
	[ "$(bucket @kbytes '[64, 128)')" = 20 ] || fail "not 20 requests of 64 KB"
}

test_capable() {
	run sonde capable -- chroot / chroot / true
	expect_exit 0
	expect_heading 'TIME      UID    PID    COMM             CAP  NAME                 AUDIT'
	expect_rows 2 '^[0-9:]{8}  0      [0-9]+ +chroot           18   CAP_SYS_CHROOT       1$'
	expect_no_line 'CAP_[A-Z_]+ +0$'
	run sonde capable --unique -K -x -- chroot / chroot / true
	expect_exit 0
	expect_rows 1 '^[0-9:]{8}  0      ([0-9]+) +\1 +chroot           18   CAP_SYS_CHROOT       1      0$'
	expect_line '^ +(security_capable|ns_capable|capable)\+[0-9]+$'
	# the kernel asks whether this user may see all of it, and nobody is to hear of that
	run sonde capable -v -- caps sys_ptrace -- cat /proc/1/stat
	expect_rows 1 '^[0-9:]{8}  1000   [0-9]+ +cat              19   CAP_SYS_PTRACE       0$'
	run sonde capable -- caps sys_ptrace -- cat /proc/1/stat
	expect_no_line 'CAP_[A-Z_]+ +0$'
	# what is refused is asked for, too
	run sonde capable -- caps sys_ptrace -- chroot / true
	expect_rows 1 '^[0-9:]{8}  1000   [0-9]+ +chroot           18   CAP_SYS_CHROOT       1$'
}

# cpus=2 kernels=one
test_cpuwalk() {
	run sonde cpuwalk -- taskset 2 spin 2
	expect_exit 0
	there=$(bucket @cpu '[1]') elsewhere=$(bucket @cpu '[0]')
	[ "$there" -gt 20 ] && [ "$there" -gt $((elsewhere * 10)) ] || fail "$there samples there, $elsewhere elsewhere"
}

test_dcsnoop() {
	run sonde dcsnoop -- ls never-there
	expect_heading 'TIME(s)     PID     COMM             T FILE'
	expect_rows 1 '^ +[0-9]+\.[0-9]{6} [0-9]+ +ls               M never-there$'
	expect_no_line ' R '
	run sonde dcsnoop -a -- ls never-there
	expect_line ' ls               R never-there$'
}

test_filelife() {
	echo > old
	run sonde filelife -- sh -c 'echo > young; usleep 150000; rm old young; ! rm none 2> /dev/null'
	expect_exit 0
	expect_heading 'TIME     PID     COMM             AGE(s)  FILE'
	expect_rows 1 '^[0-9:]{8} [0-9]+ +rm +[0-9]+\.[0-9]{2} young$'
	expect_no_line 'old|none'
	age=$(awk '/young/ { print $4 * 100 }' out)
	expect_between "the age in 1/100 s" 15 6000 "$age"
}

# kernels=one
test_gethostlatency() {
	run sonde gethostlatency -- lookups getaddrinfo 10.0.0.1 gethostbyname 10.0.0.2 gethostbyname2 10.0.0.3
	expect_exit 0
	expect_heading 'TIME     PID     COMM                  LATms HOST'
	grep '^did' out > dids
	while read -r _ _ host usecs pid; do
		expect_rows 1 "^[0-9:]{8} $pid +lookups +[0-9]+\\.[0-9]{3} ${host}\$"
		ms=$(awk -v host="$host" '$5 == host { print $4 * 1000 }' out)
		expect_between "usecs for $host" 1 "$usecs" "$ms"
	done < dids
	[ "$(wc -l < dids)" = 3 ] || fail "the workload did not look up three names"
}

test_loads() {
	read -r before < /proc/loadavg
	run sonde loads 1 2
	read -r after < /proc/loadavg
	expect_exit 0
	expect_rows 2 '^[0-9:]{8} load averages: ([0-9]+\.[0-9]{2} ){3}[0-9]+/[0-9]+ [0-9]+$'
	said=$(sed -n '$s/.*averages: \(.*\) [0-9/]* [0-9]*$/\1/p' out)
	case "$before, $after" in
	"$said "* | *", $said "*) ;;
	*) fail "the kernel says '$before', then '$after'" ;;
	esac
}

test_mountsnoop() {
	mkdir here
	run sonde mountsnoop -- sh -c 'mount -t tmpfs -o size=1m none here; umount here; ! umount here 2> /dev/null'
	expect_exit 0
	expect_heading 'COMM             PID     TID     MNT_NS      CALL'
	namespace=$(readlink /proc/self/ns/mnt | tr -cd 0-9)
	begin="^u?mount +([0-9]+) +\\1 +$namespace +"
	expect_rows 1 "${begin}mount\\(\"none\", \"here\", \"tmpfs\", 0x8000, \"size=1m\"\\) = 0 \\(Success\\)\$"
	expect_rows 1 "${begin}umount\\(\"[^\"]*here\", 0x0\\) = 0 \\(Success\\)\$"
	expect_rows 1 "${begin}umount\\(\"[^\"]*here\", 0x0\\) = -22 \\(Invalid argument\\)\$"
}

# tests/programs/mounts.c mounts by the newer calls, and says what it did.
# kernels=one
test_mountsnoop_new_calls() {
	mkdir here
	run sonde mountsnoop -c 'mounts here'
	expect_exit 0
	sed -n 's/^did //p' out > dids
	[ "$(wc -l < dids)" = 7 ] || fail "the workload did something else"
	sed -n 's/^mounts .\{38\}//p' out > seen
	expect_dids
	run sonde mountsnoop -P -c 'sh -c "mounts here; true"'
	expect_heading 'COMM             PID     TID     PCOMM            PPID    MNT_NS      CALL'
	expect_rows 1 '^mounts +([0-9]+) +\1 +sh +[0-9]+ +[0-9]+ +fsopen\("tmpfs", 0x1\) = [0-9]+ \(Success\)$'
}

# kernels=one
test_naptime() {
	run sonde naptime -- sh -c 'usleep 150000; sleep 1; echo "did sh $$"'
	expect_exit 0
	expect_heading 'TIME     PCOMM            PPID    COMM             PID     SECONDS'
	parent=$(sed -n 's/^did sh //p' out)
	expect_rows 1 "^[0-9:]{8} sh +$parent +usleep +[0-9]+ +0\\.150\$"
	expect_rows 1 "^[0-9:]{8} sh +$parent +sleep +[0-9]+ +1\\.000\$"
}

test_oomkill() {
	mkdir cgroups
	mount -t cgroup2 none cgroups
	echo +memory > cgroups/cgroup.subtree_control
	mkdir cgroups/small
	echo 8M > cgroups/small/memory.max
	run sonde oomkill -- sh -c 'echo $$ > cgroups/small/cgroup.procs
		tail /dev/zero &
		wait
		echo $$ > cgroups/cgroup.procs'
	rmdir cgroups/small
	umount cgroups
	killed='Triggered by PID ([0-9]+) \("tail"\), OOM kill of PID \1 \("tail"\), 2048 pages'
	expect_rows 1 "^[0-9:]{8} $killed, loadavg: [0-9]"
}

# pids: prints the sum of what was shown until now.
pids() {
	awk '/PIDs\/sec/ { n += $3 } END { print n + 0 }' out
}

all_pids() {
	[ "$(pids)" = 60 ]
}

# kernels=one
test_pidpersec() {
	start sonde pidpersec --comm forks 1
	forks 60 0 1
	wait_until 20 all_pids || fail "not 60 processes: $(pids)"
	stop INT
	expect_exit 0
	expect_line '^[0-9:]{8}: PIDs/sec: [0-9]+$'
	run sonde pidpersec 1 2
	expect_exit 0
	expect_rows 2 'PIDs/sec'
}

# Three children that spin on one processor: one runs, two wait, and what else wants to run.
# kernels=turns
test_runqlen() {
	run sonde runqlen -- turns 3 1500
	expect_exit 0
	all=$(awk '/^\[/ { n += $2 } END { print n + 0 }' out)
	two=$(awk '/^\[/ && substr($1, 2) + 0 >= 2 { n += $2 } END { print n + 0 }' out)
	[ "$two" -gt 10 ] && [ "$two" -gt $((all / 2)) ] || fail "$two of $all samples see two tasks wait"
	run sonde runqlen -C -T -- turns 3 1000
	[ "$(bucket '@runqlen_of_cpu' '[2]')" -gt 5 ] || fail "no tasks wait"
	expect_line '^[0-9:]{8}$'
	run sonde runqlen -O -- turns 3 1000
	share=$(sed -n 's/^runqocc: \([0-9]*\)\.[0-9][0-9]%$/\1/p' out)
	expect_between "the share of the time" 50 100 "$share"
	run sonde runqlen -O -C 1 1
	expect_exit 0
	expect_rows "$(nproc)" '^runqocc, CPU [0-9]+ +[0-9]+\.[0-9]{2}%$'
	! grep WARNING err || fail 'the script is not clean'
	run sonde runqlen 1 2
	expect_rows 2 '^@runqlen:$'
}
