# SPDX-License-Identifier: BSD-2-Clause
# Files of sonde why for Perfetto: the states that its trace processor makes of the events (tests/programs/pftrace.c)
# must be what the same run's page says of each thread, cause by cause.
# of file: kernels=one

# Causes without a blank, so that awk's fields are columns.
one_word() {
	sed 's/page fault/page_fault/; s/async I/async_I/; s/since before/since_before/
		s/running, [a-z]*/running/; s/interrupts/running/'
}

# picture_of ARGS...: a file and the rows of threads of one run.
picture_of() {
	rm -f a.pftrace
	run sonde why --json -t --perfetto a.pftrace "$@"
	expect_exit 0
	expect_json kind tid cause ns count comm
	sed -n 's/^thread	//p' rows | one_word | sed 's/throttled/processor/' > threads
	pftrace a.pftrace > picture || fail "pftrace: $?"
	sed -n 's/^state //p' picture | one_word > states
}

# expect_same_states: each thread has the same life in the file and on the page, and slept as often for the same
# causes. So it ran as often, but for an exec, at which the page begins a new count. How long, the page takes from the
# kernel's account: its clock is older than the switch, and it has a thread in a queue some time after it was woken.
# Where a guest stands still in between, that is milliseconds. So times are compared for all threads together. What
# the page calls unknown, the file cannot know either.
expect_same_states() {
	awk '
		function differ(a, b) { return a > b ? a - b : b - a }
		FILENAME == "threads" {
			page[$2] += $3
			life[$1] += $3
			if ($2 == "unknown") odd[$1]
			else times[$1, $2] += $4
			next
		}
		!($1 in life) { next }
		$2 ~ /^[XZ]/ { next }
		$2 == "Running" { cause = "running" }
		$2 ~ /^R\+?$/ { cause = "processor" }
		$2 ~ /^[SDTtI]/ { cause = $4; sub(/:.*/, "", cause) }
		{
			file[cause] += $3
			drawn[$1] += $3
			rows[$1, cause]++
		}
		END {
			for (tid in life)
				if (!(tid in odd) && differ(life[tid], drawn[tid]) > 1000000 + life[tid] / 100)
					printf "%d: %d ns in the file, %d on the page\n", tid, drawn[tid], life[tid]
			for (key in times) both[key]
			for (key in rows) both[key]
			for (key in both) {
				split(key, part, SUBSEP)
				n = times[key] - rows[key]
				if (part[1] in odd || part[2] == "processor" || !n)
					continue
				if (part[2] != "running" || n < 0 || n > 2)
					printf "%d %s: %d times in the file, %d on the page\n", part[1], part[2],
						rows[key], times[key]
			}
			for (cause in page)
				if (cause != "unknown" && differ(page[cause], file[cause]) > 10000000 + page[cause] / 4)
					printf "all %s: %d ns in the file, %d on the page\n", cause, file[cause],
						page[cause]
			if (!("running" in file) || !("processor" in file))
				print "no states"
		}' threads states > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	! grep -q '^lost' picture || fail "a gap: $(grep '^lost' picture)"
	! grep -q 'missing in' err || fail "$(cat err)"
	# and the same names
	sed -n 's/^name \([0-9]*\) [0-9]* /\1 /p' picture > names
	awk -F '\t' '$1 == "thread" { print $2, $6 }' rows | sort -u > said
	grep -vxFf names said > wrong || :
	[ ! -s wrong ] || fail "other names: $(cat wrong)"
}

# expect_state PATTERN: of a state's line, "TID LETTERS NS BLOCKED".
expect_state() {
	grep -qE "$1" states || fail "no state $1: $(head -n 50 states)"
}

# Each sleep has its cause and object. Nobody but a timer ends a nap, the writer of a pipe its reader's.
waiting() {
	picture_of -- waits 3 20 sleep pipe lock poll condition child
	expect_same_states
	for what in 'sleep' 'pipe: other' 'lock: 0x[0-9a-f]+ of [0-9]+ held by waits [0-9]+' 'condition: waits' \
		'child: waits'; do
		expect_state "^[0-9]+ [SD] [1-9][0-9]{6,} $what\$"
	done
	# of threads that are measured
	awk 'FILENAME == "threads" { tids[$1]; next } $2 ~ /^[SD]/ && $4 == "-" && $1 in tids' threads states > wrong
	[ ! -s wrong ] || fail "no cause: $(cat wrong)"
}

# kernels=one
test_waits() {
	one_of_three waiting
	sed -n 's/^did wait	\([a-z]*\)	\([0-9]*\)	\([0-9]*\)	.*/\1 \2 \3/p' out > ids
	[ "$(wc -l < ids)" = 6 ] || fail "not 6 waits: $(cat out)"
	while read -r cause pid tid; do
		grep -qx "name $tid $pid waits" picture || fail "no name of $cause: $(grep "^name $tid" picture)"
		woken=$(awk -v tid="$tid" '$1 == "woken" && $2 == tid { n[$3 ? "task" : "timer"]++ }
			END { print n["task"] + 0, n["timer"] + 0 }' picture)
		case $cause in
		sleep) [ "${woken#* }" -ge 3 ] || fail "a nap is ended by tasks: $woken" ;;
		pipe | condition) [ "${woken% *}" -ge 3 ] || fail "$cause: $woken" ;;
		esac
	done < ids
}

# cpus=2
test_two_processors() {
	one_of_three waiting
}

