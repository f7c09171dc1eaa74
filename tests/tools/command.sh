# SPDX-License-Identifier: BSD-2-Clause
# The life of -- COMMAND: how it starts, which signals end it, and what it inherits. It traces user
# functions of our own programs, so that these tests also run on the machine's own kernel
# (tests/host/command.sh).
# of file: kernels=one

flushes=$(command -v flushes)
work="u:$flushes:flushes_work"

# server [OPTION...] [GATE]: sonde counts the functions of the program flushes. Returns when that is
# ready.
server() {
	[ -p gate ] || mkfifo gate
	start sonde funccount "$work" -- flushes "$@"
	wait_until 20 ready "$@" || fail "the command is not ready"
}

# said N WHAT: true if out has N of these lines.
said() {
	[ "$(grep -c "^did $2" out)" = "$1" ]
}

ready() {
	case " $* " in
	*' -c '*) said 2 ready ;;
	*) said 1 ready ;;
	esac
}

# its ROLE: prints the process id of the command, or of its child.
its() {
	sed -n "s/^did ready $1 //p" out
}

# True if the process has ended, even if nobody has waited for it yet.
gone() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.*[ZX]' "/proc/$1/status" 2> /dev/null || [ ! -e "/proc/$1" ]
}

waits() {
	grep -q "waiting for 'flushes' to end" err
}

stopped() {
	grep -q '^State:.*T (stopped)' "/proc/$1/status"
}

# asked_by SIGNAL: the command and its child must receive it once. sonde waits for both, and counts
# what they do until they end.
asked_by() {
	server -c gate
	kill "-$1" "$started"
	wait_until 20 said 2 "get [a-z]* $1" || fail "not passed on to the command and its child"
	wait_until 20 waits || fail "it is not said what is waited for"
	expect_err "after SIG$1 \(Ctrl-C again kills it\)"
	: > gate
	await
	expect_exit 0
	expect_line '^did flush parent 1$'
	expect_line '^did flush child 1$'
	expect_count flushes_work 70
	! grep 'the command' err || fail "said of a command that ended by itself"
}

test_asked_to_end() {
	for signal in INT TERM HUP QUIT; do
		asked_by $signal
	done
}

# A signal to our process group: the command has a group of its own, and receives the signal only
# from us.
test_group_asked_to_end() {
	mkfifo gate
	start setsid sonde funccount "$work" -- flushes gate
	wait_until 20 ready || fail "the command is not ready"
	kill -TERM "-$started"
	wait_until 20 waits || fail "it is not said what is waited for"
	: > gate
	await
	expect_exit 0
	expect_line '^did flush parent 1$'
}

# timeout(1) sends its signal twice. Two signals of an impatient user are more than a second apart.
twice_at_once() {
	rm -f gate
	server gate
	kill -TERM "$started"
	kill -TERM "$started"
	wait_until 20 waits || fail "it is not said what is waited for"
	: > gate
	await
	expect_exit 0
	expect_line '^did flush parent 1$'
}

test_asked_twice_at_once() {
	one_of_three twice_at_once
}

# When a terminal closes, SIGHUP comes several times.
test_hangup_kills_nothing() {
	server gate
	kill -TERM "$started"
	wait_until 20 waits || fail "it is not said what is waited for"
	for _ in 1 2 3 4 5; do
		kill -HUP "$started"
		sleep 0.3
	done
	: > gate
	await
	expect_line '^did flush parent 1$'
}

# Sends one more signal, so late that it counts as a second request.
insist() {
	sleep 1
	kill -INT "$started"
	wait_until 20 grep -q "killed 'flushes'" err || fail "not killed"
}

# Without a gate, the program does not end by these signals.
test_insisted() {
	server -c
	kill -INT "$started"
	wait_until 20 waits || fail "it is not said what is waited for"
	insist
	await
	expect_exit 0
	expect_err "^sonde funccount: killed 'flushes'( and the processes that it started)?$"
	expect_count flushes_work $((20 + 25 * $(grep -c '^did flush child' out)))
	gone "$(its parent)" && gone "$(its child)" || fail "something goes on"
}

