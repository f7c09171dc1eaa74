# SPDX-License-Identifier: BSD-2-Clause
# sonde profile: the samples of functions must have the shares of time that the functions took.
# of file: kernels=one

# In its first moments a process is not known yet: its stacks are incomplete. On a slow machine with one processor that
# can be the first 200 ms of its time. Hence runs that need a name take 500 ms.

# What shares (tests/programs/shares.c) spent, in ms.
spent() {
	grep '^did shares' out > told
	add_up 3 told
}

# in_function NAME: how many samples of folded stacks in out have the function.
in_function() {
	grep -E "^shares;.*;$1(_\[k\])?[; ]" out > some || :
	awk '{ n += $NF } END { printf "%.0f\n", n }' some
}

# samples: all samples of folded stacks in out; told_samples: as the summary tells.
samples() {
	grep -v '^did ' out > some || :
	awk '{ n += $NF } END { printf "%.0f\n", n }' some
}

told_samples() {
	sed -n 's/^sonde profile: \([0-9]*\) samples\{0,1\}\(;.*\)*$/\1/p' err
}

complete() {
	sed -n 's/.* end: \([0-9]*\) complete.*/\1/p' err
}

expect_all_samples() {
	[ "$(samples)" = "$(told_samples)" ] || fail "$(samples) samples in stacks, $(told_samples) in the summary"
}

# expect_samples HZ N: as many as in the time that shares spent. A machine that stands still misses some.
expect_samples() {
	expected=$(($(spent) * $1 / 1000))
	expect_between "samples" $((expected * 30 / 100)) $((expected * 115 / 100)) "$2"
}

# expect_share NAME LEAST MOST: percent of the samples of shares. Where a machine stands still, the function has less.
expect_share() {
	expect_between "% in $1" "$2" "$3" $(($(in_function "$1") * 100 / $(in_function work)))
}

shares_of_time() {
	run sonde profile -f -F 200 -- shares 2000
	expect_exit 0
	expect_all_samples
	expect_share alpha 40 75
	expect_share beta 8 38
	expect_share zero 8 38
	expect_samples 200 "$(in_function work)"
	expect_between "complete stacks" $(($(samples) * 95 / 100)) "$(samples)" "$(complete)"
}

# Field 41 of proc_pid_stat(5) is the scheduling policy: SCHED_RR is 2. The reader changes its own after the command has
# begun.
test_reader_precedes() {
	run sonde profile -f -F 20 -- sh -c 'i=0
		until [ "$(cut -d " " -f 41 /proc/$PPID/stat)" = 2 ] || [ $((i += 1)) = 1000 ]; do :; done
		echo "reader $(cut -d " " -f 41 /proc/$PPID/stat), command $(cut -d " " -f 41 /proc/$$/stat)"'
	expect_exit 0
	expect_line '^reader 2, command 0$'
}

# kernels=all arch=yes
test_shares() {
	one_of_three shares_of_time
	grep -q '^shares;.*;main;work;alpha [0-9]*$' out || fail "no stack of alpha"
	grep -q '^shares;.*;main;work;zero;.*;vfs_read;' out || fail "no stack of the kernel"
}

test_text() {
	run sonde profile --delimited -a -F 500 -- shares 500
	expect_exit 0
	expect_err '^Tracing user and kernel stacks at 500 Hertz\.\.\. Hit Ctrl-C to end'
	awk '/^    [a-z_0-9.]+_\[k\]$/ { kernel = 1; next }
		kernel == 1 && /^    --$/ { kernel = 2; next }
		kernel == 2 && /^    zero$/ { kernel = 3; next }
		kernel == 3 && /^    work$/ { kernel = 4; next }
		kernel == 4 && /^    main$/ { kernel = 5; next }
		kernel == 5 && /^    -                shares \([0-9]+\)$/ { kernel = 6; next }
		kernel == 6 && /^        [0-9]+$/ { kernel = 7; next }
		kernel == 7 && /^$/ { found = 1 }
		/^$/ { kernel = 0 }
		END { exit !found }' out || fail "no stack as it should be"
	awk 'NF == 1 && /^        [0-9]+$/ { if ($1 < last) exit 1; last = $1 }' out || fail "the hottest is not last"
}

