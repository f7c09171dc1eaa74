# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Node 18, 20, 22 or 24, if one of them is in the path.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"
. "$0/tests/guest/node.sh"

# start_node ARG...: runs a program until it says that it is ready, as $program.
start_node() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	case $(node -p process.versions.v8 2>&1) in
	10.2.* | 11.3.* | 12.4.* | 13.6.*) ;;
	*) skip "there is no node with V8 10.2, 11.3, 12.4 or 13.6" ;;
	esac
	node "$@" > ready 2> own &
	program=$!
	wait_until 60 grep -q ready ready || fail "node does not run: $(cat own)"
}

end_node() {
	kill $program
	wait $program || :
}

# own WARM OPTION...: all stacks at the system call must be those that the program says itself. It runs WARM rounds before.
own() {
	write_teller
	warm=$1
	shift
	start_node "$@" own.js "$warm"
	watch_teller 100
	end_node
	compare_stacks
}

# With functions that were inlined, and code that V8 gives up when the program begins to tell.
test_node_own() {
	own 20000
}

test_node_own_interpreted() {
	own 0 --no-opt --no-sparkplug
}

# slow=yes
test_node_own_baseline() {
	own 3000 --no-opt --always-sparkplug
}

# Functions that call each other, in all kinds of code.
write_program() {
	cat > nest.js << 'END'
'use strict';
function leaf(x) {
	let s = 0;
	for (let i = 0; i < 50; i++)
		s = (s + i * x) % 1000;
	return s;
}
function text(x) {
	let t = '';
	for (let i = 0; i < 10; i++)
		t += x + i;
	return t.length;
}
class K {
	work(n) {
		let s = 0;
		for (let i = 0; i < n; i++)
			s += leaf(i);
		return s;
	}
}
function sorts(n) {
	const a = Array.from({ length: n }, (_, i) => i * 7919 % 101);
	a.sort((p, q) => p - q);
	return a.map((v) => v + text(v)).reduce((s, v) => s + v, 0);
}
function again(n) {
	return n ? again(n - 1) + 1 : leaf(3);
}
function main() {
	let s = 0;
	for (let i = 0; i < 200; i++)
		s += new K().work(20) + sorts(20) + again(6);
	return s;
}
console.log('ready');
while (true)
	main();
END
}

in_leaf='leaf \(nest.js:[2-6]\+?\)'
in_text='text \(nest.js:(8|9|1[0-2])\+?\)'
in_work="work \(nest.js:1[4-8]\+?\)(;([^;(]*;)*$in_leaf)?"
in_sorts="sorts \(nest.js:2[1-4]\+?\)(;([^;(]*;)*\(anonymous\) \(nest.js:2[2-4]\+?\)(;([^;(]*;)*$in_text)?)?"
in_again="again \(nest.js:2[67]\+?\)(;([^;(]*;)*again \(nest.js:2[67]\+?\))*(;([^;(]*;)*$in_leaf)?"
in_main="main \(nest.js:(29|3[0-3])\+?\)(;([^;(]*;)*($in_work|$in_sorts|$in_again))?"
in_file="\(anonymous\) \(nest.js:(36|37|1\+)\)(;([^;(]*;)*$in_main)?"

# slow=yes
test_node_samples() {
	write_program
	start_node nest.js
	profile
	end_node
	# collections of garbage are on stacks, too; other threads have no functions
	sed -i 's/v8::internal::(anonymous namespace)/v8::internal::anonymous/g; s/ \[clone[^]]*\]//g' out
	# Node 24 has given its main thread that name
	expect_true '\(node\|MainThread\);.*nest\.js' "$in_file(;[^;]*)* [0-9]+$" '^$' 100 \
		'^(leaf|text|work|sorts|again|main|\(anonymous\)) \(nest\.js|^[^(]* \((run_main|loader|node:)'
	grep -o 'main (nest[^;]*;.*sorts (nest[^;]*;' out | grep -q . || fail "no function calls sorts"
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
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	LD_PRELOAD=$(dirname "$(command -v calls)")/libnodes.so sh -c 'while :; do :; done' &
	program=$!
	run sonde profile -p $program -f 1
	kill $program
	expect_exit 0
	expect_line '^sh;'
	expect_err 'stacks of V8 12\.9 \(.*libnodes\.so\) show .*: it is none of 10\.2, 11\.3, 12\.4 and 13\.6, which Node 18, 20, 22 and 24 have$'
}
