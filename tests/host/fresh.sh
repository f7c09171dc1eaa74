# SPDX-License-Identifier: BSD-2-Clause
# scripts/fresh runs commands in directories with a system. What it mounts there is gone after it,
# however it ends.

# Makes a system that is only busybox.
system() {
	mkdir -p root/bin root/usr/bin root/proc root/sys root/dev
	cp "$(command -v busybox)" root/bin/busybox
	for name in sh cat sleep env; do
		ln -s busybox root/bin/$name
	done
	ln -s ../../bin/busybox root/usr/bin/env
}

fresh=$0/scripts/fresh

# True if nobody sees a mount below the directory any more, and nobody runs in it.
gone() {
	! grep -qsF "$PWD/root" /proc/[0-9]*/mountinfo && ! readlink /proc/[0-9]*/root | grep -qxF "$PWD/root"
}

test_enters_a_system() {
	system
	run "$fresh" --enter "$PWD/root" A=b sh -c 'echo "$A $$"; cat /proc/1/comm; exit 7'
	expect_exit 7
	grep -q '^b [0-9]$' out || fail "neither the variable nor a namespace of its own: $(cat out)"
	[ ! -s err ] || fail "said: $(cat err)"
	gone || fail "something is left"
}

test_leaves_nothing_when_it_is_killed() {
	system
	for signal in KILL TERM HUP; do
		mkfifo root/began
		dfl "$fresh" --enter "$PWD/root" sh -c 'sleep 1000 & echo yes > /began; sleep 1000' &
		entered=$!
		read -r said < root/began
		! gone || fail "nothing was there to leave"
		kill -$signal $entered
		wait $entered || :
		wait_until 20 gone || fail "SIG$signal: something is left"
		rm root/began
	done
}
