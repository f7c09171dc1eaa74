# SPDX-License-Identifier: BSD-2-Clause
# sonde trace: programs in bpftrace's language, what they print, and what they count beside what the
# workload did.
# of file: kernels=one

# btrace PROGRAM [ARG]...
btrace() {
	program=$1
	shift
	run sonde trace -e "$program" "$@"
	grep '^Attached [0-9]* probes*$' err > attached || :
	sed -i '/^Attached [0-9]* probes*$/d' err
}

# expect_text: stdout must be these lines, from stdin.
expect_text() {
	cat > expected
	diff expected out || fail "stdout is another"
}

test_hello() {
	btrace 'BEGIN { printf("hello %d\n", 1 + 2); exit(); }'
	expect_exit 0
	expect_text << END
hello 3


END
	[ ! -s err ] || fail "something on stderr"
}

# kernels=ends
test_maps() {
	btrace 'BEGIN { @x = 1; @y[1,2] = 3; @c = count(); @s["a"] = sum(5); @a["x"] = avg(3); @a["x"] = avg(6);
		@l = lhist(3, 0, 10, 1); @mi = min(-4); @ma[3] = max(7); @st = stats(4); exit(); }'
	expect_exit 0
	expect_text << END


@a[x]: 4
@c: 1
@l:
[3]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|

@ma[3]: 7
@mi: -4
@s[a]: 5
@st: { .count = 1, .average = 4, .total = 4 }
@x: 1
@y[1, 2]: 3
END
}

test_begin_and_end() {
	btrace 'END { printf("end %d\n", @n); } BEGIN { printf("one\n"); @n = 5; } BEGIN { printf("two\n"); @n++;
		exit(7); }'
	expect_exit 7
	expect_text << END
one
two
end 6


@n: 6
END
}

# Each interval runs as often as it should, and the records are in order.
test_interval() {
	btrace 'interval:ms:5 { @n++; printf("%d\n", @n); if (@n == 20) { exit(); } }'
	expect_exit 0
	seq 20 > numbers
	grep '^[0-9]' out | cmp - numbers || fail "not 1 to 20"
}

# --- counts beside the workload's ---

# kernels=all
test_kprobe_counts() {
	btrace 'kprobe:do_sys_openat2 /comm == "calls"/ { @c[comm] = count(); @ = count(); @p[pid] = sum(1); }' \
		-c 'calls 1000 openat'
	expect_exit 0
	expect_line '^@: 1000$'
	expect_line '^@c\[calls\]: 1000$'
	expect_line '^@p\[[0-9]+\]: 1000$'
}

# kernels=ends
test_entry_and_return() {
	btrace 'kprobe:do_sys_openat2 { @in[func] = count(); } kretprobe:do_sys_openat2 {
		@out[(int32)retval] = count(); }' -c 'calls 300 openat'
	expect_exit 0
	expect_line '^@in\[do_sys_openat2\]: 300$'
	expect_line "^@out\\[-2\\]: 300\$"
}

# Places with arguments of BTF; the kernel's own count of the calls is the workload's.
# kernels=all arch=yes
test_fentry() {
	btrace 'fentry:do_sys_openat2 { @dfd[args.dfd] = count(); } fexit:do_sys_openat2 { @ret[retval] = count(); }' \
		-c 'calls 300 openat'
	expect_exit 0
	expect_line '^@dfd\[-100\]: 300$'
	expect_line '^@ret\[-2\]: 300$'
}

# kernels=all
test_several_places() {
	btrace 'kprobe:do_sys_openat2,kprobe:vfs_read { @[probe] = count(); } kprobe:do_sys_open* {
		@p[func] = count(); }' -c 'calls 200 openat 100 read'
	expect_exit 0
	expect_line '^@\[kprobe:do_sys_openat2\]: 201$'
	expect_line '^@\[kprobe:vfs_read\]: 100$'
	expect_line '^@p\[do_sys_openat2\]: 201$'
}

# kernels=ends
test_tracepoint() {
	btrace 'tracepoint:syscalls:sys_enter_openat { @[str(args.filename)] = count(); }' -c 'calls 100 openat'
	expect_exit 0
	expect_line '^@\[/no/such/file\]: 100$'
}

