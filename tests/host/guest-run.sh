# SPDX-License-Identifier: BSD-2-Clause
# Tests how tests/guest/run handles guests that do not end properly. QEMU is a script here: its Nth
# start prints said.N. Also tests how a guest handles tests that fail: those are real guests, with
# tests of their own.
# of file: kernels=turns

# Makes a build directory for guests that run beside the others.
build() {
	rm -rf b/guest
	mkdir -p b bin
	ln -sfn "$(dirname "$(command -v calls)")" b/tests
}

# guests TEST...: runs them for one kernel; the output is in out.
guests() {
	build
	rm -f starts asked.* given.*
	cat > "bin/qemu-system-$(uname -m)" <<-'END'
		#!/bin/sh
		cd "$(dirname "$0")/.."
		echo >> starts
		n=$(wc -l < starts)
		given=$*
		while [ "$1" != -initrd ]; do
			shift
		done
		grep -aoE '/tests/[^ ]+ test_[^ ]+ [^ ]+' "$2" | cut -d ' ' -f 3 > asked.$n
		echo "$given" > given.$n
		cat said.$n
		[ -z "${STAYS:-}" ] || exec tail -f /dev/null
	END
	chmod +x bin/qemu*
	set -f
	tests=$(printf -- '-t %s ' "$@")
	run env PATH="$PWD/bin:$PATH" B="$PWD/b" SONDE="$(command -v sonde)" "$0/tests/guest/run" -k 6.12 ${repeat:-} \
		$tests
	set +f
	! grep 'skipped, ' out || skip "$(grep 'skipped, ' out)"
}

# says N LINE...
says() {
	n=$1
	shift
	printf '@@ %s\r\n' "$@" | sed 's/^@@ \(Oops\|Kernel\)/[ 1.0] \1/' > said.$n
}

int3='Oops: int3: 0000 [#1] SMP NOPTI'
stuck='Kernel panic - not syncing: softlockup: hung tasks'
two='guest/boot_two runqlat/two_processors'

# The second guest runs in one thread of QEMU.
goes_on_after() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' 'ok guest/boot_two 0.1' 'run runqlat/two_processors' "$1"
	says 2 'begin 6.12' 'plan 1' 'run runqlat/two_processors' 'ok runqlat/two_processors 9.5' end
	guests $two
	expect_exit 0
	expect_line "^  again runqlat/two_processors: $2; the rest runs in one thread of QEMU$"
	expect_line '^2 passed, 0 failed, 0 skipped$'
	[ "$(cat asked.2)" = "runqlat/two_processors" ] || fail "the second guest was to run $(cat asked.2)"
	grep -q 'thread=multi.*softlockup_panic=1' given.1 || fail "the first guest: $(cat given.1)"
	grep -q 'thread=single.*softlockup_panic=1' given.2 || fail "the second guest: $(cat given.2)"
}

# The others would run.
# slow=yes
test_kernel_that_cannot_be_downloaded() {
	build
	run env XDG_CACHE_HOME="$PWD/cache" DEBIAN_MIRROR=http://127.0.0.1:9 B="$PWD/b" SONDE="$(command -v sonde)" \
		"$0/tests/guest/run" -k 6.12 -t guest/boot_two
	expect_exit 0
	expect_line '^6\.12: skipped, '
	expect_line '^0 passed, 0 failed, 1 skipped$'
}

# timeout=600 slow=yes
test_goes_on_where_qemu_breaks_a_guest() {
	goes_on_after "$int3" 'QEMU ran a breakpoint that the kernel had removed'
	goes_on_after "$stuck" 'a processor of the guest was stuck'
}

# What fails while a processor is stuck has no result: the kernel says that only 20 s later.
# timeout=600 slow=yes
test_runs_again_what_failed_before() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' 'not ok guest/boot_two: left behind: +map 57' '| more' \
		'run runqlat/two_processors' 'ok runqlat/two_processors 9.5' "$stuck"
	says 2 'begin 6.12' 'plan 1' 'run guest/boot_two' 'ok guest/boot_two 0.1' end
	guests $two
	expect_exit 0
	expect_line '^  again guest/boot_two: left behind: .map 57$'
	expect_line '^      more$'
	expect_line '^2 passed, 0 failed, 0 skipped$'
	[ "$(cat asked.2)" = "guest/boot_two" ] || fail "the second guest was to run $(cat asked.2)"
	says 2 'begin 6.12' 'plan 1' 'run guest/boot_two' 'not ok guest/boot_two: left behind: +map 57' end
	guests $two
	expect_exit 1
	expect_line '^1 passed, 1 failed, 0 skipped$'
	[ "$(wc -l < starts)" = 2 ] || fail "$(wc -l < starts) guests"
}

