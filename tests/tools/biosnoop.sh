# SPDX-License-Identifier: BSD-2-Clause
# sonde biosnoop: dd says what it reads and writes, and where, and so must the rows.
# of file: kernels=one

find_disk() {
	disk=$(disk scratch)
	name=${disk#/dev/}
}

# Whether this kernel shows who makes a request: by a tracepoint, or by a function that is not inlined.
shows_makers() {
	grep -qE ' (__tracepoint_block_io_start|(__)?blk_account_io_start)$' /proc/kallsyms
}

# The only messages: what is traced and, on kernels that do not show who makes a request, that.
expect_notes() {
	if ! shows_makers; then
		expect_err ': this kernel does not show who makes a request: the task is the one that inserts it'
		sed -i '/ this kernel does not show who /d' err
	fi
	expect_one_err 'Tracing block device I/O\.\.\. Hit Ctrl-C to end'
}

# blocks COUNT KB FIRST OPERATION: prints the rows of a dd of so many blocks, each a request.
blocks() {
	awk -v n="$1" -v kb="$2" -v first="$3" -v op="$4" -v name="$name" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "dd\t%s\t%s\t%d\t%d\n", name, op, (first + i) * kb * 2, kb * 1024
	}'
}

# expect_blocks: the rows are those in the file done, in this order; only dd's, and flags do not matter.
expect_blocks() {
	expect_json comm disk flags sector bytes
	awk -F '\t' -v OFS='\t' '{ sub(/.*-/, "", $3); print }' rows > seen
	diff done seen || fail "other rows than what dd did"
}

# expect_tasks: each row is of a task whose id and name dd's shell has written.
expect_tasks() {
	expect_json pid tid uid comm
	awk -v pid="$(cat pid)" '$1 != pid || $2 != pid || $3 || $4 != "dd"' rows > others
	[ ! -s others ] || fail "rows of other tasks: $(cat others)"
}

# kernels=all
test_direct() {
	find_disk
	run sonde biosnoop -j --fail-on-loss -- sh -c '
		dd if=/dev/zero of=$0 bs=4k count=50 seek=7 oflag=direct 2> said &
		echo $! > pid
		wait' "$disk"
	expect_exit 0
	expect_notes
	blocks 50 4 7 Write > done
	expect_blocks
	expect_tasks
	run sonde biosnoop -j -d "$disk" -c "dd if=$disk of=/dev/null bs=64k count=20 skip=3 iflag=direct"
	blocks 20 64 3 Read > done
	expect_blocks
}

# Where nobody shows who makes a request, it begins when it is issued, or inserted.
# kernels=ends
test_queue() {
	find_disk
	run sonde biosnoop -j -Q -c "dd if=/dev/zero of=$disk bs=4k count=50 oflag=direct"
	expect_exit 0
	expect_json queued_ns latency_ns
	[ "$(awk '$2 > 0' rows | wc -l)" = 50 ] || fail "requests without a latency"
	! shows_makers || [ "$(awk '$1 > 0' rows | wc -l)" = 50 ] || fail "no time in the queue"
	one_of_three spent_time
}

# The times must add up to the kernel's own time for the requests, in ms, which begins a little earlier.
spent_time() {
	spent=$(awk '{ print $8 }' "/sys/block/$name/stat")
	run sonde biosnoop -j -c "dd if=/dev/zero of=$disk bs=1M count=40 oflag=direct"
	spent=$(($(awk '{ print $8 }' "/sys/block/$name/stat") - spent))
	expect_json queued_ns latency_ns
	[ "$spent" -ge 10 ] || fail "only $spent ms: nothing to compare"
	value=$(awk '{ n += $1 + $2 } END { print int(n / 1000000) }' rows)
	expect_between "ms of writes" $((spent / 2 - 2)) $((spent + 2)) "$value"
}

