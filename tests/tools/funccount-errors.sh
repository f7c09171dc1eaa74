# SPDX-License-Identifier: BSD-2-Clause
# The errors of sonde funccount, and their messages.
# of file: kernels=one

# kernels=ends
test_without_capabilities() {
	run su user -c 'sonde funccount do_sys_openat2'
	expect_exit 1
	expect_one_err 'root|CAP_|sudo'
	run su user -c 'sonde funccount u:/bin/ufuncs:f_one'
	expect_exit 1
	expect_one_err 'root|CAP_|sudo'
}

test_wrong_usage() {
	while read -r arguments; do
		fc $arguments
		expect_exit 2
		grep -q . err || fail "not said"
		[ ! -s out ] || fail "something on stdout"
	done <<-'END'

	-i 0 do_sys_openat2
	-i x do_sys_openat2
	-d 0 do_sys_openat2
	-d 1x do_sys_openat2
	-p 12x do_sys_openat2
	-p -1 do_sys_openat2
	-p 99999999999 do_sys_openat2
	--tid x do_sys_openat2
	--cpu x do_sys_openat2
	--top -1 do_sys_openat2
	--top 1.5 do_sys_openat2
	--mechanism nosuch do_sys_openat2
	--no-such-option do_sys_openat2
	END
}

test_usage_names_the_option() {
	fc -p 12x do_sys_openat2
	expect_err '12x'
	fc --pif 1 do_sys_openat2
	expect_exit 2
	expect_err 'pif.*--pid'
	fc --mechanism fentri do_sys_openat2
	expect_err fentry
}

# A missing command must not lead to tracing the whole machine, in any tool.
test_no_command_behind_the_dashes() {
	for tool in $(sonde help --names); do
		run sonde "$tool" --
		expect_exit 2
		# what follows the -- of trace is for the program, which is missing too
		expect_err 'no command after --|name a file with a program'
		[ ! -s out ] || fail "something on stdout"
	done
	run sonde status -- true
	expect_exit 2
	expect_err "unexpected argument 'true'"
	run sonde execsnoop -c true -- true
	expect_exit 2
	expect_err 'two commands are given'
}

test_no_match() {
	fc vfs_raed
	expect_exit 1
	expect_one_err 'vfs_raed.*vfs_read'
	fc t:sched:sched_swich
	expect_exit 1
	expect_one_err 'sched_swich.*sched_switch'
	fc u:/bin/ufuncs:f_thre
	expect_exit 1
	expect_one_err 'f_thre.*f_three'
	fc usdt:/bin/usdt:house:plian
	expect_exit 1
	expect_one_err 'plian.*plain'
	fc 'no_such_thing_*'
	expect_exit 1
	expect_one_err 'no_such_thing_'
	# A spec that matches does not excuse one that does not.
	fc do_sys_openat2 vfs_raed
	expect_exit 1
	expect_err vfs_raed
}

test_no_such_thing() {
	fc -p 4000000 do_sys_openat2
	expect_exit 1
	expect_one_err 4000000
	fc --cgroup /sys/fs/cgroup/nowhere do_sys_openat2
	expect_exit 1
	expect_one_err nowhere
	fc --uid nosuchuser do_sys_openat2
	expect_exit 2
	expect_one_err nosuchuser
	fc u:/no/such/file:f
	expect_exit 1
	expect_one_err /no/such/file
	fc u:nosuchlib:f
	expect_exit 1
	expect_one_err nosuchlib
}

test_bad_spec_with_caret() {
	for spec in p:vfs_read+zz 'p:vfs_[read' 'p:' 'u:/bin/ufuncs' t:sched; do
		fc "$spec"
		expect_exit 2
		expect_err '^ *\^'
	done
	fc -r 'vfs_(read'
	expect_exit 2
}

test_not_a_program() {
	fc u:/etc/passwd:f
	expect_exit 1
	expect_one_err '/etc/passwd.*ELF'
	fc u:/tmp:f
	expect_exit 1
	mkfifo fifo
	run timeout 10 sonde funccount u:/tmp/fifo:f
	expect_exit 1
}

# sonde must neither crash nor hang, at whatever length the file is cut off.
test_truncated_program() {
	size=$(wc -c < /bin/libcalls)
	for length in 0 1 4 16 63 64 65 100 500 1000 4096 8000 \
		$((size / 2)) $((size - 2000)) $((size - 64)) $((size - 1)); do
		head -c "$length" /bin/libcalls > cut
		run timeout 10 sonde funccount u:/tmp/cut:own_wrk
		expect_exit 1
		expect_one_err '/tmp/cut|own_wrk'
	done
}

# A program whose headers are random bytes.
test_corrupt_program() {
	od -An -v -t u1 -w1 -N 80 /bin/libcalls > head
	tail -c +81 /bin/libcalls > rest
	n=$(od -An -t u2 -N 2 /dev/urandom | tr -d ' ')
	round=0
	while [ $((round += 1)) -le 40 ]; do
		noise=$(awk -v n=$((n + round)) '
			{ byte[NR - 1] = $1 }
			END {
				srand(n)
				for (i = 0; i < 8; i++)
					byte[16 + int(rand() * 64)] = int(rand() * 256)
				for (i = 0; i < NR; i++)
					printf "\\%03o", byte[i]
			}' head)
		{ printf "$noise"; cat rest; } > noise
		status=0
		timeout -s KILL 10 sonde funccount u:/tmp/noise:own_wrk > out 2> err || status=$?
		[ $status = 1 ] || { shown; fail "exit status $status, seed $((n + round))"; }
	done
}
