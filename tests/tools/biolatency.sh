# SPDX-License-Identifier: BSD-2-Clause
# sonde biolatency: it must count as many requests as the kernel does for the disk
# (/sys/block/DISK/stat).

# stat N: prints the disk's finished reads (1) or writes (5).
stat() {
	awk -v n="$1" '{ print $n }' "/sys/block/$name/stat"
}

find_disk() {
	disk=$(disk scratch)
	name=${disk#/dev/}
}

# io COMMAND...: runs it; the disk's reads and writes in the meantime are in $reads and $writes.
io() {
	reads=$(stat 1) writes=$(stat 5)
	run "$@"
	reads=$(($(stat 1) - reads)) writes=$(($(stat 5) - writes))
	expect_exit 0
	[ $((reads + writes)) -gt 0 ] || fail "nothing was read or written"
}

write_direct() {
	io sonde biolatency "$@" -- dd if=/dev/zero of="$disk" bs=4096 count=100 oflag=direct
	[ $writes = 100 ] || fail "the kernel says $writes writes"
}

# charted FLAGS: prints how many values the charts of out have whose flags match.
charted() {
	awk -F '[:|]' -v flags="$1" '
		/^flags = / { inside = $0 ~ flags }
		inside && /->/ { n += $2 }
		END { print n + 0 }' out
}

# kernels=all
test_writes() {
	find_disk
	write_direct -d "$name" --json
	expect_json count unit
	[ "$(add_up 1 rows)" = 100 ] || fail "$(add_up 1 rows) requests, not 100"
	write_direct -Q -d "$disk" -i 0.05 --json
	expect_json count
	[ "$(add_up 1 rows)" = 100 ] || fail "$(add_up 1 rows) requests from the queue on, not 100"
	write_direct
	expect_err 'Tracing block device I/O\.\.\. Hit Ctrl-C to end'
	expect_line '^     usecs               : count     distribution$'
	[ "$(awk -F'[:|]' '/->/ { n += $2 } END { print n }' out)" = 100 ] || fail "not 100 in the chart"
}

# Data that the kernel writes back later, in large requests, several at a time. Flushes are no
# writes.
# cpus=2
test_buffered() {
	find_disk
	dd if=/dev/urandom of=big bs=1M count=8 2> said
	io sonde biolatency -Q -F --json -i 0.1 -- sh -c 'dd if=big of=$0 bs=64k conv=fsync; sync' "$disk"
	expect_json count flags
	# For the kernel, a caller that asks for a flush writes no bytes; that request is never
	# issued, but the flush is.
	[ "$(add_up 1 rows)" = $((reads + writes)) ] || fail "$(add_up 1 rows) requests, not $((reads + writes))"
	grep -q 'Flush$' rows || fail "no flush"
}

test_by_disk() {
	find_disk
	write_direct -D
	expect_line "^disk = $name\$"
	[ "$(grep -c '^disk = ' out)" -eq 1 ] || fail "other disks"
	write_direct -D --precise --json
	expect_json disk count percentiles
	grep -qx "$name	100	{\"p50\":[1-9].*}" rows || fail "other rows: $(cat rows)"
}

test_by_flags() {
	find_disk
	cat > workload <<-'END'
	dd if=/dev/zero of=$1 bs=4096 count=30 oflag=direct
	echo 3 > /proc/sys/vm/drop_caches
	dd if=$1 of=/dev/null bs=4096 count=20 iflag=direct
	END
	io sonde biolatency -F -m -- sh workload "$disk"
	expect_line '^flags = Read$|^flags = .*-Read$'
	expect_line '^flags = .*Sync-(Idle-)?Write$|^flags = Sync-.*Write$|Sync-Write$'
	expect_line '^     msecs               : count     distribution$'
	expect_no_line Unknown
	[ "$(charted Write)" = $writes ] || fail "$(charted Write) writes, not $writes"
	[ "$(charted Read)" = $reads ] || fail "$(charted Read) reads, not $reads"
}

# The sum of the values must be the kernel's own time for the requests, in ms. The kernel starts a
# little earlier and ends a little later, so its time is never less.
test_time() {
	find_disk
	one_of_three spent_time
}

spent_time() {
	spent=$(stat 8)
	io sonde biolatency -Q --json -- dd if=/dev/zero of="$disk" bs=1M count=40 oflag=direct
	spent=$(($(stat 8) - spent))
	expect_json count total
	[ "$spent" -ge 10 ] || fail "only $spent ms: nothing to compare"
	value=$(awk '{ n += $2 } END { print int(n / 1000) }' rows)
	expect_between "ms of writes" $((spent * 6 / 10 - 2)) $((spent + 2)) "$value"
}

# kernels=one
test_errors() {
	run sonde biolatency -d nosuch
	expect_exit 1
	expect_one_err "there is no disk 'nosuch' \(/sys/class/block lists them\)"
	run sonde biolatency -d ../../etc
	expect_exit 1
	expect_one_err "there is no disk '../../etc'"
	run sonde biolatency -D -F
	expect_exit 2
	expect_err 'by disk or by flags: choose one'
	run sonde biolatency -d 1.5
	expect_exit 1
	expect_one_err "there is no disk '1.5' \(to stop after some seconds: --duration 1.5\)$"
	run sonde biolatency -p $$
	expect_exit 2
	expect_err 'this tool has no option -p: a request is often issued by a task that writes for others$'
	run sonde biolatency --cpu 0
	expect_exit 2
	expect_err 'this tool has no option --cpu: a request is issued by one processor and ends on another$'
}
