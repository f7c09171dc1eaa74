# SPDX-License-Identifier: BSD-2-Clause
# Engines without a tool: several at work in one process.

test_together() {
	run together
	expect_exit 0
	expect_line '^ok$'
}

# Random programs of the compiler's back end, and the library that compiled programs call. More by hand:
# emitted 1000 123456 (programs, the first seed).
test_emitted() {
	run emitted 60
	expect_exit 0
	expect_line '^ok, 6720 results, '
}

# Random programs of the language, beside what the same tree means in C. More by hand: compiled 10000 123456 (programs,
# the first seed); a third argument prints each.
test_compiled() {
	run compiled 80
	expect_exit 0
	expect_line '^ok, 60 evaluated, '
	# lengths and buckets whose bounds the verifier of 5.10 forgot
	for seed in 700399 700487 801627; do
		run compiled 1 $seed
		expect_line '^ok, 0 evaluated, 1 only loaded, '
	done
}