# Processes that execute, end, and rename themselves; what runs without a pause, and what waits for it.
naming() {
	picture_of -- sh -c 'spin 1 & spin 1 & sh -c "printf renamed > /proc/\$\$/comm; sleep 0.05; :"; wait
		sleep 0.05; :'
	expect_same_states
	for name in spin sleep renamed; do
		grep -qE "^name ([0-9]+) \\1 $name\$" picture || fail "no $name: $(grep '^name' picture)"
	done
	expect_state '^[0-9]+ S [1-9][0-9]{7,} child: (sleep|spin)$'
}

# kernels=one
test_names() {
	one_of_three naming
}

# What runs already: a thread is drawn from its first switch on, under its name of before. There is no path.
test_process() {
	gate laps nap 20 1000
	start sonde why -t --json --perfetto a.pftrace -p $gated
	open_gate
	stop INT
	expect_exit 0
	pftrace a.pftrace > picture || fail "pftrace: $?"
	grep -qx "name $gated $gated laps" picture || fail "no name: $(grep '^name' picture)"
	grep -qE "^state $gated Running [1-9]" picture || fail "no state: $(grep ^state picture)"
	run sonde why --perfetto b.pftrace -d 1
	expect_exit 0
	expect_no_line 'THE PATH'
	pftrace b.pftrace > picture || fail "pftrace: $?"
	grep -q '^state [0-9]* Running [1-9]' picture || fail "nothing runs"
}

# Only what is in the cgroup, from its first switch in there on.
test_cgroup() {
	mkdir /sys/fs/cgroup/ours
	start sonde why --perfetto a.pftrace --cgroup /sys/fs/cgroup/ours
	sh -c 'echo $$ > /sys/fs/cgroup/ours/cgroup.procs; exec waits 3 20 sleep pipe' > ours
	waits 1 20 sleep > beside
	stop INT
	rmdir /sys/fs/cgroup/ours
	expect_exit 0
	pftrace a.pftrace > picture || fail "pftrace: $?"
	sed -n 's/^did wait	\([a-z]*\)	[0-9]*	\([0-9]*\)	.*/\1 \2/p' ours > ids
	[ "$(wc -l < ids)" = 2 ] || fail "not 2 waits: $(cat ours)"
	while read -r cause tid; do
		[ "$(grep -cE "^state $tid S [1-9][0-9]{6,} $cause(: other)?$" picture)" -ge 3 ] ||
			fail "$cause of $tid: $(grep "^state $tid " picture)"
	done < ids
	! grep -E "^state $(cut -f 4 beside) [SD] [0-9]+ sleep" picture || fail "a thread that is not in the cgroup"
}

# What still sleeps at the end has its cause and its name, too.
test_not_ended() {
	run sonde why --perfetto a.pftrace --no-stacks -d 1 -- sleep 1000
	expect_exit 0
	pftrace a.pftrace > picture || fail "pftrace: $?"
	grep -qE '^state [0-9]+ S [0-9]+ sleep$' picture || fail "$(cat picture)"
	grep -qE '^name ([0-9]+) \1 sleep$' picture || fail "no name: $(grep '^name' picture)"
}

# The command holds sonde, so that the rings run over: the file has a gap, and the page says so.
test_losses() {
	run sonde why --perfetto a.pftrace -- sh -c 'kill -STOP $PPID; laps pass 2500 1; kill -CONT $PPID'
	expect_exit 0
	expect_err '^sonde why: [0-9]+ events missing from a.pftrace: the ring buffers were full$'
	expect_err 'switch(es)? missing from the path'
	pftrace a.pftrace > picture || fail "pftrace: $?"
	grep -q '^lost 0$' picture || fail "no gap in the file"
	grep -qE '^state [0-9]+ Running [0-9]+ -$' picture || fail "nothing but the gap"
}

test_files() {
	run sonde why --perfetto a.pftrace -- true
	expect_exit 0
	expect_line '^ALL THREADS'
	[ "$(stat -c %a a.pftrace)" = 600 ] || fail "others may read it"
	run sonde why --perfetto a.pftrace -- true
	expect_exit 1
	expect_one_err 'a.pftrace exists: --overwrite replaces it'
	run sonde why --force --perfetto a.pftrace --folded a.folded -- waits 1 20 sleep
	expect_exit 0
	[ -s a.folded ] || fail "no folded stacks"
	run sonde why --perfetto - -- true
	expect_exit 0
	cp out stdout.pftrace
	pftrace stdout.pftrace | grep -qE '^name ([0-9]+) \1 true$' || fail "stdout has something else"
	for other in '--json' '--folded -'; do
		# shellcheck disable=SC2086 # two words
		run sonde why $other --perfetto - -- true
		expect_exit 2
		expect_one_err 'stdout'
	done
	run sonde why --perfetto nowhere/a -- true
	expect_exit 1
	expect_one_err 'cannot create nowhere/a'
	for left in .sonde*; do
		[ ! -e "$left" ] || fail "something is left: $left"
	done
}

# A disk without room has no half file, and the page is there.
test_full_disk() {
	mkdir full
	mount -t tmpfs -o size=16k none full
	run sonde why --perfetto full/a -- laps pass 500 1
	left=$(ls -A full)
	umount full
	expect_exit 1
	expect_line '^ALL THREADS'
	expect_err '^sonde why: cannot write full/a: No space left on device'
	[ ! "$left" ] || fail "left: $left"
}
