# SPDX-License-Identifier: BSD-2-Clause
# sonde trace with programs, files and options that nobody means well: one clear line each, or it works.

# btrace PROGRAM [ARG]...
btrace() {
	program=$1
	shift
	run sonde trace -e "$program" "$@"
	sed -i '/^Attached [0-9]* probes*$/d' err
}

# refused FILE PATTERN: the file is no program.
refused() {
	run timeout 20 sonde trace "$1"
	expect_exit 1
	expect_one_err "$2"
}

test_files_that_are_no_programs() {
	mkdir directory
	printf 'BEGIN { exit\0(); }' > nul.bt
	head -c 10000000 /dev/zero | tr '\0' '(' > large.bt
	refused directory "'directory' is a directory, not a program$"
	refused /dev/zero '/dev/zero: is a device'
	refused nul.bt "'nul.bt' is not a program: it has a NUL byte$"
	refused large.bt "'large.bt' is too large for a program"
	refused /no/such/file.bt '/no/such/file.bt: No such file'
	run timeout 20 sonde trace
	expect_exit 2
}

test_files_that_are() {
	printf '#!/usr/bin/env -S sonde trace\r\nBEGIN {\r\n\tprintf("text\\n"); exit();\r\n}\r\n' > crlf.bt
	printf '\357\273\277BEGIN { printf("text\\n"); exit(); }' > marked.bt
	mkfifo pipe
	cat crlf.bt > pipe &
	for file in crlf.bt marked.bt pipe; do
		run timeout 20 sonde trace $file
		expect_exit 0
		expect_line '^text$'
	done
}

test_output_that_cannot_be_written() {
	mkdir directory
	btrace 'BEGIN { exit(); }' -o directory
	expect_exit 1
	expect_one_err "cannot write to 'directory': Is a directory$"
	btrace 'BEGIN { printf("x"); exit(); }' -o /dev/full
	expect_exit 1
	expect_one_err 'No space left on device'
	sonde trace -q -e 'interval:ms:1 { printf("line\n"); }' 2> err | head -n 3 > out
	[ ! -s err ] || fail "a closed pipe is reported"
	expect_line '^line$'
}

# --- probes that are not there ---

test_missing_probes() {
	btrace 'kprobe:no_such_function { @ = count(); }'
	expect_exit 1
	expect_err "no kernel function matches 'no_such_function'"
	btrace 'config = { missing_probes = warn } BEGIN { exit(); } kprobe:no_such_function { @ = count(); }'
	expect_exit 0
	expect_err "WARNING: no kernel function matches"
	btrace 'config = { missing_probes = ignore } BEGIN { exit(); } kprobe:no_such_function { @ = count(); }'
	expect_exit 0
	[ ! -s err ] || fail "a probe that is ignored is reported"
	run timeout 20 sonde trace -q -e 'config = { missing_probes = ignore } kprobe:no_such_function { @ = count(); }'
	expect_exit 1
	expect_one_err 'no probe is left to attach'
}

# -l: what matches nothing is an empty list, a file that is not there is an error.
test_lists_of_nothing() {
	for pattern in 'tracepoint:no_such:*' "uprobe:$(command -v ufuncs):no_such*" 'uprobe:/no/such*:main'; do
		run sonde trace -l "$pattern"
		expect_exit 0
		[ ! -s out ] && [ ! -s err ] || fail "something for $pattern"
	done
	for pattern in 'uprobe:/no/such/file:*' 'usdt:/no/such/file:*'; do
		run sonde trace -l "$pattern"
		expect_exit 1
		expect_one_err 'sonde trace: /no/such/file: No such file or directory$'
	done
}

# Programs and libraries belong to others: what is no regular file is never opened, and damage is named.
test_binaries_that_are_none() {
	mkfifo pipe
	mkdir directory
	head -c 300 "$(command -v ufuncs)" > cut
	for kind in uprobe usdt; do
		for file in 'pipe: is a FIFO, not a regular file' 'directory: is a directory, not a regular file' \
			'cut: is truncated: its headers lie beyond its end'; do
			run timeout 20 sonde trace -e "$kind:$PWD/${file%%:*}:f { @ = count(); }"
			expect_exit 1
			expect_err "$file"
		done
		run timeout 20 sonde trace -e "$kind:/dev/zero:f { @ = count(); }"
		expect_exit 1
		expect_err '/dev/zero: is a device, not a regular file'
	done
}

test_periods() {
	run timeout 20 sonde trace -e 'interval:s:0e999999999999 { exit(); }'
	expect_exit 1
	expect_err 'the period of interval cannot be 0'
	run timeout 20 sonde trace -e 'interval:s:1e999999999999 { exit(); }'
	expect_exit 1
	expect_err "'1e999999999999' is not a number"
}

# by MECHANISM PROGRAM: counts the ten calls of f_one.
by() {
	btrace "$2" --mechanism "$1" -c 'ufuncs 10'
}