# timeout=600 slow=yes
test_does_not_go_on_for_ever() {
	for n in 1 2 3; do
		says $n 'begin 6.12' 'plan 2' 'run guest/boot_two' "$stuck"
	done
	guests $two
	expect_exit 1
	expect_line '^  not ok guest/boot_two: the guest stopped'
	expect_line '^  1 tests after it did not run$'
	[ "$(wc -l < starts)" = 2 ] || fail "$(wc -l < starts) guests"
}

# A guest that says nothing any more.
# timeout=600 slow=yes
test_goes_on_where_a_guest_does_not_end() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two'
	says 2 'begin 6.12' 'plan 2' 'run guest/boot_two' 'ok guest/boot_two 0.1' 'run runqlat/two_processors'
	export STAYS=1 GUEST_TIMEOUT=12
	guests $two
	expect_exit 1
	expect_line '^  again guest/boot_two: the guest did not end in 2 s; '
	expect_line '^  not ok runqlat/two_processors: the guest did not end in 12 s:$'
	[ "$(wc -l < starts)" = 2 ] || fail "$(wc -l < starts) guests"
}

# timeout=600 slow=yes
test_goes_on_for_no_other_reason() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' 'Oops: 0002 [#1] SMP NOPTI'
	guests $two
	expect_exit 1
	[ "$(wc -l < starts)" = 1 ] || fail "again for another Oops"
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' "$stuck"
	ACCEL=kvm guests $two
	expect_exit 1
	[ "$(wc -l < starts)" = 1 ] || fail "again with another accelerator"
	says 1 'begin 6.12' 'plan 1' 'run guest/boot' "$int3" "$stuck"
	guests guest/boot
	expect_exit 1
	[ "$(wc -l < starts)" = 1 ] || fail "again with one processor"
}

# With -r, up to five tests that failed have two other tries; all results are shown.
# timeout=600 slow=yes
test_runs_few_failures_again() {
	says 1 'begin 6.12' 'plan 2' 'run guest/boot_two' 'not ok guest/boot_two: 9 samples' '| more' \
		'run runqlat/two_processors' 'ok runqlat/two_processors 9.5' end
	says 2 'begin 6.12' 'plan 1' 'run guest/boot_two' 'ok guest/boot_two 0.1' end
	guests $two
	expect_exit 1
	expect_line '^1 passed, 1 failed, 0 skipped$'
	repeat=-r
	guests $two
	expect_exit 0
	expect_line '^  again guest/boot_two: 9 samples$'
	expect_line '^      more$'
	expect_line '^2 passed, 0 failed, 0 skipped$'
	[ "$(cat asked.2)" = "guest/boot_two" ] || fail "the second guest was to run $(cat asked.2)"
	says 2 'begin 6.12' 'plan 1' 'run guest/boot_two' 'not ok guest/boot_two: 8 samples' end
	says 3 'begin 6.12' 'plan 1' 'run guest/boot_two' 'ok guest/boot_two 0.1' end
	guests $two
	expect_exit 0
	expect_line '^  again guest/boot_two: 8 samples$'
	expect_line '^2 passed, 0 failed, 0 skipped$'
	[ "$(cat asked.3)" = "guest/boot_two" ] || fail "the third guest was to run $(cat asked.3)"
	says 3 'begin 6.12' 'plan 1' 'run guest/boot_two' 'not ok guest/boot_two: 7 samples' end
	guests $two
	expect_exit 1
	expect_line '^  again guest/boot_two: 8 samples$'
	expect_line '^  not ok guest/boot_two: 7 samples$'
	[ "$(wc -l < starts)" = 3 ] || fail "$(wc -l < starts) guests"
	says 1 'begin 6.12' 'plan 6' 'not ok guest/a: 1' 'not ok guest/b: 1' 'not ok guest/c: 1' \
		'not ok guest/d: 1' 'not ok guest/e: 1' 'not ok guest/f: 1' end
	guests $two
	expect_exit 1
	expect_line '^0 passed, 6 failed, 0 skipped$'
	[ "$(wc -l < starts)" = 1 ] || fail "again though six failed"
	for reason in 'guest/boot_two: kernel: BUG: sleeping' 'guest/boot_two: left behind: +map 57' \
		'boot: the image could not be mounted'; do
		says 1 'begin 6.12' 'plan 1' "not ok $reason" end
		guests $two
		expect_exit 1
		expect_line '^0 passed, 1 failed, 0 skipped$'
		[ "$(wc -l < starts)" = 1 ] || fail "again after $reason"
	done
}

# A test on the machine's own kernel must not leave a process running either.
test_failure_leaves_no_process() {
	mkdir -p tree/tests/host b/tests
	cp -r "$0/tests/run" "$0/tests/guest" tree/tests
	ln -s "$(command -v spin)" b/tests/
	ln -s "$(dirname "$(realpath "$(command -v sonde)")")/return-guard" b/
	cat > tree/tests/host/house.sh <<-END
		test_leaves() {
			spin > /dev/null &
			echo \$! > $PWD/left
			fail "on purpose"
		}
	END
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --host leaves
	expect_exit 1
	expect_line '^  not ok house/leaves: on purpose'
	expect_line '^  host: house/leaves: on purpose$'
	# killed: gone, or a zombie
	wait_until 20 sh -c '! grep -q "(spin) [^Z]" /proc/$(cat left)/stat 2> /dev/null' || fail "it runs"
}