# kernels=turns
test_parts() {
	run sonde profile -f -K -F 997 -- shares 500
	expect_exit 0
	expect_no_line ';(alpha|main)[; ]'
	expect_line '^shares;.*;vfs_read;'
	run sonde profile -f -U -F 997 -- shares 500
	expect_exit 0
	expect_no_line 'vfs_read'
	expect_line '^shares;.*main;work;alpha [0-9]+$'
	run sonde profile -f --depth 1 -F 997 -- shares 500
	expect_exit 0
	expect_line '^shares;\[truncated\];alpha [0-9]+$'
	expect_err 'too deep'
	run sonde profile -f --unwind none -F 997 -- shares 500
	expect_exit 0
	expect_line '^shares;alpha [0-9]+$'
	expect_line '^shares;.*;vfs_read;'
	run sonde profile -f --unwind table -F 997 -- shares 500
	expect_exit 0
	expect_line '^shares;.*;main;work;alpha [0-9]+$'
	run sonde profile -f --raw -U -F 997 -- shares 500
	expect_exit 0
	expect_line '^shares;.*0x[0-9a-f]+ [0-9]+$'
	expect_no_line 'alpha'
}

# Frames are of functions, not of places in them: a function has one stack, with --raw many.
test_merged() {
	run sonde profile --json -U -F 997 -- shares 500
	expect_exit 0
	expect_json user_stack count
	[ "$(grep -c '\["alpha","work","main"' rows)" = 1 ] || fail "not one row of alpha"
}

test_pid() {
	gate shares 300
	shares 300 > other &
	other=$!
	start sonde profile -f -F 997 -p "$gated"
	open_gate
	wait $other
	stop INT
	expect_exit 0
	expect_all_samples
	expect_between "samples" 50 400 "$(samples)"
}

# kernels=ends
test_children() {
	run sonde profile --json -F 997 -- shares -f 3 200
	expect_exit 0
	expect_json pid comm
	awk '$2 == "shares" { pids[$1] } END { for (pid in pids) n++; exit n < 3 }' rows || fail "not three children"
}

in_threads() {
	run sonde profile -f -F 200 -- shares -t 2 500
	expect_exit 0
	expect_samples 200 "$(in_function work)"
	expect_line '^shares;.*;main;work;alpha [0-9]+$'
	expect_line '^shares;[^;]*;start_thread;work;alpha [0-9]+$'
	expect_between "% in threads" 50 80 $(($(in_function start_thread) * 100 / $(in_function work)))
}

# kernels=ends
test_threads() {
	one_of_three in_threads
	gate shares -t 1 500
	start sonde profile --json --tid "$gated"
	open_gate
	stop INT
	expect_exit 0
	expect_no_line start_thread
	expect_line '"alpha","work","main"'
}

# Ids are those of the namespace; stacks are whole, too.
# kernels=ends
test_pid_namespace() {
	run unshare -pf --mount-proc sonde profile --json --pidns -F 997 -- shares 500
	expect_exit 0
	expect_json comm pid user_stack
	grep '^shares	[1-9]	.*"alpha","work","main"' rows || fail "no stack of alpha"
}

# kernels=ends
test_idle() {
	run sonde profile -f 1
	expect_exit 0
	expect_no_line '^swapper'
	run sonde profile -f -I 1
	expect_exit 0
	expect_line '^swapper/0;.*do_idle'
	expect_between "samples" 20 110 "$(samples)"
	run sonde profile -f -I --count 10000000 --cpu 0 1
	expect_exit 0
	expect_between "samples" 20 110 "$(samples)"
}