# All records of all calls, in order.
test_records() {
	btrace 'tracepoint:syscalls:sys_enter_openat { @n++; printf("%d %s %s\n", @n, comm, str(args.filename)); }' \
		-c 'calls 2000 openat'
	expect_exit 0
	[ "$(grep -c ' calls /no/such/file$' out)" = 2000 ] || fail "not 2000 lines"
	grep ' calls /no' out | awk '{ if ($1 != ++n) exit 1 }' || fail "not in order"
}

# In the kernel's trace pipe at once, with the kernel's own limits.
test_debugf() {
	trap 'echo > /sys/kernel/tracing/trace; echo 0 > /sys/kernel/tracing/events/bpf_trace/enable' EXIT
	run sonde trace -q -e 'BEGIN { debugf("house %d %s %u\n", -5, "text", 7); debugf("pointer %p %x", (uint8 *)4096, 255);
		debugf("none"); exit(); }'
	expect_exit 0
	expect_err "WARNING: debugf\(\) writes to the kernel's trace pipe"
	for line in 'house -5 text 7' 'pointer 0x1000 ff' none; do
		grep -q "bpf_trace_printk: $line\$" /sys/kernel/tracing/trace || fail "no '$line': $(cat /sys/kernel/tracing/trace)"
	done
	run sonde trace -q --no-warnings -e 'BEGIN { debugf("%d %5d|%-3x|%X %d%%", 1, 2, 255, 254, 100); debugf("%s, %s", probe, comm); exit(); }'
	if [ "$KERNEL" = 5.10 ]; then
		expect_exit 1
		expect_err 'ERROR: debugf\(\): this kernel does not format .%5d.: it knows %d, %u, %x, %p and %s, without a width$'
		expect_err 'ERROR: debugf\(\) takes one text on this kernel \(Linux 5.16 takes more\)$'
		run sonde trace -q -e 'BEGIN { debugf("%d %d %d %d", 1, 2, 3, 4); exit(); }'
		expect_exit 1
		expect_err 'ERROR: debugf\(\) takes up to 3 arguments behind the format on this kernel \(Linux 5.16 takes 12\)$'
		return
	fi
	expect_exit 0
	[ ! -s err ] || fail "something on stderr"
	for line in '1     2|ff |FE 100%' 'begin, sonde'; do
		grep -q "bpf_trace_printk: $line\$" /sys/kernel/tracing/trace || fail "no '$line': $(cat /sys/kernel/tracing/trace)"
	done
}

# config = { perf_rb_pages = N } is the size of the buffer: what begin prints is read when it has ended.
# kernels=ends
test_buffer_pages_of_a_program() {
	for pages in 1 64; do
		run sonde trace -e "config = { perf_rb_pages = $pages } BEGIN { unroll (200) { printf(\"line %d\n\", pid); } exit(); }"
		expect_exit 0
		n=$(grep -c '^line ' out)
		lost=$(sed -n 's/.*: \([0-9]*\) events* lost: the buffer was full.*/\1/p' err)
		[ $((n + ${lost:-0})) = 200 ] || fail "$n lines, ${lost:-0} lost"
		[ $((n == 200)) = $((pages == 64)) ] || fail "$n lines with $pages pages"
	done
}

# How many frames the stacks have.
test_stack_length() {
	btrace 'kprobe:do_sys_openat2 /comm == "calls"/ {
		@k = len(kstack); @two = len(kstack(2)); @u = len(ustack); }' -c 'calls 1 openat'
	expect_exit 0
	expect_line '^@k: [1-9][0-9]*$'
	expect_line '^@two: 2$'
	expect_line '^@u: [1-9][0-9]*$'
}

