# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Ruby on kernels other than this machine's.
# of file: image=systemd kernels=ends timeout=300
. /interp.sh
. /ruby.sh

# ends_with PROGRAM CHECK: runs the program by the image's own Ruby, checks, and ends it.
ends_with() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	peer sh -c "exec /usr/bin/ruby3.? --disable-gems $1" > ready 2> own &
	program=$!
	wait_until 100 grep -q ready ready || fail "the program does not run: $(cat own)"
	"$2"
	kill $program
	wait $program || :
}

test_ruby_samples() {
	write_program
	ends_with nest.rb samples
}

# of the interpreter's own stacks
test_ruby_own() {
	write_teller
	ends_with own.rb own
}
