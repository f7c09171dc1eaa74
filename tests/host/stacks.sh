# SPDX-License-Identifier: BSD-2-Clause
# Checks that tests/stacks/compare finds stacks that are wrong.

compare=$0/tests/stacks/compare

# stack COMM OFFSET...: prints a stack as perf script does, the innermost frame first.
stack() {
	echo "$1 "
	shift
	for offset; do
		printf '\t%16s f%s (/bin/none)\n' "$offset" "$offset"
	done
	echo
}

# compared ARG...: its output in out. Names stand for functions here: the file does not exist.
compared() {
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	run "$compare" "$@" ours theirs
}

test_stacks_same() {
	{ stack a 30 20 10; stack a 40 20 10; } > theirs
	{ stack a 40 20 10; stack a 30 20 10; stack b 1 2; } > ours
	compared -c a
	expect_exit 0
	expect_line ' +2 +100.00% +100.00% +100.00% +100.00%$'
}

# 60 is called by 20 in one of theirs, and 20 by 10 in another.
test_stacks_known_by_their_pairs() {
	{ stack a 60 20 50 10; stack a 30 20 10; } > theirs
	stack a 60 20 10 > ours
	compared
	expect_exit 0
	expect_line ' 0.00% +100.00%$'
}

test_stacks_without_a_frame() {
	stack a 40 30 20 10 > theirs
	stack a 40 20 10 > ours
	compared
	expect_exit 1
	expect_line ' 0.00% +0.00%$'
	expect_line ' f40 .* <- f20 '
}

test_stacks_without_a_root() {
	stack a 40 30 20 10 > theirs
	stack a 40 30 20 > ours
	compared
	expect_exit 1
	expect_line ' f20 .* <- the root'
}

test_stacks_as_often() {
	{ stack a 30 20 10; stack a 30 20 10; stack a 40 10; } > theirs
	{ stack a 30 20 10; stack a 40 10; } > ours
	compared -e
	expect_exit 1
	expect_line ' 66.67% +3$'
	expect_line 'theirs 1: f30 f20 f10'
}
