# SPDX-License-Identifier: BSD-2-Clause
# Tools that stream, represented by opensnoop and execsnoop: no event is lost without a report, rows
# come in order, and sonde ends, whatever ends it.
# of file: kernels=one

# many KERNEL N FEWER: prints N on one kernel, FEWER on the others, because it takes long.
many() {
	[ "$KERNEL" = "$1" ] && echo "$2" || echo "$3"
}

# Prints the sum of the lost events that stderr reports at the end.
lost() {
	sed -n 's/^sonde [a-z]*: \([0-9]*\) events* lost: .*/\1/p' err > losses
	add_up 1 losses
}

# The number of rows that could not be written, by what stderr says.
rows_lost() {
	sed -n 's/.*(\([0-9]*\) rows* lost)$/\1/p' err
}

# opens_of_one_process N: rows has that many opens, in order, all of one process.
opens_of_one_process() {
	awk -v n="$1" '
		/^(did|TIME)/ { next }
		$1 < last { back++ }
		$3 != "opens" || $5 != 0 || $6 != "/dev/null" || NF != 6 { bad++ }
		{ rows++; pids[$2]; last = $1 }
		END {
			for (pid in pids)
				processes++
			printf "%d rows, %d back in time, %d bad, %d processes\n", rows, back, bad, processes
			exit rows != n || back || bad || processes != 1
		}' rows > why || fail "$(cat why)"
}

# execs_of_one_parent N [MISSED]: rows has that many processes that have executed noop, without up to MISSED of them,
# all of one parent.
execs_of_one_parent() {
	awk -v n="$1" -v missed="${2:-0}" '
		$5 == "/bin/noop" && $1 == "noop" && $4 == 0 { rows++; pids[$2]; ppids[$3] }
		END {
			for (pid in pids)
				processes++
			for (ppid in ppids)
				parents++
			printf "%d rows of %d processes of %d parents\n", rows, processes, parents
			exit rows > n || rows < n - missed || processes != rows || parents != 1
		}' rows > why || fail "$(cat why)"
}

# Two threads on two processors: all rows must be there, complete and in order.
# timeout=200 cpus=2 kernels=ends
test_storm_of_opens() {
	n=$(many 6.12 100000 20000)
	run sh -c "exec sonde opensnoop --timestamp --fail-on-loss -- opens -t 2 $n /dev/null > rows"
	expect_exit 0
	expect_one_err '^Tracing'
	grep -q "^did openat $((n * 2))$" rows || fail "the workload did not end"
	opens_of_one_process $((n * 2))
}

# timeout=200 kernels=ends
test_storm_of_execs() {
	n=$(many 6.1 2000 500)
	run sh -c "exec sonde execsnoop --fail-on-loss -- execs -v $n /bin/noop > rows"
	expect_exit 0
	# 7.x may skip the program at a fork, and then the child's exec may be missing
	missed=$(sed -n 's/.*: \([0-9]*\) forks* missed by the kernel: .*/\1/p' err)
	sed -i '/ missed by the kernel: /d' err
	expect_one_err '^Tracing'
	execs_of_one_parent "$n" "${missed:-0}"
}

# The reader begins late: all events without room must be counted, and reported while more are
# coming.
# cpus=2 kernels=ends
test_lost_is_counted() {
	mkfifo pipe go
	sh -c 'read x < go; cat > got' < pipe &
	reader=$!
	start sh -c 'exec sonde opensnoop --fail-on-loss --buffer-size 64k --comm opens > pipe'
	opens -t 2 3000 /dev/null > told
	echo > go
	wait_until 10 grep -q 'opensnoop: [0-9]* events* lost so far$' err || fail "not said"
	opens 10 /dev/null >> told
	stop TERM
	wait $reader
	expect_exit 1
	[ "$(lost)" -gt 0 ] || fail "nothing was lost"
	expect_err 'opensnoop: [0-9]+ events? lost: the buffer was full \(--buffer-size makes it larger\)$'
	seen=$(grep -c /dev/null got)
	[ $((seen + $(lost))) = 6010 ] || fail "$seen were seen, $(lost) are said to be lost, 6010 were made"
	run sh -c 'sonde opensnoop --buffer-size 4k -- opens -t 2 3000 /dev/null'
	expect_exit 0
	seen=$(grep -c /dev/null out)
	[ $((seen + $(lost))) = 6000 ] || fail "$seen were seen, $(lost) are said to be lost, 6000 were made"
}