# The same of stacks that were kept: as many as are shown. By some mechanisms the frames of tracing are counted, which are
# not shown.
test_kept_stack_length() {
	keys='len(@u)'
	[ "$KERNEL" != 5.10 ] || keys=1 # it does not count them
	btrace 'kprobe:do_sys_openat2 /comm == "calls"/ { @k = kstack; @u[pid] = ustack; $two = kstack(2);
		printf("lengths %d %d %d %d %d %d\n", len(@k), len(kstack), len(@u[pid]), len(ustack), len($two), '"$keys"');
		printf("none %d %d\n", len(@u[0]), len((kstack(1), 5).0)); }' -c 'calls 1 openat'
	expect_exit 0
	expect_line '^none 0 1$'
	awk '
		/^lengths / { k = $2; kernel = $3; u = $4 == $5 ? $4 : -1; two = $6; maps = $7 }
		/^@k:/ { part = "k" } /^@u\[/ { part = "u" } /^    / { lines[part]++ }
		END { print k, kernel, lines["k"], u, lines["u"], two, maps
		exit !(k >= lines["k"] && k < lines["k"] + 10 && (k == kernel || k == kernel + 1) &&
			u == lines["u"] && u > 1 && two == 2 && maps == 1) }' out > lengths ||
		fail "the lengths are $(cat lengths)"
}

# --- losses ---

# With -k, each read that fails and each entry that is missing is reported with its place; without it, texts are
# counted.
# kernels=ends
test_faults() {
	btrace 'BEGIN { @m[1] = 1; $p = (uint64 *)0; print(*$p); @s = str(1); printf("%s|\n", str(uptr(2))); @x = @m[2];
		exit(); }' -k
	expect_exit 0
	expect_line '^\|$'
	expect_err '^stdin:1:44-4[67]: WARNING: Failed to probe_read_kernel: .* \(-[0-9]+\)$'
	expect_err '^stdin:1:55-61: WARNING: Failed to probe_read_user_str: Bad address \(-14\)$'
	expect_err '^stdin:1:79-91: WARNING: Failed to probe_read_user_str: Bad address \(-14\)$'
	expect_err "WARNING: Can't lookup map element because it does not exist."
	expect_err '3 reads of memory failed'
	btrace 'BEGIN { @m[1] = 1; @s = str(1); printf("%s|\n", str(uptr(2))); @x = @m[2]; exit(); }'
	expect_exit 0
	expect_err '2 reads of memory failed'
	! grep WARNING err || fail "warnings without -k"
}

# Numbers and structs are counted as texts are; the value is 0.
# kernels=ends
test_failed_reads_are_counted() {
	btrace 'struct two { uint64 a; uint64 b; }
		BEGIN { @n = *(uint64 *)0xdead; $t = (struct two *)0xdead; @b = $t->b; @all = *$t;
		 @u = *(uint32 *)uptr(0xdead); @here = *(uint8 *)kaddr("linux_banner"); exit(); }'
	expect_exit 0
	expect_line '^@n: 0$'
	expect_line '^@b: 0$'
	expect_line '^@all: { .a = 0, .b = 0 }$'
	expect_line '^@u: 0$'
	expect_line '^@here: 76$'
	expect_err '4 reads of memory failed'
}

# A record with room for 64 bytes of a string is tried first. An empty string is none that could not be read.
# kernels=ends
test_lengths_of_printed_strings() {
	cat > names <<- 'END'
		#!/bin/sh
		for n in 0 1 61 62 63 64 65 200; do
			true < "$(printf "%${n}s" '' | tr ' ' x)"
		done 2> /dev/null
		exit 0
	END
	chmod +x names
	btrace 'kprobe:do_sys_openat2 { printf("%s|%d|%s\n", str(uptr(arg1)), pid > 0, str(uptr(arg1))); }' -c ./names
	expect_exit 0
	for n in 0 1 61 62 63 64 65 200; do
		text=$(printf "%${n}s" '' | tr ' ' x)
		grep -qxF "$text|1|$text" out || fail "not the text of $n bytes"
	done
	[ ! -s err ] || fail "a message: $(cat err)"
}

# A record that is tried first and discarded counts nothing of what it read.
test_failed_reads_beside_long_texts() {
	cat > names <<- 'END'
		#!/bin/sh
		for n in 200 300 5; do
			true < "$(printf "%${n}s" '' | tr ' ' x)"
		done 2> /dev/null
		exit 0
	END
	chmod +x names
	btrace 'kprobe:do_sys_openat2 { printf("%s|%s\n", str(uptr(16), 8), str(uptr(arg1))); }' -c ./names
	expect_exit 0
	grep -q '^|x\{300\}$' out || fail "no long name"
	expect_err "sonde trace: $(grep -c '^|' out) reads of memory failed"
}

