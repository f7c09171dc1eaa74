# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Node 18, 20, 22 or 24, if one of them is in the path.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"
. "$0/tests/guest/node.sh"

# start_node ARG...: runs a program until it says that it is ready, as $program.
start_node() {
	known_node
	node "$@" > ready 2> own &
	program=$!
	wait_until 60 grep -q ready ready || fail "node does not run: $(cat own)"
}

known_node() {
	case $(node -p process.versions.v8 2>&1) in
	10.2.* | 11.3.* | 12.4.* | 13.6.*) ;;
	*) skip "there is no node with V8 10.2, 11.3, 12.4 or 13.6" ;;
	esac
}

end_node() {
	kill $program
	wait $program || :
}

# tells WARM OPTION...: it runs WARM rounds before.
tells() {
	write_teller
	warm=$1
	shift
	start_node "$@" own.js "$warm"
	own 100
	end_node
}

# With functions that were inlined, and code that V8 gives up when the program begins to tell.
test_node_own() {
	tells 20000
}

test_node_own_interpreted() {
	tells 0 --no-opt --no-sparkplug
}

# slow=yes
test_node_own_baseline() {
	tells 3000 --no-opt --always-sparkplug
}

# slow=yes
test_node_samples() {
	write_program
	start_node nest.js
	samples
	end_node
}

test_node_native() {
	write_program
	start_node --no-opt --no-sparkplug nest.js
	profile --native
	end_node
	# Debian's library has no symbols of builtins
	loop='(Builtins_InterpreterEntryTrampoline|libnode\.so\.[0-9]*\+0x[0-9a-f]*)'
	grep -qE "$loop;main \(nest.js:[0-9]*\)|main \(nest.js:[0-9]*\);(.*;)?$loop" out || fail "the interpreter is not shown"
}

# A file that claims to be V8, of a version that has no plan: its stacks are as any other, and one line says why.
test_node_that_is_none() {
	LD_PRELOAD=$(dirname "$(command -v calls)")/libnodes.so sh -c 'while :; do :; done' &
	program=$!
	run sonde profile -p $program -f 1
	kill $program
	expect_exit 0
	expect_line '^sh;'
	expect_err 'stacks of V8 12\.9 \(.*libnodes\.so\) show .*: it is none of 10\.2, 11\.3, 12\.4 and 13\.6, which Node 18, 20, 22 and 24 have$'
}

# A server whose one thread renders a page while others ask for short ones: what waits in its queue waits for render().
test_node_blocks() {
	cat > serve.js << 'END'
'use strict';
const http = require('http');
function render(ms) {
	const end = process.cpuUsage().user + ms * 1000;
	let n = 0;
	while (process.cpuUsage().user < end)
		for (let i = 0; i < 200000; i++) n += Math.sqrt(n + 1);
	return n;
}
const server = http.createServer((ask, answer) => answer.end(ask.url === '/slow' ? `${render(40)}` : 'quick'));
server.listen(0, () => {
	const child = require('child_process').spawn(process.execPath, ['ask.js', server.address().port]);
	child.on('exit', (status) => process.exit(status));
});
END
	cat > ask.js << 'END'
const http = require('http');
const agent = new http.Agent({ keepAlive: true });
const ask = (path, n) => http.get({ port: process.argv[2], agent, path }, (answer) => {
	answer.resume();
	answer.on('end', () => n ? ask(path, n - 1) : 0);
});
ask('/slow', 10);
for (let i = 0; i < 3; i++) ask('/', 100);
END
	known_node
	run sonde why --requests --json -- node serve.js
	expect_exit 0
	grep '"kind":"function","where":"queue"' out > queue || fail "no function in a queue"
	grep -qE '"cause":"running".*"function":"render \(serve\.js:[4-8]\+?\)"' queue || fail "not render: $(cat queue)"
}
