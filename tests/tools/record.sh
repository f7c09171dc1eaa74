# SPDX-License-Identifier: BSD-2-Clause
# sonde record: workloads say what they did, and the recording must have exactly that, in order. `recorded`
# (tests/engines/recorded.c) prints a recording.
# of file: kernels=one

# recording [FILE]: prints it into the file events, and checks that it is whole and in order.
recording() {
	recorded "${1:-sonde.trace}" > events || fail "cannot read the recording"
	! grep -E '^(disorder|unreadable)' events || fail "the recording is damaged"
}

# whole: nothing was lost, and the file ends with as many records as it has.
whole() {
	expect_exit 0
	! grep ' lost' err || fail "something was lost"
	n=$(grep -cvE '^(ended|tasks)' events)
	grep -qx "ended	$n	0" events || fail "$n records, but $(grep ^ended events)"
	grep -qE "^sonde.trace: $n events, [0-9.]+ MB" err || fail "the last line names another number than $n"
}

# ids NAME: the ids of tasks that executed a program of this name.
tasks_of() {
	sed -n "s/^exec	\([0-9]*\)	.*	filename=\(.*\/\)*$1\$/\1/p" events | sort -u
}

# happened KIND FIELD=VALUE...: how many events of the kind have these fields.
happened() {
	kind=$1
	shift
	cut -f 1,4- events | awk -F '\t' -v kind="$kind" -v want="$*" '
		BEGIN { n = split(want, field, " ") }
		$1 == kind {
			found = 0
			for (i = 1; i <= n; i++)
				for (j = 2; j <= NF; j++)
					found += $j == field[i]
			total += found == n
		}
		END { print total + 0 }'
}

expect_happened() {
	want=$1
	shift
	seen=$(happened "$@")
	[ "$seen" = "$want" ] || fail "$seen of $*, not $want"
}

# Raw tracepoints of system calls miss hits on 7.x; perf's do not, and are chosen there.
# kernels=all arch=yes
test_calls() {
	run sonde record -- calls 500 getppid 300 getpgid 70 close
	recording
	whole
	task=$(tasks_of calls)
	expect_happened 500 sys_enter task="$task" syscall=getppid
	expect_happened 500 sys_exit task="$task" syscall=getppid
	expect_happened 300 sys_enter task="$task" syscall=getpgid
	expect_happened 70 sys_exit task="$task" syscall=close ret=-EBADF
}

# A wait is a switch with the call in progress, and a wake-up; each task that comes is the one that leaves next.
# kernels=all
test_sched() {
	run sonde record sched -- calls 30 nanosleep
	recording
	whole
	task=$(tasks_of calls)
	expect_happened 30 switch prev="$task" prev_state=S syscall=nanosleep
	# one more when sonde lets it go
	expect_between wake-ups 30 32 "$(happened waking task="$task")"
	expect_happened 0 sys_enter
	run sonde record sched -d 1 --force
	recording
	awk -F '\t' '$1 == "switch" {
		sub("prev=", "", $4)
		for (i = 5; i <= NF; i++)
			if (sub("next=", "", $i))
				next_task = $i
		if (runs != "" && runs != $4)
			broken++
		runs = next_task
		n++
	}
	END { exit !(n > 10 && broken == 0) }' events || fail "switches are missing"
}

