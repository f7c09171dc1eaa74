# SPDX-License-Identifier: BSD-2-Clause
# Each argument is used, or it is an error; and the command behind the -- of sonde trace and argdist runs.

ufuncs=$(command -v ufuncs)

# unused WORD COMMAND...: wrong usage, in one line that names the word.
unused() {
	word=$1
	shift
	run timeout 20 "$@"
	expect_exit 2
	[ ! -s out ] || fail "something on stdout"
	sed -i "/^try '.* --help'\$/d" err
	expect_one_err "unexpected (argument|command) '$word'|'$word' is too much"
}

# takes TOOL: the arguments that it can have, so that another one is too many; "all": it takes any number.
takes() {
	case $1 in
	export | funccount | funclatency | funcslower | graph | mark | record | stackcount | strace | why) echo all ;;
	biolatency | cpudist | hardirqs | loads | pidpersec | runqlat | runqlen | softirqs | swapin | vfsstat) echo 1 1 ;;
	fileslower | offcputime | offwaketime | profile | runqslower | vfscount | wakeuptime) echo 1 ;;
	report) echo sonde.rec summary ;;
	sslsnoop) echo libc.so.6 libc.so.6 libc.so.6 ;;
	trace) echo program.bt ;;
	esac
}

test_one_too_many() {
	echo 'BEGIN { exit(); }' > program.bt
	for tool in $(sonde help --names); do
		taken=$(takes "$tool")
		[ "$taken" != all ] || continue
		# unquoted on purpose: several words
		unused stray sonde "$tool" $taken stray
	done
}

# What prints and ends runs no command.
test_commands_of_tools_that_run_none() {
	for words in 'mark text' 'export funccount' report status reset-trace 'syscount -l' 'trace -l kprobe:x' \
		'trace --info' 'trace -l -e BEGIN{}'; do
		# unquoted on purpose: several words
		unused true sonde $words -- true
	done
	unused stray sonde help funccount stray
	unused stray sonde version stray
}

# The lines of a service run no command: the error does not send the user to one.
test_arguments_of_exported_lines() {
	echo 'BEGIN { @ = count(); }' > program.bt
	for line in 'runqlat 1 2 stray' 'syscount stray' 'vfscount 5 stray' 'trace program.bt stray'; do
		run timeout 20 sonde export --families "$line"
		expect_exit 2
		expect_one_err "unexpected argument 'stray'(: the program does not use .1)?\$"
	done
}

test_parameters_that_a_program_does_not_use() {
	unused 1 sonde trace -e 'BEGIN { exit(); }' 1 2 3
	unused 3 sonde trace -e 'BEGIN { print($2); exit(); }' 1 2 3
	unused 2 sonde trace -e "uprobe:$ufuncs:\$1 { }" f_one 2
	unused -7 sonde trace -e 'BEGIN { exit(); }' -- -7
	unused stray sonde trace -l 'kprobe:x' stray
	for program in 'BEGIN { print($#); exit(); }' 'BEGIN { if (0) { print(str($3)); } exit(); }' \
		'macro third() { $3 } BEGIN { exit(); }'; do
		run timeout 20 sonde trace -q -e "$program" 1 2 3
		expect_exit 0
	done
	run timeout 20 sonde trace -e 'BEGIN { exit(); }' -- --sise=3
	expect_exit 2
	expect_one_err 'the program has no option --sise'
}

# There a program is given what it does not use, and all words behind -- are the program's.
test_parameters_as_bpftrace() {
	ln -s "$(command -v sonde)" bpftrace
	run timeout 20 ./bpftrace -q -e 'BEGIN { exit(); }' 1 2 3
	expect_exit 0
	run timeout 20 ./bpftrace -q -e 'BEGIN { printf("%d %d %s %d\n", getopt("size", 1), $1, str($2), $#); exit(); }' \
		-- 5 --size=3 ls
	expect_exit 0
	expect_line '^3 5 ls 2$'
}

# traced FILE|OPTION... -- COMMAND...: sonde trace prints "f_one 14" for the calls that the command's children make,
# while another process calls the function as well.
traced() {
	ufuncs 5000 > others &
	run timeout 20 sonde trace "$@"
	wait $!
	expect_exit 0
	expect_line '^did f_one 6$'
	expect_line '^did f_one 8$'
	expect_err 'the command exited with 3'
	expect_line '^@\[7\]: 14$'
}

test_commands_of_programs() {
	program="BEGIN { printf(\"held\\n\"); } uprobe:$ufuncs:f_one { @[\$1] = count(); }"
	printf "%s\n" "$program" > program.bt
	traced -e "$program" 7 -- sh -c 'ufuncs 6; ufuncs 8; exit 3'
	[ "$(grep -nE '^held' out | cut -d: -f1)" -lt "$(grep -n '^did' out | head -n 1 | cut -d: -f1)" ] ||
		fail "the command was not held"
	traced program.bt 7 -- sh -c 'ufuncs 6; ufuncs 8; exit 3'
	run timeout 20 sonde trace -q -e 'BEGIN { printf("%d %d\n", getopt("size", 1), $1); }' -- --size=3 -5 echo ran
	expect_exit 0
	expect_line '^3 -5$'
	expect_line '^ran$'
	run timeout 20 sonde trace -e 'BEGIN { }' -c true -- true
	expect_exit 2
	expect_err 'two commands are given'
	run timeout 20 sonde trace -e 'BEGIN { }' --
	expect_exit 2
	expect_err 'no command after --'
	run timeout 20 sonde trace -e 'BEGIN { }' -- no-such-command
	expect_exit 1
	expect_one_err "cannot run 'no-such-command'"
}

test_commands_of_probes() {
	ufuncs 5000 > others &
	run timeout 20 sonde trace "$ufuncs:f_one(int x) \"called\"" -- sh -c 'ufuncs 6; ufuncs 8'
	wait $!
	expect_exit 0
	expect_line '^did f_one 8$'
	[ "$(grep -c 'f_one *called$' out)" = 14 ] || fail "not the calls of the command"
	ufuncs 5000 > others &
	run timeout 20 sonde argdist -C "p:$ufuncs:f_one(int x):int:1" -- sh -c 'ufuncs 6; ufuncs 8'
	wait $!
	expect_exit 0
	expect_line '^did f_one 8$'
	expect_line '^[[:space:]]+14 +1 = 1$'
}

# A script that is a tool.
test_commands_of_scripts() {
	mkdir -p bin/share/sonde
	cp "$(command -v sonde)" bin
	printf '// counted: calls\n//\n// args: N\nuprobe:%s:f_one { @[$1] = count(); }\n' "$ufuncs" \
		> bin/share/sonde/counted.bt
	chmod -R go-w bin
	ufuncs 5000 > others &
	run timeout 20 bin/sonde counted 7 -- sh -c 'ufuncs 6; ufuncs 8'
	wait $!
	expect_exit 0
	expect_line '^@\[7\]: 14$'
	unused stray bin/sonde counted 7 stray
}