test_memcmp_of_pointers() {
	btrace 'BEGIN { $p = (uint8 *)kaddr("linux_banner"); print(memcmp($p, "Linux", 5));
		print(memcmp($p, "Linuy", 5) < 0); print(memcmp($p, $p + 1, 2) != 0); exit(); }'
	expect_exit 0
	[ "$(echo $(cat out))" = '0 true true' ] || fail "other values"
	[ ! -s err ] || fail "a message: $(cat err)"
}

# The verifier knows constants on the stack; before Linux 6.8 it took one choice for the other.
# kernels=all
test_choice_of_constants() {
	for tail in '' 1; do
		size=$((8 + ${#tail}))
		btrace 'BEGIN { @t = 0; @u = 1; @w = 0; }
			interval:ms:20 {
				let $i = 0;
				while ($i < 5 && @w == 1) { $i++; }
				let $n = memcmp(@t == 1 ? "abcdefgx'$tail'" : "abcdefgh'$tail'",
						@u ? "abcdefgh'$tail'" : "xxxxxxxx'$tail'", '$size');
				printf("compared %d\n", $n);
				exit();
			}'
		expect_line '^compared 0$'
	done
}

# From 5.17 on, the kernel counts the turns of a loop whose end it cannot see.
# kernels=all
test_long_while() {
	btrace 'BEGIN { $n = nsecs > 0 ? 5000 : 1; $i = 0;
		while ($i < $n) { $i++; if ($i % 2) { continue; } if ($i > 4000) { break; } @n++; }
		print($i); exit(); }'
	expect_exit 0
	case $(uname -r) in
	5.10.*)
		expect_line '^256$'
		expect_err '1 loop ended early, after 256 turns: '
		;;
	*)
		expect_line '^4002$'
		expect_line '^@n: 2000$'
		[ ! -s err ] || fail "a message: $(cat err)"
		;;
	esac
}

# Not each turn steps the variable, or it steps over the bound: the verifier sees no end. From 5.17 on, it need not.
test_while_with_conditional_steps() {
	case $(uname -r) in
	5.10.*) return ;;
	esac
	btrace 'BEGIN { $i = 0; while ($i < 10) { if (rand % 2 == 0) { $i++; } }
		$j = 0; while ($j < 10) { if (rand % 2 == 0) { continue; } $j++ }
		$k = 0; while ($k < 10) { $k++; if (rand % 4 == 0) { $k--; } }
		$l = 10; while ($l != 0) { $l -= 3; if ($l < -100) { break; } }
		print(($i, $j, $k, $l)); exit(); }'
	expect_exit 0
	expect_line '^\(10, 10, 10, -101\)$'
	[ ! -s err ] || fail "a message: $(cat err)"
}

# The step comes once in each turn, and a "continue" of another loop does not leave it out: these end on any kernel.
# kernels=ends
test_while_with_certain_steps() {
	btrace 'BEGIN { $i = 0; while ($i < 900) { unroll(2) { if ($i % 2) { continue; } } $i += 1; if ($i % 5 == 0) {
		continue; } @c++; } $j = 900; while ($j >= 0) { $j -= 3; } print(($i, $j)); exit(); }'
	expect_exit 0
	expect_line '^\(900, -3\)$'
	expect_line '^@c: 720$'
	[ ! -s err ] || fail "a message: $(cat err)"
}

test_full_map() {
	btrace 'config = { max_map_keys=5 } BEGIN { $i = 0; while ($i < 20) { @m[$i] = count(); $i++; } exit(); }'
	expect_exit 0
	[ "$(grep -c '^@m\[' out)" = 5 ] || fail "not 5 keys"
	expect_err '15 updates lost of @m, which has 5 keys'
	btrace 'config = { max_map_keys=5 } BEGIN { $i = 0; while ($i < 20) { @m[$i] = count(); $i++; } exit(); }' \
		--fail-on-loss
	expect_exit 1
}