# What is written back later: as many requests as the kernel counts for the disk, of as many sectors. A request that
# asks for a flush is counted, but never issued; the flush that the kernel makes of it is.
# cpus=2 kernels=ends
test_buffered() {
	find_disk
	start sonde biosnoop -j -d "$name" --fail-on-loss
	awk '{ print $1 + $5, $3 + $7 }' "/sys/block/$name/stat" > before
	dd if=/dev/zero of="$disk" bs=64k count=128 conv=fsync
	sync
	awk '{ print $1 + $5, $3 + $7 }' "/sys/block/$name/stat" > after
	stop INT
	expect_exit 0
	expect_json flags sector bytes
	cat before after | awk 'NR == 1 { n = $1; s = $2 } NR == 2 { print $1 - n, $2 - s }' > counted
	awk '{ n++; s += $3 / 512 } END { print n, s }' rows | diff counted - || fail "the kernel counts otherwise"
	awk '/Flush/ { n++; bad += $2 + $3 } END { exit !n || bad }' rows || fail "no flush, or one with data"
	awk '/Write/ { s += $3 } END { exit s != 128 * 65536 }' rows || fail "not all was written"
}

test_filters() {
	find_disk
	sleep 100 &
	other=$!
	for filter in "-p $other" '--comm nobody' '--uid 12345'; do
		# unquoted on purpose: two words
		start sonde biosnoop -j $filter
		dd if=/dev/zero of="$disk" bs=4k count=20 oflag=direct
		stop INT
		expect_exit 0
		[ ! -s out ] || fail "$filter: rows of others: $(cat out)"
	done
	kill $other
	start sonde biosnoop -j --comm dd --uid 0
	dd if=/dev/zero of="$disk" bs=4k count=20 oflag=direct
	stop INT
	blocks 20 4 0 Write > done
	expect_blocks
}

test_columns() {
	find_disk
	run sonde biosnoop -c "dd if=/dev/zero of=$disk bs=4k count=3 seek=2 oflag=direct"
	expect_exit 0
	expect_line '^TIME\(s\)     COMM           PID     DISK      T SECTOR     BYTES   LAT\(ms\)$'
	expect_line "^[0-9]+\.[0-9]{6}    dd             [0-9]+ +$name       W 16         4096    +[0-9]+\.[0-9][0-9]\$"
	[ "$(wc -l < out)" = 4 ] || fail "not three rows: $(cat out)"
	run sonde biosnoop -T -Q -P -c "dd if=$disk of=/dev/null bs=4k count=3 skip=2 iflag=direct"
	expect_line '^TIME     TIME\(s\)     COMM +PID +DISK      T SECTOR     BYTES   P QUE\(ms\) LAT\(ms\)$'
	expect_line ' R 16         4096    R +[0-9]+\.[0-9][0-9] +[0-9]+\.[0-9][0-9]$'
	expect_line ' R 24         4096    S +[0-9]+\.[0-9][0-9] +[0-9]+\.[0-9][0-9]$'
	expect_line ' R 32         4096    S '
}

test_pattern() {
	find_disk
	run sonde biosnoop -j -P -- sh -c '
		for at in 0 1 5 6 3; do dd if=/dev/zero of=$0 bs=4k count=1 seek=$at oflag=direct; done' "$disk"
	expect_exit 0
	expect_json sector pattern
	printf '0\tR\n8\tS\n40\tR\n48\tS\n24\tR\n' | diff - rows || fail "other patterns"
	run sonde biosnoop -j -c "dd if=/dev/zero of=$disk bs=4k count=1 oflag=direct"
	expect_json pattern
	[ "$(cat rows)" = null ] || fail "a pattern without -P"
}

# Many requests at a time, and room for a few.
test_no_room() {
	find_disk
	most=$(cat "/sys/block/$name/queue/max_sectors_kb")
	echo 64 > "/sys/block/$name/queue/max_sectors_kb"
	run sonde biosnoop --max-pending 1 --fail-on-loss -c "dd if=/dev/zero of=$disk bs=40M count=1 oflag=direct"
	echo "$most" > "/sys/block/$name/queue/max_sectors_kb"
	expect_exit 1
	expect_err ': [0-9]+ not measured: more requests at a time than there is room for \(--max-pending\)$'
}

test_errors() {
	run sonde biosnoop -d nosuch
	expect_exit 1
	expect_one_err "there is no disk 'nosuch' \(/sys/class/block lists them\)"
	run sonde biosnoop 5
	expect_exit 2
	expect_err "unexpected argument '5'"
}
