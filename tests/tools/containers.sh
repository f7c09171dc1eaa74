# SPDX-License-Identifier: BSD-2-Clause
# sonde examines processes of a hostile container: it must run none of the container's programs, and
# open nothing outside it.
# of file: kernels=one

# Makes a container in the directory c. Its loader, its shells and its C library leave a mark when
# they are executed, and its debug links lead to devices and to a FIFO outside. Its process, $held,
# has its own namespaces.
container() {
	mkdir -p c/bin c/dev c/marks c/lib/x86_64-linux-gnu c/lib/aarch64-linux-gnu c/lib64 c/usr/lib/debug/.build-id/ab
	chmod 0777 c c/marks
	cp "$(command -v mapped)" c/bin/mapped
	for program in lib64/ld-linux-x86-64.so.2 lib/ld-linux-aarch64.so.1 bin/bash bin/sh; do
		cp "$(command -v marker)" c/$program
	done
	cp "$(dirname "$(command -v mapped)")/libhostile.so" c/lib/libc.so.6
	mknod c/dev/ptmx c 5 2
	mkfifo outside
	ln -s "${1:-/dev/ptmx}" c/usr/lib/debug/.build-id/ab/cdef0123456789abcdef0123456789abcdef01.debug
	unshare -m -n -i -u chroot c /bin/mapped /lib/libc.so.6 > mapped 2>&1 &
	held=$!
	wait_until 20 grep -q mapped mapped || fail "the container does not start: $(cat mapped)"
}

release() {
	kill $held
	wait $held || :
}

# looked_at CMD...: sonde itself counts what CMD, a single program, executes and opens: only CMD
# itself may be executed. The output of CMD is in out and err as well.
looked_at() {
	run sonde funccount t:sched:sched_process_exec ptmx_open fifo_open -- "$@"
	expect_count sched:sched_process_exec 1
	expect_count ptmx_open 0
	expect_count fifo_open 0
	[ ! -e c/marks/ran ] || fail "something of the container was executed"
}

# The marks, and the counts of opens, must appear when they should.
test_marks_are_seen() {
	container
	chroot c /bin/bash
	[ -d c/marks/ran ] || fail "no mark"
	release
	fc t:sched:sched_process_exec ptmx_open fifo_open -- sh -c '{ : < /dev/ptmx; } 2>&1; : <> outside'
	expect_count ptmx_open 1
	expect_count fifo_open 1
	fc t:sched:sched_process_exec -- sh -c 'exec env true'
	[ "$(counted sched:sched_process_exec)" -ge 2 ] || fail "no program was seen"
}

test_ifunc() {
	container
	looked_at sonde funccount -p $held c:memcpy
	expect_err "'memcpy' cannot be counted: a program chooses an implementation"
	release
}

test_every_function() {
	container
	looked_at sonde funccount -d 1 -p $held 'u:/lib/libc.so.6:*'
	expect_err 'Hit Ctrl-C'
	expect_err 'memcpy'
	release
}

# Links of debug files: to a device, a FIFO, a file outside and one inside.
test_debug_links() {
	for link in /dev/ptmx ../../../../../../../../dev/ptmx "$PWD/outside" "../../../../../..$PWD/outside" \
		/proc/self/fd/0; do
		rm -rf c outside
		container "$link"
		looked_at sonde funccount -d 1 -p $held u:/lib/libc.so.6:readline
		release
	done
}

test_usdt_probes() {
	container
	looked_at sonde funccount -p $held 'usdt:/lib/libc.so.6:*'
	expect_err 'has no USDT probes'
	release
}

test_bashreadline() {
	container
	looked_at sonde bashreadline -p $held -s /lib/libc.so.6 -d 1
	release
}

test_status() {
	container
	looked_at sonde status
	expect_exit 0
	release
}

# The C library of such a process is read where it runs. Its loader, which has been replaced in the
# meantime, is not needed.
# arch=yes
test_counts_by_reading() {
	container
	release
	for file in $(ls /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 2> /dev/null); do
		cp "$file" "c$file"
		loader=$file
	done
	libc=$(ls /lib/*-linux-gnu/libc.so.6 /usr/lib/*-linux-gnu/libc.so.6 2> /dev/null | head -n 1)
	[ "$libc" ] || skip "there is no C library"
	mkdir -p "c$(dirname "$libc")"
	cp "$libc" "c$libc"
	cp "$(command -v libcalls)" c/bin/libcalls
	unshare -m -n -i -u chroot c /bin/libcalls 1000000000 > did &
	held=$!
	wait_until 20 grep -q "libc.so.6" /proc/$held/maps || fail "libcalls does not start"
	rm "c$loader"
	cp "$(command -v marker)" "c$loader"
	looked_at sonde funccount -d 1 -p $held c:memcpy
	[ "$(counted memcpy)" -gt 0 ] || fail "nothing was counted"
	release
}
