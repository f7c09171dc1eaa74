# SPDX-License-Identifier: BSD-2-Clause
# sonde writeback: its rows must have the pages that the workload made dirty.

test_writeback() {
	device=$(disk scratch)
	mkfs.ext2 -F "$device" > made 2>&1 || mke2fs "$device" > made 2>&1 || fail "no file system: $(cat made)"
	mkdir m
	mount -t ext2 "$device" m
	sync
	start sonde writeback
	dd if=/dev/zero of=m/file bs=4096 count=1000 2> written
	sync
	stop INT
	umount m
	expect_exit 0
	expect_heading 'TIME     DEVICE   PAGES    REASON                   ms'
	pages=$(awk '$4 ~ /^WB_REASON_/ && $5 ~ /^[0-9]+\.[0-9][0-9][0-9]$/ { n += $3 } END { print n + 0 }' out)
	[ "$pages" -ge 1000 ] || fail "$pages pages, not 1000"
	expect_line '^[0-9:]{8} [0-9]+:[0-9]+ +[0-9]+ +WB_REASON_'
}
