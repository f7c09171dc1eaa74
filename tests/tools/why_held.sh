# SPDX-License-Identifier: BSD-2-Clause
# sonde why --over: who held the processor.
# of file: kernels=ends

# held WHAT N [OPTION]...: the waits of `waiter` for processor $cpu, or 0, while the hog does WHAT.
held() {
	what=$1 n=$2
	shift 2
	run sonde why --json --cpu ${cpu:-0} --over 500us --comm waiter "$@" -c "hogs $what $n"
	expect_exit 0
	hog=$(sed -n 's/^did hog //p' out)
	expect_json kind what held_by state pid times ns max_ns
}

# Each part of each wait, and all holders, must sum to the waits.
expect_sums() {
	awk -F '\t' '
		$1 == "total" { all = $7 }
		$1 == "holder" { sum += $7 }
		$1 == "wait" { want[++n] = $7 }
		$1 == "part" { have[n] += $7 }
		END {
			if (!all || sum != all) print "holders sum to " sum ", the waits to " all
			for (i = 1; i <= n; i++)
				if (have[i] != want[i]) print "the parts of wait " i " sum to " have[i] ", not " want[i]
			if (!n) print "no wait"
		}' rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# hog_had STATE: the hog was in STATE in a quarter of the waits, and had a quarter of what others than sonde had. The
# machine below a guest takes its processor at any place, and then whoever was there has that time.
hog_had() {
	awk -F '\t' -v hog="$hog" -v state="$1" '
		$1 == "total" { waits = $6 }
		$1 != "holder" || $3 == "sonde itself" { next }
		{ all += $7 }
		$5 == hog { mine += $7; if ($4 ~ state) it += $6 }
		END { exit !(waits && mine * 4 > all && it * 4 > waits) }' rows || fail "not the hog, $1: $(grep '^holder' rows)"
}

# unmeasured: prints how many waits of the last run may be missing, as it says: 7.x skips hits of tracepoints.
unmeasured() {
	sed -n 's/.*: \([0-9]*\) \(hits* missed by the kernel\|waits* not measured, long or short\)[,:].*/\1/p' err |
		awk '{ n += $1 } END { print n + 0 }'
}

# A task that goes first, and spins, with its policy, in user space.
test_task() {
	held spin 20 --user-stacks
	expect_sums
	hog_had '^user, fifo 50$'
	awk -F '\t' -v lost="$(unmeasured)" '$1 == "total" { exit !($6 + lost >= 20 && $7 > $6 * 2900000) }' rows ||
		fail "not 20 waits of 3 ms"
	# the process has ended before its row is made
	! grep '"kind":"holder"' out | grep "\"pid\":$hog," | grep -v '"command":"hogs spin 20"' ||
		fail "a row of the command without its arguments"
	# the stack of that moment
	grep '"kind":"part"' out | grep '"what":"task"' | grep -q '"user_stack":\[[^]]*"spin"' || fail "no stack"
}

# kernels=one
test_text() {
	run sonde why --over 500us -n 2 --comm waiter -c "hogs spin 5"
	expect_exit 0
	expect_line '^[0-9]+ waits over 0.5 ms of 1 thread for 1 processor in [0-9.]+ s, [0-9.]+ ms in all$'
	expect_line '^p50 [0-9.]+ ms, p90 [0-9.]+ ms, p99 [0-9.]+ ms, max [0-9.]+ ms$'
	expect_line '^  hogs [0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+  user, fifo 50; hogs spin 5$'
	expect_line '^  2\. +[0-9.]+  waiter [0-9]+ on processor 0 at [0-9.]+ s$'
	expect_no_line '^  3\.'
}

# Of what has gathered when measuring ends nothing is lost: sonde itself has not come to the processor until then.
test_many() {
	limit=$(cat /proc/sys/kernel/sched_rt_runtime_us)
	echo -1 > /proc/sys/kernel/sched_rt_runtime_us
	held turns 8000 --no-stacks --over 1us
	echo "$limit" > /proc/sys/kernel/sched_rt_runtime_us
	expect_sums
	awk -F '\t' -v lost="$(unmeasured)" '$1 == "total" { exit !($6 + lost >= 8000) }' rows ||
		fail "not 8000 waits: $(grep '^total' rows)"
}

# The soft interrupts of the network come in the calls that send, and are told apart from them.
test_softirq() {
	held send 10
	expect_sums
	awk -F '\t' '$1 == "holder" && $3 == "softirq net_rx" && $6 >= 1 { n++ } END { exit n != 1 }' rows ||
		fail "no softirq net_rx"
}

# Who has used up the quota of its cgroup waits for no processor. The kernel says how long.
test_quota() {
	slow_cgroup
	run sonde why --json --over 5ms -- sh -c 'echo $$ > /sys/fs/cgroup/slow/cgroup.procs; exec waits 1 500 user'
	kernel=$(sed -n 's/^throttled_usec //p' /sys/fs/cgroup/slow/cpu.stat)
	rmdir /sys/fs/cgroup/slow
	expect_exit 0
	expect_json kind what held_by state pid times ns max_ns
	expect_sums
	awk -F '\t' -v kernel="$kernel" '$1 == "holder" && $2 == "quota" && $3 ~ /^its cgroup.s quota$/ { ns += $7 }
		END { want = kernel * 1000; exit !(want > 1e8 && ns > want * 0.8 && ns < want * 1.2 + 2e7) }' rows ||
		fail "the kernel says $kernel us: $(grep '^holder' rows)"
}

# A section of the kernel with preemption off: programs on a kprobe, and on 5.10 those on a tracepoint. Without samples,
# which take long here. The waiting task goes first, and cannot.
test_preemption_off() {
	probe=kprobe:do_sys_openat2
	[ "$KERNEL" != 5.10 ] || probe=tracepoint:syscalls:sys_enter_openat
	dfl sonde trace -e "$probe"' /comm == "hogs"/ {
		$i = 0; $t = (uint64)0;
		while ($i < 1000) {
			$i++;
			unroll (40) { $t = $t + nsecs; }
		}
		if ($t == 0) {
			print($t);
		}
	}' > traced 2>&1 &
	traced=$!
	wait_until 50 grep -q '^Attached' traced || fail "the script is not attached: $(cat traced)"
	held open 40 --no-stacks --over 100us
	kill -INT $traced
	wait $traced || :
	expect_sums
	hog_had '^kernel, preemption off$'
}

