# SPDX-License-Identifier: BSD-2-Clause
# Engines without a tool: several at work in one process.

test_together() {
	run together
	expect_exit 0
	expect_line '^ok$'
}
