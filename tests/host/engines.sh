# SPDX-License-Identifier: BSD-2-Clause
# Engines without a tool, on this machine: they trace a child of their own.

test_together() {
	run together
	expect_exit 0
	expect_line '^ok$'
}

test_bounds() {
	run bounds
	expect_exit 0
	expect_line '^ok, 192 values$'
}

test_kept() {
	run kept 20 count auto alpha
	expect_exit 0
	expect_line '^ok, 20 restarts, '
}

test_paused() {
	run paused latency auto alpha
	expect_exit 0
	expect_line '^ok$'
}
