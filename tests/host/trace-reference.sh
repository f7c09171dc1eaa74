# SPDX-License-Identifier: BSD-2-Clause
# sonde trace: items of the language's reference (tests/lang/reference.md) that differ each time, or are on stderr.

# btrace PROGRAM [ARG]...
btrace() {
	program=$1
	shift
	run sonde trace -q -e "$program" "$@"
}

# A file of macros, from the directory of -I; each is read once.
test_imports() {
	mkdir lib
	printf 'macro twice(x) { x + x }\nbegin { printf("imported\\n"); }\n' > lib/numbers.bt
	btrace 'import "numbers.bt"; import "numbers.bt"; BEGIN { printf("%d\n", twice(21)); exit(); }' -I lib
	expect_exit 0
	expect_line '^42$'
	[ "$(grep -c '^imported$' out)" = 1 ] || fail "not imported once"
	btrace 'BEGIN { printf("%d\n", twice(21)); exit(); }' -I lib
	expect_exit 1
}

# A file that is executed names sonde itself; "-" is standard input.
test_programs_that_run_by_themselves() {
	printf '#!/usr/bin/env -S sonde trace -q\nBEGIN { printf("%%s %%d\\n", str($1), $#); exit(); }\n' > own.bt
	chmod +x own.bt
	run ./own.bt hey 5
	expect_exit 0
	expect_line '^hey 2$'
	sonde trace -q - hey 5 < own.bt > out 2> err || fail "exit status $?"
	expect_line '^hey 2$'
}

test_help_and_verbose() {
	for option in -h --help; do
		run sonde trace $option
		expect_exit 0
		expect_line '^usage: sonde trace '
	done
	run sonde trace -v -e 'BEGIN { printf("ran\n"); exit(); }'
	expect_exit 0
	expect_line '^ran$'
	[ "$(wc -l < err)" -gt 2 ] || fail "-v says nothing"
}

test_warning_of_cpid() {
	btrace 'BEGIN { print(cpid); exit(); }'
	expect_exit 0
	expect_line '^0$'
	expect_err '^stdin:1:15-19: WARNING: cpid is 0: there is no -c, and so no child process$'
	btrace 'BEGIN { if (has_cpid) { print(cpid); } exit(); }'
	expect_exit 0
	btrace 'BEGIN { print(cpid > 0); exit(); }' -c true
	expect_line '^true$'
	[ ! -s err ] || fail "a warning: $(cat err)"
}

# Two times that are three microseconds apart.
test_microseconds_of_strftime() {
	btrace 'BEGIN { $t = nsecs; printf("%s %s\n", strftime("%f", $t), strftime("%f", $t + 3000)); exit(); }'
	expect_exit 0
	expect_line '^[0-9]{6} [0-9]{6}$'
	awk '/^[0-9]/ { exit ($2 - $1 + 1000000) % 1000000 != 3 }' out || fail "not 3 us apart: $(cat out)"
}

# A list attaches nothing.
test_libraries_by_name() {
	run sonde trace -l 'uprobe:libc:getppid'
	expect_exit 0
	expect_line '^uprobe:/.*/libc\.so\.6:getppid$'
	run sonde trace -l 'uprobe:libc.so.6:getppid'
	expect_line '^uprobe:/.*/libc\.so\.6:getppid$'
	btrace 'uprobe:libno_such_library:f { }'
	expect_exit 1
}

test_stacks_by_build_id() {
	file=$(readlink -f "$(command -v ufuncs)")
	id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
	btrace "uprobe:$file:f_one { print(ustack(build_id, 1)); exit(); }" -c "$file 3"
	expect_exit 0
	if [ "$id" ]; then
		expect_line "^ *$id 0x[0-9a-f]+$"
	else
		expect_line '^ *\[unknown\] 0x[0-9a-f]+$'
	fi
}