# Shown and lost together are what happened. The reader is stopped meanwhile.
test_full_buffer() {
	sonde trace -e 'BEGIN { printf("ready\n"); } tracepoint:syscalls:sys_enter_openat /comm == "calls"/ {
		printf("%s\n", str(args.filename)); }' \
		--buffer-size 4k > out 2> err &
	wait_until 30 grep -q ready out || fail "not ready"
	kill -STOP $!
	calls 5000 openat
	kill -CONT $!
	kill -INT $!
	wait $! || fail "exit status $?"
	seen=$(grep -c '^/no/such/file$' out)
	lost=$(sed -n 's/.*: \([0-9]*\) events* lost: the buffer.*/\1/p' err)
	[ "${lost:-0}" -gt 0 ] || fail "nothing was lost"
	[ $((seen + lost)) = 5000 ] || fail "$seen shown and $lost lost"
}

# --- formats and files ---

test_json() {
	btrace 'BEGIN { @x = hist(3); @y["a", 1] = 2; printf("hi\n"); print((1, "b")); exit(); }' -f json
	expect_exit 0
	expect_text << END
{"type": "attached_probes", "count": 1, "data": {"probes": 1}}
{"type": "printf", "data": "hi\n"}
{"type": "value", "data": [1,"b"]}
{"type": "hist", "data": {"@x": [{"min": 2, "max": 3, "count": 1}]}}
{"type": "map", "data": {"@y": {"a,1": 2}}}
END
}

test_rows() {
	btrace 'BEGIN { @y["a", 1] = 2; @y["b", 3] = 4; printf("hi\n"); exit(); }' -j
	expect_exit 0
	expect_json time
	grep -q '"map":"@y","key":\["a",1\],"value":2}$' out || fail "no row of a key"
	grep -q '"printf":"hi\\n"}$' out || fail "no row of printf"
}

