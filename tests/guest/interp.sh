# SPDX-License-Identifier: BSD-2-Clause
# Stacks of an interpreter's process, $program. Read by tests in guests and on this machine.
# shellcheck disable=SC2154 # $program is theirs

# expect_true PROGRAM TRUE OTHERS N KNOWN: of all stacks in out that are of the program and do not match OTHERS, there
# must be N, 99 of 100 must be true, and none may have another function with a file than those that match KNOWN.
expect_true() {
	grep "^$1" out | grep -v "$3" > all
	awk '{ n += $NF } END { print n + 0 }' all > n_all
	grep -E "$2" all | awk '{ n += $NF } END { print n + 0 }' > n_true
	echo "  $(cat n_true) of $(cat n_all) are true"
	grep -v -E "$2" all | head -n 5
	[ "$(cat n_all)" -ge "$4" ] || fail "$(cat n_all) samples, not $4"
	[ $(($(cat n_true) * 100)) -ge $(($(cat n_all) * 99)) ] || fail "stacks are wrong"
	! grep -o '[^;]* ([a-z_]*\.[a-z]*[^)]*)' all | grep -v -E "$5" || fail "there are other functions"
}

# has_run TICKS: whether the program has had so much time of the processor.
has_run() {
	[ "$(awk '{ print $14 + $15 }' /proc/$program/stat)" -ge "$1" ]
}

# profile OPTION...: a second of the program's time on the processor.
profile() {
	start sonde profile -p $program -F 999 -f -U "$@"
	wait_until 60 has_run $(($(awk '{ print $14 + $15 }' /proc/$program/stat) + 100)) || fail "the program does not run"
	stop INT
	expect_exit 0
}
