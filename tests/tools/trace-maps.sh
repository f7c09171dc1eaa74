# SPDX-License-Identifier: BSD-2-Clause
# Where values of maps are: of threads, and with keys that are filled up.

# spawn N: makes processes whose ids are 4096 apart, so that they share a place; the kernel may give an id to somebody
# else in between, hence several rounds. Each opens a file 10 times.
spawn() {
	for round in $(seq "$1"); do
		for id in 9000 13096 17192; do
			echo $((id + round * 10 - 1)) > /proc/sys/kernel/ns_last_pid
			calls 10 openat
		done
	done
}

# Values of threads whose ids share a place are as good as others: what is kept, what is deleted, what is changed.
test_threads_that_share_a_place() {
	sonde trace -e 'tracepoint:syscalls:sys_enter_openat /comm == "calls"/ { @kept[tid]++; @start[tid] = nsecs;
		@twice[tid] = (uint8)7; }
		tracepoint:syscalls:sys_exit_openat /@start[tid]/ {
			if (@twice[tid] == 7 && has_key(@start, tid)) { @done[tid] = count(); }
			delete(@start, tid);
			if (has_key(@start, tid)) { @left = count(); }
			@twice[tid] += 1; }' > printed 2> err &
	wait_until 30 grep -q '^Attached 2 probes$' err || fail "not armed"
	spawn 5
	kill -INT $!
	wait $! || fail "exit status $?"
	sed -n 's/^@kept\[\([0-9]*\)\]: .*/\1/p' printed > ids
	awk '{ n[$1 % 4096]++ } END { for (i in n) if (n[i] == 3) exit 0; exit 1 }' ids || fail "no ids share a place"
	[ "$(grep -c '^@kept\[[0-9]*\]: 1[0-9]$' printed)" -ge 15 ] || fail "not each of 15 processes kept its value"
	[ "$(grep -c '^@done\[[0-9]*\]: 1[0-9]$' printed)" -ge 15 ] || fail "not each of 15 processes found its values"
	[ "$(grep -c '^@twice\[[0-9]*\]: 8$' printed)" -ge 15 ] || fail "not each of 15 processes changed its value"
	! grep '^@start\|^@left: [1-9]' printed || fail "deleted values are there"
}

test_values_of_threads_are_cleared() {
	run sonde trace -q -e 'BEGIN { @b[tid] = 5; @z[tid] = (int8)-6; @k[tid] = (int8)-6; clear(@b); zero(@z); }
		interval:ms:10 { exit(); }'
	expect_exit 0
	expect_line '^@z\[[0-9]+\]: 0$'
	expect_line '^@k\[[0-9]+\]: -6$'
	! grep '^@b' out || fail "@b was cleared"
}

# What is printed and what is left add up, however often a program prints and clears what it adds to.
# kernels=ends
test_plain_values_in_a_storm_of_clear() {
	run sonde trace -q -e 'uprobe:/bin/ufuncs:f_one { @n++; @k[arg0 % 3]++; @a += 2; @d -= 1; }
		interval:us:300 { print(@n); clear(@n); print(@k); clear(@k); print(@a); clear(@a); print(@d); zero(@d); }' \
		-c 'ufuncs 6000'
	expect_exit 0
	awk -F': ' '/^@/ { sum[substr($1, 1, 2)] += $2; lines++ }
		END { print sum["@n"], sum["@k"], sum["@a"], sum["@d"]; exit lines < 20 }' out > sums || fail "no storm"
	read -r n k a d < sums
	[ "$n $a $d $k" = '6000 12000 -6000 6000' ] || fail "the sums are $(cat sums)"
}

# The same where clear() frees keys each time, for the map is small.
# kernels=ends
test_keys_freed_in_a_storm_of_clear() {
	run sonde trace -q -e 'config = { max_map_keys = 8 }
		uprobe:/bin/ufuncs:f_one { @k[arg0 % 3]++; @s[comm, arg0 % 5] = sum(2); @h[arg0 % 4] = lhist(5, 0, 10, 10); }
		interval:us:500 { print(@k); clear(@k); print(@s); clear(@s); print(@h); clear(@h);
			@c[@turn++] = count(); print(@c); clear(@c); }' -c 'ufuncs 6000'
	expect_exit 0
	awk -F': ' '/^@[ksc]/ { sum[substr($1, 1, 2)] += $2; lines++ } /^\[0, 10\)/ { split($0, n, " "); charts += n[3] }
		END { print sum["@k"], sum["@s"], charts; exit lines < 20 || sum["@c"] < 9 }' out > sums || fail "no storm"
	[ "$(cat sums)" = '6000 12000 6000' ] || fail "the sums are $(cat sums)"
	! grep 'Map full' err || fail "keys are not freed"
}

# Updates of tseries() that interrupt each other are there or are counted. Timers go on while maps are read, unless there
# is an end.
test_series_that_are_interrupted() {
	run sonde trace -e 'rawtracepoint:sys_enter { @t = tseries(1, 1s, 600, "sum"); @n = count(); }
		rawtracepoint:hrtimer_expire_entry { @t = tseries(1, 1s, 600, "sum"); @n = count(); } end { }' -c 'calls 20000 getpgid'
	expect_exit 0
	lost=$(sed -n 's/.*: \([0-9]*\) updates* of min(), max() or tseries() lost.*/\1/p' err)
	awk -v lost="${lost:-0}" '/^@n:/ { n = $2 } /^[0-9:.]+ +[|*]/ { sum += $NF }
		END { print n, sum, lost; exit n < 20000 || n != sum + lost }' out > sums || fail "the sums are $(cat sums)"
}

