# SPDX-License-Identifier: BSD-2-Clause
# sonde vfscount: its counts must be those of the workload.

test_vfscount() {
	run sonde vfscount --comm calls -c 'calls 1000 read 300 write'
	expect_exit 0
	expect_heading ''
	expect_line '^ADDR             FUNC                          COUNT$'
	expect_line '^[0-9a-f]{16} vfs_read                       1000$'
	[ "$(sed -n 's/ vfs_read .*//p' out)" = "$(awk '$3 == "vfs_read" { print $1 }' /proc/kallsyms)" ] ||
		fail 'another address of vfs_read'
	# and what it says
	expect_line '^[0-9a-f]{16} vfs_write                       30[0-9]$'
	expect_no_line '^@'
}
