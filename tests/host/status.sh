# SPDX-License-Identifier: BSD-2-Clause
# sonde status -w on a terminal: it ends when the user asks it to, and leaves the terminal as it
# was.

# on_terminal COMMANDS: a shell with job control runs them on a terminal. Descriptor 3 takes keys,
# descriptor 4 has what is shown.
on_terminal() {
	rm -f keys shown
	mkfifo keys shown
	: > seen
	echo "$1" > commands
	dfl script -qfec "sh -m commands" /dev/null < keys > shown &
	exec 3> keys 4< shown
}

# see N TEXT: waits until N more lines contain it.
see() {
	left=$1
	while [ "$left" -gt 0 ] && read -r line <&4; do
		printf '%s\n' "$line" >> seen
		case $line in
		*"$2"*) left=$((left - 1)) ;;
		esac
	done
	[ "$left" = 0 ] || fail "not seen: $2"
}

# shellcheck disable=SC2059 # an escape of printf's
keys() {
	printf "$1" >&3
}

# Checks that everything has ended, and that the last stty found the usual modes.
see_end() {
	cat <&4 >> seen
	exec 3>&- 4<&-
	tr -d '\r' < seen > text
	grep -q 'ended 0$' text || fail "did not end: $(tail -n 5 text)"
	grep -q '^isig icanon .* echo ' text || fail "the terminal is another: $(tail -n 9 text)"
}

# ends_by KEYS: types them when the second table is there.
ends_by() {
	on_terminal 'sonde status -w -i 20ms; echo "ended $?"; stty -a'
	see 2 KIND
	keys "$1"
	see_end
}

test_watch_ends_by_q() {
	ends_by q
	ends_by xyzq
}

test_watch_ends_by_interrupt() {
	ends_by '\003'
}

test_watch_ends_by_signal() {
	on_terminal 'sonde status -w -i 20ms & echo "it is $!"; fg; echo "ended $?"; stty -a'
	see 1 'it is '
	pid=${line##*it is }
	see 2 KIND
	kill "${pid%%[!0-9]*}"
	see_end
}

# While sonde is stopped, the shell has the terminal, in its own modes: a read would wait for an
# Enter that never comes.
# goes_on_and_ends_by KEYS
goes_on_and_ends_by() {
	on_terminal 'sonde status -w -i 20ms; stty icanon echo; echo "stopped"; fg; echo "ended $?"; stty -a'
	see 2 KIND
	keys '\032'
	see 1 stopped
	see 3 KIND
	keys "$1"
	see_end
}

test_watch_goes_on_after_a_stop() {
	goes_on_and_ends_by q
	goes_on_and_ends_by '\003'
}

# The shell must read what is typed for it: nothing typed goes to a process in the background.
test_watch_in_the_background() {
	on_terminal 'sonde status -w -i 20ms; stty icanon echo; echo "stopped"; bg
		read -r word; echo "word $word"; fg; echo "ended $?"; stty -a'
	see 2 KIND
	keys '\032'
	see 1 stopped
	see 3 KIND
	keys 'hello\n'
	see 1 'word hello'
	see 3 KIND
	keys q
	see_end
}
