# SPDX-License-Identifier: BSD-2-Clause
# Tools that are scripts: how sonde finds them, which it refuses, what it says of them. The scripts that sonde ships
# have tests of their own; here each must compile and attach on every kernel.
# of file: kernels=one

# with_script NAME: a sonde of its own that has one script, from stdin.
with_script() {
	mkdir -p bin share/sonde
	cp "$(command -v sonde)" bin/sonde
	cat > "share/sonde/$1.bt"
	chmod 644 "share/sonde/$1.bt"
}

# timeout=600 kernels=turns arch=yes
test_all_attach() {
	# for sslsnoop
	ln -sf /bin/libssl.so /lib/libssl.so
	for script in /share/sonde/*.bt; do
		name=${script##*/}
		name=${name%.bt}
		run sonde "$name" --dry-run
		expect_exit 0
		expect_one_err '^Attached [1-9][0-9]* probes?\.\.\. Hit Ctrl-C to end\.$'
		run sonde help "$name"
		expect_exit 0
		expect_heading "usage: sonde $name [options] $(sed -n '1s/.*\[options\] //p' out)"
	done
	[ "${name:-}" ] || fail "there are no scripts"
}

test_options() {
	with_script hello << 'END'
// SPDX-License-Identifier: BSD-2-Clause
// hello: greets*
//
// Two lines
// of text.
//
// refused: -Y --yell: say it twice: hello hello
// refused: --whisper: it is quiet
// args: WHOM [TIMES=2]
// $ sonde hello you # once more
begin {
	if (getopt("loud", false, "-p loudly")) { printf("HELLO "); }
	printf("%s %s %d %d %d\n", getopt("greeting", "hello", "-g WORD: what to say"), str($1),
	       getopt("n", 7, "how often"), $2, getopt("really", true, "or not"));
	printf("%s", listed($2, getopt("times", "", "-L TIMES: which")) ? "" : "other\n");
	exit();
}
END
	run bin/sonde help
	expect_line '^  hello            greets\*$'
	run bin/sonde hello --help
	expect_heading 'usage: sonde hello [options] WHOM [TIMES] [-- COMMAND [ARG]...]'
	expect_line '^greets\*$'
	run bin/sonde help --man hello
	expect_line '^Two lines of text\.$'
	run bin/sonde help hello
	expect_line '^  -p, --loud +loudly$'
	expect_line '^  -g, --greeting WORD +what to say \(default: hello\)$'
	expect_line '^  -n N +how often \(default: 7\)$'
	expect_line '^      --really BOOL +or not$'
	expect_line '^      --pid PID +only this process$'
	expect_line '^  -u, --uid USER +only this user'
	expect_no_line 'yell|whisper'
	! grep PROBE out || fail "options that no script has"
	expect_line '^  sonde hello you$'
	run bin/sonde hello you
	expect_exit 0
	printf 'hello you 7 2 1\n' | cmp - out || fail "other words"
	run bin/sonde hello -p --greeting bye -n=3 --really=false you 5
	expect_exit 2
	expect_one_err_of_two "option -n '=3': not a number"
	run bin/sonde hello -p --greeting bye -n3 --really=false you 5
	expect_exit 0
	printf 'HELLO bye you 3 5 0\n' | cmp - out || fail "other words"
	run bin/sonde hello -M 3 you
	expect_exit 2
	expect_one_err_of_two "no option -M: it is for the probes of 'sonde trace'"
	run bin/sonde hello --greting=x you
	expect_exit 2
	expect_err 'unknown option --greting \(did you mean --greeting\?\)$'
	run bin/sonde hello
	expect_exit 2
	expect_one_err 'WHOM is missing$'
	run bin/sonde hello you often
	expect_exit 2
	expect_one_err "TIMES is a number, not 'often'$"
	run bin/sonde hello you 1 more
	expect_exit 2
	expect_one_err "unexpected argument 'more': a command comes after --$"
	run bin/sonde hello --csv you
	expect_exit 2
	for option in -Y --yell; do
		run bin/sonde hello $option you
		expect_exit 2
		expect_one_err_of_two "^sonde hello: this tool has no option $option: say it twice: hello hello$"
	done
	run bin/sonde hello --whisper
	expect_exit 2
	expect_one_err_of_two 'no option --whisper: it is quiet$'
	run bin/sonde hello -L 1,x you
	expect_exit 2
	expect_one_err_of_two "option -L '1,x': not a list of numbers, such as 80,443$"
	run bin/sonde hello -L 1,3 you
	expect_exit 0
	expect_line '^other$'
	run bin/sonde hello -L 1,2 -u 0 you
	expect_exit 0
	expect_no_line '^other$'
	ln -s sonde bin/hello
	run bin/hello you
	expect_exit 0
	expect_line '^hello you 7 2 1$'
}

# Wrong usage has a second line, which names --help.
expect_one_err_of_two() {
	[ "$(wc -l < err)" -eq 2 ] || fail "$(wc -l < err) lines on stderr, not two"
	expect_err "$1"
}

test_wrong_scripts() {
	with_script wrong << 'END'
begin { printf("%d\n", nothing); }
END
	run bin/sonde wrong
	expect_exit 1
	expect_err 'share/sonde/wrong\.bt:1:[0-9]+-[0-9]+: ERROR: '
	run bin/sonde help
	expect_exit 0
	with_script wrong << 'END'
begin { printf("%d\n", 1;
END
	run bin/sonde help
	expect_exit 0
	run bin/sonde wrong -x
	expect_exit 1
	expect_one_err 'wrong\.bt:1:[0-9]+-[0-9]+: ERROR: '
	printf 'begin { \000 }' > share/sonde/wrong.bt
	run bin/sonde wrong
	expect_exit 1
	expect_one_err 'wrong\.bt. is not a program: it has a NUL byte$'
	run bin/sonde wron
	expect_exit 2
	expect_one_err "there is no tool 'wron'"
	run bin/sonde ../sonde/wrong
	expect_exit 2
	expect_one_err 'there is no tool'
}

# root runs scripts: nobody else may put one there.
test_scripts_of_others() {
	with_script mine << 'END'
// mine: says so
begin { printf("mine\n"); exit(); }
END
	run bin/sonde mine
	expect_line '^mine$'
	for mode in 666 664; do
		chmod $mode share/sonde/mine.bt
		run bin/sonde mine
		expect_exit 1
		expect_one_err "/mine\.bt' are not used: others than its owner can write to it$"
	done
	chmod 644 share/sonde/mine.bt
	chown 1000 share/sonde/mine.bt
	run bin/sonde mine
	expect_exit 1
	expect_one_err 'belongs to another user \(1000\)$'
	chown 0 share/sonde/mine.bt
	chmod 777 share/sonde
	run bin/sonde mine
	expect_exit 1
	expect_one_err "sonde' are not used: others than its owner can write to it$"
	chmod 755 share/sonde
	chmod 777 share
	run bin/sonde mine
	expect_exit 1
	expect_one_err "scripts of '.*' are not used: others than its owner can write to '.*/share' above it$"
	chmod 755 share
	mv share/sonde/mine.bt elsewhere.bt
	ln -s "$PWD/elsewhere.bt" share/sonde/mine.bt
	run bin/sonde mine
	expect_exit 1
	expect_one_err 'cannot open'
	# the directory in which sonde is started is no place for scripts
	rm -r share
	cp elsewhere.bt mine.bt
	run bin/sonde mine
	expect_exit 2
	expect_one_err "there is no tool 'mine'"
}
