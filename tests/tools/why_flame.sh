# SPDX-License-Identifier: BSD-2-Clause
# Files of sonde why: stacks of waits and of running threads must add up to what its page says, cause by cause.
# of file: kernels=one
. /threads.sh

# expect_drawn FOLDED: microseconds by cause, each line rounded down; and what has no cause is running. Of causes with
# several words, and with few, too.
expect_drawn() {
	expect_exit 0
	expect_json kind cause ns
	grep '^cause	' rows | tr ' ' '_' | tr '\t' ' ' > causes
	awk '
		FILENAME == "causes" {
			whole += $3
			if ($2 !~ /^running|^interrupts/) ns[$2] = $3
			next
		}
		{
			lines++
			us = $NF
			sub(/ [0-9]+$/, "")
			cause = $0
			sub(/.*;/, "", cause)
			gsub(/ /, "_", cause)
			drawn += us
			if (cause ~ /^\[.*\]$/ && substr(cause, 2, length(cause) - 2) in ns)
				got[substr(cause, 2, length(cause) - 2)] += us
			else
				running += us
		}
		function differ(us, ns) { d = ns / 1000 - us; return d < -2 || d > lines + 2 }
		END {
			if (lines < 3)
				print "no stacks"
			if (differ(drawn, whole))
				printf "%.0f us of %.0f ns, %.0f us without a cause of these\n", drawn, whole, running
			for (cause in ns)
				if (differ(got[cause], ns[cause]))
					printf "%s: %.0f us of %.0f ns\n", cause, got[cause], ns[cause]
		}' causes "$1" > wrong
	[ ! -s wrong ] || fail "$(cat wrong; cat "$1")"
}

# microseconds PATTERN FILE: of the stacks that match.
microseconds() {
	grep -E "$1" "$2" > some || :
	awk '{ n += $NF } END { printf "%.0f\n", n }' some
}

waiting() {
	rm -f a.folded a.svg
	run sonde why --json --folded a.folded --flame a.svg -- waits 3 20 sleep pipe lock poll condition
	expect_drawn a.folded
	mv a.folded its.folded
}

# kernels=ends
test_waits() {
	one_of_three waiting
	# three times 20 ms, each with the path to it
	read_did
	[ "$(microseconds '^waits;.*;main;.*wait_sleep;.*hrtimer_nanosleep;.*;\[sleep\] ' its.folded)" -ge \
		$(($(least_waited sleep) / 1000)) ] ||
		fail "no sleep: $(grep sleep its.folded)"
	grep -qE '^waits;.*;main;.*;\[lock\] ' its.folded || fail "no lock"
	grep -qE '^waits;.*;main;.*;\[child\] ' its.folded || fail "no child"
}

# cpus=2
test_two_processors() {
	one_of_three waiting
}

# Samples have the shares of the time that threads ran: 60, 20 and 20 %. In guests, where a sample takes long, those in
# the kernel are too many by up to a half; profile's tests are stricter, with fewer samples.
running() {
	rm -f a.folded
	run sonde why --json --folded a.folded -- shares 2000
	expect_drawn a.folded
	grep -v '\[[a-z ]*\] [0-9]*$' a.folded > its.folded
	ran=$(awk '$2 ~ /^running/ { n += $3 } END { printf "%.0f\n", n / 1000 }' causes)
	for part in 'alpha 30 75' 'beta 8 40' 'zero 8 45'; do
		# shellcheck disable=SC2086 # several words
		set -- $part
		all=$(microseconds ";work;" its.folded)
		expect_between "% in $1" "$2" "$3" $(($(microseconds ";work;$1[; ]" its.folded) * 100 / all))
	done
	expect_between "running in work" $((ran * 70 / 100)) $((ran + 1)) "$(microseconds ';work;' its.folded)"
}

# kernels=one
test_running() {
	one_of_three running
}

test_processor() {
	run sonde why --json --folded a.folded -- turns 3 50
	expect_drawn a.folded
	grep -qE '^turns;.*;main;.*;\[processor\] ' a.folded || fail "no wait for a processor"
}

# A thread is in the sums by its last name, and in stacks by the name that it has then.
test_names() {
	run sonde why --json --folded a.folded -- sh -c 'sleep 0.05; printf renamed > /proc/$$/comm; sleep 0.05; :'
	expect_drawn a.folded
	[ "$(microseconds '^renamed;.*;\[child\] ' a.folded)" -ge 5000 ] || fail "no renamed"
	[ "$(microseconds '^sh;.*;\[child\] ' a.folded)" -ge 5000 ] || fail "no sh"
}

# What has slept from the start has no stack, and what still sleeps at the end has one.
test_sleepers() {
	sleep 1000 &
	sleeper=$!
	run sonde why --json --folded a.folded -p $sleeper -d 1
	kill $sleeper
	expect_exit 0
	grep -qE '^sleep;\[sleep\] [0-9]+$' a.folded || fail "$(cat a.folded)"
	run sonde why --json --folded b.folded -d 2 -- sleep 1000
	[ "$(microseconds '^sleep;.*;hrtimer_nanosleep;.*;\[sleep\] ' b.folded)" -ge 100000 ] || fail "$(cat b.folded)"
	expect_drawn b.folded
}

test_files() {
	run sonde why --folded - -- waits 1 20 sleep
	expect_exit 0
	expect_line '^waits;.*;\[sleep\] [0-9]+$'
	expect_no_line 'ALL THREADS|wall'
	run sonde why --pprof a.pprof --speedscope a.json -- waits 1 20 sleep
	expect_exit 0
	expect_line '^ALL THREADS'
	[ -s a.pprof ] && [ -s a.json ] || fail "no files"
	run sonde why --flame a.json -- true
	expect_exit 1
	run sonde why --json --folded - -- true
	expect_exit 2
	expect_one_err 'stdout gets either a table'
	run sonde why --no-stacks --flame a.svg -- true
	expect_exit 2
	expect_one_err '--no-stacks leaves nothing'
	[ ! -e a.svg ] || fail "a file"
}

# Without files nobody pays for them: no program runs by a clock, and short waits have no stack.
test_not_asked_for() {
	run sonde why --json -n 1 -- waits 3 20 sleep
	expect_exit 0
	! grep -qE '[0-9] stacks?(;|$)' err || fail "stacks are counted"
}
