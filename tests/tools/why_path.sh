# SPDX-License-Identifier: BSD-2-Clause
# The path of the command in sonde why: in pipelines, chains of locks and trees of processes whose times the workload
# (tests/programs/stages.c) says, what is on the path must be what made the command last, and nothing else.
# of file: kernels=one
. /threads.sh

# path_of CMD...: runs it; file path: COMM CAUSE NS of the path, and total: its sum by cause. Both sum to the wall time.
path_of() {
	run sonde why --json --no-stacks -- "$@"
	expect_exit 0
	expect_json kind comm cause ns wall_ns
	sed -n 's/^path process	//p' rows | sed 's/running, /running_/; s/page fault/fault/; s/async I/async_I/' > path
	awk -F '\t' '
		$1 == "path" { sum += $4; wall = $5 }
		$1 == "path process" { all += $4 }
		END {
			if (!wall || sum != wall || all != wall)
				printf "path %d, processes %d, wall %d\n", sum, all, wall
		}' rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	! grep -q 'missing from the path' err || fail "$(cat err)"
	grep '^did ' out | tr '\t' ' ' > did
}

# on_path NAME CAUSE: how long the stage, or any, is on the path, in ns. CAUSE: a regular expression.
on_path() {
	awk -v name="$1" -v cause="$2" '
		(name == "any" || $1 == name) && $2 ~ cause { sum += $3 }
		END { printf "%d\n", sum }' path
}

# said WHAT NAME: what the workload says of a stage.
said() {
	awk -v what="$1" -v name="$2" '$2 == what && $3 == name { print $4 }' did
}

# expect_done NAME CAUSE: all that the stage did is on the path, with its waits for a processor, and is called so.
expect_done() {
	got=$(on_path "$1" "$2") all=$(on_path "$1" .) want=$(said stage "$1")
	[ "$all" -gt $((want * 9 / 10)) ] || fail "$1: $all of $want on the path: $(cat path)"
	[ "$got" -gt 0 ] || fail "$1: no $2 on the path: $(cat path)"
}

# expect_work NAME CAUSE: the same, and not more.
expect_work() {
	expect_done "$1" "$2"
	[ "$got" -lt $((want * 11 / 10 + 5000000)) ] || fail "$1: $got on the path, it did $want: $(cat path)"
}

# expect_pipeline STAGES: each stage is on the path for as long as the workload says, by when each item left each stage:
# on a busy machine another one than meant can be the slow one at times.
expect_pipeline() {
	sed -n 's/^did path \(stage[0-9]\) .*/\1/p' did > stages
	[ "$(wc -l < stages)" = "$1" ] || fail "not $1 stages"
	while read -r stage; do
		got=$(on_path "$stage" .) want=$(said path "$stage")
		awk -v got="$got" -v want="$want" '
			$2 == "path" { all += $4 }
			END { d = got - want; exit !((d < 0 ? -d : d) < all / 8 + 10000000) }' did ||
			fail "$stage: $got on the path, not $want: $(cat did path)"
	done < stages
}

pipeline() {
	path_of stages pipe 40 "$@"
	expect_pipeline $#
}

# kernels=ends
test_slow_first() {
	one_of_three pipeline s10000 s1000 s1000
}

test_slow_middle() {
	one_of_three pipeline s1000 s10000 s1000
	one_of_three pipeline s1000 s20000 s1000
	one_of_three pipeline s3000 s10000 s3000
}

test_slow_last() {
	one_of_three pipeline s1000 s1000 s10000
}

# A pipe takes many items: a quick first stage ends long before the last one does.
# kernels=ends
test_processor_last() {
	one_of_three pipeline s1000 c10000
}

# cpus=2
test_processor_last_on_two() {
	one_of_three pipeline s1000 c10000
}

# Each holder of a lock wakes the next one: all of their work is on the path, and nobody's wait.
lock_chain() {
	path_of stages lock s20000 s20000 s20000
	for stage in stage0 stage1 stage2; do
		expect_work $stage sleep
	done
	[ "$(on_path any lock)" = 0 ] || fail "a lock on the path: $(cat path)"
}

# kernels=ends
test_locks() {
	one_of_three lock_chain
}

# The path of a tree goes through all of its processes. What their parents do while these work is not on it.
tree() {
	path_of stages tree s20000 c20000 s20000
	expect_done stage0 sleep
	expect_done stage1 running
	expect_done stage2 sleep
	[ "$(on_path any child)" = 0 ] || fail "a child is waited for on the path: $(cat path)"
	# only two of them sleep, and not longer than they say: that is all of it
	[ "$(on_path stage1 sleep)" = 0 ] || fail "stage1 sleeps on the path: $(cat path)"
	for stage in stage0 stage2; do
		[ "$(on_path $stage sleep)" -le "$(said stage $stage)" ] || fail "$stage sleeps too long: $(cat path)"
	done
	sleeps=$(($(on_path stage0 sleep) + $(on_path stage2 sleep)))
	[ "$(on_path any sleep)" = $sleeps ] || fail "other sleeps: $(cat path)"
}

test_tree() {
	one_of_three tree
}

# Recipes of make, one after the other, and beside each other.
recipes() {
	path_of sh -c 'sleep 0.1 & sleep 0.5 & sleep 0.2 & wait; sleep 0.1'
	sleeps=$(on_path any sleep)
	# 0.5 and 0.1, not 0.2; they begin late on a busy machine
	[ "$sleeps" -gt 520000000 ] && [ "$sleeps" -lt 790000000 ] || fail "$sleeps ns of sleep: $(cat path)"
}

test_recipes() {
	one_of_three recipes
}