test_mechanisms() {
	probe="uprobe:$(command -v ufuncs):f_one"
	by uprobe "$probe { @ = count(); }"
	expect_exit 0
	expect_line '^@: 10$'
	by kprobe "$probe { @ = count(); }"
	expect_exit 1
	expect_err 'kprobe cannot attach to a user function'
	by raw_tp 't:sched:sched_process_exec { @[args.pid] = count(); }'
	expect_exit 1
	expect_err "by raw_tp: the program reads perf's record"
	by auto "profile:hz:99 { @ = 1; } $probe { @n = count(); }"
	expect_exit 0
	expect_line '^@n: 10$'
	by wrong "$probe { @ = count(); }"
	expect_exit 2
	expect_err "option --mechanism: 'wrong' is not one of"
}

# --- losses ---

# A map that is full is reported when it becomes so, and with the number of updates at the end.
test_full_map_at_once() {
	sonde trace -e 'config = { max_map_keys = 5 } interval:ms:1 { @i++; @m[@i] = count(); if (@i == 20) {
		printf("all\n"); } }' > out 2> err &
	wait_until 30 grep -q all out || fail "nothing happens"
	wait_until 30 grep -q "Map full; can't update element: @m has 5 keys" err || fail "not reported"
	kill -INT $!
	wait $! || fail "exit status $?"
	expect_err 'updates lost of @m, which has 5 keys'
	[ "$(grep -c 'until some are freed' err)" = 1 ] || fail "reported more than once"
}

# --- large and small ---

# The kernel would take the memory of everything else that runs. Each map alone is small enough here.
test_maps_larger_than_the_memory() {
	third=$(awk '/^MemTotal/ { print int($2 * 1024 / 3 / 64) }' /proc/meminfo)
	btrace "config = { max_map_keys = $third } BEGIN { @a[1] = 1; @b[1] = 1; exit(); }"
	expect_exit 1
	expect_one_err 'the map @b with [0-9]* entries would take [0-9]* MB with the maps before it, more than half'
	btrace "let @x = hash(2000000000); BEGIN { @x[1] = 1; exit(); }"
	expect_exit 1
	expect_one_err 'the map @x with 2000000000 entries would take [0-9]* MB, more than half of the memory$'
}

# Loops end where they should, or their early end is reported.
test_loops() {
	btrace 'BEGIN { $i = 0; while ($i < 1000) { printf("%d\n", $i); $i++; } exit(); }'
	expect_exit 0
	[ "$(grep -c '^[0-9]' out)" = 1000 ] || fail "not 1000 lines"
	[ ! -s err ] || fail "something on stderr"
	btrace 'BEGIN { $i = 0; while ($i < 10000) { printf("%d\n", $i); $i++; } exit(); }'
	expect_exit 0
	[ "$(grep -c '^[0-9]' out)" = 10000 ] || expect_err '1 loop ended early'
	btrace 'BEGIN { for ($i : 0..10000000) { @ = $i; } exit(); }'
	expect_exit 0
	expect_line '^@: [0-9]+$'
	grep -q '^@: 9999999$' out || expect_err '1 loop ended early'
}

# As many rows as there are keys, in any form, and each line of JSON can be read by itself.
test_many_rows() {
	many='config = { max_map_keys = 20000 } BEGIN { for ($i : 0..10000) {
		@[$i, "k\xff\"\x1b"] = (1, ("a", true)); } exit(); }'
	btrace "$many"
	expect_exit 0
	[ "$(grep -c '^@\[' out)" = 10000 ] || fail "not 10,000 rows"
	btrace "$many" -j
	expect_exit 0
	expect_json map
	[ "$(grep -c '"map":"@"' out)" = 10000 ] || fail "not 10,000 rows of JSON"
	btrace "$many" -f json
	expect_exit 0
	expect_json type
}

# Bytes of others that a terminal would obey are escaped.
test_escapes() {
	printf '#!/bin/sh\nexit 0\n' > "$(printf 'x\033[2J\ny')"
	chmod +x x*
	btrace 't:sched:sched_process_exec { printf("%s|%s\n", comm, str(args.filename)); @[comm] = count(); }' \
		-c "./$(printf 'x\033[2J\ny')"
	! grep -q "$(printf '\033')" out || fail "an escape sequence"
}

# What is wrong is in no text, so the message has no place.
test_errors_without_a_place() {
	BPFTRACE_MAX_STRLEN=x BPFTRACE_MAX_MAP_KEYS=y btrace 'BEGIN { exit(); }'
	expect_exit 1
	printf "ERROR: Invalid value for BPFTRACE_%s\n" "MAX_MAP_KEYS: 'y' is not a number from 1 to 1073741824" \
		"MAX_STRLEN: 'x' is not a number from 1 to 65536" | diff - err || fail "another message"
	btrace 'BEGIN { print(getopt("size", 1)); exit(); }' -- --sise=3
	expect_exit 2
	printf "ERROR: the program has no option --sise\nHINT: did you mean '--size'?\n" | diff - err ||
		fail "another message"
}
