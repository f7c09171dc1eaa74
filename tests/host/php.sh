# SPDX-License-Identifier: BSD-2-Clause
# Stacks of PHP, with each that is in the path.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"
. "$0/tests/guest/php.sh"

# each PROGRAM CHECK: with the process of each interpreter that has frames, which runs the program, in $program.
each() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	for php in php7.4 php8.2 php8.4 php8.5; do
		! command -v $php || echo $php >> those
	done
	[ -s those ] || skip "there is no PHP of 7.4, 8.2, 8.4 or 8.5"
	while read -r php; do
		echo "  $php"
		: > ready # that of the one before is there
		$php "$1" > ready 2> own &
		program=$!
		wait_until 20 grep -q ready ready || fail "$php does not run"
		set +e
		(set -e; "$2")
		came=$?
		set -e
		kill $program
		wait $program || :
		[ $came = 0 ] || exit $came
	done < those
}

# slow=yes
test_php_samples() {
	write_program
	each nest.php samples
}

# of the interpreter's own stacks
test_php_own() {
	write_teller
	each own.php own
}

native() {
	profile --native
	grep -q 'nest.php:[0-9]*);execute_ex;.*nest.php' out || fail "the loop is not shown"
}

test_php_native() {
	write_program
	each nest.php native
}

# A file that claims to be PHP, and whose loop has no end that is known: its stacks are as any other, and one line says
# why.
test_php_that_is_none() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	LD_PRELOAD=$(dirname "$(command -v calls)")/libphps.so sh -c 'while :; do :; done' &
	program=$!
	run sonde profile -p $program -f 1
	kill $program
	expect_exit 0
	expect_line '^sh;'
	expect_err 'stacks of PHP 8\.2 \(.*libphps\.so\) show .*: it has a loop whose code is not known$'
}