# cpus=2
test_processors() {
	run sonde why --over 500us --cpus 0-1 --comm waiter -c "hogs spin 5"
	expect_exit 0
	expect_line '^[0-9]+ waits over 0.5 ms of 1 thread for 2 processors '
	run sonde why --over 500us --cpu 1 --comm waiter -c "hogs spin 5"
	expect_exit 0
	expect_line '^0 waits over 0.5 ms of 0 threads for 1 processor '
	echo 0 > /sys/devices/system/cpu/cpu1/online
	run sonde why --over 1ms --cpu 1 -d 1
	echo 1 > /sys/devices/system/cpu/cpu1/online
	expect_exit 1
	expect_one_err 'processor 1 is offline'
}

# cpus=2
test_comes_online() {
	echo 0 > /sys/devices/system/cpu/cpu1/online
	run sonde why --over 100ms -- sh -c 'echo 1 > /sys/devices/system/cpu/cpu1/online'
	expect_exit 0
	expect_err ': 1 processor came online meanwhile: waits for it are not measured$'
}

# A thread that waits is moved. What it waited for before is in the message of the processor that it leaves, whose task
# still runs; what comes then is elsewhere. Of the other processor it is a long wait only if it was long there.
# cpus=2
test_moved() {
	held move 10 -n 100
	expect_sums
	hog_had '^(user|kernel), fifo 50$'
	awk -F '\t' -v lost="$(unmeasured)" '$1 == "total" { waits = $6 } $1 == "holder" && $2 == "elsewhere" { n++ }
		END { exit !(waits + lost >= 10 && n) }' rows || fail "not 10 waits, or none elsewhere: $(cat rows)"
	cpu=1 held move 10 -n 100 --over 2ms
	awk -F '\t' '$1 == "part" { ns[n] += $2 == "elsewhere" ? 0 : $7 } $1 == "wait" { n++ }
		END { while (n) if (ns[n--] < 2000000) exit 1 }' rows || fail "short on processor 1: $(cat rows)"
}

# As cyclictest sees it: what it calls late is a wait, no wait is longer than its worst, and the worst one is there. Of
# a timer that comes late itself only cyclictest knows; on a busy machine that may be the worst.
cyclic() {
	run sonde why --json --over 500us --no-stacks --comm cyclic -n 1 -- cyclic 100
	expect_exit 0
	read -r worst late <<-END
		$(sed -n 's/^did cyclic[[:space:]]*//p' out)
	END
	expect_json kind what held_by comm times ns max_ns
	[ "$late" -gt 0 ] || fail "nothing was late"
	awk -F '\t' -v worst="$worst" -v late="$late" -v lost="$(unmeasured)" '
		$1 == "total" { waits = $5; max = $7 }
		$1 == "holder" && $4 == "hog" { hog += $6 }
		$1 == "holder" { all += $6 }
		END { exit !(max <= worst && max * 2 > worst && (waits + lost) * 2 > late && hog * 2 > all) }' rows ||
		fail "the worst is $worst, $late are late: $(cat rows)"
}

test_cyclic() {
	one_of_three cyclic
}

# kernels=one
test_bad_usage() {
	for options in '--cpu 0' '--cpus 0' '--over 0' '--over 1ms --cpus 0,x' '--over 1ms --cpus 1-0' '--over 1ms --requests' \
		'--over 1ms -t' '--over 1ms --flame x.svg' '--over 1ms --cpu 0 --cpus 0'; do
		run sonde why $options -d 1
		expect_exit 2
	done
	run sonde why --user-stacks -d 1
	expect_exit 2
	expect_one_err '--user-stacks is of --over'
	for option in '--chain 5' '--compare x' '--native' '--unwind fp' '--no-stacks --user-stacks'; do
		run sonde why --over 1ms $option -d 1
		expect_exit 2
		expect_one_err "${option%% *} "
	done
	run sonde why --chain 5 -d 1
	expect_exit 2
	run sonde why --over 1ms --cpus 4000 -d 1
	expect_exit 1
	expect_one_err 'there is no processor 4000: the highest number is [0-9]+'
}
