# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Ruby, with each that is in the path.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"
. "$0/tests/guest/ruby.sh"

# each PROGRAM CHECK: with the process of each interpreter that has frames, which runs the program, in $program.
each() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	for ruby in ruby3.1 ruby3.3 ruby3.4; do
		! command -v $ruby || echo $ruby >> those
	done
	[ -s those ] || skip "there is no Ruby of 3.1, 3.3 or 3.4"
	while read -r ruby; do
		echo "  $ruby"
		: > ready # that of the one before is there
		$ruby --disable-gems "$1" > ready 2> own &
		program=$!
		wait_until 20 grep -q ready ready || fail "$ruby does not run"
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
test_ruby_samples() {
	write_program
	each nest.rb samples
}

# of the interpreter's own stacks
test_ruby_own() {
	write_teller
	each own.rb own
}

native() {
	profile --native
	grep -q ';sort;\([^(]*;\)*libruby[^(]*;block in b (nest.rb' out || fail "the loop is not shown"
}

test_ruby_native() {
	write_program
	each nest.rb native
}

# A file that claims to be Ruby, with frames without an end, of functions that lie: they have odd names, or none.
test_ruby_that_is_none() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	LD_PRELOAD=$(dirname "$(command -v calls)")/librubys.so sleep 1 > ready &
	program=$!
	wait_until 20 grep -q ready ready || fail "the program does not run"
	run sonde profile -p $program -f 1
	kill $program
	expect_exit 0
	expect_line '^sleep;.*\[ruby\];\[ruby\];y\\x1bx\\n \(y\\x1bx\\n\);\[ruby\]'
}
