# SPDX-License-Identifier: BSD-2-Clause
# sonde killsnoop: its rows must be the signals that were sent (tests/programs/kills.c).
# of file: kernels=one

# Turns the workload's lines into facts, one a line: COMM PID TID PPID UID SIGNAL NAME TPID TGID TID
# RET ERROR SYSCALL and the fields of did.h. $1: an awk expression that selects lines.
did_kills() {
	sed -n 's/^did kill //p' out | awk "${1:-1}" > facts
	[ -s facts ] || fail "the workload did nothing"
}

# expect_text [EXPRESSION]: compares the table.
expect_text() {
	did_kills "${1:-1}"
	awk '{ print $2, $1, $6, $8 == "null" ? "-" : $8, $11, substr($16, 12, 8), substr($17, 12, 8) }' facts > wanted
	cut -d ' ' -f 1-5 wanted > dids
	sed '/^did /d; 1d' out | tr -s ' ' > text
	cut -d ' ' -f 2- text > seen
	expect_dids
	cut -d ' ' -f 1 text | paste -d ' ' wanted - | awk '$8 < $6 || $8 > $7' > wrong
	[ ! -s wrong ] || fail "a time is wrong: $(head -n 1 wrong)"
}

expect_kills_json() {
	did_kills "${1:-1}"
	cut -d ' ' -f 1-13 facts > dids
	expect_json comm pid tid ppid uid signal signal_name tpid target_tgid target_tid ret error syscall \
		boot_ns time errno
	tr '\t' ' ' < rows | cut -d ' ' -f 1-13 > seen
	expect_dids
	cut -f 14- rows | tr '\t' ' ' | paste -d ' ' facts - > between
	awk '
		function outside(value, least, most) { return value < least || value > most }
		outside($18, $14, $15) || outside(substr($19, 1, 26), $16, $17) || $19 !~ /\+00:00$/ || $20 != -$11
		' between > wrong
	[ ! -s wrong ] || fail "a time is wrong: $(head -n 1 wrong)"
}

# kernels=ends arch=yes
test_ways_to_send() {
	run sonde killsnoop --fail-on-loss -- kills
	expect_exit 0
	expect_heading 'TIME     PID     COMM             SIG  TPID    RESULT'
	expect_text
	expect_err 'Tracing signals'
	run sonde killsnoop -v -t -- kills
	expect_line '^TIME     TIME\(s\)      PID     COMM             SIG  TPID    RESULT ERROR$'
	expect_line '^[0-9:]{8} [0-9]+\.[0-9]{6} +[0-9]+ +kills +[0-9]+ +[0-9]+ +-3     ESRCH$'
	expect_line '^[0-9:]{8} [0-9]+\.[0-9]{6} +[0-9]+ +kills +[0-9]+ +[0-9]+ +0      -$'
}

test_ways_to_send_json() {
	run sonde killsnoop --fail-on-loss --json -- kills
	expect_exit 0
	expect_kills_json
	# the errors that the workload is to cause
	for error in ESRCH EPERM EINVAL EBADF; do
		grep -q " $error " dids || fail "nothing failed with $error"
	done
	[ "$(cut -d ' ' -f 13 dids | sort -u | wc -l)" -eq 6 ] || fail "a system call is missing"
}

test_failed() {
	run sonde killsnoop -x --json -- kills
	expect_exit 0
	expect_kills_json '$11 < 0'
}

test_signal() {
	run sonde killsnoop -s SIGUSR2,usr1,rtmin+1,RTMAX,0 --json -- kills
	expect_exit 0
	expect_kills_json '$7 ~ /USR|RT/ || $6 == 0'
	run sonde killsnoop --signal 9 -- kills
	expect_text '$6 == 9'
	[ "$(wc -l < seen)" -eq 2 ] || fail "not the two that were killed"
}

test_target() {
	kills target > target &
	wait_until 10 test -s target || fail "no target"
	read -r pid tid < target
	run sonde killsnoop -T "$pid" --json -- kills "$pid" "$tid"
	expect_exit 0
	expect_kills_json "\$8 == $pid || \$9 == $pid"
	run sonde killsnoop --target "$tid" -- kills "$pid" "$tid"
	expect_exit 0
	expect_text "\$8 == $tid"
	[ "$(wc -l < seen)" -eq 4 ] || fail "not all that name the thread"
	kill $!
}

# kernels=ends
test_pidns() {
	run unshare -pf --mount-proc sonde killsnoop --pidns --json -- kills
	expect_exit 0
	expect_kills_json
}

test_errors() {
	run sonde killsnoop -s KIL
	expect_exit 2
	expect_err "option -s 'KIL': no signal 'KIL' \(did you mean KILL\?\)$"
	run sonde killsnoop -s TERM,SIGTRM
	expect_exit 2
	expect_err "option -s 'TERM,SIGTRM': no signal 'SIGTRM' \(did you mean TERM\?\)$"
	run sonde killsnoop --signal 65
	expect_exit 2
	expect_err "option --signal '65': no signal '65': the last is 64"
	run sonde killsnoop -s RTMIN+31
	expect_exit 2
	expect_err "no signal 'RTMIN\+31'"
	run sonde killsnoop -T 0
	expect_exit 2
	expect_err 'option -T: 0 is out of range'
	run sonde killsnoop 17
	expect_exit 2
	expect_one_err "unexpected argument '17'"
}