# When the duration is over, sonde prints the table, whatever the command does, and asks the command
# to end.
duration_over() {
	rm -f gate
	mkfifo gate
	start sonde funccount -d 2 "$work" -- flushes gate
	wait_until 20 said 1 'get parent TERM' || fail "not asked to end"
	wait_until 20 waits || fail "it is not said what is waited for"
	expect_err '\(Ctrl-C kills it\)'
	expect_count flushes_work 10
	: > gate
	await
	expect_exit 0
	expect_line '^did flush parent 1$'
	expect_count flushes_work 10
}

test_duration_over() {
	one_of_three duration_over
}

test_duration_over_and_killed() {
	start sonde funccount -d 1 "$work" -- flushes
	wait_until 20 waits || fail "it is not said what is waited for"
	insist
	await
	expect_exit 0
}

# A command that has stopped itself cannot react to a signal: sonde continues it.
test_stopped_command() {
	server -s
	wait_until 20 stopped "$(its parent)" || fail "it does not stop"
	kill -HUP "$started"
	wait_until 20 said 1 'get parent HUP' || fail "the command is stopped still"
	kill -KILL "$(its parent)"
	await
	expect_exit 0
	expect_err 'the command was killed by signal 9'
}

# sonde itself may be stopped and continued (Ctrl-Z, fg): it counts what happens meanwhile.
test_stopped_tracer() {
	server gate
	kill -STOP "$started"
	wait_until 20 stopped "$started" || fail "not stopped"
	kill -TERM "$(its parent)"
	: > gate
	wait_until 20 said 1 'flush parent 1' || fail "the command does not end"
	kill -CONT "$started"
	await
	expect_exit 0
	expect_count flushes_work 35
}

# The run ends with the command, not with the processes that the command leaves running.
test_children_go_on() {
	mkfifo gate
	start sonde funccount "$work" -- sh -c 'setsid flushes gate & while ! grep -q "^did ready" "$0"; do :; done' out
	await
	expect_exit 0
	expect_count flushes_work 10
	! gone "$(its parent)" || fail "it has been ended"
	kill -TERM "$(its parent)"
	: > gate
	wait_until 20 said 1 'flush parent 1' || fail "it does not end"
}

# --- at a terminal, with sonde and the command in its foreground ---

# typed OPTIONS...: a server as above, with a terminal to type at. The file screen has what sonde
# and the terminal show.
typed() {
	mkfifo keys gate
	: > screen
	dfl terminal keys sh -c 'exec sonde funccount "$0" -- flushes "$@" > out' "$work" "$@" > screen 2>&1 &
	started=$!
	wait_until 50 ready "$@" || { cat screen; fail "the command is not ready"; }
}

waits_on_screen() {
	grep -q "waiting for 'flushes' to end" screen
}

type_key() {
	printf "$1" > keys
}

leave() {
	status=0
	wait "$started" || status=$?
	tr -d '\r' < screen > err
	shown
}

# The terminal sends Ctrl-C to its whole foreground: no process may receive it a second time.
test_typed_once() {
	typed -c gate
	type_key '\003'
	wait_until 20 waits_on_screen || { cat screen; fail "it is not said what is waited for"; }
	: > gate
	leave
	expect_exit 0
	expect_err "waiting for 'flushes' to end after SIGINT \(Ctrl-C again kills it\)"
	expect_line '^did flush parent 1$'
	expect_line '^did flush child 1$'
	expect_count flushes_work 70
}

test_typed_twice() {
	typed -c
	type_key '\003'
	wait_until 20 waits_on_screen || { cat screen; fail "it is not said what is waited for"; }
	type_key '\003'
	leave
	expect_exit 0
	expect_err "killed 'flushes'"
	gone "$(its parent)" && gone "$(its child)" || fail "something goes on"
}

# A signal from elsewhere goes only to sonde, which passes it on, to the child as well.
test_asked_at_a_terminal() {
	typed -c gate
	tracer=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$(its parent)/status")
	kill -TERM "$tracer"
	wait_until 20 said 2 'get [a-z]* TERM' || fail "not passed on to the command and its child"
	: > gate
	leave
	expect_exit 0
	expect_line '^did flush parent 1$'
	expect_line '^did flush child 1$'
}

