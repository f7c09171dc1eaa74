# SPDX-License-Identifier: BSD-2-Clause
# Compares src/unwind/ with readelf. tests/unwind/golden without arguments compares all of /usr/bin
# and /usr/lib.

golden() {
	run env B="${B:-build}" "$0/tests/unwind/golden" "$@"
	expect_exit 0
	expect_line "^$# files, [0-9]{4,} rows, 0 differ\$"
}

# timeout=300
test_unwind_rows_of_this_machine() {
	libc=$(ldd "$(command -v bash)" | grep -o '/[^ ]*libc\.so\.6')
	golden "$(readlink -f "$(command -v bash)")" "$(readlink -f "$libc")" "$(readlink -f "$(command -v strace)")"
}

test_unwind_rows_of_arm64() {
	libc=/usr/aarch64-linux-gnu/lib/libc.so.6
	[ -e $libc ] || skip "there is no $libc"
	golden "$(readlink -f $libc)"
}