# True if sonde waits in poll(2) for two descriptors: the signals and its output. When it waits for
# events there is a third.
waits_for_reader() {
	read -r _ _ n _ < /proc/$started/syscall
	[ "$n" = 0x2 ]
}

# Nobody reads: sonde must take no more memory, a signal must end it, and each event must be in the
# pipe, or be a lost row or a lost event.
# cpus=2
test_stalled_reader() {
	mkfifo pipe go
	sh -c 'read x < go; cat > got' < pipe &
	reader=$!
	: > err
	sonde opensnoop --buffer-size 64k --comm opens > pipe 2> err &
	started=$!
	wait_until 50 armed || fail "not armed"
	opens 3000 /dev/null > told
	wait_until 20 waits_for_reader || fail "it does not wait for its reader"
	before=$(awk '$1 == "VmRSS:" { print $2 }' /proc/$started/status)
	opens -t 2 3000 /dev/null >> told
	after=$(awk '$1 == "VmRSS:" { print $2 }' /proc/$started/status)
	read -r began _ < /proc/uptime
	kill -INT $started
	: > out
	await
	read -r ended _ < /proc/uptime
	echo > go
	wait $reader
	expect_exit 1
	expect_err 'cannot write the results: nobody reads them \([0-9]+ rows? lost\)$'
	expect_between "ms until it ended" 0 8000 "$(elapsed "$began" "$ended")"
	[ $((after - before)) -lt 256 ] || fail "$((after - before)) kB more memory"
	seen=$(grep -c /dev/null got)
	[ $((seen + $(rows_lost) + $(lost))) = 9000 ] ||
		fail "$seen were seen, $(rows_lost) rows and $(lost) events are said to be lost, 9000 were made"
}

# The disk is full before the first row, and later.
test_full_disk() {
	run sh -c 'exec sonde opensnoop -- opens 100 /dev/null > /dev/full'
	expect_exit 1
	expect_err 'cannot write the results: No space left on device( \([1-9][0-9]* rows? lost\))?$'
	mkdir disk
	mount -t tmpfs -o size=64k disk disk
	run sh -c 'exec sonde opensnoop --comm opens -- sh -c "opens 3000 /dev/null > told" > disk/rows'
	seen=$(grep -c /dev/null disk/rows)
	umount disk
	expect_exit 1
	expect_err 'cannot write the results: No space left on device \([0-9]+ rows? lost\)$'
	[ "$seen" -gt 1000 ] && [ "$(rows_lost)" -gt 0 ] && [ $((seen + $(rows_lost))) -le 3000 ] ||
		fail "$seen rows are there, $(rows_lost) are said to be lost"
}

# sonde must notice that its reader is gone, even if there is nothing more to write.
test_closed_pipe() {
	read -r began _ < /proc/uptime
	(
		status=0
		sonde execsnoop --comm nobody -d 40 2> err || status=$?
		echo $status > status
	) | head -n 1 > out
	read -r ended _ < /proc/uptime
	cat out err status
	expect_line '^PCOMM  '
	expect_one_err '^Tracing'
	[ "$(cat status)" = 0 ] || fail "exit status $(cat status)"
	[ "${ended%.*}" -lt $((${began%.*} + 20)) ] || fail "went on for $((${ended%.*} - ${began%.*})) s"
}

