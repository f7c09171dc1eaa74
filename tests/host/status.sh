# SPDX-License-Identifier: BSD-2-Clause
# sonde status -w on a terminal: it ends when it is asked to, and the terminal is as it was.

# ends_by KEYS: they are typed when the second table is there.
ends_by() {
	rm -f keys shown
	mkfifo keys shown
	: > seen
	script -qfec 'sonde status -w -i 20ms; echo "ended $?"; stty -a' /dev/null < keys > shown &
	exec 3> keys 4< shown
	tables=0
	while [ $tables -lt 2 ] && read -r line <&4; do
		printf '%s\n' "$line" >> seen
		case $line in
		*KIND*) tables=$((tables + 1)) ;;
		esac
	done
	[ $tables = 2 ] || fail "not shown again"
	# shellcheck disable=SC2059 # an escape of printf's
	printf "$1" >&3
	cat <&4 >> seen
	exec 3>&- 4<&-
	tr -d '\r' < seen > text
	grep -q 'ended 0$' text || fail "did not end: $(tail -n 5 text)"
	grep -q '^isig icanon .* echo ' text || fail "the terminal is another: $(tail -n 9 text)"
}

test_watch_ends_by_q() {
	ends_by q
	ends_by xyzq
}
