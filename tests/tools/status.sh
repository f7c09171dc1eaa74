# SPDX-License-Identifier: BSD-2-Clause
# sonde status: it must show what the test has set up, and its owners.

. /tracefs.sh

st() {
	run sonde status "$@"
}

# expect_row KIND NAME TARGET OWNER: there must be a row that matches these regular expressions.
expect_row() {
	expect_line "^$1 +$2 +$3( .*)? $4\$"
}

# kernels=one
test_nothing() {
	st
	expect_exit 0
	[ ! -s out ] || fail "something is shown"
	expect_one_err 'nothing traces this kernel'
	st --json
	expect_exit 0
	[ ! -s out ] || fail "something is shown"
}

# The test, not sonde status, knows which mechanism attaches what. The kernel reports the target of
# a perf event's link since 6.6, that of a trampoline since 5.13.
attached_by() {
	mechanism=$1 spec=$2 kind=$3 target=$4
	start sonde funccount --mechanism "$mechanism" "$spec"
	st
	expect_exit 0
	case $KERNEL.$kind in
	5.10.f*) target=- ;;
	6.1.kprobe | 6.1.uprobe) target='\(1\)' ;;
	esac
	case $KERNEL.$kind in
	6.1.uprobe) kind=kprobe ;;
	esac
	expect_row "$kind" count "$target" "sonde \($started\)"
	[ "$(wc -l < out)" = 2 ] || fail "more than one row"
	stop INT
	no_residue
}

# timeout=240 kernels=all
test_mechanisms() {
	attached_by kprobe $getpgid kprobe $getpgid
	attached_by uprobe u:/bin/ufuncs:f_one uprobe ufuncs:f_one
	attached_by raw_tp t:sched:sched_switch raw_tp sched_switch
	! has fentry || attached_by fentry do_sys_openat2 fentry do_sys_openat2
	! has fentry || attached_by fentry r:do_sys_openat2 fexit do_sys_openat2
	! has kprobe.multi || attached_by kprobe.multi vfs_read kprobe.multi vfs_read
	! has kprobe.multi || attached_by kprobe.multi r:vfs_read kretprobe.multi vfs_read
	! has uprobe.multi || attached_by uprobe.multi 'u:/bin/ufuncs:f_*' uprobe.multi 'ufuncs:f_[a-z]+ \+4'
}

# All members must be exactly what was asked for, and memory as the kernel accounts for it.
# kernels=all
test_json() {
	start sonde funccount 'u:/bin/ufuncs:f_*'
	st --json
	expect_json program links active targets missed memory
	targets=$(cut -f 4 rows)
	for f in f_one f_two f_three f_deep f_never; do
		case $targets in
		*\"/bin/ufuncs:$f\"*) ;;
		*) [ "$KERNEL" = 6.1 ] || fail "$f is not among $targets" ;;
		esac
	done
	[ "$(cut -f 3 rows | sort -u)" = true ] || fail "not active"
	[ "$(cut -f 6 rows | sort -n | head -n 1)" -ge 4096 ] || fail "memory"
	grep -q "\"state\":\"held\".*\"processes\":\\[{\"pid\":$started,\"comm\":\"sonde\"}\\]" out || fail "owner"
	st -v
	has uprobe.multi || expect_line ' count ' # each is a program there, or a link without a name
	! has uprobe.multi || expect_line '/bin/ufuncs:f_one.*/bin/ufuncs:f_never'
	stop INT
}

