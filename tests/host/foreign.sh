# SPDX-License-Identifier: BSD-2-Clause
# Files whose names other people chose: in a binary that is traced, and in the root of a process.
# Nothing is attached, since no function has the name that is looked for.

# Makes a library with a debug file linked.debug beside it, which names an alternate one as dwz
# does.
make_linked() {
	echo 'static __attribute__((noinline, used)) int hidden(int a) { return a + 1; }
		int shown(int a) { return hidden(a); }' > l.c
	gcc -g -shared -fPIC -Wl,--build-id=none -o linked.so l.c
	objcopy --only-keep-debug linked.so linked.debug
	printf '/dev/ptmx\0abcdefghijklmnopqrst' > alt
	objcopy --strip-all --add-gnu-debuglink=linked.debug --add-section .gnu_debugaltlink=alt linked.so
}

# traced_opens CMD...: runs it, and lists each file that it opens in the file opens.
traced_opens() {
	run strace -f -o opens -e trace=open,openat,openat2,execve "$@"
	grep -q openat2 opens || fail "strace has seen nothing"
}

# The file may be found and checked (O_PATH), but must not be opened: opening a device has effects.
expect_not_opened() {
	grep "$1" opens | grep -v -e O_PATH -e execve && fail "$1 was opened"
	return 0
}

test_device_as_debug_file() {
	make_linked
	ln -sf /dev/ptmx linked.debug
	traced_opens sonde funccount "u:$PWD/linked.so:hidden"
	expect_exit 1
	expect_err "symbols may be missing: $PWD/linked.debug: is a device, not a regular file$"
	expect_err "no exported function of .*linked.so, which is stripped, matches 'hidden'"
	[ "$(wc -l < err)" = 2 ] || fail "not two lines"
	expect_not_opened linked.debug
	expect_not_opened ptmx
}

test_fifo_as_debug_file() {
	make_linked
	rm linked.debug
	mkfifo linked.debug
	fc "u:$PWD/linked.so:hidden"
	expect_exit 1
	expect_err "linked.debug: is a FIFO, not a regular file$"
}

# timeout=20
test_endless_debug_file() {
	make_linked
	truncate -s 8T linked.debug
	fc "u:$PWD/linked.so:hidden"
	expect_exit 1
	expect_err "linked.debug: is not read: it has 8.0 TB, more than 16 GB$"
}

# The same file is used if it is a proper one. Without this, the tests above would pass whatever
# happens.
test_debug_file() {
	make_linked
	fc "u:$PWD/linked.so:hiddem"
	expect_exit 1
	expect_err "did you mean '?hidden"
	! grep -q 'symbols may be missing' err || fail "something was refused"
}

# A symbol in the middle of an instruction: a breakpoint there would change what the program computes.
test_debug_file_that_lies() {
	cat > sum.c <<- 'EOF'
		#include <stdio.h>
		static __attribute__((noinline, used)) int twice(int a) { return a + a; }
		__asm__(".type inside,%function\n.set inside,twice+2\n.size inside,2");
		int main(void) { printf("sum %d\n", twice(5) + twice(10)); }
	EOF
	gcc -O1 -Wl,--build-id=none -o sum sum.c
	objcopy --only-keep-debug sum sum.debug
	objcopy --strip-all --add-gnu-debuglink=sum.debug sum
	fc "u:$PWD/sum:inside" -- ./sum
	expect_exit 1
	expect_err "'inside': "
	[ "$(uname -m)" != x86_64 ] || expect_err "only $PWD/sum.debug says that an instruction begins there"
	fc "u:$PWD/sum:inside+1" -- ./sum
	expect_exit 1
	expect_err "'inside.0x1': "
	fc "u:$PWD/sum:twice" -- ./sum
	expect_exit 0
	grep -q '^sum 30$' out || fail "the program computed something else"
	grep -q '^twice  *2$' out || fail "its function was not counted"
}

