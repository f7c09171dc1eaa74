# SPDX-License-Identifier: BSD-2-Clause
# sonde fileslower: its rows must be the calls of the workload.

test_fileslower() {
	run sonde fileslower 0 -c 'dd if=/dev/zero of=file bs=3000 count=3 conv=fsync'
	expect_exit 0
	expect_heading 'TIME     COMM             PID     T BYTES   OFF_KB   LAT(ms) FILENAME'
	awk '$2 == "dd" && $NF == "file" { print $4, $5, $6 }' out > seen
	printf '%s\n' 'O 0 0' 'W 3000 0' 'W 3000 2' 'W 3000 5' 'S 0 0' > dids
	expect_dids
	expect_no_line ' zero$'
	run sonde fileslower 0 -F tmpfs -a -c 'dd if=file of=/dev/null bs=4096'
	expect_exit 0
	awk '$2 == "dd" && $NF == "file" { print $4, $5, $6 }' out > seen
	printf '%s\n' 'O 0 0' 'R 4096 0' 'R 4096 4' 'R 808 8' 'R 0 8' > dids
	expect_dids
	expect_no_line ' null$'
	run sonde fileslower 0 -F ext4 -c 'dd if=file of=/dev/null'
	expect_no_line '^[0-9]'
}

# The workload sleeps in a read of a FIFO, for as long as another process takes.
# kernels=one
test_fileslower_slow() {
	mkfifo fifo
	run sonde fileslower 1000 -a -c 'sh -c "calls 60 nanosleep > fifo & cat fifo"'
	expect_exit 0
	expect_line '^[0-9:]{8} cat +[0-9]+ +R [0-9]+ +0 +[0-9]{4,}\.[0-9]{2} fifo$'
	[ "$(grep -c ' fifo$' out)" = 1 ] || fail "more than one slow read"
}