# Leftovers with their hits, those of one owner as one row. What reset-trace would remove is an
# orphan.
test_events() {
	pid=$(dead_pid) at=$(place)
	for n in 1 2 3; do
		echo "p:uprobes/p__bin_${n}_bcc_$pid $at"
	done >> $T/uprobe_events
	echo "p:uprobes/mine $at" >> $T/uprobe_events
	echo "p:uprobes/unused $at" >> $T/uprobe_events
	echo "p:live/p_bcc_$$ $at" >> $T/uprobe_events
	echo "p:probe/mine $getpgid" >> $T/kprobe_events
	for event in uprobes/p__bin_1_bcc_$pid uprobes/p__bin_2_bcc_$pid uprobes/mine probe/mine; do
		echo 1 > $T/events/$event/enable
	done
	run ufuncs 10
	run calls 7 getpgid
	st
	expect_exit 0
	expect_line "^uprobe event +uprobes/\(3\) .* 20 .*orphan: bcc \(pid $pid, dead\)\$"
	expect_line "^uprobe event +uprobes/mine .* 10 .* -\$"
	expect_line '^uprobe event +uprobes/unused .* 0 .* -$'
	expect_line "^uprobe event +live/p_bcc_$$ .* 0 .* inferred: bcc \(pid $$, sh\)\$"
	expect_line "^kprobe event +probe/mine +$getpgid.* 7 .*inferred: perf\$"
	st -v
	expect_line "^uprobe event +uprobes/p__bin_2_bcc_$pid .* 10 .*dead\)\$"
	expect_line "^uprobe event +uprobes/p__bin_3_bcc_$pid .* 0 .*dead\)\$"
	st --json
	expect_json kind group name active hits
	grep -q "^uprobe event	uprobes	mine	true	10\$" rows || fail "mine: $(cat rows)"
	[ "$(grep -c '"dead":true' out)" = 3 ] || fail "dead ones"
	sonde reset-trace -F > /dev/null
}

# The owner of a perf event is visible, but not which event it is: then nothing is called an orphan.
test_perf_events() {
	echo "p:ebpf_0a/used $(place)" >> $T/uprobe_events
	perfhold "$(cat $T/events/ebpf_0a/used/id)" > held &
	wait_until 10 grep -q . held
	st
	expect_row perf_event perfhold '\(1\)' "perfhold \($!\)"
	expect_row 'uprobe event' ebpf_0a/used 'ufuncs:0x[0-9a-f]+' 'inferred: cilium'
	kill $!
	wait $! || :
	st
	expect_row 'uprobe event' ebpf_0a/used 'ufuncs:0x[0-9a-f]+' 'orphan: cilium'
	sonde reset-trace
}

test_settings() {
	cd $T
	echo vfs_read > set_ftrace_filter
	echo vfs_write >> set_ftrace_filter
	echo function > current_tracer
	echo 1 > events/sched/sched_process_hang/enable
	echo 1 > events/sched/sched_process_wait/enable
	echo 'pid > 0' > events/sched/sched_process_free/filter
	echo stacktrace:3 > events/sched/sched_process_exit/trigger
	mkdir instances/other
	echo 1 > instances/other/events/sched/sched_process_hang/enable
	cd /tmp
	st
	expect_row setting current_tracer function -
	expect_row setting set_ftrace_filter 'vfs_(read|write) \+1' -
	expect_row enabled sched "sched_process_(hang|wait) \\+1" -
	expect_row enabled 'other: sched' sched_process_hang -
	expect_row filter 'sched:sched_process_free' 'pid > 0' -
	expect_row trigger 'sched:sched_process_exit' 'stacktrace.*' -
	expect_row instance other - -
	cat $T/instances/other/trace_pipe > /dev/null &
	wait_until 10 test "$(readlink /proc/$!/exe)" = /bin/busybox
	wait_until 10 holds_pipe $!
	st
	expect_row trace_pipe 'other: instances/other/trace_pipe' trace_pipe "cat \($!\)"
	expect_row enabled 'other: sched' sched_process_hang "inferred: cat \($!\)"
	expect_row enabled sched "sched_process_(hang|wait) \\+1" -
	st --json
	expect_json kind instance targets
	kill $!
	wait $! || :
	sonde reset-trace -F > /dev/null
	[ ! -d $T/instances/other ] || rmdir $T/instances/other
}

holds_pipe() {
	ls -l /proc/$1/fd | grep -q trace_pipe
}