test_compressed_bomb() {
	echo 'int shown(int a) { return a; }' > b.c
	gcc -shared -fPIC -o bomb.so b.c
	# SHF_COMPRESSED with zlib, 2 GB, alignment 1; no valid data need follow
	printf '\001\0\0\0\0\0\0\0\0\0\0\200\0\0\0\0\001\0\0\0\0\0\0\0x\234' > names
	head -c 2097152 /dev/zero >> names
	objcopy --add-section .debug_str=names bomb.so
	# objcopy cannot set the flag: find the section's header and write it
	index=$(readelf -SW bomb.so | sed -n 's/^ *\[ *\([0-9]*\)\] \.debug_str .*/\1/p')
	start=$(readelf -hW bomb.so | sed -n 's/^ *Start of section headers: *\([0-9]*\).*/\1/p')
	printf '\0\010' | dd of=bomb.so bs=1 seek=$((start + index * 64 + 8)) conv=notrunc 2> /dev/null
	readelf -SW bomb.so | grep -q 'debug_str.* C ' || fail "it is not compressed"
	fc "u:$PWD/bomb.so:absent"
	expect_exit 1
	expect_err "bomb.so: .debug_str is not read: it has 2.0 GB, more than 1.0 GB$"
}

# The owner of a process's root chooses what is below it and where its links lead.
test_link_out_of_a_root() {
	mkdir -p root/bin
	cp "$(command -v busybox)" root/bin/busybox
	: > away.debug
	objcopy --remove-section .gnu_debuglink root/bin/busybox
	objcopy --add-gnu-debuglink=away.debug root/bin/busybox
	echo outside > outside.debug
	ln -s "$PWD/outside.debug" root/bin/away.debug
	mkfifo hold
	chroot root /bin/busybox cat < hold &
	pid=$!
	exec 3> hold
	traced_opens sonde funccount -p $pid u:exe:main
	exec 3>&-
	wait $pid
	expect_exit 1
	expect_one_err "stripped, and nothing in .*/proc/$pid/root/bin/away.debug, "
	expect_not_opened away.debug
	expect_not_opened outside.debug
	grep -q 'bin/away.debug.*RESOLVE_IN_ROOT' opens || fail "it was not looked for below the root"
}

test_regex_bombs() {
	pluses=$(printf '%040d' 0 | tr 0 +)
	begins=$(printf '%0200d' 0 | sed 's/0/(^|a?)/g')
	for bomb in "us$pluses" 'a{1,255}{1,255}{1,255}' "$begins"; do
		fc -r "$bomb"
		expect_exit 2
		expect_err 'the regular expression needs too much memory or time'
	done
}

# never_answers REQUEST [elsewhere | BLOCK]: in a mount namespace of our own, or in another one, to which the path leads
# through /proc, or from a block device. Killing the server ends each request, and a sonde that waits.
never_answers() {
	run unshare -m sh -c '
		mkdir -p served
		: > log # that of the request before
		root=
		if [ "$2" = elsewhere ]; then
			unshare -m sh -c "unanswered served $1 > log & echo \$! > pid; exec sleep 100" & holder=$!
			root=/proc/$holder/root
			until grep -q serves log; do kill -0 $holder || exit 9; sleep 0.05; done
			server=$(cat pid)
		else
			unanswered served "$1" $2 > log & server=$! holder=
			until grep -q serves log; do kill -0 $server || exit 9; sleep 0.05; done
			[ ! "$2" ] || losetup -d "$2" # once it is no longer mounted
		fi
		dfl sonde funccount "u:$root$PWD/served/file:*" & sonde=$!
		until grep -q silent log; do sleep 0.05; done
		kill -INT $sonde
		(sleep 30; : > rescued; kill -KILL $server 2> /dev/null) & rescue=$!
		status=0; wait $sonde || status=$?
		[ ! -e rescued ] || echo "sonde has waited for $1"
		kill $rescue 2> /dev/null; kill -KILL $server $holder
		exit $status' sh "$1" "${2:-}"
	expect_exit 130
	expect_err 'ended before tracing began$'
	expect_no_line .
	wait_until 10 gone || fail "a process of sonde stays behind"
}

gone() {
	! pgrep -f "sonde funccount u:.*$PWD/served" > asked
}

# timeout=180
test_file_that_a_program_never_serves() {
	[ -w /dev/fuse ] && unshare -m true || skip "no file system of a program can be mounted here"
	for request in lookup open read; do
		never_answers $request
	done
	for request in lookup open; do
		never_answers $request elsewhere
	done
	truncate -s 1M disk
	block=$(losetup -f --show disk 2> /dev/null) || { echo "there is no block device"; return 0; }
	never_answers open "$block"
}
