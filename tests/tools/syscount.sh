# SPDX-License-Identifier: BSD-2-Clause
# sonde syscount: it must count what calls and oddcalls report that they did.
# of file: kernels=one

sc() {
	run sonde syscount "$@"
}

# rows_of_summary: writes "CALL CALLS ERRORS" of the --summary table in out to rows.
rows_of_summary() {
	sed 's/\[unknown: /[unknown:/' out |
		awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $NF, $4, NF == 6 ? $5 : 0 }' > rows
}

# expect_dids_in_rows [EXPRESSION]: each line "did CALL CALLS ERRORS" of out that the awk expression
# selects must be in rows.
expect_dids_in_rows() {
	sed -n 's/^did //p' out | grep -v '^32-bit' | awk "${1:-1}" > dids
	[ -s dids ] || fail "the workload did nothing"
	while read -r fact; do
		grep -qxF "$fact" rows || fail "did $fact, but: $(grep -F "${fact%% *} " rows)"
	done < dids
}

# time_of CALL: its time in the table of out, in whole units.
time_of() {
	awk -v call="$1" '$1 == call { printf "%d\n", $3 }' out
}

# summed_up FILE: each column of a table of --summary adds up to its last line, and the rows are in order.
summed_up() {
	awk '
		function near(a, b, by) { return a > b - by && a < b + by }
		$NF == "total" { exit !(near(p, 100, 0.2) && near(s, $2, 1e-4) && n == $4 && e == $5) }
		$1 ~ /^[0-9]/ {
			if (last != "" && $2 > last)
				exit 1
			last = $2
			p += $1
			s += $2
			n += $4
			if (NF == 6)
				e += $5
		}' "$1"
}

# kernels=all arch=yes
test_counts() {
	sc -- calls 500 getppid 300 getpgid 70 close
	expect_exit 0
	expect_err '^Tracing syscalls, printing top 10\.\.\. Hit Ctrl-C to end\.$'
	expect_did
	expect_count execve 1
	sed '/^did /d' out | head -n 4 | tr -s ' ' > text
	printf 'SYSCALL COUNT\ngetppid 500\ngetpgid 300\nclose 70\n' | cmp - text || fail "another order"
	[ "$(sed '/^did /d' out | wc -l)" -le 11 ] || fail "more than ten rows"
	sc -T 2 -- calls 500 getppid 300 getpgid 70 close
	[ "$(sed '/^did /d' out | wc -l)" -eq 3 ] || fail "not two rows"
}

# Nothing before the command's execve is counted, nor exit, which does not return.
# kernels=ends
test_one_call() {
	sc -T 100 --json -L -- noop
	expect_exit 0
	expect_json syscall count errors
	[ "$(cat rows)" = "execve	1	0" ] || fail "not one execve: $(cat rows)"
	sc -x -- noop
	expect_exit 0
	[ "$(tr -s ' ' < out)" = "SYSCALL COUNT" ] || fail "something failed"
	sc -T 100 -- noop
	[ "$(tr -s ' ' < out)" = "$(printf 'SYSCALL COUNT\nexecve 1')" ] || fail "not one execve"
}

# Also with times, where the beginnings of other processes are skipped; the children of one process,
# and no others.
test_only_some() {
	for option in -T100 -L --summary; do
		sc $option --syscall getpgid --json -- calls 500 getppid 300 getpgid 70 close
		expect_json syscall count
		[ "$(cat rows)" = "getpgid	300" ] || fail "rows: $(cat rows)"
	done
	sc -P --syscall close -e EBADF --json -- calls 500 getppid 300 getpgid 70 close
	expect_json comm count
	[ "$(cat rows)" = "calls	70" ] || fail "rows: $(cat rows)"
	sc -L --json --syscall execve -- sh -c 'noop; noop'
	expect_json syscall count time_ns
	[ "$(cut -f 1,2 rows)" = "execve	3" ] && [ "$(cut -f 3 rows)" -gt 0 ] || fail "rows: $(cat rows)"
}

test_children_of_a_process() {
	mkfifo go
	sh -c 'read -r _ < go; calls 40 getppid; exit 0' &
	parent=$!
	start sonde syscount --ppid $parent -T 100
	calls 90 getppid
	echo > go
	wait $parent
	stop INT
	expect_count getppid 40
	expect_count execve 1
}

# cpus=2 kernels=ends
test_counts_on_two_processors() {
	for option in -x -xL; do
		sc $option -T 100 -- sh -c 'calls -t 3000 close & calls -t 2000 close & wait'
		expect_exit 0
		expect_did
	done
}

test_failures() {
	sc -x -T 100 -- calls 200 getppid 30 openat 20 close
	expect_exit 0
	expect_err '^Tracing failed syscalls'
	expect_count openat 30
	expect_count close 20
	expect_no_line '^(getppid|execve|brk) '
	for error in EBADF 9; do
		sc -e $error -- calls 200 getppid 30 openat 20 close
		expect_exit 0
		sed '/^did /d' out | tr -s ' ' > text
		printf 'SYSCALL COUNT\nclose 20\n' | cmp - text || fail "not only close"
	done
}