# Showing rows must cause no rows, not even in a PID namespace, where sonde's id differs from the
# kernel's.
test_not_itself() {
	for how in '' 'unshare -p -f' --self; do
		case $how in
		--self) start sonde funcslower -u 1 -j --self vfs_write ;;
		*) start $how sonde funcslower -u 1 -j vfs_write ;;
		esac
		sonde=$(pidof sonde)
		calls 1 openat > did
		wait_until 20 grep -q '"comm":"calls"' out || fail "nothing is shown"
		kill -INT "$sonde"
		await
		expect_exit 0
		expect_json comm
		own=$(grep -c '^sonde$' rows) || :
		[ "$how" = --self ] || [ "$own" = 0 ] || fail "$own rows of its own"
		[ "$how" != --self ] || [ "$own" -gt 0 ] || fail "--self shows nothing"
	done
}

# Looking for lost events must not open files again and again.
test_opens_nothing_more() {
	start sonde opensnoop --self --comm sonde
	wait_until 20 sleeps || fail "it does not wait"
	stop INT
	expect_exit 0
	! grep -v '^PID ' out || fail "it opens files while it waits"
}

# True if sonde waits in poll(2) for signals, its output and events, but no keyboard, and for longer
# than the 40 ms between two reads of the buffer.
sleeps() {
	read -r _ _ n timeout _ < /proc/$started/syscall
	[ "$n" = 0x4 ] && [ $((timeout)) -gt 40 ]
}

# Asked to end, it prints what has happened until then.
test_sigterm() {
	start sonde opensnoop --fail-on-loss --comm opens
	opens 2000 /dev/null
	stop TERM
	expect_exit 0
	[ "$(grep -c '/dev/null$' out)" = 2000 ] || fail "$(grep -c '/dev/null$' out) rows"
}

# Killed, it leaves nothing, and no command either.
test_sigkill() {
	start sonde execsnoop -x -- spin
	first=$started
	start sonde opensnoop -F -- spin
	kill -KILL "$first" "$started"
	wait "$first" "$started" || :
	no_residue
}

test_duration() {
	one_of_three half_a_second
}

# The time may be over before the command has executed anything.
half_a_second() {
	read -r began _ < /proc/uptime
	run sonde execsnoop -d 0.5 -- sh -c 'execd; exec spin'
	read -r ended _ < /proc/uptime
	expect_exit 0
	expect_line '/bin/execd$'
	expect_between "ms" 500 20000 "$(elapsed "$began" "$ended")"
}

test_commands_that_end_badly() {
	run sonde execsnoop -c 'execd; kill -9 $$'
	expect_exit 0
	expect_line '/bin/execd$'
	expect_err 'command was killed by signal 9'
	run sonde opensnoop -c 'opens 3 /dev/null; exit 7'
	expect_exit 0
	[ "$(grep -c 'opens.*/dev/null$' out)" = 3 ] || fail "not three opens"
	expect_err 'command exited with 7'
	run sonde execsnoop -- /no/such/command
	expect_exit 1
	expect_one_err "cannot run '/no/such/command'"
}

# refuses STATUS REGEX ARGS...: one line says why; after wrong options a second line names the help.
refuses() {
	wanted=$1
	regex=$2
	shift 2
	run sonde "$@"
	expect_exit "$wanted"
	[ ! -s out ] || fail "something on stdout"
	sed -i "/^try 'sonde [a-z]* --help'$/d" err
	expect_one_err "^sonde $1: .*$regex"
}

test_errors() {
	refuses 2 "'nobodyhere'" execsnoop -u nobodyhere
	refuses 1 "'none'" execsnoop --cgroup none
	refuses 1 "/tmp.*cgroup v2" execsnoop --cgroup /tmp
	refuses 1 "there is no process 999999" opensnoop -p 999999
	refuses 2 "option -n '\(': bad regular expression" execsnoop -n '('
	refuses 2 "option -l '\[a': bad regular expression" execsnoop -l '[a'
	for size in 0 4095 1025M 64q -1 ''; do
		refuses 2 "--buffer-size.*$size" execsnoop --buffer-size "$size"
	done
	refuses 2 "--max-args" execsnoop --max-args 0
	refuses 2 "-P" execsnoop -P 0
	refuses 2 "unexpected argument 'x'" execsnoop x
	refuses 2 "unexpected argument 'x'" opensnoop x -- true
	refuses 2 "--interval" opensnoop --interval 1
}
