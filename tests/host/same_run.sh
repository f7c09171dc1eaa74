# SPDX-License-Identifier: BSD-2-Clause
# Compares the lines of sonde strace with those of strace, of the same run: some of the commands of make bench-strace.

test_lines_of_strace() {
	strace -o /dev/null true 2> /dev/null || skip "strace is not there, or may not trace"
	# what sonde prints is the text of this one; others have other names and members in some calls
	strace --version | grep -q '^strace -- version 6[.]1$' || skip "strace has another version than 6.1"
	cc --version > /dev/null 2>&1 || skip "there is no compiler"
	run sonde strace -qq -o /dev/null -- true
	[ "$status" -eq 0 ] || skip "sonde strace does not run here"
	"$0/tests/bench/strace/compare" ls ls-v tar pipeline xargs odd edges ioctls > did 2>&1 || { cat did; fail "lines differ"; }
	[ "$(grep -c '% identical' did)" -eq 9 ] || fail "not eight commands and their sum"
	# their messages are about a network namespace of their own
	unshare -n ip link > /dev/null 2>&1 && command -v ss > /dev/null || return 0
	unshare -n "$0/tests/bench/strace/compare" ip ss netlink > did 2>&1 || { cat did; fail "messages of netlink differ"; }
	[ "$(grep -c '100.000 % identical' did)" -eq 4 ] || { cat did; fail "not three commands and their sum"; }
}