# kernels=ends
test_time() {
	sc -L --json -T 100 -- calls 5 nanosleep 200 getppid 30 openat
	expect_exit 0
	expect_json syscall count errors time_ns max_ns
	awk '$1 == "nanosleep" { slept = $2 == 5 && $3 == 0 && $4 >= 5 * 20e6 && $5 >= 20e6 && $5 * 5 >= $4 && $5 < $4 }
		$1 == "openat" { opened = $2 == 30 && $3 == 30 && $4 > $5 && $5 > 0 }
		NR > 1 && $4 > last { disorder = 1 }
		{ last = $4 }
		END { exit !slept || !opened || disorder }' rows || fail "another time, order or number"
	read -r began _ < /proc/uptime
	sc -m -- calls 5 nanosleep 200 getppid
	read -r ended _ < /proc/uptime
	expect_heading 'SYSCALL                   COUNT        TIME (ms)'
	[ "$(counted nanosleep)" = 5 ] || fail "$(counted nanosleep) calls of nanosleep"
	expect_between "ms of nanosleep" 100 $(($(elapsed "$began" "$ended") + 10)) "$(time_of nanosleep)"
}

# The openat that waits for the gate has begun before: it counts, without a time.
# kernels=ends
test_under_way() {
	gate calls 40 close
	start sonde syscount -L -p "$gated" --json
	calls 50 close
	open_gate
	stop INT
	expect_exit 0
	expect_json syscall count errors time_ns max_ns
	grep -q "^close	41	40	" rows || fail "not 40 of close, and that of the gate"
	grep -q "^openat	1	0	0	0$" rows || fail "openat is timed, or does not count"
}

# A process that has exited takes no room. If there is no room, calls are still counted.
# kernels=ends
test_room_for_calls() {
	sc -L -T 100 --max-calls 8 -- forks 40 0 10
	expect_exit 0
	expect_did
	! grep 'not timed' err || fail "there was room"
	sc -L -T 100 --json --max-calls 1 -- sh -c 'for n in 1 2 3 4 5 6 7 8; do calls 2 nanosleep & done; wait'
	expect_exit 0
	expect_json syscall count
	grep -q '^nanosleep	16$' rows || fail "not 16 of nanosleep"
	expect_err ': [0-9]+ calls? not timed: too many at a time \(room is for 1, see --max-calls\)$'
}

# kernels=ends
test_processes() {
	sc -P -e EBADF -- sh -c 'calls 30 close; calls 20 close'
	expect_exit 0
	sed '/^did /d' out | awk '{ print $2, $3 }' > text
	printf 'COMM COUNT\ncalls 30\ncalls 20\n' | cmp - text || fail "other rows"
	gate calls 40 close
	start sonde syscount -P -x -p "$gated"
	calls 50 close
	open_gate
	stop INT
	expect_exit 0
	[ "$(sed 1d out | awk '{ print $1, $2, $3 }')" = "$gated calls 40" ] || fail "not process $gated"
	sc -P --json -L -- sh -c 'calls 3 nanosleep'
	expect_json pid comm count errors time_ns max_ns
	awk -F '\t' '$2 == "calls" && $5 >= 60e6 && $6 >= 20e6 { ok = 1 } END { exit !ok }' rows || fail "not timed"
}

test_processes_beyond_the_room() {
	sc -P --max-keys 2 -e EBADF -- sh -c 'for n in 10 20 30 40; do calls $n close; done'
	expect_exit 0
	sed '/^did /d' out | awk '{ print $3 }' > text
	printf 'COUNT\n20\n10\n' | cmp - text || fail "other rows"
	expect_err ': 70 calls not counted: of processes beyond the first 2 '
}

# At each table, processes that have ended make room for others.
test_processes_that_end() {
	sc -P --max-keys 12 -i 0.1 -T 12 --json -e EBADF -- \
		sh -c 'for n in $(seq 24); do calls 7 close 2 nanosleep; done'
	expect_exit 0
	! grep 'not counted' err || fail "there was room"
	expect_json pid comm count
	[ "$(add_up 3 rows '$2 == "calls"')" = 168 ] || fail "other counts"
	[ "$(awk '$2 == "calls" && $3 > 0 { print $1 }' rows | sort -u | wc -l)" = 24 ] || fail "other processes"
}

# All have the same id, which belongs to one process after the other, with about one table in
# between, unless the kernel starts a process of its own just then.
test_processes_with_one_id() {
	last=/proc/sys/kernel/ns_last_pid
	[ -w $last ] || skip "this kernel lets nobody choose an id"
	start sonde syscount -P --max-keys 2 -i 0.1 --json -e EBADF --comm calls
	done=0
	for _ in $(seq 10); do
		echo 20000 > $last
		calls 7 close > did &
		[ $! != 20001 ] || done=$((done + 7))
		wait $!
		calls 6 nanosleep > did
	done
	stop INT
	[ $done -ge 35 ] || fail "20001 was the id of others"
	expect_exit 0
	expect_json pid comm count
	[ "$(add_up 3 rows '$1 == 20001 && $2 == "calls"')" = $done ] || fail "not $done of 20001"
	[ "$(wc -l < rows)" -ge 4 ] || fail "too few tables"
}

