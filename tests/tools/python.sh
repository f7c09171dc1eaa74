# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Python on kernels other than this machine's.
# of file: image=systemd kernels=ends timeout=300
. /interp.sh
. /python.sh

# run_program: starts the program, by the image's own Python.
run_program() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	write_program
	peer python3 nest.py > ready &
	program=$!
	wait_until 100 grep -q ready ready || fail "the program does not run"
}

# ends_with CHECK: the check, and the end of the program.
ends_with() {
	run_program
	"$1"
	kill $program
	wait $program || :
}

test_python_samples() {
	ends_with samples
}

test_python_asleep() {
	ends_with sleeps
}

# Who holds the interpreter's lock, or one of threading, and in which function.
test_python_holders() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	holders_text peer python3
}