# A test fails and leaves everything that a test can leave; the next one must find nothing of it.
# timeout=600 slow=yes
test_failure_fails_no_other_test() {
	build
	mkdir tests
	cat > tests/house.sh <<-'END'
		T=/sys/kernel/tracing

		test_a_leaves() {
			mkdir -p /tmp/host /tmp/'two words' $T/instances/left /sys/fs/bpf/left /sys/fs/cgroup/left/inner
			mount -t proc proc /tmp/host
			mount -t tmpfs x /tmp/host
			mount -t tracefs x '/tmp/two words'
			umount -l /sys/kernel/debug
			mount -o remount,ro /sys/fs/bpf
			printf 'p:left vfs_read\np:used vfs_write\n' > $T/kprobe_events
			echo 1 > $T/events/kprobes/left/enable
			echo traceoff > $T/events/kprobes/used/trigger
			echo 1 > $T/instances/left/events/sched/sched_switch/enable
			echo vfs_read > $T/set_ftrace_filter
			echo function > $T/current_tracer
			echo 0 > $T/tracing_on
			echo 2 > /proc/sys/kernel/kptr_restrict
			echo $$ > /sys/fs/cgroup/left/inner/cgroup.procs
			spin > /dev/null &
			fail "on purpose"
		}

		test_b_finds_nothing() {
			residue || fail "found: $(residue | head -n 1)"
			[ "$(cat $T/tracing_on) $(cat /proc/sys/kernel/kptr_restrict)" = "1 0" ] || fail "settings"
			[ -z "$(find /sys/fs/cgroup -mindepth 1 -type d)$(cat $T/set_ftrace_filter | grep -v '^#')" ] ||
				fail "a cgroup or a filter"
			mkdir /sys/fs/bpf/mine
			rmdir /sys/fs/bpf/mine
			ls /sys/kernel/debug/kprobes/list
		}

		test_c_hides_btf() {
			mount -t tmpfs busy /sys/kernel/btf
			fail "on purpose, again"
		}

		test_d_passes() {
			[ -e /sys/kernel/btf/vmlinux ]
		}
	END
	export B="$PWD/b" GUEST_TESTS="$PWD/tests" SONDE="$(command -v sonde)"
	run "$0/tests/guest/run" -v -p full -k 5.10 -k newest
	! grep 'skipped, ' out || skip "$(grep 'skipped, ' out)"
	for line in 'not ok house/a_leaves: on purpose$' 'ok house/b_finds_nothing ' \
		'not ok house/c_hides_btf: .*, again$' 'ok house/d_passes '; do
		[ "$(grep -c "^  $line" out)" = 2 ] || fail "not on both kernels: $line"
	done
	expect_no_line 'still there'
}

# Two guests, of which the second has to wait as long as there is a file. The first one looks for it, and at last removes
# the file.
test_one_guest_at_a_time() {
	build
	touch others
	cat > "bin/qemu-system-$(uname -m)" <<-'END'
		#!/bin/sh
		cd "$(dirname "$0")/.."
		echo >> starts
		if [ "$(wc -l < starts)" = 1 ]; then
			usleep 2500000
			cp starts early
			rm others
			until [ "$(wc -l < starts)" = 2 ]; do
				usleep 100000
			done
		fi
		printf '@@ begin 6.12\r\n@@ plan 1\r\n@@ ok it 0.1\r\n@@ end\r\n'
	END
	chmod +x bin/qemu*
	run env PATH="$PWD/bin:$PATH" B="$PWD/b" SONDE="$(command -v sonde)" "$0/tests/guest/run" -k 6.12 -o "$PWD/others" \
		-t guest/boot_two -t engines/ring
	! grep 'skipped, ' out || skip "$(grep 'skipped, ' out)"
	expect_exit 0
	expect_line '^2 passed, 0 failed, 0 skipped$'
	[ "$(wc -l < early)" = 1 ] || fail "the second guest did not wait"
}

# The shell keeps one function of a name: another one would never run.
test_twins() {
	mkdir tests
	printf '%s\n' 'test_one() {' '	:' '}' 'test_two() {' '	:' '}' > tests/house.sh
	printf '%s\n' 'test_one() {' '	:' '}' > tests/other.sh
	export GUEST_TESTS="$PWD/tests"
	run "$0/tests/guest/run" -l
	expect_exit 0
	[ "$(wc -l < out)" = 3 ] || fail "not three tests"
	printf '%s\n' 'test_one() {' '	false' '}' >> tests/house.sh
	run "$0/tests/guest/run" -l
	expect_exit 2
	expect_one_err 'house\.sh:7: test_one\(\) is there already$'
}
