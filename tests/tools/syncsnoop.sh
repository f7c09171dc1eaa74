# SPDX-License-Identifier: BSD-2-Clause
# sonde syncsnoop: its rows must be the calls of the workload.

# kernels=one
test_syncsnoop() {
	run sonde syncsnoop -c 'sh -c "calls 3 fsync 2 fdatasync; sync"'
	expect_exit 0
	expect_heading 'TIME(s)            COMM             CALL             TID'
	expect_did_calls calls fsync 3
	expect_did_calls calls fdatasync 2
	expect_did_calls sync sync 1
	[ "$(grep -c '^ *[0-9]*\.[0-9]\{6\} ' out)" = 6 ] || fail "other rows"
}

# expect_did_calls COMM CALL N
expect_did_calls() {
	[ "$(grep -cE "^ *[0-9]+\.[0-9]{6} $1 +$2 +[0-9]+\$" out)" = "$3" ] || fail "not $3 rows of $2"
}
