# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Python, with Debian's python3 and those of pyenv, whichever are on the machine.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"
. "$0/tests/guest/python.sh"

interpreters() {
	for python in /usr/bin/python3 "$HOME"/.pyenv/versions/3.[89].*/bin/python3 \
		"$HOME"/.pyenv/versions/3.1[0-4].*/bin/python3; do
		[ ! -x "$python" ] ||
			"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 15))' ||
			continue
		[ ! -x "$python" ] || echo "$python"
	done
}

# each CMD...: with the process of each interpreter, which runs the program, in $program.
each() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	interpreters > those
	[ -s those ] || skip "there is no Python of 3.8 to 3.14"
	write_program
	write_teller
	[ "$1" = own ] && what=own.py || what=nest.py
	while read -r python; do
		echo "  $python"
		: > ready # that of the one before is there
		"$python" $what > ready 2> said &
		program=$!
		wait_until 20 grep -q ready ready || fail "$python does not run"
		set +e
		(set -e; "$@")
		came=$?
		set -e
		kill $program
		wait $program || :
		[ $came = 0 ] || exit $came
	done < those
}

# slow=yes
test_python_samples() {
	each samples
}

# slow=yes
test_python_asleep() {
	each sleeps
}

native() {
	profile --native
	grep -q 'nest.py:[0-9]*);\(_PyEval_EvalFrameDefault\|[^;]*python[^;]*+fn[^;]*\);.*nest.py' out ||
		fail "the loop is not shown"
}

test_python_native() {
	each native
}

test_python_own() {
	each own
}

# Who holds the interpreter's lock, or one of threading, and in which function.
# slow=yes
test_python_holders() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	interpreters > those
	[ -s those ] || skip "there is no Python of 3.8 to 3.14"
	while read -r python; do
		echo "  $python"
		holders "$python"
	done < those
}