test_intervals_add_up() {
	sc -x -i 0.3 -- spin -x 1
	expect_exit 0
	[ "$(grep -c '^SYSCALL' out)" -ge 2 ] || fail "too few tables"
	[ "$(grep -cE '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]$' out)" = "$(grep -c '^SYSCALL' out)" ] ||
		fail "not as many times"
	expect_did
	# the end of a signal handler, rt_sigreturn, may seem to fail with the error of the call
	# before it
	sc -P -L -x --json -i 0.1 -- spin -x 1
	expect_json time pid count errors
	[ "$(cut -f 1 rows | sort -u | wc -l)" -ge 3 ] || fail "too few tables"
	more=$(awk -F '\t' 'FNR == NR { n += $3; next } $1 ~ /^did close/ { print n - substr($1, 11) }' rows out)
	[ "$more" = 0 ] || [ "$more" = 1 ] || fail "the rows sum up to $more too many"
}

test_summary() {
	sc --summary -- calls 500 getppid 30 openat 3 nanosleep
	expect_exit 0
	sed '/^did /d' out > table
	printf '%s\n' '% time     seconds  usecs/call     calls    errors syscall' \
		'------ ----------- ----------- --------- --------- ----------------' > wanted
	head -n 2 table | cmp - wanted || fail "other headings"
	[ "$(tail -n 2 table | head -n 1)" = "$(sed -n 2p wanted)" ] || fail "no line above the sum"
	grep -qE '^ *[0-9.]+ +[0-9]+\.[0-9]{6} +([2-9][0-9]{4}|[0-9]{6,}) +3 +nanosleep$' table || fail "nanosleep"
	grep -qE '^ *[0-9.]+ +[0-9.]+ +[0-9]+ +30 +30 openat$' table || fail "openat"
	grep -qE '^100\.00 +[0-9.]+ +[0-9]+ +[0-9]+ +[0-9]+ total$' table || fail "total"
	summed_up table || fail "the sum is another, or the order"
	! grep -E '.{81}' table || fail "wider than 80 columns"
}

# As strace counts them.
# kernels=ends arch=yes
test_odd_calls() {
	sc --summary -- oddcalls
	expect_exit 0
	rows_of_summary
	expect_dids_in_rows
	compat=$(sed -n 's/^did 32-bit //p' out)
	[ -z "$compat" ] || expect_err ": $compat calls of 32-bit programs not shown"
	[ "$compat" ] || ! grep 32-bit err || fail "there were none"
	! grep -q writev rows || fail "a 32-bit call counts as another"
	# without their beginnings
	sc --json -T 100 -- oddcalls
	expect_json syscall count errors time_ns
	sed -i 's/unknown: /unknown:/' rows
	! grep -v 'null$' rows || fail "timed"
	cut -f 1-3 rows | tr '\t' ' ' > seen
	mv seen rows
	# at its end, x86-64 has forgotten that a call was execveat and says execve; arm64 has not
	[ $SYS = __x64_sys ] || became='execve 2 1'
	grep -qx "${became:-execve 3 1}" rows || fail "execve: $(grep '^execve ' rows)"
	expect_dids_in_rows '$1 !~ /^exec/'
}

# arch=yes
test_list() {
	run su user -c 'sonde syscount -l'
	expect_exit 0
	for name in read openat getppid clone3; do
		expect_line "(^|   )$name( |$)"
	done
	sonde syscount -l | tr -s ' ' '\n' > names
	sort names | cmp - names || fail "not in order"
	sc -l --json
	expect_json syscall number
	[ "$(wc -l < rows)" = "$(wc -l < names)" ] || fail "not as many"
	grep -q "^clone3	435$" rows || fail "clone3"
}

test_errors() {
	sc -e ENOENTT
	expect_exit 2
	expect_err "no error 'ENOENTT' \(did you mean ENOENT\?\)"
	sc -e 0
	expect_exit 2
	expect_err "no error '0': they are 1 to 4095"
	sc -T 0
	expect_exit 2
	expect_err 'option -T: 0 is out of range'
	sc 17
	expect_exit 2
	expect_one_err "unexpected argument '17': a command comes after --$"
	sc --summary -P
	expect_exit 2
	expect_one_err 'summary has columns of its own: without -P$'
	sc --max-keys 0 -P
	expect_exit 2
	sc --syscall getpidd
	expect_exit 2
	expect_err "option --syscall 'getpidd': no such system call \(did you mean getpid\?\)$"
	sc --ppid 4000000
	expect_exit 1
	expect_one_err 'there is no process 4000000 that could have children$'
	sc -l 17
	expect_exit 2
	sc -- /no/such/command
	expect_exit 1
	expect_err '/no/such/command'
}
