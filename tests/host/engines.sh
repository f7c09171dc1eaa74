# SPDX-License-Identifier: BSD-2-Clause
# Engines without a tool, on this machine: they trace a child of their own.

test_together() {
	run together
	expect_exit 0
	expect_line '^ok$'
}