test_files() {
	printf '#!/usr/bin/env -S sonde trace\n// says its arguments\nBEGIN {
		printf("%%d %%s %%d\\n", $1, str($2), $#); exit(); }\n' > args.bt
	run sonde trace args.bt 5 hey
	expect_exit 0
	expect_line '^5 hey 2$'
	sonde trace - 5 hey < args.bt > out 2> err || fail "no program from stdin"
	expect_line '^5 hey 2$'
	run sonde trace -o file args.bt 5 hey
	expect_exit 0
	[ ! -s out ] || fail "something on stdout"
	grep -q '^5 hey 2$' file || fail "nothing in the file"
	btrace 'BEGIN { printf("%d %d\n", getopt("aa", 1), getopt("bb")); exit(); }' -- --aa=7 --bb
	expect_line '^7 1$'
}

# --- as bpftrace ---

# Its name is enough, and harnesses get the line that they wait for.
test_bpftrace() {
	ln -s "$(command -v sonde)" bpftrace
	__BPFTRACE_NOTIFY_PROBES_ATTACHED=1 run ./bpftrace -e 'kprobe:do_sys_openat2 { @[pid == cpid] = count(); }' \
		-c 'calls 100 openat'
	expect_exit 0
	expect_line '^__BPFTRACE_NOTIFY_PROBES_ATTACHED$'
	expect_line '^@\[true\]: 100$|^@\[1\]: 100$'
	run ./bpftrace -q -e 'BEGIN { exit(); }'
	printf '\n\n' | cmp - out || fail "-q says something"
}

# -p filters each probe, and ends the run with the process.
test_bpftrace_of_a_process() {
	ln -s "$(command -v sonde)" bpftrace
	mkfifo go
	sh -c 'read line < go; exec calls 100 openat' > did &
	process=$!
	./bpftrace -e 'kprobe:do_sys_openat2 /comm == "calls"/ { @[pid] = count(); }' -p $process > out 2> err &
	tracer=$!
	wait_until 50 grep -q '^Attached' err || fail "not armed"
	calls 50 openat
	echo > go
	wait $tracer || fail "exit status $?"
	[ "$(grep '^@' out)" = "@[$process]: 100" ] || fail "not the calls of process $process: $(cat out)"
}

# known N FUNCTION...: for each, so many places are known to which calls of it lead.
known() {
	while [ $# -gt 1 ]; do
		[ "$(grep -c "learned where a call of $2 " err)" -ge "$1" ] || return 1
		shift 2
	done
}

# expect_returns PID: each function's calls, and what they returned, are what the process says in the file did.
expect_returns() {
	while read -r _ func n sum; do
		grep -qx "@n\[$func, $1\]: $n" out && grep -qx "@sum\[$func, $1\]: $sum" out ||
			fail "not $n calls of $func with the sum $sum"
	done < did
}

# Functions that end by jumps by pointers: what they return is seen as soon as it is known where the pointers lead, here
# by calls of another process. What is missing until then is said.
# kernels=all arch=yes
test_returns_by_pointers() {
	rm -f first second
	mkfifo first second
	start sonde trace -v --fail-on-loss -e 'uretprobe:/bin/hands:r_* /!strncmp(comm, "hands", 6)/ {
		@n[func, pid] = count(); @sum[func, pid] = sum((int64)retval); }'
	hands -w first -w second 0 > /dev/null &
	teacher=$!
	wait_until 50 known 1 r_chain || fail "the first pointers are not learned"
	echo > first
	wait_until 50 known 3 r_chain 2 r_pointer 2 r_either 1 r_stub || fail "not all pointers are learned: $(cat err)"
	echo > second
	wait $teacher
	# resolved at once: no stub leads to the loader
	LD_BIND_NOW=1 hands 100 > did &
	pupil=$!
	wait $pupil
	stop INT
	expect_exit 1
	expect_err 'up to [0-9]+ returns missing: the functions jumped to others by pointers'
	expect_returns $pupil
}

# known_of PID N FUNCTION...: the same for calls of one process.
known_of() {
	process=$1
	shift
	while [ $# -gt 1 ]; do
		[ "$(grep -c "learned where a call of $2 goes on, in process $process\$" err)" -ge "$1" ] || return 1
		shift 2
	done
}

# most_memory: the kB that sonde has held at most.
most_memory() {
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(pidof sonde)/status"
}

# A user's process that jumps to thousands of places, and starts others that do, takes nothing from another user's: where
# its pointers lead is learned, and all its returns are seen. What is missing of the first is said, memory is bounded.
# timeout=600 arch=yes
test_jumps_of_a_hostile_user() {
	rm -f first second
	mkfifo -m 0666 first second
	start sonde trace -v -e 'uretprobe:/bin/hands:r_* /uid != 12345/ {
		@n[func, pid] = count(); @sum[func, pid] = sum((int64)retval); }'
	armed=$(most_memory)
	hands -u 12345 -x > /dev/null &
	hostile=$!
	wait_until 120 grep -q 'returns are missing: programs of user 12345 jump by pointers to more than 2048 places' err ||
		fail "it does not jump to so many places"
	hands -u 23456 -w first -w second 0 > /dev/null &
	teacher=$!
	wait_until 100 known_of $teacher 1 r_chain || fail "the first pointers are not learned"
	echo > first
	wait_until 100 known_of $teacher 3 r_chain 2 r_pointer 2 r_either 1 r_stub || fail "not all pointers are learned"
	echo > second
	wait $teacher
	LD_BIND_NOW=1 hands -u 23456 100 > did &
	pupil=$!
	wait $pupil
	kill -0 $hostile || fail "the other process has ended"
	# 2,048 places are learned, of a kB each at most, whatever the machine; without a bound there would be no end
	grown=$(($(most_memory) - armed))
	echo "sonde took $armed kB when it was armed, and $grown kB more"
	[ "$grown" -lt 16000 ] || fail "sonde took $grown kB more than when it was armed"
	stop INT
	kill $hostile
	expect_exit 0
	expect_err 'up to [0-9]+ returns missing: the functions jumped to others by pointers'
	expect_returns $pupil
}

# --- errors ---

test_errors() {
	btrace 'BEGIN { foo(); }'
	expect_exit 1
	expect_err '^stdin:1:9-14: ERROR: '
	btrace 'kprobe:vfs_raed { @ = count(); }'
	expect_exit 1
	expect_err 'did you mean vfs_read'
	# a function that exists and cannot be probed: the line of the program, and why
	if grep -q ' exc_int3$' /proc/kallsyms; then
		printf 'BEGIN { }\nkprobe:vfs_read,\nkprobe:exc_int3 { @ = count(); }\n' > three.bt
		run sonde trace three.bt
		expect_exit 1
		expect_err "^three.bt:3:1-16: ERROR: cannot attach to 'exc_int3': the kernel does not allow a probe there"
	fi
	run sonde trace
	expect_exit 2
	run sonde trace /no/such/file.bt
	expect_exit 1
	btrace 'BEGIN { system("true"); }'
	expect_exit 1
	expect_err 'unsafe'
}

test_system_and_cat() {
	echo text > file
	btrace 'BEGIN { system("echo hi %d", 4); cat("/proc/sys/kernel/ostype"); printf("x\n"); cat("/no/such%d", 3);
		exit(); }' --unsafe
	expect_exit 0
	grep -A 2 '^hi 4$' out > seen
	printf 'hi 4\nLinux\nx\n' | cmp - seen || fail "not in order"
	expect_one_err '/no/such3'
}