# Records what programs take from tasks and registers, and finds each field as it must be.
record_fields() {
	run sonde record --force -- sh -c "
		cat /proc/\$PPID/fdinfo/* | grep prog_type
		calls 30 nanosleep
		calls 40 getpgid
		forks 5 0 1"
	recording
	lost=$(skipped)
	[ "$lost" != 0 ] || whole
	task=$(tasks_of calls | head -n 1)
	expect_happened 30 switch prev="$task" prev_state=S prev_prio=120 syscall=nanosleep iowait=0
	expect_happened 30 waking task="$task" prio=120 target_cpu=0
	task=$(tasks_of calls | tail -n 1)
	expect_between calls $((40 - lost)) 40 "$(happened sys_enter task="$task" syscall=getpgid args=0x0)"
	expect_between returns $((40 - lost)) 40 "$(happened sys_exit task="$task" syscall=getpgid)"
	task=$(tasks_of forks)
	expect_between forks $((5 - lost)) 5 "$(happened fork task="$task" process="$task" comm=forks)"
	expect_between ends $((5 - lost)) 6 "$(happened exit comm=forks code=0 last=1)"
	expect_between names $((1 - lost)) 1 "$(happened comm task="$task" process="$task" comm=forks)"
}

# Programs load fields of tasks and registers where the verifier knows the types of a tracepoint's arguments. Where it
# does not, a helper reads them: here the kernel's BTF lacks the tracepoints.
# kernels=turns
test_types() {
	record_fields
	expect_between 'programs with types' 5 7 "$(grep -cx 'prog_type:	26' out)"
	sed 's/btf_trace_/btf_TRACE_/g' /sys/kernel/btf/vmlinux > types
	mount --bind types /sys/kernel/btf/vmlinux
	record_fields
	! grep -x 'prog_type:	26' out || fail "the types are not hidden"
	umount /sys/kernel/btf/vmlinux
}

# kernels=ends
test_tasks() {
	run sonde record sched -- forks 20 3 1
	recording
	# 7.x preempts programs at forks, and skips hits meanwhile
	lost=$(skipped)
	[ "$lost" != 0 ] || whole
	task=$(tasks_of forks)
	expect_between forks $((20 - lost)) 20 "$(happened fork task="$task")"
	# two threads that end at once may both be the last
	ended=$(sed -n 's/^exit	.*	\(process=[0-9]*\)	.*last=1	.*/\1/p' events | sort -u | wc -l)
	expect_between ends $((21 - lost)) 21 "$ended"
}

# kernels=ends
test_block() {
	disk=$(disk scratch)
	run sonde record block -- dd if=/dev/zero of="$disk" bs=8k count=25 oflag=direct
	recording
	whole
	expect_happened 25 block_issue bytes=8192
	expect_happened 25 block_complete bytes=8192
}

# kernels=ends
test_probes() {
	run sonde record "$getpgid" "r:$getpgid" -- calls 40 getpgid
	recording
	whole
	task=$(tasks_of calls)
	[ "$(grep -c "^probe	$task	.*site=entry" events)" = 40 ] || fail "not 40 entries"
	[ "$(grep -c "^probe	$task	.*site=return" events)" = 40 ] || fail "not 40 returns"
}

# A thread of the kernel is born with its own name since 6.4; before, it has the name of kthreadd and gets its own.
# kernels=ends
test_kernel_threads() {
	device=$(disk scratch)
	mke2fs "$device" > made 2>&1 || fail "no file system: $(cat made)"
	mkdir mnt
	start sonde record sched
	mount -t ext4 "$device" mnt
	# children of kthreadd: others may have changed their name since
	(cd /proc && cat [0-9]*/stat 2> /dev/null) | sed -n 's/^\([0-9]*\) (\(.*\)) [A-Z] 2 .*/\1	\2/p' > alive
	stop INT
	expect_exit 0
	umount mnt
	recording
	sed -n 's/^\(fork	2\|comm\)	.*	\(child\|task\)=\([0-9]*\)	.*comm=/\3	/p' events > named
	# /proc says more of a worker than its name
	awk -F '\t' '
		FNR == NR { name[$1] = $2; next }
		$1 in name && index($2, name[$1]) != 1 { print $1 " is " $2 ", not " name[$1] }
		$1 in name { n++ }
		END { if (!n) print "no new thread" }' named alive > wrong
	[ ! -s wrong ] || fail "$(cat wrong): $(cat named)"
}

# A kretprobe follows few calls at a time, sleeping ones included: what it misses is said, and in the file.
# kernels=ends
test_missed_returns() {
	# shellcheck disable=SC2046 # a list
	run sonde record --fail-on-loss --mechanism kprobe r:hrtimer_nanosleep -- waits 4 50 $(yes sleep | head -n 30)
	expect_exit 1
	missed=$(sed -n 's/.*: \([0-9]*\) \(hits*\|returns*\|events*\) \(missed\|lost\).*/\1/p' err)
	[ "${missed:-0}" -gt 0 ] || fail "no return was missed"
	recording
	recorded=$(grep -c 'site=return' events) || :
	expect_between "recorded or missed" 120 130 $((recorded + missed))
	run sonde report sonde.trace
	expect_err "the kernel missed $missed$"
}