# What is set, used or cleared without being printed is as before.
test_plain_values_that_are_cleared() {
	run sonde trace -q -e 'BEGIN { @a++; @b++; @b = 7; @c++; @d[1]++; @e[1]++; @f[1]++; @g[1] = 5; $x = @f[1]++; @h++;
		clear(@a); zero(@b); zero(@c); clear(@d); zero(@e); clear(@f); clear(@g); print(@h); clear(@h); }
		interval:ms:50 { @d[2] += 3; @a += 4; printf("f %d h %d\n", @f[1], @h); exit(); }'
	expect_exit 0
	expect_line '^f 0 h 0$'
	expect_line '^@h: 1$'
	expect_line '^@a: 4$'
	expect_line '^@b: 0$'
	expect_line '^@c: 0$'
	expect_line '^@d\[2\]: 3$'
	expect_line '^@e\[1\]: 0$'
	[ "$(grep -c '^@' out)" = 6 ] || fail "cleared values are there"
}

# Keys of all sizes, and their sign.
test_keys_that_are_filled_up() {
	run sonde trace -q -e 'BEGIN { @a[(int8)-1] = 1; @a[(int8)1] = 2; @b[(int16)-2] = count();
		@c[(uint8)3, (uint16)4] = 5; @c[(uint8)3, (uint16)5] = 6;
		@d["abc"] = 7; @d["ab"] = 8; @e[1, "x", (uint8)2] = sum(9); delete(@a, (int8)1); delete(@d, "ab");
		if (has_key(@a, (int8)-1) && !has_key(@a, (int8)1)) { printf("keys\n"); } print(@b[(int16)-2]);
		exit(); }'
	expect_exit 0
	expect_line '^keys$'
	expect_line '^@a\[-1\]: 1$'
	expect_line '^@b\[-2\]: 1$'
	expect_line '^@c\[3, 4\]: 5$'
	expect_line '^@c\[3, 5\]: 6$'
	expect_line '^@d\[abc\]: 7$'
	expect_line '^@e\[1, x, 2\]: 9$'
	[ "$(grep -c '^@' out)" = 6 ] || fail "other keys are there"
}

# Totals by keys of one and two words: 0 is a key, names that differ in their last byte are two, and what was cleared is
# not shown again.
test_totals_by_short_keys() {
	run sonde trace -q -e 'BEGIN { for ($i : 0..900) {
			@a[$i * 1000003] = sum($i); @b[$i, -$i] = count(); @c[$i / 9] = avg($i);
			@d[(uint8)$i] = count(); }
		@n["1234567"] = count(); @n["1234568"] = count(); @n[""] = count();
		@n["123456789abcde8"] = count(); @n["123456789abcde9"] = count();
		@g[0] = count(); clear(@g); @g[0] = count(); @h[7] = count(); clear(@h); exit(); }'
	expect_exit 0
	awk -F '[^-@a-z0-9]+' '
		$1 == "@a" && $2 == 1000003 * $3 { n++; all += $3 }
		$1 == "@b" && $2 == -$3 && $4 == 1 { pairs++ }
		$1 == "@c" && $3 == $2 * 9 + 4 { means++ } $1 == "@d" && ($3 == 4 || ($3 == 3 && $2 >= 132)) { bytes++ }
		END {
			print n, all, pairs, means, bytes
			exit !(n == 900 && all == 404550 && pairs == 900 && means == 100 && bytes == 256)
		}' out ||
		fail "wrong totals"
	[ "$(grep -c '^@n\[.*\]: 1$' out)" = 5 ] || fail "not five names"
	expect_line '^@n\[\]: 1$'
	! grep '^@[gh]' out || fail "cleared keys are there"
}

# Keys of totals that are cleared make room for others, and no call is lost.
test_cleared_keys_make_room() {
	run sonde trace -q -e 'config = { max_map_keys = 300 } interval:ms:1 {
		@c[@turn] = count(); @s[@turn % 7, 1] = sum(@turn); print(@c); clear(@c); print(@s); clear(@s);
		@turn++; if (@turn == 1000) { exit(); } }'
	expect_exit 0
	[ "$(grep -c '^@c\[[0-9]*\]: 1$' out)" = 1000 ] || fail "not 1000 keys"
	sum=$(sed -n 's/^@s\[[0-9], 1\]: //p' out | awk '{ n += $1 } END { print n }')
	[ "$sum" = 499500 ] || fail "@s: $sum"
	! grep 'Map full' err || fail "keys are not freed"
}

# A map has as many keys as it may have, and all of them go on.
# kernels=one
test_full_map_of_short_keys() {
	run sonde trace -e 'config = { max_map_keys = 10 } BEGIN {
		for ($i : 0..900) { @a[$i * 64] = count(); @b[$i, 1] = count(); }
		for ($i : 0..10) { @a[$i * 64] = count(); } exit(); }'
	[ "$(grep -c '^@a\[.*\]: 2$' out)" = 10 ] || fail "not ten keys"
	[ "$(grep -c '^@b\[.*, 1\]: 1$' out)" = 10 ] || fail "not ten pairs"
	grep -q '890 updates lost of @a, which has 10 keys' err || fail "losses are not reported"
}
