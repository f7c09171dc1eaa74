# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Node on kernels other than this machine's.
# of file: image=systemd kernels=one timeout=300
. /interp.sh
. /node.sh

# of V8's interpreter, and of its compilers as far as they come to it
test_node_own() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	write_teller
	peer node own.js 30 > ready 2> own &
	program=$!
	wait_until 100 grep -q ready ready || fail "node does not run: $(cat own)"
	own 30
	kill $program
	wait $program || :
}