# A tracepoint's record has the fields of its format.
# kernels=ends
test_tracepoints() {
	run sonde record t:syscalls:sys_enter_getpgid t:sched:sched_process_wait t:sched:sched_process_fork -- \
		sh -c 'calls 40 getpgid; true'
	recording
	whole
	task=$(tasks_of calls)
	expect_happened 40 syscalls:sys_enter_getpgid task="$task"
	parent=$(tasks_of sh)
	fork="^sched:sched_process_fork	$parent	.*parent_pid=$parent	.*child_pid=$task"
	[ "$(grep -cE "$fork" events)" = 1 ] || fail "the fork is not in the recording"
}

# Texts lie behind the fields, which only refer to them.
test_texts() {
	run sonde record t:sched:sched_process_exec -- sh -c 'calls 1 getppid; true'
	recording
	whole
	expect_happened 1 sched:sched_process_exec "filename=$(command -v calls)" pid="$(tasks_of calls)"
}

# A 32-bit program's calls have names of their own; on x86, int 0x80 is the way into them.
# kernels=ends arch=yes
test_narrow() {
	narrow=$(command -v narrow || command -v narrow-arm) || skip "no such program for this architecture"
	run sonde record syscalls -- "$narrow" waits
	recording
	whole
	expect_happened 3 sys_enter syscall=nanosleep
	expect_happened 3 sys_exit syscall=nanosleep ret=0
	expect_happened 1 sys_exit syscall=poll
	expect_happened 0 sys_enter syscall=cacheflush
}

# Marks stand where they were made, also with a filter that they would not pass.
# kernels=ends
test_marks() {
	run sonde mark nobody listens
	expect_exit 1
	expect_one_err 'no recording is running'
	run sonde record syscalls -- sh -c 'sonde mark one two; calls 3 getppid; sonde mark three'
	recording
	whole
	task=$(tasks_of calls)
	awk -F '\t' -v task="$task" '
		$1 == "mark" { print $NF }
		$1 == "sys_enter" && $2 == task && /syscall=getppid/ { print "call" }' events > seen
	printf 'text=one two\ncall\ncall\ncall\ntext=three\n' | diff - seen || fail "marks are elsewhere"
}

test_process() {
	gate calls 60 getppid
	start sonde record syscalls -p $gated
	calls 50 getppid
	open_gate
	stop INT
	recording
	whole
	expect_happened 60 sys_enter syscall=getppid
	expect_happened 60 sys_enter task=$gated syscall=getppid
}

# Rings that are too small: what is missing is counted.
# timeout=300 kernels=turns
test_lost() {
	gate calls 60000 getppid
	start sonde record "$getppid" -p $gated -b 64k
	open_gate
	stop INT
	recording
	expect_exit 0
	seen=$(grep -c '^probe' events)
	lost=$(awk -F '\t' '$1 == "lost" { n += $2 } END { print n + 0 }' events)
	said=$(sed -n 's/.*: \([0-9]*\) events* lost: the rings were full.*/\1/p' err)
	[ "$lost" = "${said:-0}" ] || fail "$lost lost in the file, ${said:-0} reported"
	# the end of the process is one record more
	expect_between "all" 60000 60001 $((seen + lost + $(grep -c '^exit' events)))
}

# kill -9 leaves a file that is readable up to its last chunk.
test_killed() {
	gate calls 2000 getppid
	start sonde record syscalls -p $gated
	open_gate
	wait_until 20 has_calls
	stop KILL
	recording
	grep -qx cut events || fail "the file is not cut"
}

has_calls() {
	recorded sonde.trace 2> why | grep -q 'syscall=getppid'
}

# grown_to BYTES
grown_to() {
	[ "$(stat -c %s sonde.trace)" -ge "$1" ]
}

