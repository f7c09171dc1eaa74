// SPDX-License-Identifier: BSD-2-Clause
// Asks Perfetto's trace processor, compiled to WebAssembly, about a trace:
//
//	node query.mjs DIR TRACE SQL...
//
// DIR has trace_processor.wasm and its glue, engine_bundle.node.js. Prints one line for each row, with its cells
// separated by |, and an empty line between two queries. Exits with 1 if a query fails or the trace cannot be read.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [dir, trace, ...queries] = process.argv.slice(2);

// The glue expects to be a worker of a page.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = { href: 'http://localhost/' };
globalThis.XMLHttpRequest = class {
	open() {
		this.response = readFileSync(`${dir}/trace_processor.wasm`);
	}
	send() {}
};
console.warn = () => {};

// The glue first asks whether memory may have 64-bit addresses, by a tiny module. There is no such build in DIR.
const { Module } = WebAssembly;
WebAssembly.Module = function () {
	WebAssembly.Module = Module;
	throw new Error('no 64-bit addresses');
};
vm.runInThisContext(readFileSync(`${dir}/engine_bundle.node.js`, 'utf8'));

// Protocol Buffers, as far as the messages TraceProcessorRpc and QueryResult need them.
function varint(n) {
	const bytes = [];

	for (; n >= 128; n = Math.floor(n / 128))
		bytes.push(n % 128 + 128);
	return Buffer.from([...bytes, n]);
}
const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const number = (id, n) => Buffer.concat([varint(id * 8), varint(n)]);

function readVarint(buffer, at) {
	let value = 0n, shift = 0n;

	for (;; shift += 7n) {
		const byte = buffer[at++];

		value |= BigInt(byte & 127) << shift;
		if (byte < 128)
			return [BigInt.asIntN(64, value), at];
	}
}

function* fields(buffer) {
	for (let at = 0; at < buffer.length;) {
		let tag, value;

		[tag, at] = readVarint(buffer, at);
		const wire = Number(tag) & 7, id = Number(tag >> 3n);

		if (wire === 0) {
			[value, at] = readVarint(buffer, at);
		} else if (wire === 1) {
			value = buffer.readDoubleLE(at);
			at += 8;
		} else if (wire === 2) {
			let n;

			[n, at] = readVarint(buffer, at);
			value = buffer.subarray(at, at += Number(n));
		} else {
			throw new Error(`wire type ${wire}`);
		}
		yield [id, value];
	}
}

const packed = function* (buffer) {
	for (let at = 0, value; at < buffer.length;) {
		[value, at] = readVarint(buffer, at);
		yield value;
	}
};

// The cells of a batch, in the order of their types.
function* cells(batch) {
	const has = { types: [], numbers: [], doubles: [], texts: [] };

	for (const [id, value] of fields(batch)) {
		if (id === 1)
			has.types.push(...packed(value));
		else if (id === 2)
			has.numbers.push(...packed(value));
		else if (id === 3)
			for (let i = 0; i < value.length; i += 8)
				has.doubles.push(value.readDoubleLE(i));
		else if (id === 5)
			has.texts.push(...value.toString().split('\0'));
	}
	for (const type of has.types.map(Number))
		yield type === 2 ? has.numbers.shift() : type === 3 ? has.doubles.shift() : type === 4 ? has.texts.shift() : '';
}

let failed = false, done;
const result = { names: [], cells: [] };

function answered(id, value) {
	if (id === 5) {
		console.error(value.toString());
		failed = true;
	} else if (id === 201 || id === 210 || id === 212) {
		for (const [what, text] of fields(value))
			if (what === 2 && Buffer.isBuffer(text)) {
				console.error(text.toString());
				failed = true;
			}
	} else if (id === 203) {
		for (const [what, part] of fields(value)) {
			if (what === 1)
				result.names.push(part.toString());
			else if (what === 2 && part.length) {
				console.error(part.toString());
				failed = true;
			} else if (what === 3) {
				result.cells.push(...cells(part));
				for (const [member, flag] of fields(part))
					if (member === 6 && flag)
						done();
			}
		}
	}
}

let stream = Buffer.alloc(0);
const channel = new MessageChannel();
self.onmessage({ data: channel.port1 });
channel.port2.onmessage = ({ data }) => {
	stream = Buffer.concat([stream, data]);
	for (const [, message] of fields(stream)) {
		let kind = 0;

		for (const [id, value] of fields(message)) {
			if (id === 3)
				kind = Number(value);
			else if (id !== 1)
				answered(id, value);
		}
		if (kind === 1 || kind === 2)
			done();
	}
	stream = Buffer.alloc(0);
};

let sequence = 0;
async function call(method, args = Buffer.alloc(0)) {
	const message = Buffer.concat([number(1, sequence++), number(2, method), args]);
	const answer = new Promise((resolve) => (done = resolve));

	channel.port2.postMessage(new Uint8Array(field(1, message)));
	await answer;
}

const bytes = readFileSync(trace);
for (let at = 0; at < bytes.length; at += 16 << 20)
	await call(1, field(101, bytes.subarray(at, at + (16 << 20))));
await call(2);
for (const [i, sql] of queries.entries()) {
	result.names = [];
	result.cells = [];
	await call(3, field(103, field(1, Buffer.from(sql))));
	if (i)
		console.log();
	while (result.cells.length)
		console.log(result.cells.splice(0, result.names.length).join('|'));
}
process.exit(failed ? 1 : 0);