# Something that only a pin keeps: the pin is its owner, until reset-trace removes it.
test_pins() {
	pin link $P/sonde/kept
	st
	expect_exit 0
	expect_line " pin $P/sonde/kept\$"
	st --json
	grep -q '"state":"pinned".*"pins":\["/sys/fs/bpf/sonde/kept"\]' out || fail "no pin"
	run sonde reset-trace
	expect_exit 0
	st
	[ ! -s out ] || fail "it is still there"
}

# Runs, while they are counted, must be what the workload did; after that they are no longer
# counted.
test_cost() {
	before=$(cat /proc/sys/kernel/bpf_stats_enabled)
	start sonde funccount --mechanism kprobe $getpgid
	while :; do calls 1000 getpgid; done > did &
	run sonde status --cost -i 1 --json
	kill $!
	wait $! || :
	expect_exit 0
	expect_json kind runs_per_second cpu_percent hits
	done=$(awk '{ n += $3 } END { print n + 1000 }' did)
	awk -v d="$done" '$1 == "kprobe" && $2 > 0 && $2 <= d && $3 > 0 { ok = 1 } END { exit !ok }' rows ||
		fail "cost: $(cat rows), $done done"
	[ "$(cat /proc/sys/kernel/bpf_stats_enabled)" = "$before" ] || fail "the statistics stay on"
	st
	expect_no_line HITS
	stop INT
}

shown_twice() {
	[ "$(grep -c '^KIND' out)" -ge 2 ] && [ "$(grep -c ' g20/mine' out)" -ge 2 ]
}

# Tables until Ctrl-C. tests/unit/output.c tests what a terminal shows.
# kernels=one
test_watch() {
	echo "p:uprobes/$(printf %040d 0 | tr 0 x) $(place)" >> $T/uprobe_events
	for n in $(seq 20); do
		echo "p:g$n/mine $(place)" >> $T/uprobe_events
	done
	: > out
	dfl sonde status -w -i 50ms > out 2> err &
	started=$!
	wait_until 20 shown_twice || fail "not again and again, or not all rows"
	stop INT
	expect_exit 0
	sonde reset-trace -F > /dev/null
}

# kernels=one
test_unprivileged() {
	start sonde funccount u:/bin/ufuncs:f_one
	run su user -c 'sonde status'
	expect_exit 0
	expect_err 'BPF programs and links cannot be listed: .*try sudo'
	expect_err 'descriptors of [0-9]+ process'
	expect_err tracefs
	stop INT
	st something
	expect_exit 2
	expect_err something
	st -i 0 -w
	expect_exit 2
	# tracefs is read even if it is mounted nowhere
	echo "p:uprobes/unused $(place)" >> $T/uprobe_events
	run unshare -m sh -c 'umount -l /sys/kernel/debug; umount -l /sys/kernel/tracing; sonde status'
	expect_exit 0
	expect_row 'uprobe event' uprobes/unused 'ufuncs:0x[0-9a-f]+' -
	sonde reset-trace -F
}

# Thousands of leftovers are one row.
# kernels=one
test_many_events() {
	pid=$(dead_pid) at=$(place)
	awk -v pid="$pid" -v at="$at" 'BEGIN {
		for (i = 0; i < 1000; i++)
			print "p:uprobes/p_" i "_bcc_" pid, at
	}' >> $T/uprobe_events
	read -r began _ < /proc/uptime
	st
	read -r ended _ < /proc/uptime
	[ "$(wc -l < out)" = 2 ] || fail "more than one row"
	expect_row 'uprobe event' 'uprobes/\(1000\)' 'ufuncs:.*' "orphan: bcc \(pid $pid, dead\)"
	awk "BEGIN { print $ended - $began \" s for 1000\" }"
	run sh -c 'sonde status -v | head -n 3'
	expect_exit 0
	[ ! -s err ] || fail "a closed pipe is told"
	sonde reset-trace > /dev/null
}
