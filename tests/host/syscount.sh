# SPDX-License-Identifier: BSD-2-Clause
# Compares sonde syscount --summary -- CMD and sonde strace -c -f CMD with strace -c -f CMD: the same calls, and as many
# errors.

# Prints "CALL CALLS ERRORS" of a table of strace's, or one in its manner. Leaves out what depends
# on which process runs first, ours included.
calls_of() {
	sed -n '/^% time/,$p' "$1" | awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $NF, $4, NF == 6 ? $5 : 0 }' |
		grep -vE "^(${2:-none}) " | sort
}

# beside [-s CALL|CALL...] CMD...: compares, without these calls.
beside() {
	but=
	[ "$1" != -s ] || { but=$2; shift 2; }
	# the output of both goes to the same kind of file, because a library asks what it is
	strace -c -f -o strace.out "$@" > strace.did 2> /dev/null || fail "strace: $*"
	run sonde syscount --summary -- "$@"
	expect_exit 0
	calls_of strace.out "$but" > wanted
	calls_of out "$but" > seen
	[ "$(wc -l < wanted)" -ge 10 ] || fail "strace has counted nothing"
	cmp -s wanted seen || { diff wanted seen || :; fail "not what strace counts (-): $*"; }
	sonde strace -c -f -o ours.out "$@" > ours.did 2> /dev/null || fail "sonde strace -c: $*"
	calls_of ours.out "$but" > seen
	cmp -s wanted seen || { diff wanted seen || :; fail "sonde strace -c: not what strace counts (-): $*"; }
}

files() {
	strace -o /dev/null true 2> /dev/null || skip "strace is not there, or may not trace"
	mkdir -p files/below
	for n in 1 2 3 4 5 6 7 8 9; do
		echo "$n" > files/$n
		seq $((n * 1000)) > files/below/$n
	done
}

test_summary_of_programs() {
	files
	beside ls -lR files
	beside tar cf /dev/null files
	beside find files -name '*3' -newer files/1
	beside sort -r files/below/9
	beside grep -r 77 files
}

# The number of signal handlers, and what they interrupt, differs between runs. A write to a pipe is
# one write.
test_summary_of_a_shell() {
	files
	beside -s 'rt_sigreturn|wait4|futex|restart_syscall' sh -c '
		ls files | sort -r | head -n 3
		for n in 1 2 3; do ls files/none; done
		cat files/below/1 | grep 5 | wc -l; sh -c "echo 1 | cat" | cat'
	beside -s 'rt_sigreturn|wait4|futex|restart_syscall' forks 3 2 100
}

# Leaves out the calls that have no name: strace omits them, or, if newer, shows their numbers.
test_summary_of_odd_calls() {
	files
	strace -c -f -o strace.out oddcalls > strace.did 2>&1
	run sonde syscount --summary -- oddcalls
	sed -i '/unknown/d' out
	sed -i -e '/^System call usage/,$d' -e '/ syscall_0x/d' strace.out
	calls_of strace.out > wanted
	calls_of out > seen
	cmp -s wanted seen || { diff wanted seen || :; fail "not what strace counts (-)"; }
}
