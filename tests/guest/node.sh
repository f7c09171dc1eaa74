# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Node, of a program that says them itself. The process is $program. Read by tests in guests and on this machine,
# with tests/guest/interp.sh.
# shellcheck disable=SC2154 # $program is theirs

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
