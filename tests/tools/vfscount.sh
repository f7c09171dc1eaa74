# SPDX-License-Identifier: BSD-2-Clause
# sonde vfscount: its counts must be those of the workload.

test_vfscount() {
	run sonde vfscount --comm calls -c 'calls 1000 read 300 write'
	expect_exit 0
	expect_heading ''
	expect_line '^FUNC                          COUNT$'
	expect_line '^vfs_read                       1000$'
	# and what it says
	expect_line '^vfs_write                       30[0-9]$'
	expect_no_line '^@'
}