# Wherever kill -9 comes, all whole chunks can be read, in order, and nothing between them is missing. Small rings make
# small chunks.
# timeout=600
test_killed_anywhere() {
	for size in 1 60000 120000; do
		calls 1000000000 getppid > /dev/null &
		busy=$!
		start sonde record syscalls -p $busy --force -b 64k
		wait_until 20 grown_to $size || fail "the file does not grow"
		stop KILL
		kill $busy
		wait $busy || :
		recording
		grep -qx cut events || fail "the file is not cut"
		# numbers of records have gaps only where a loss is: then begins and ends alternate, but for what the
		# kernel skipped
		sonde report summary > /dev/null 2> err
		missed=$(sed -n 's/.*the kernel missed //p' err)
		awk -F '\t' '$1 == "lost" { last = "" }
			$1 ~ /^sys_/ { if ($1 == last) wrong++; last = $1; n++ }
			END { if (wrong > missed + 0) print wrong " of " n " are missing" }' \
			missed="$missed" events > wrong
		[ ! -s wrong ] || fail "$(cat wrong)"
	done
	[ "$(grep -c '^sys_' events)" -gt 1000 ] || fail "too few events"
	run sonde report summary
	expect_exit 0
	expect_err 'the recording was cut off$'
}

# However much room there is, what fits can be read; a file that has no room for its head is none.
# timeout=300
test_full_disk() {
	mkdir full
	for size in 8k 64k 100k 500k; do
		mount -t tmpfs -o size=$size none full
		run sonde record syscalls -o full/x -- calls 20000 getppid
		expect_exit 1
		expect_err '^sonde record: cannot write full/x: No space left on device'
		[ ! -e full/x ] || recorded full/x > events || fail "cannot read the recording"
		umount full
	done
	grep -qx cut events || fail "the file is not cut"
	grep -q 'syscall=getppid' events || fail "the file has no events"
}

test_files() {
	echo mine > sonde.trace
	run sonde record sched -- true
	expect_exit 1
	expect_one_err 'sonde.trace'
	[ "$(cat sonde.trace)" = mine ] || fail "the file was overwritten"
	run sonde record --force sched -- true
	expect_exit 0
	[ "$(stat -c %a sonde.trace)" = 600 ] || fail "others can read the file"
}

# The number of arguments of each call is what the kernel says in tracefs.
# kernels=ends arch=yes
test_arguments() {
	mkdir tracefs
	mount -t tracefs none tracefs
	run sonde record syscalls -- sh -c 'cat /proc/self/status | sort > x; ls -l / > x; calls 5 openat 5 getppid'
	recording
	awk -F '\t' '$1 == "sys_enter" {
		n = 0
		for (i = 4; i <= NF; i++)
			if (sub("syscall=", "", $i))
				call = $i
			else if (sub("args=", "", $i))
				n = split($i, args, /[ ,]+/)
		print call, n
	}' events | sort -u > seen
	[ "$(wc -l < seen)" -gt 10 ] || fail "too few calls"
	while read -r call n; do
		format=tracefs/events/syscalls/sys_enter_$call/format
		[ -e "$format" ] || continue
		# newer kernels add what pointers point to
		echo "$call $n $(grep -v __data_loc "$format" | grep -c 'offset:\(1[6-9]\|[2-9][0-9]\);')"
	done < seen > both
	umount tracefs
	awk '$2 != $3 { print; wrong = 1 } END { exit wrong || !NR }' both ||
		fail "other numbers of arguments than the kernel has"
}

# Whoever wants rings larger than memory is told so at once.
test_too_large() {
	for size in 100G 4095M; do
		run sonde record -b $size -- true
		expect_exit 1
		expect_one_err '^sonde record: a buffer (of [0-9]+ MB is more than half of|may have at most)'
		run sonde record --flight $size -- true
		expect_exit 1
		expect_one_err '^sonde record: a buffer '
	done
	[ ! -e sonde.trace ] || fail "there is a file"
}

plug() {
	echo "$1" > /sys/devices/system/cpu/cpu1/online
}