# A process that executes gets the id of its first thread, whichever thread it was.
executes() {
	path_of stages exec s50000 tree s20000
	sleeps=$(on_path any sleep)
	# 50 and 20 ms, which begin late on a busy machine
	[ "$sleeps" -gt 55000000 ] || fail "$sleeps ns of sleep: $(cat path)"
}

# kernels=ends
test_exec_of_a_thread() {
	one_of_three executes
}

# Threads that are too short for clock ticks: what they ran is divided on the path as in all threads. One after the
# other, they are all on it.
short() {
	run sonde why --json --no-stacks -- sh -c 'i=0; while [ $i -lt 100 ]; do /bin/busybox true; i=$((i + 1)); done'
	expect_exit 0
	expect_json kind cause ns
	awk -F '\t' '
		$1 == "cause" { all[$2] = $3 }
		$1 == "path" { path[$2] = $3 }
		END {
			user = "running, user"
			kernel = "running, kernel"
			whole = all[user] + all[kernel]
			if (!whole || path[user] > all[user] + whole / 10 || path[kernel] > all[kernel] + whole / 10)
				printf "user %d of %d, kernel %d of %d\n", path[user], all[user], path[kernel],
					all[kernel]
		}' rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

test_short() {
	one_of_three short
}

# A command that runs all the time.
test_alone() {
	path_of spin 1
	[ "$(on_path any 'running|processor|disk|fault|kernel|interrupts')" -gt 0 ] || fail "$(cat path)"
}

# The same of a recording: the path of the slow stage, and a sum that is the wall time. All threads are there, too, and
# each one's causes are its life.
recorded() {
	run sonde record -o x.trace -- stages pipe 40 s1000 s10000 s1000
	expect_exit 0
	grep '^did ' out | tr '\t' ' ' > did
	run sonde report x.trace why --json --top 0
	expect_exit 0
	rm x.trace
	expect_json kind comm cause ns wall_ns threads
	awk -F '\t' '
		$1 == "path" { sum += $4; wall = $5 }
		$1 == "path process" { all += $4 }
		$1 == "cause" { life += $4 }
		$1 == "total" { total = $4; threads = $6 }
		END {
			if (!wall || sum != wall || all != wall)
				printf "path %d, processes %d, wall %d\n", sum, all, wall
			if (life != total || total < wall)
				printf "the causes are %d, the lives %d\n", life, total
			if (threads != 4)
				printf "%d threads\n", threads
		}' rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	sed -n 's/^path process	//p' rows | tr '\t' ' ' > path
	expect_pipeline 3
}

# kernels=ends
test_recorded() {
	one_of_three recorded
}

# The page of a recording is that of sonde why.
test_recorded_text() {
	run sonde record -o x.trace -- stages pipe 20 s5000 s1000
	expect_exit 0
	run sonde report x.trace why --top 3
	expect_exit 0
	rm x.trace
	expect_line '^[0-9.]+ s wall, 3 processes, 3 threads, [0-9.]+ s of threads. time \(explained [0-9.]+ %\)$'
	expect_line '^THE PATH OF THE COMMAND \(what made it last [0-9.]+ s\)$'
	expect_line '^  sleep +0\.[0-9]+ +[0-9]+ %  stage[01] 0\.[0-9]{3}'
	expect_line '^ALL THREADS'
	expect_line '^  descriptor .*stage'
	expect_line '^WORST WAITS$'
	expect_line '^  3\. '
	expect_no_line '^  4\. '
}

# What waits are called in a recording: as in sonde why, by the call alone.
recorded_cause() {
	run sonde record -o x.trace -- waits 3 20 "$1"
	expect_exit 0
	read_did
	run sonde report x.trace why --json --top 0
	expect_exit 0
	rm x.trace
	expect_json kind cause ns
	awk -F '\t' -v cause="$2" -v least="$(least_waited "$1")" '
		$1 == "cause" && $2 == cause { ns += $3 }
		END { exit !(ns > 1000000 && ns >= least) }' rows ||
		fail "$1: not $(least_waited "$1") ns of $2: $(cat rows)"
}

test_recorded_causes() {
	one_of_three recorded_cause poll poll
	one_of_three recorded_cause condition-timed condition
	one_of_three recorded_cause pause signal
	one_of_three recorded_cause timerfd descriptor
	one_of_three recorded_cause sleep sleep
}

# A command that does not end: what it waits for at the end is on the path.
test_not_ended() {
	run sonde why --json --no-stacks -d 1 -- stages tree s3000000
	expect_exit 0
	expect_json kind comm cause ns wall_ns
	awk -F '\t' '$1 == "path" { all += $4; if ($3 == "child" || $3 == "sleep") slept += $4 }
		END { exit !(slept > all * 9 / 10 && slept > 0) }' rows || fail "no sleep on the path: $(cat rows)"
}

test_text() {
	run sonde why -- stages pipe 20 s1000 s5000
	expect_exit 0
	expect_line '^THE PATH OF THE COMMAND \(what made it last [0-9.]+ s\)$'
	expect_line '^  sleep +0\.[0-9]+ +[0-9]+ %  stage[01] 0\.[0-9]{3}'
	expect_line '^ALL THREADS'
	# the first line has any number of digits
	# stacks are whole where there is no terminal
	awk 'length > 80 && !/ s wall, |^          / { print }' out > wide
	[ ! -s wide ] || fail "$(cat wide)"
	# only a command has an end to go back from
	sleep 1000 &
	sleeper=$!
	run sonde why -p $sleeper -d 1
	kill $sleeper
	expect_exit 0
	expect_no_line 'THE PATH'
}
