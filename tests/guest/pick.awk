# SPDX-License-Identifier: BSD-2-Clause
# Of the lines of list.awk, prints those that a run on one kernel has.
#
# Each test says by its class on which kernels it runs each time:
#
#	kernels=all	on all: what it tests differs between kernels in the middle, too
#	kernels=ends	on the newest, and at every fourth commit on the oldest
#	kernels=one	on the newest at every fourth commit: what it tests is in user space
#	kernels=turns	on none: it takes longer than a quarter of a minute of the processors, all
#			kernels together, or it tests the suite itself
#	arch=yes	also on another architecture: what it tests differs between architectures
#
# On another architecture, which is emulated, two commits run a quarter of its tests, the next two another one, and so on.
#
# A pair of test and kernel that is left out runs at each eighth commit. A hash of the pair says at which, so each
# commit runs an eighth of these pairs, and eight commits in a row run them all. On another architecture, twice as
# many commits do, and tests with an image run only if they are named.
#
# Variables: kernel; place: "oldest", "newest" or "between" (of the kernels that have the test's image); foreign: 1 on
# another architecture; pairs: "full" (every pair), "class" (by the classes alone) or "turn" (by the classes, and those
# whose turn it is); turn: the commit's number; part and parts: the tests of one of several machines.
function hash(text, i, n) {
	for (i = 1; i <= length(text); i++)
		n = (n * 31 + index(letters, substr(text, i, 1))) % 65521
	return n
}

function in_class() {
	if (foreign)
		return $8 == "yes" && (pairs != "turn" || (hash($3) + int(turn / 2)) % 4 == 0)
	if ($7 == "all" || ($7 == "ends" && place == "newest"))
		return 1
	return $7 != "turns" && (place == "newest" || ($7 == "ends" && place == "oldest")) && (pairs == "class" || has_turn(4))
}

function has_turn(commits) {
	return pairs == "turn" && (hash($3 " " kernel) + turn) % commits == 0
}

BEGIN { letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ " }
parts && hash($3) % parts != part - 1 { next }
pairs == "full" || in_class() || (foreign ? $6 == "-" && has_turn(16) : has_turn(8))