# A processor goes and comes: what happens on it is recorded, also if it was not there when the recording began.
# cpus=2 kernels=ends
test_hot_plug() {
	[ -w /sys/devices/system/cpu/cpu1/online ] || skip "processors cannot be plugged"
	plug 0
	start sonde record syscalls
	plug 1
	taskset 2 calls 50 getppid
	plug 0
	calls 30 getppid
	plug 1
	taskset 2 calls 50 getppid
	stop INT
	recording
	expect_exit 0
	expect_happened 130 sys_enter syscall=getppid
	[ "$(awk -F '\t' '$1 == "sys_enter" && $3 == 1 && /syscall=getppid/' events | wc -l)" = 100 ] ||
		fail "not 100 calls on processor 1"
}

# The rings of 256 processors share the size: most of these do not exist, and still may come.
# cpus=1-many timeout=400
test_many_processors() {
	[ "$(cut -d - -f 2 /sys/devices/system/cpu/possible)" = 255 ] || skip "this kernel has no 256 processors"
	run sonde record syscalls -b 16M -- calls 500 getppid
	recording
	whole
	expect_happened 500 sys_enter syscall=getppid
	run sonde record --force --flight 16M syscalls -- sh -c 'calls 500 getppid; exit 3'
	recording
	expect_happened 500 sys_enter syscall=getppid task="$(tasks_of calls)"
}

# threads KEY...: writes these sums of each thread, behind its id, to the file rows.
threads() {
	run sonde report --json
	expect_exit 0
	grep '"table":"threads"' out | json tid "$@" > rows || fail "no JSON"
}

# What a thread did is what the kernel says in /proc/TID/schedstat. A guest can stand still between our clock and the
# kernel's at each switch.
times_as_schedstat() {
	run sonde record --force sched -- turns -s 20,2 3 150
	cp out dids
	recording
	whole
	threads run_ns wait_ns
	awk 'FNR == NR { if ($1 == "did") { ran[$3] = $4; waited[$3] = $5 } next }
		function wrong(got, want) { return got > want * 1.03 + 30000000 || got < want * 0.97 - 30000000 }
		$1 in ran {
			n++
			if (wrong($2, ran[$1]) || wrong($3, waited[$1]))
				print $1 ": ran " $2 ", waited " $3 ", not " ran[$1] ", " waited[$1]
		}
		END { if (n != 3) print n + 0 " threads, not 3" }' dids rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# timeout=300 kernels=ends
test_schedstat() {
	one_of_three times_as_schedstat
}

# Where a nanosecond is an instruction, nothing stands still between the two clocks. Who is woken and gets the processor
# at once has its time counted from the wake-up on, whose reading of the clock schedule() takes over (clock_update_flags);
# our switch comes some 12,000 instructions later. Otherwise both are less than 1,000 apart. A turn takes 3 million.
# cpus=1-icount
test_perfetto_schedstat() {
	run sonde record sched -- turns -s 5,2 3 150
	cp out dids
	recording
	whole
	run sonde report --perfetto out.pftrace
	expect_exit 0
	pftrace out.pftrace > picture || fail "cannot read the trace"
	awk '$1 == "state" { ns[$2, $3 ~ /^R\+?$/ ? "R" : $3] += $4; tids[$2] }
		END { for (tid in tids) print tid, ns[tid, "Running"], ns[tid, "R"] }' picture > rows
	awk 'function off(got, want) { return got > want ? got - want : want - got }
		FNR == NR { if ($1 == "did") { ran[$3] = $4; waited[$3] = $5; times[$3] = $6 } next }
		$1 in ran {
			n++
			most = times[$1] * 20000 + 100000
			if (off($2, ran[$1]) > most || off($3, waited[$1]) > most)
				print $1 ": ran " $2 ", waited " $3 ", not " ran[$1] ", " waited[$1] ", " times[$1] " times"
		}
		END { if (n != 3) print n + 0 " threads, not 3" }' dids rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
	cat dids rows
}

# A thread that never sleeps has a row, and all of its time has a cause.
# kernels=ends
test_never_sleeps() {
	calls 1000000000 getppid > /dev/null &
	busy=$!
	run sonde record sched -p $busy -d 1
	kill $busy
	wait $busy || :
	expect_exit 0
	threads run_ns wait_ns sleep_ns unknown_ns
	lasted=$(grep '"table":"recording"' out | json duration_ns)
	awk -v tid=$busy -v lasted="$lasted" '$1 == tid { n++; known = $2 + $3; rest = $4 + $5 }
		END { exit !(n == 1 && rest == 0 && known > lasted * 0.99) }' rows || fail "$lasted: $(cat rows)"
}

# Rows that nobody has asked to leave out are there.
test_report_rows() {
	run sonde record syscalls -- forks 30 0 1
	recording
	run sonde report --csv
	[ "$(grep -c '^threads,forks,' out)" = 31 ] || fail "not 31 rows of forks"
	run sonde report --csv --top 7
	[ "$(grep -c '^threads,' out)" = 7 ] || fail "not 7 rows"
	run sonde report
	expect_line '^[0-9]+ more$'
	run sonde report --json
	# children return from fork, but do not call it
	awk -F '[:,"]+' '/"syscall":"(v?fork|clone3?)"/ {
			for (i = 1; i < NF; i++)
				if ($i == "count")
					n += $(i + 1)
		}
		END { exit n != 30 }' out || fail "not 30 forks"
}

