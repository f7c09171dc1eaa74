# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Node, of a program that says them itself. The process is $program. Read by tests in guests and on this machine,
# with tests/guest/interp.sh.
# shellcheck disable=SC2154 # $program is theirs

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

samples() {
	profile
	# collections of garbage are on stacks, too; other threads have no functions
	sed -i 's/v8::internal::(anonymous namespace)/v8::internal::anonymous/g; s/ \[clone[^]]*\]//g' out
	# Node 24 has given its main thread that name
	expect_true '\(node\|MainThread\);.*nest\.js' "$in_file(;[^;]*)* [0-9]+$" '^$' 100 \
		'^(leaf|text|K|work|sorts|again|main|\(anonymous\)) \(nest\.js|^[^(]* \((run_main|loader|node:)'
	grep -o 'main (nest[^;]*;.*sorts (nest[^;]*;' out | grep -q . || fail "no function calls sorts"
}

# Says each of its stacks once, as "(anonymous) 5;f 3", and makes a system call there.
write_teller() {
	cat > own.js << 'END'
'use strict';
Error.stackTraceLimit = 100;
Error.prepareStackTrace = (e, sites) => sites
	.filter((s) => s.getFileName() === __filename)
	.map((s) => `${s.getFunctionName() || '(anonymous)'} ${s.getLineNumber()}`)
	.reverse().join(';');
const told = new Set();
let on = false;
function tell() {
	if (!on) return 1;
	const stack = new Error().stack;
	if (!told.has(stack)) { told.add(stack); require('fs').writeSync(2, stack + '\n'); }
	process.umask(0o22);
	return 1;
}
class Shape {
	constructor(n) { this.n = n; }
	get area() { return this.compute(this.n) + tell(); }
	compute(x) { return Shape.helper(x) + 1; }
	static helper(x) { return x % 3 ? x : deep(3); }
}
function deep(n) { return n > 0 ? deep(n - 1) : tell(); }
const arrow = (x) => inner(
	x);
function inner(x) {
	const r = [3, 1, 2].map((v) => {
		return v + tell();
	});
	r.sort((a, b) => { tell(); return a - b; });
	return r.reduce((s, v) => s + v, 0);
}
function* gen() { yield 1; yield tell(); }
function viaGen() { let s = 0; for (const x of gen()) s += x; return s; }
function viaApply() { return tell.apply(null) + Reflect.apply(tell, null, []); }
function viaJson() { return JSON.stringify({ toJSON() { return tell(); } }).length; }
function viaTry() { try { thrower(); } catch (e) { return tell(); } }
function thrower() { tell(); throw told; }
function viaNew(n) { const s = new Shape(6 + n % 3); return s.area; }
const o = { method() { return closure()(); } };
function closure() { return function () { return tell(); }; }
function viaForEach() { let s = 0; [1, 2].forEach(function each(v) { s += v + tell(); }); return s; }
function hot(n) {
	let s = 0;
	for (let i = 0; i < 3; i++)
		s += arrow(i);
	s += viaGen() + viaApply() + viaJson() + viaTry();
	return s + viaNew(n) + o.method() + viaForEach();
}
const warm = Number(process.argv[2]);
for (let i = 0; i < warm; i++) hot(i);
on = true;
console.log('ready');
for (let i = 0; ; i++) hot(i);
END
}

# watch_teller TICKS: takes stacks of the process at its system call, for so much of its time on the processor.
watch_teller() {
	start sonde stackcount -U -f -p $program t:syscalls:sys_enter_umask
	wait_until 60 has_run $(($(awk '{ print $14 + $15 }' /proc/$program/stat) + $1)) || fail "the program does not run"
	stop INT
	expect_exit 0
}

# All of them must be those that the program has said.
compare_stacks() {
	grep -o '[^;]* (own\.js.*' out | sed 's/ [0-9]*$//' | tr ';' '\n' | grep -c '(own\.js:[0-9]*+)' > unsure || :
	sed 's/ [0-9]*$//' out | awk -F';' '{
		s = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ / \(own\.js/) {
				sub(/\(own\.js:/, "", $i)
				sub(/\)$/, "", $i)
				s = s ";" $i
			}
		print substr(s, 2) }' | sort -u > seen
	# it makes the call two lines further
	sed 's/;tell 11$/;tell 13/' own | sort -u > said
	[ "$(wc -l < said)" = 11 ] || fail "$(wc -l < said) stacks were said, not 11"
	diff said seen || fail "stacks are not the program's"
	[ "$(cat unsure)" = 0 ] || fail "$(cat unsure) frames have no line"
}

# own [TICKS]: for so much of the program's time, all stacks at its system call must be those that it says itself.
own() {
	watch_teller "${1:-30}"
	compare_stacks
}
