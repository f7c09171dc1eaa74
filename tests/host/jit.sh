# SPDX-License-Identifier: BSD-2-Clause
# Code in memory of no file: its names come from a perf map, and without one sonde says what to do.

# jit NAME [-m] MS: runs jitted by another name, and removes its map.
jit() {
	cp "$(command -v jitted)" "$1"
	run timeout 60 sonde profile -F 999 -f -U -c "./$*"
	rm -f "/tmp/perf-$(sed -n 's/^did pid //p' out).map"
	expect_exit 0
}

# advised REGEX: exactly one line of advice, which ends so.
advised() {
	expect_err "stacks? (has|have) frames in code without a file \(JIT\): $1\$"
	[ "$(grep -c JIT err)" = 1 ] || fail "the advice is not given once"
}

test_code_with_a_map() {
	jit node -m 300
	expect_line '^node;.*;main;made_code;called [0-9]+$'
	! grep JIT err || fail "there is advice for code with names"
}

test_code_without_a_map() {
	jit node 300
	expect_line '^node;.*;main;\[unknown\];called [0-9]+$'
	advised 'start node with --perf-basic-prof'
	jit java 300
	advised "start java with -XX:\+PreserveFramePointer, and run 'jcmd PID Compiler.perfmap' \(JDK 17\) or a perf map agent"
	jit python3.12 300
	advised 'start python with -X perf'
	jit dotnet 300
	advised 'start dotnet with DOTNET_PerfMapEnabled=1'
	jit other 300
	advised 'start the program so that it keeps frame pointers and writes /tmp/perf-PID.map'
}

# Two programs, one of which has a map: the advice is for the other.
test_two_programs() {
	cp "$(command -v jitted)" node
	cp "$(command -v jitted)" java
	run timeout 60 sonde profile -F 999 -f -U -c 'sh -c "./node -m 200; ./java 200"'
	rm -f "/tmp/perf-$(sed -n 's/^did pid //p' out | head -n 1).map"
	expect_line '^node;.*;made_code;called [0-9]+$'
	advised 'start java with .*agent'
}

test_other_tools() {
	cp "$(command -v jitted)" node
	run timeout 60 sonde stackcount u:./node:called -- ./node 100
	advised 'start node with --perf-basic-prof'
	run timeout 60 sonde trace -e 'uprobe:./node:called { @[ustack] = count(); }' -- ./node 100
	advised 'start node with --perf-basic-prof'
}

# No advice where code has a file, and where names are not wanted.
test_no_advice() {
	run timeout 60 sonde profile -F 999 -f -U -c 'ufuncs 2000000'
	expect_exit 0
	! grep JIT err || fail "there is advice for code with a file"
	cp "$(command -v jitted)" node
	run timeout 60 sonde profile -F 999 -f -U --raw -c './node 200'
	expect_exit 0
	! grep JIT err || fail "there is advice where names are not wanted"
}