# A process in the foreground may read from the terminal.
test_command_reads_from_its_terminal() {
	mkfifo keys
	: > screen
	echo 'echo up; read -r line; echo did read $line' > reads
	dfl terminal keys sh -c 'exec sonde funccount "$0" -- sh reads > out' "$work" > screen 2>&1 &
	started=$!
	wait_until 50 grep -q '^up' out || fail "the command does not begin"
	type_key 'a line\n'
	leave
	expect_line '^did read a line$'
}

# --- inheritance ---

# state FILE: prints what a process can inherit from the process that started it.
state='grep -E "^(Sig(Blk|Ign)|Umask|Groups|CapEff|NoNewPrivs|Seccomp:)" /proc/self/status
	cat /proc/self/limits
	ls -l /proc/self/fd | grep -v "^total" |
		sed "s/.*[0-9] \([0-9]* ->\)/\1/; s/^l.* \([0-9]*\)\$/\1/
			s/\(pipe\|socket\):.*/\1/; s,/proc/[0-9]*,/proc/N,"
	cut -d " " -f 19 /proc/self/stat'

# inherits SETUP: after these shell commands, a command must inherit the same with sonde as without.
inherits() {
	sh -c "$1"'; exec sh -c "$0"' "$state" > without 2> /dev/null < /dev/null
	sh -c "$1"'; exec sonde funccount -q "$1" -- sh -c "$0" "$1"' "$state" "$work" > with 2> /dev/null < /dev/null
	sed '/^FUNC /,$d; s,/with$,/without,' with > with.cut
	[ "$(wc -l < without)" -gt 15 ] || { cat without; fail "nothing is known of it"; }
	cmp -s without with.cut || { diff without with.cut || :; fail "after '$1' the command has something else (+)"; }
}

test_inherits() {
	inherits :
	inherits "trap '' INT QUIT HUP TERM"
	inherits "trap '' PIPE XFSZ TSTP"
	inherits "trap '' CHLD"
	inherits 'ulimit -n 100; umask 7'
	inherits 'exec 7< /dev/null 8> /dev/null'
	inherits 'exec <&-'
}

# While the command's file is being opened, sonde waits in poll(2) for one descriptor. A call of read(2) would take the
# place of the command's where a kretprobe follows a few calls at a time.
test_waits_for_exec_without_reading() {
	cp "$(command -v noop)" leased
	lease leased > did &
	holder=$!
	wait_until 20 grep -q '^did lease' did || fail "there is no lease"
	start sonde funccount "$work" -- ./leased
	wait_until 20 polls_one || fail "it waits otherwise: $(cat /proc/$started/syscall)"
	kill -9 $holder
	await
	expect_exit 0
}

polls_one() {
	read -r _ _ n _ < /proc/$started/syscall
	[ "$n" = 0x1 ]
}

# The last line of stderr.
expect_last() {
	tail -n 1 err | grep -qxF -e "$1" || fail "the last line is not '$1'"
}

# A program may die of a probe: the reader is asked to compare.
test_death_with_user_probes() {
	ulimit -c 0
	compare='run it without sonde to compare'
	for signal in ILL ABRT TRAP SEGV; do
		run sonde funccount "$work" "u:$(command -v ufuncs):f_one" -- sh -c "kill -$signal \$\$"
		expect_last "sonde funccount: the command died of SIG$signal, while sonde had 2 user probes: $compare"
	done
	run sonde funccount "$work" -- sh -c 'sh -c "kill -ABRT \$\$"; exit $?'
	said='the command exited with 134, as a shell does after SIGABRT, while sonde had 1 user probe'
	expect_last "sonde funccount: $said: $compare"
	# other signals, and no user probe
	run sonde funccount "$work" -- sh -c 'kill -TERM $$'
	expect_last 'sonde funccount: the command was killed by signal 15 (Terminated)'
	run sonde trace -e 'interval:s:1 { @ = count(); }' -- sh -c 'kill -ABRT $$'
	expect_last 'sonde trace: the command was killed by signal 6 (Aborted)'
}
