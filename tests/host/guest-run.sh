# SPDX-License-Identifier: BSD-2-Clause
# What tests/guest/run makes of guests that end as they should not. QEMU is a script here, whose Nth start says what is in said.N.

# guests TEST...: runs them for one kernel; what is said is in out.
guests() {
	rm -rf b/guest starts asked.*
	mkdir -p b bin
	ln -sfn "$(dirname "$(command -v calls)")" b/tests
	cat > "bin/qemu-system-$(uname -m)" <<-'END'
		#!/bin/sh
		cd "$(dirname "$0")/.."
		echo >> starts
		n=$(wc -l < starts)
		while [ "$1" != -initrd ]; do
			shift
		done
		grep -a "^TESTS=" "$2" > asked.$n || echo none > asked.$n
		cat said.$n
	END
	chmod +x bin/qemu*
	set -f
	tests=$(printf -- '-t %s ' "$@")
	run env PATH="$PWD/bin:$PATH" B="$PWD/b" SONDE="$(command -v sonde)" "$0/tests/guest/run" -k 6.12 $tests
	set +f
	! grep 'skipped, ' out || skip "$(grep 'skipped, ' out)"
}

# says N LINE...
says() {
	n=$1
	shift
	printf '@@ %s\r\n' "$@" | sed 's/^@@ Oops/[ 1.0] Oops/' > said.$n
}

int3='Oops: int3: 0000 [#1] SMP NOPTI'
two='guest/boot_two runqlat/two_processors'

# timeout=600
test_goes_on_where_qemu_breaks_a_guest() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' 'ok guest/boot_two 0.1' 'run runqlat/two_processors' "$int3"
	says 2 'begin 6.12' 'plan 1' 'run runqlat/two_processors' 'ok runqlat/two_processors 9.5' end
	guests $two
	expect_exit 0
	expect_line '^  again runqlat/two_processors: QEMU'
	expect_line '^2 passed, 0 failed, 0 skipped$'
	[ "$(cat asked.2)" = "TESTS='runqlat/two_processors'" ] || fail "the second guest was to run $(cat asked.2)"
}

# timeout=600
test_does_not_go_on_for_ever() {
	for n in 1 2 3 4; do
		says $n 'begin 6.12' 'plan 2' 'run guest/boot_two' "$int3"
	done
	guests $two
	expect_exit 1
	expect_line '^  not ok guest/boot_two: the guest stopped'
	expect_line '^  1 tests after it did not run$'
	[ "$(wc -l < starts)" = 3 ] || fail "$(wc -l < starts) guests"
}

# timeout=600
test_goes_on_for_no_other_reason() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' 'Oops: 0002 [#1] SMP NOPTI'
	guests $two
	expect_exit 1
	[ "$(wc -l < starts)" = 1 ] || fail "again for another Oops"
	says 1 'begin 6.12' 'plan 1' 'run guest/boot' "$int3"
	guests guest/boot
	expect_exit 1
	[ "$(wc -l < starts)" = 1 ] || fail "again with one processor"
}
