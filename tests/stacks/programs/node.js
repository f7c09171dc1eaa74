// SPDX-License-Identifier: BSD-2-Clause
// Code that V8 interprets first and compiles then; callbacks from its C++ (sort, replace, JSON).
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const end = Date.now() + 1000 * process.argv[2];
while (Date.now() < end) {
	fib(18);
	const words = Array.from({ length: 500 }, (_, i) => String(i * 7919 % 1000));
	words.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
	JSON.parse(JSON.stringify(words.map((word) => ({ word, n: word.length }))));
	words.join(' ').replace(/(\d)(\d)/g, (_, a, b) => b + a);
}