test_intervals() {
	run sonde profile --json -i 0.1 -- shares 500
	expect_exit 0
	expect_json count
	[ "$(add_up 1 rows)" = "$(told_samples)" ] || fail "$(add_up 1 rows) in tables, $(told_samples) in the summary"
	[ "$(grep -o '"time":"[^"]*"' out | sort -u | wc -l)" -gt 1 ] || fail "not several tables"
}

# All frames are sent with each sample if there is no room to remember stacks: nothing is lost.
test_no_room_for_stacks() {
	run sonde profile -f --stack-storage-size 1 -F 997 -- shares 500
	expect_exit 0
	expect_all_samples
	expect_no_line 'lost'
	expect_line '^shares;.*main;work;alpha [0-9]+$'
}

test_lost() {
	gate shares 2000
	start sonde profile -f --buffer-size 4k -F 997 -p "$gated" --fail-on-loss
	kill -STOP "$started"
	open_gate
	kill -CONT "$started"
	stop INT
	expect_exit 1
	lost=$(sed -n 's/^sonde profile: \([0-9]*\) samples lost: the buffer was full.*/\1/p' err)
	[ "$lost" -gt 0 ] || fail "not lost"
	expect_all_samples
	expect_between "samples" 150 2400 $(($(samples) + lost))
}

# kernels=ends arch=yes
test_addresses() {
	run sonde profile -v -F 997 -- shares 500
	expect_exit 0
	expect_line '^    [0-9a-f]{4,16} +alpha$'
	expect_line '^    ffff[0-9a-f]{12} read_zero$'
	run sonde profile -F 997 -- shares 500
	expect_line '^    alpha$'
}

test_killed() {
	start sonde profile -F 997 --flame out.svg
	kill -9 "$started"
	await
	[ ! -e out.svg ] || fail "a file is left behind"
}

test_files() {
	run sonde profile --folded stacks -F 997 -- shares 300
	expect_exit 0
	[ "$(stat -c %a stacks)" = 600 ] || fail "others can read the file"
	[ "$(awk '{ n += $NF } END { print n }' stacks)" = "$(told_samples)" ] || fail "not all samples in the file"
	cp stacks before
	run sonde profile --folded stacks -- shares 100
	expect_exit 1
	expect_one_err "stacks.*exists"
	cmp stacks before || fail "the file has changed"
	run sonde profile --folded stacks --force -- shares 100
	expect_exit 0
	! cmp -s stacks before || fail "the file has not changed"
	run sonde profile --folded no/such/place -- shares 100
	expect_exit 1
	expect_one_err 'no/such/place'
	expect_no_line '^did'
}

test_several_files() {
	run sonde profile -F 997 --folded stacks --flame out.svg --pprof out.pb.gz --speedscope out.json -- shares 500
	expect_exit 0
	[ "$(awk '{ n += $NF } END { print n }' stacks)" = "$(told_samples)" ] || fail "not all samples in the file"
	grep -q '<svg' out.svg && grep -q alpha out.svg || fail "no flame graph"
	grep -q '"alpha"' out.json || fail "nothing for speedscope"
	gunzip -c out.pb.gz | grep -q alpha || fail "nothing for pprof"
	expect_line '^    alpha$'
}

test_full_disk() {
	mkdir disk
	mount -t tmpfs -o size=8k disk disk
	dd if=/dev/zero of=disk/full bs=4k count=2 2> /dev/null || :
	run sonde profile -F 997 --folded disk/stacks -- shares 500
	left=$(ls disk)
	umount disk
	expect_exit 1
	expect_err 'No space left on device'
	expect_line '^    alpha$'
	[ "$left" = full ] || fail "left on the disk: $left"
}

test_wrong_usage() {
	for wrong in "-U -K" "-F 99 --count 1000000" "1 2" "x" "1 -d 1" "-F 0" "--unwind dwarf"; do
		# shellcheck disable=SC2086
		run sonde profile $wrong
		expect_exit 2
	done
}

# cpus=1-locked
test_refused() {
	run sonde profile 1
	expect_exit 1
	expect_one_err 'locked down'
}