# --- the rest ---

# kernels=ends
test_stacks() {
	btrace 'kprobe:do_sys_openat2 /comm == "calls"/ { @[kstack(2)] = count(); @v = kstack(1); }' \
		-c 'calls 50 openat'
	expect_exit 0
	expect_line '^        do_sys_openat2\+[0-9]+$'
	expect_line '^\]: 50$'
}

# kernels=ends
test_iterator() {
	btrace 'iter:task { printf("%s %d\n", ctx.task.comm, ctx.task.pid); }'
	expect_exit 0
	expect_line '^init 1$'
	expect_line '^kthreadd 2$'
	expect_no_line ' 0$' # the call at the end, without a task
}

# A kernel without tags of types does not say that the name is in the user's memory.
# kernels=ends
test_user_memory_of_an_argument() {
	btrace 'fentry:do_sys_openat2 /pid == cpid/ { printf("%s\n", str(args.filename)); }' -c 'calls 2 openat'
	[ "$(grep -cx /no/such/file out)" = 2 ] || fail "not two names"
	! grep failed err || fail "the names could not be read"
}

test_signal() {
	sonde trace -e 'self:signal:SIGUSR1 { printf("caught\n"); exit(); } BEGIN { printf("ready\n"); }' > out 2> err &
	wait_until 30 grep -q ready out || fail "not ready"
	kill -USR1 $!
	wait $! || fail "exit status $?"
	grep -q '^caught$' out || fail "no signal"
}

# Ctrl-C ends it; maps are printed.
test_interrupt() {
	sonde trace -e 'BEGIN { @x = 5; printf("ready\n"); } interval:h:1 { } END { printf("end\n"); }' > out 2> err &
	wait_until 30 grep -q ready out || fail "not ready"
	kill -INT $!
	wait $! || fail "exit status $?"
	grep -q '^end$' out || fail "END did not run"
	grep -q '^@x: 5$' out || fail "no map"
}

# What is printed causes new events, and others never end: neither keeps sonde from ending.
# kernels=ends
test_interrupt_in_a_storm() {
	while :; do true | true; done &
	storm=$!
	start sonde trace -o printed --buffer-size 256k -e '
		kprobe:handle_mm_fault { printf("at %lld%s%s", nsecs, kstack, ustack); }
		END { printf("ended\n"); }'
	wait_until 30 [ -s printed ] || { kill $storm; fail "nothing is printed"; }
	# it prints nothing between this moment and the signal
	kill -STOP $started
	read -r asked _ < /proc/uptime
	kill -INT $started
	stop CONT
	kill $storm
	expect_exit 0
	grep -q 'ended$' printed || fail "end was not printed"
	# The buffer may be full of newer ones, and be filled once more while the program is detached. A record has 48
	# bytes at least.
	late=$(awk -v asked="$asked" '/^at / && $2 > asked * 1e9 { n++ } END { print n + 0 }' printed)
	[ "$late" -le 10924 ] || fail "$late events after the signal are printed"
}

test_dry_run() {
	btrace 'BEGIN { printf("ran\n"); } kprobe:vfs_read { @[comm] = count(); }' --dry-run
	expect_exit 0
	grep -q '^Attached 2 probes$' attached || fail 'not 2 probes'
	expect_no_line ran
}
