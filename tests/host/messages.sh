# SPDX-License-Identifier: BSD-2-Clause
# Checks what sonde answers, on any kernel, to users who type what they know from other tools: each
# message names what to type instead.

ufuncs=$(command -v ufuncs)
usdt=$(command -v usdt)

# refused STATUS REGEX CMD...: it must fail with this status and one line, which may be followed by
# the usage or by the place of the fault.
refused() {
	wanted=$1 words=$2
	shift 2
	run "$@"
	expect_exit "$wanted"
	[ ! -s out ] || fail "something on stdout"
	head -n 1 err | grep -qE -e "$words" || fail "the first line does not match '$words'"
}

test_functions_of_libraries() {
	refused 1 "'malloc' is a function of .*libc.so.6, not of the kernel: c:malloc$" sonde funccount malloc
	refused 1 "'malloc' is a function of .*: r:c:malloc$" sonde funccount r:malloc
	mkfifo gate
	laps -w gate nap 1 1 > did &
	# both ends are open: laps has begun
	exec 3> gate
	refused 1 "'lap_nap' is a function of .*/laps, not of the kernel: exe:lap_nap$" sonde funccount -p $! lap_nap
	exec 3>&-
	wait
}

test_paths() {
	refused 2 'a path needs u: in front of it and a function after it: u:/bin/ls:NAME$' sonde funccount /bin/ls
	refused 2 ' u:\./ls:NAME$' sonde funclatency ./ls
}

# In some of bcc's tools, -c counts.
test_an_option_for_a_command() {
	refused 2 "option -c '-t': this is an option, but -c takes a command to run$" sonde tcplife -c -t
}

# Some C libraries have USDT probes of their own, and are linked in.
test_usdt_providers() {
	refused 1 "has no USDT probes of 'hose'; its providers: args, house(, libc)?$" sonde funccount \
		"usdt:$usdt:hose:*"
	refused 1 "has no USDT probes of 'hose'; its providers: args, house(, libc)?$" sonde funccount \
		"usdt:$usdt:hose:gated"
	refused 1 "no USDT probe of .*/usdt matches 'gatd' \(did you mean gated\?\)$" \
		sonde funccount "usdt:$usdt:house:gatd"
	refused 1 "no USDT probe of .*/usdt matches 'no_\*'$" sonde funccount "usdt:$usdt:house:no_*"
}

# The first match in PATH is a script, as with pyenv.
test_a_script_in_path() {
	mkdir wrappers
	printf '#!/usr/bin/env bash\nexec ufuncs "$@"\n' > wrappers/ufuncs
	chmod +x wrappers/ufuncs
	PATH=$PWD/wrappers:$PATH
	refused 1 \
		"/wrappers/ufuncs: is a script of bash, not a program: name the program that it starts, as in $ufuncs$" \
		sonde funccount u:ufuncs:f_one
	mv wrappers/ufuncs wrappers/no-such-program
	refused 1 '/wrappers/no-such-program: is a script of bash, not a program: name the program that it starts$' \
		sonde funccount usdt:no-such-program:x
}

# A tool that has no filters of tasks, because it traces whatever task runs, does not say that -c filters.
test_help_of_command() {
	for tool in $(sonde help --names); do
		sonde "$tool" --help | tr -s ' \n' ' ' > help
		grep -q -e '--command CMD run CMD,' help || continue
		traced='only CMD and its children'
		grep -q -e '--cgroup CGROUP' help || traced='all tasks meanwhile'
		grep -q -e "--command CMD run CMD, trace $traced, end with CMD;" help || fail "$tool traces $traced"
	done
}

# Each tool names the size of its own buffer, and no other.
test_help_of_buffer_size() {
	sizes=
	for tool in $(sonde help --names); do
		sonde "$tool" --help | tr -s ' \n' ' ' > help
		grep -q -e '--buffer-size BYTES' help || continue
		grep -qE -e '--buffer-size BYTES [a-z ]*, with k, M or G: [0-9]+M -' help || fail "$tool: $(cat help)"
		sizes="$sizes $tool:$(sed 's/.*--buffer-size BYTES [^:]*: \([0-9]*M\).*/\1/' help)"
	done
	for size in opensnoop:4M profile:1M record:8M trace:2M; do
		case "$sizes " in
		*" $size "*) ;;
		*) fail "not $size:$sizes" ;;
		esac
	done
}

# No word stands twice in a row in the help of any tool.
test_help_repeats_no_word() {
	for tool in $(sonde help --names); do
		run sonde "$tool" --help
		expect_exit 0
		! grep -E '(^| )([A-Za-z]+) \2( |$)' out || fail "$tool: a word stands there twice"
	done
}

# The calls that the compiler has inlined are not counted, and the user learns that there are some. Not for a glob, for
# which that would cost too much.
test_inlined_in_places() {
	cat > parts.c <<-'END'
		#include <stdio.h>
		volatile int sink;
		int part(int x) { sink += x; return x * 2; }
		__attribute__((noinline)) int whole(int x) { return part(x) + part(x + 1); }
		int main(void) { int (*volatile f)(int) = part; for (int i = 0; i < 10; i++) f(whole(i)); }
	END
	gcc -O2 -g -o parts parts.c
	fc u:./parts:part -- ./parts
	expect_exit 0
	expect_count part 10
	expect_err '^sonde funccount: part is inlined at 2 places of \./parts, where the probe does not see it$'
	run sonde trace -e 'uprobe:./parts:part { @ = count(); }' -c ./parts
	expect_exit 0
	expect_err '^stdin:1:1-[0-9]+: WARNING: part is inlined at 2 places of \./parts, where'
	for spec in 'u:./parts:par?' u:./parts:whole; do
		fc "$spec" -- ./parts
		! grep inlined err || fail "said of $spec"
	done
}

# What stands in for a system call's function is the tracepoint of that call.
test_stand_in() {
	run sonde opensnoop -v --comm nosuch -d 0.1
	expect_exit 0
	sed -n "s/.* is at 'syscalls:sys_exit_\(.*\)' in place of '__[a-z0-9]*_sys_\(.*\)'$/\1 \2/p" err > pairs
	awk '$1 != $2 { bad = 1 } END { exit bad }' pairs || fail "$(cat pairs)"
}
