# SPDX-License-Identifier: BSD-2-Clause
# The command behind the -- of sonde trace and argdist runs.

ufuncs=$(command -v ufuncs)

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
}
