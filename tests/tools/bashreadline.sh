# SPDX-License-Identifier: BSD-2-Clause
# sonde bashreadline: its rows must be the lines that were typed at a shell.
# of file: kernels=one

bashreadline() {
	run sonde bashreadline "$@"
}

# Bytes that do not belong in a source file.
escape=$(printf '\033')
tab=$(printf '\t')
high=$(printf '\377')
unknown=$(printf '\357\277\275')

shell='bash --norc --noprofile'

has_bash() {
	[ -x /bin/bash ] || skip "there is no bash of this architecture"
	printf 'set enable-bracketed-paste off\nset convert-meta off\nset input-meta on\nset output-meta on\n' > inputrc
	export INPUTRC=$PWD/inputrc HISTFILE=
}

# Writes the lines to type into the file lines. The last ones just fit, and just do not fit, into a
# record.
lines() {
	cat <<-END > lines
		echo a | cat

		  : spaces  and \\ 
		: λ ☃ 🦀
		: $escape[31m$tab$high
		: $(long 125)
		: $(long 126)
		: $(long "$1")
	END
}

# long N: prints N letters.
long() {
	head -c "$1" /dev/zero | tr '\0' x
}

# same WANTED GOT: both files must have the same lines, in any order.
same() {
	sort "$1" > wanted
	sort "$2" > got
	cmp wanted got || { diff wanted got | cut -c 1-200; fail "rows are not what was typed"; }
}

# expect_rows FILE...: the rows of out, in text, must be the lines that were typed from the FILEs.
expect_rows() {
	expect_line '^TIME      PID     COMMAND$'
	sed '/^did /d; 1d' out > rows
	[ "$(grep -cvE '^[0-9]{2}:[0-9]{2}:[0-9]{2}  [0-9]+ {1,6}' rows)" = 0 ] || fail "rows are not in columns"
	awk '{ print $2 " " substr($0, 19) }' rows > shown
	sed -n "s/$escape/\\\\x1b/g; s/$tab/\\\\t/g; s/$high/\\\\xff/g; s/^did line //p" "$@" > typed
	same typed shown
}

# kernels=ends
test_text() {
	has_bash
	lines 10000
	bashreadline -- pty lines $shell
	expect_exit 0
	expect_one_err '^Tracing lines entered in bash'
	expect_rows out
}

test_json() {
	has_bash
	lines 5000
	bashreadline --json -- pty lines $shell
	expect_exit 0
	expect_json pid tid ppid uid comm command command_whole time boot_ns
	read -r _ _ pid ppid < out
	sed -n "s/\\\\/&&/g; s/$escape/\\\\u001b/g; s/$tab/\\\\t/g; s/$high/$unknown/g; s/^did line $pid //p" out |
		sed "s/^/$pid$tab$pid$tab$ppid${tab}0${tab}bash$tab/; s/\$/${tab}true/" > typed
	awk -F "$tab" '$8 !~ /^20..-..-..T..:..:..\.......[-+]..:..$/ || $9 < 1000000000' rows > wrong
	[ ! -s wrong ] || fail "no times: $(cat wrong)"
	cut -f 1-7 rows > shown
	same typed shown
}

# Starts a shell that is at its prompt before tracing begins; its process id is $waiting.
begin() {
	mkfifo keys
	pty keys "$@" > first &
	typist=$!
	wait_until 20 grep -q '^did prompt' first || fail "no prompt"
	read -r _ _ waiting _ < first
}

# Types lines at it, and at two other shells that start only now.
go_on() {
	printf ': later\n' > lines
	pty lines $1 > second
	pty lines $2 > third
	printf ': first\n: second\n' > keys
	wait "$typist" || fail "the typist failed"
	stop INT
	expect_exit 0
}

# kernels=ends
test_all_shells() {
	has_bash
	ln -s /bin/bash other
	begin $shell
	start sonde bashreadline
	go_on "$shell" './other --norc'
	expect_rows first second third
}

test_one_shell() {
	has_bash
	begin $shell
	start sonde bashreadline -p "$waiting"
	go_on "$shell" "$shell"
	expect_rows first
}

test_comm() {
	has_bash
	ln -s /bin/bash other
	printf ': a\n' > lines
	bashreadline --comm other -c "pty lines ./other --norc; pty lines $shell > not"
	expect_exit 0
	expect_rows out
}

# The buffer has no room for more.
test_cut() {
	has_bash
	printf ': %s\n' "$(long 1021)" "$(long 1022)" > lines
	bashreadline --buffer-size 4096 -- pty lines $shell
	expect_exit 0
	sed 's/^\(did line [0-9]* .\{1023\}\)..*/\1.../' out > cut
	expect_rows cut
	bashreadline --json --buffer-size 4096 -- pty lines $shell
	expect_json command_whole
	[ "$(paste -sd ' ' rows)" = 'true false' ] || fail "the cut line is another"
}

# The function readline() is in a library. A call that began before tracing is seen, too, and other programs are left
# out.
test_library() {
	ln -s /bin/reader other
	begin reader
	start sonde bashreadline --shell /bin/reader
	go_on reader ./other
	expect_rows first second
}

test_library_of_a_name() {
	printf ': a\n\n: b %s\n' "$(long 2000)" > lines
	bashreadline -s /bin/libreadline.so -- pty lines reader
	expect_exit 0
	expect_rows out
}

cannot() {
	why=$1
	shift
	bashreadline "$@"
	expect_exit 1
	expect_one_err "^sonde bashreadline: $why"
	[ ! -s out ] || fail "there are rows"
}

test_refusals() {
	cannot '/no/such: No such file or directory$' --shell /no/such
	cannot '/bin/libcalls has no function readline, and is linked to no libreadline$' --shell /bin/libcalls
	cannot '/bin/libcalls has no function readline, and is linked to no libreadline$' -s /bin/libcalls
	cannot "no library or program 'nosuch' in " -s nosuch
	cannot 'process 2 has no program' -p 2
	bashreadline extra
	expect_exit 2
	expect_one_err "unexpected argument 'extra'"
}