has_snapshot() {
	recorded "$1" 2> why | grep -q '^ended'
}

# snapshots_of_calls SECOND: two snapshots, and the name that the second one should have.
snapshots_of_calls() {
	gate calls 50 getppid
	start sonde record syscalls --flight 1M -p $gated
	open_gate
	kill -USR2 $started
	wait_until 20 has_snapshot sonde.trace || fail "no snapshot"
	kill -USR2 $started
	wait_until 20 has_snapshot "$1" || fail "no second snapshot"
	stop INT
	expect_exit 0
}

# The rings hold what happened before the signal; another signal makes another file.
# kernels=ends
test_flight() {
	snapshots_of_calls sonde.trace.2
	for file in sonde.trace sonde.trace.2; do
		recording $file
		expect_happened 50 sys_enter task=$gated syscall=getppid
	done
}

# Who has ended is no longer in /proc, and the rings have forgotten its begin: its end has the name.
test_flight_names() {
	run sonde record syscalls --flight 64k -- sh -c 'calls 20000 getppid; exit 3'
	recording
	! grep -q '^fork\|^exec' events || fail "the rings have not forgotten anything"
	run sonde report timeline
	[ "$(grep -c ' calls-[0-9]* .* sys_exit ' out)" -gt 100 ] || fail "calls has no name"
	expect_no_line ' \?-[0-9]+ .* sys_'
}

test_flight_fails() {
	run sonde record --flight 1M -- sh -c 'calls 5 getppid; exit 3'
	expect_err 'the command exited with 3'
	recording
	expect_happened 5 sys_enter syscall=getppid task="$(tasks_of calls)"
	# the time counts from the first event, which is older than the file
	run sonde report timeline
	awk 'NR > 1 && $3 > 0 { n++ } END { exit n < 10 }' out || fail "no times"
	rm sonde.trace
	run sonde record --flight 1M -- true
	expect_exit 0
	expect_err '^No snapshot was taken\.$'
	[ ! -e sonde.trace ] || fail "a file without a reason"
	run sonde record --snapshot-on execsnoop
	expect_exit 2
}

# What is wrong with the name is known at the start: when a snapshot is wanted it would be lost. Only the first file has
# the name, so later ones take a free number.
test_flight_files() {
	echo kept > sonde.trace
	run sonde record --flight 1M -- touch ran
	expect_exit 1
	expect_one_err 'sonde\.trace exists: --overwrite replaces it'
	[ ! -e ran ] || fail "the command ran"
	run sonde record --flight 1M -o no/such.trace -- touch ran
	expect_exit 1
	expect_one_err 'cannot create no/such\.trace: No such file or directory'
	rm sonde.trace
	echo kept > sonde.trace.2
	snapshots_of_calls sonde.trace.3
	[ "$(cat sonde.trace.2)" = kept ] || fail "another file was replaced"
}

kills_and_looks() {
	sh -c 'kill -0 $$'
	has_snapshot sonde.trace
}

test_flight_row() {
	start sonde record sched --flight 4M --snapshot-on killsnoop
	wait_until 20 kills_and_looks || fail "no snapshot"
	await
	expect_exit 0
	recording
	grep -q '^exec	.*filename=.*sh$' events || fail "what caused the row is not in the snapshot"
}

# The lines of one thread, with each call in one line: how long a call lasts decides whether it has two.
whole_calls() {
	awk '/ <unfinished \.\.\.>$/ { begin = substr($0, 1, length($0) - 17); next }
	begin != "" && match($0, /<\.\.\. [a-z0-9_]+ resumed>/) { $0 = begin substr($0, RSTART + RLENGTH); begin = "" }
	{ gsub(/ +/, " "); print }
	END { if (begin != "") print begin }'
}

# The calls of a command, printed later: the same lines as sonde strace prints of the same run.
# kernels=ends arch=yes
test_strace() {
	run sonde record strace -- sonde strace -f -o log -- strace-calls
	expect_exit 0
	expect_err 'sonde.trace: [0-9]+ events, [0-9]+ records of calls, '
	! grep -E 'records? of calls lost' err || fail "some were lost"
	! grep -E 'lost|missed' err || skip "the kernel has skipped some"
	tid=$(sed -n 's/^\([0-9]*\) *execve(.*strace-calls".*= 0$/\1/p' log | head -n 1)
	[ -n "$tid" ] || fail "no execve in the log"
	run sonde report strace
	expect_exit 0
	cp out lines
	grep "^$tid " log | whole_calls > expected
	sed -n "/^$tid *execve(.*strace-calls\".*= 0\$/,\$p" lines | grep "^$tid " | whole_calls > seen
	diff expected seen || fail "other lines"
	grep -q ' +++ exited with 5 +++$' lines || fail "no child"
	grep -qE '^[0-9]+ +--- SIGUSR1 \{si_signo=SIGUSR1, ' lines || fail "no signal"
	run sonde report strace --json
	[ "$(grep -c '"call":"mkdirat","args":".*","ret":-14,"error":"EFAULT"' out)" -eq 2 ] || fail "not two objects"
	# the same file in the other views
	run sonde report
	expect_exit 0
}

# Calls that are made while the recording begins and ends have both their begin and their end, but for a few in between.
# kernels=ends
test_strace_of_busy() {
	sh -c 'while :; do strace-calls 1; done' > /dev/null 2>&1 &
	run sonde record strace --force -d 1
	kill $!
	expect_exit 0
	# 7.x preempts programs: the kernel skips hits then, each of which may have been either half of a call
	missed=$(sed -n 's/.*: \([0-9]*\) hits\{0,1\} at begins or ends of calls missed.*/\1/p' err)
	run sonde report strace
	grep -q 'execve("[^"]*strace-calls"' out || fail "nothing is recorded"
	# the program is known from the begin
	grep -E '(^| )execve\([^"]' out > halves || true
	[ "$(wc -l < halves)" -le $((2 + ${missed:-0})) ] || fail "ends without begins: $(head -n 9 halves)"
	unended=$(sed -n 's/.*: \([0-9]*\) calls\{0,1\} without an end.*/\1/p' err)
	[ "${unended:-0}" -le "${missed:-0}" ] || fail "$unended begins without ends, ${missed:-0} missed"
}

# Recordings without what arguments point to have addresses; and one without calls says so.
test_strace_of_registers() {
	run sonde record syscalls -- strace-calls
	run sonde report strace
	expect_exit 0
	expect_line '^[0-9]+ +mkdirat\(AT_FDCWD, 0x10, 0700\) += -1 EFAULT \(Bad address\)$'
	expect_line '^[0-9]+ +connect\([0-9]+, 0x[0-9a-f]+, 11\) += -1 ENOENT '
	expect_line '^[0-9]+ +rt_sigreturn\(.*\) += 0$'
	expect_line '^[0-9]+ +\+\+\+ exited with 5 \+\+\+$'
	expect_no_line 'unfinished'
	run sonde record sched --force -- true
	run sonde report strace
	expect_exit 1
	expect_err 'no system calls in the recording: sonde record strace has them'
	run sonde record strace --flight 1M
	expect_exit 2
	expect_err 'strace is not for --flight'
}
