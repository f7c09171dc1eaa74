# SPDX-License-Identifier: BSD-2-Clause
# sonde funccount against workloads that know what they did. Where a test needs a kernel function
# it is one that the workload alone calls, once a call, on all kernels: do_sys_openat2 (calls N openat),
# vfs_read (calls N read), and __x64_sys_getpgid (calls N getpgid), which shells do not call.

fc() {
	run sonde funccount "$@"
}

getpgid=__$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')_sys_getpgid
getppid=__$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')_sys_getppid

# --- exact counts, by each mechanism -------------------------------------------

# A mechanism that was asked for by name is used or refused, never replaced.
refused() {
	fc --mechanism "$@" -- calls 1 openat
	expect_exit 1
	expect_one_err "$(echo "$1" | sed 's/_tp$/[_ ]t(p|racepoint)/')"
}

kernel_exact() {
	has "$1" || { refused "$1" "$2:do_sys_openat2"; return 0; }
	fc --mechanism "$1" "$2:do_sys_openat2" -- calls 1000 openat
	expect_exit 0
	expect_line '^FUNC +COUNT$'
	expect_count do_sys_openat2 1000
	fc --mechanism "$1" "$2:do_sys_openat2" "$2:vfs_read" -- calls 300 openat 200 read
	expect_count vfs_read 200
	expect_count do_sys_openat2 301
}

test_entry_fentry() {
	kernel_exact fentry p
}

test_return_fentry() {
	kernel_exact fentry r
}

test_entry_kprobe_multi() {
	kernel_exact kprobe.multi p
}

test_return_kprobe_multi() {
	kernel_exact kprobe.multi r
}

test_entry_kprobe() {
	kernel_exact kprobe p
}

test_return_kprobe() {
	kernel_exact kprobe r
}

test_entry_auto() {
	fc do_sys_openat2 -- calls 1000 openat
	expect_exit 0
	expect_count do_sys_openat2 1000
	expect_err "^Tracing 1 function for \"do_sys_openat2\"\.\.\. Hit Ctrl-C to end\.$|^Tracing 1 functions for "
	# The documented columns.
	expect_line "^do_sys_openat2 {22,23} +1000$"
}

test_entry_and_return_together() {
	fc p:do_sys_openat2 r:vfs_read -- calls 70 openat 50 read
	expect_exit 0
	expect_count vfs_read 50
	expect_count do_sys_openat2 71
}

# The words of bpftrace and of bcc mean the same.
test_words() {
	trampolines='fentry: kfunc: fexit: kretfunc:'
	has fentry || trampolines=
	for spec in kprobe: k: p:: kretprobe: kr: $trampolines; do
		fc "${spec}do_sys_openat2" -- calls 5 openat
		expect_exit 0
		expect_count do_sys_openat2 5
	done
}

# Names that ftrace's list does not have, because another name of the same address is there.
test_alias() {
	for spec in "$getpgid" "r:$getpgid"; do
		fc "$spec" -- calls 1000 getpgid
		expect_exit 0
		expect_count "$getpgid" 1000
	done
	fc --mechanism kprobe "$getpgid" -- calls 1000 getpgid
	expect_count "$getpgid" 1000
	has kprobe.multi || return 0
	fc --mechanism kprobe.multi "$getpgid" -- calls 1000 getpgid
	expect_count "$getpgid" 1000
}

# The first instruction after the place where ftrace hooks in: on x86-64 5 bytes long, behind an endbr64 or
# not; on arm64 two instructions, behind a bti or not, and what follows saves registers.
behind_hook() {
	[ "$(uname -m)" = x86_64 ] || { echo 16; return; }
	echo "p:house $1" > /sys/kernel/tracing/kprobe_events
	hook=$(sed -n "s/.* $1+0x\([0-9a-f]*\) .*/\1/p" /sys/kernel/debug/kprobes/list)
	echo > /sys/kernel/tracing/kprobe_events
	echo $((0x$hook + 5))
}

test_offset() {
	offset=$(behind_hook do_sys_openat2)
	fc "p:do_sys_openat2+$offset" -- calls 1000 openat
	expect_exit 0
	grep -E '^do_sys_openat2' out > rows || fail "no row"
	[ "$(awk '{ print $2 }' rows)" = 1000 ] || fail "not 1000"
	fc "p:do_sys_openat2+$(printf 0x%x "$offset")" -- calls 10 openat
	expect_exit 0
	expect_line '^do_sys_openat2.* 10$'
}

test_offset_within_an_instruction() {
	fc "p:do_sys_openat2+$(($(behind_hook do_sys_openat2) - 2))" -- calls 1 openat
	expect_exit 1
	expect_err do_sys_openat2
}

# --- tracepoints ---------------------------------------------------------------

test_tracepoint_raw() {
	for spec in t:sched:sched_process_exit tracepoint:sched:sched_process_exit; do
		fc "$spec" -- forks 5 0 1
		expect_exit 0
		expect_count sched:sched_process_exit 6
	done
	fc rt:sched_process_exit -- forks 5 0 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_exit 6
	fc --mechanism raw_tp t:sched:sched_process_fork -- forks 5 0 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_fork 5
}

test_tracepoint_perf() {
	fc t:syscalls:sys_enter_getpgid -- calls 1000 getpgid
	expect_exit 0
	expect_count_or_missed syscalls:sys_enter_getpgid 1000
	fc --mechanism tp t:sched:sched_process_fork -- forks 5 0 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_fork 5
}

# Many tracepoints of syscalls hang on two raw ones, and each still has a row of its own.
test_tracepoints_of_all_syscalls() {
	fc 't:syscalls:*' -- calls 1000 getpgid
	expect_exit 0
	expect_count_or_missed syscalls:sys_enter_getpgid 1000
	fc --mechanism raw_tp t:syscalls:sys_enter_getpgid t:syscalls:sys_exit_getpgid t:sched:sched_process_exec -- calls 500 getpgid
	expect_exit 0
	expect_count_or_missed syscalls:sys_enter_getpgid 500
	expect_count_or_missed syscalls:sys_exit_getpgid 500
	expect_count sched:sched_process_exec 1
}

# Hits that the kernel skips while another task was preempted in the program are in its own count.
# cpus=2
test_tracepoint_under_load() {
	for mechanism in raw_tp tp; do
		start sonde funccount --mechanism $mechanism t:sched:sched_process_fork
		forks 4 4 1000
		forks 4 4 1000
		stop INT
		expect_exit 0
		! grep missed err || fail "$mechanism missed"
		[ "$(counted sched:sched_process_fork)" -ge 40 ] || fail "$mechanism: too few"
	done
	fc t:raw_syscalls:sys_enter -- forks 4 4 1000
	expect_exit 0
	! grep missed err || fail "missed"
	[ "$(counted raw_syscalls:sys_enter)" -ge 16000 ] || fail "too few"
}

test_tracepoint_glob() {
	fc 't:syscalls:sys_*_getpgid' -- calls 40 getpgid
	expect_exit 0
	sed -i 's/^syscalls:sys_[a-z]*_getpgid/both/' out
	expect_count_or_missed both 80
	fc 't:sched:sched_process_f*' t:sched:sched_process_exec -- forks 3 0 1
	expect_exit 0
	expect_line '^sched:sched_process_fork +[0-9]+$'
	expect_line '^sched:sched_process_exec +1$'
}

# --- user functions and marks --------------------------------------------------

user_exact() {
	has "$1" || { refused "$1" "$2:/bin/ufuncs:f_one"; return 0; }
	fc --mechanism "$1" "$2:/bin/ufuncs:f_one" -- ufuncs 100
	expect_exit 0
	expect_count f_one 100
	fc --mechanism "$1" "$2:/bin/ufuncs:f_one" "$2:/bin/ufuncs:f_three" -- ufuncs 20
	expect_count f_one 20
	expect_count f_three 60
}

test_user_entry_uprobe() {
	user_exact uprobe u
}

test_user_return_uprobe() {
	user_exact uprobe ur
}

test_user_entry_uprobe_multi() {
	user_exact uprobe.multi u
}

test_user_return_uprobe_multi() {
	user_exact uprobe.multi ur
}

test_user_glob() {
	fc 'u:/bin/ufuncs:f_*' u:/bin/ufuncs:twin -- ufuncs 20
	expect_exit 0
	# f_two has two names for one place: one row, under either.
	# The twins are told apart somehow.
	sed -i 's/^f_two_alias /f_two /; s/^[^ ]*twin[^ ]* /twin /' out
	expect_did
	expect_no_line '^f_never'
	[ "$(grep -c '^f_two' out)" = 1 ] || fail "f_two has more than one row"
}

test_user_alias() {
	fc u:/bin/ufuncs:f_two_alias -- ufuncs 20
	expect_exit 0
	expect_line '^f_two(_alias)? +40$'
}

# Two static functions of one name are two places.
test_user_twins() {
	fc u:/bin/ufuncs:twin -- ufuncs
	expect_exit 0
	expect_line '^[^ ]*twin[^ ]* +3$'
	expect_line '^[^ ]*twin[^ ]* +4$'
	[ "$(awk '$1 ~ /twin/ { print $1 }' out | sort -u | wc -l)" = 2 ] || fail "both are called the same"
}

test_user_recursion() {
	fc u:/bin/ufuncs:f_deep -- ufuncs
	expect_count f_deep 10
	fc ur:/bin/ufuncs:f_deep -- ufuncs
	expect_count f_deep 10
}

test_user_short_forms() {
	for spec in /bin/ufuncs:f_one p:/bin/ufuncs:f_one r:/bin/ufuncs:f_one uprobe:/bin/ufuncs:f_one \
		uretprobe:/bin/ufuncs:f_one u:ufuncs:f_one "u:/bin/ufuncs:f_one+0"; do
		fc "$spec" -- ufuncs 7
		expect_exit 0
		expect_count f_one 7
	done
}

test_user_address() {
	at=$(awk '$2 == "f_one" { print $1 }' /ufuncs.symbols)
	[ "$at" ] || skip "no addresses of ufuncs"
	fc "u:/bin/ufuncs:$at" -- ufuncs 9
	expect_exit 0
	[ "$(awk '$2 == 9 && NF == 2' out | wc -l)" = 1 ] || fail "no row with 9"
}

# Every function of a dynamic program.
test_user_everything() {
	fc 'u:/bin/libcalls:*' -- libcalls 11
	expect_exit 0
	expect_count main 1
	expect_count own_work 11
}

# What a library counts in itself is the difference of two runs.
library_exact() {
	fc "u:c:$1" -- libcalls 0
	expect_exit 0
	before=$(counted "$1")
	fc "u:c:$1" -- libcalls 1000
	expect_exit 0
	[ $(($(counted "$1") - before)) = 1000 ] || fail "$1: $before and then $(counted "$1")"
}

test_library_malloc() {
	library_exact malloc
}

test_library_ifunc() {
	library_exact strlen
	library_exact memcpy
}

test_usdt() {
	fc usdt:/bin/usdt:house:plain -- usdt 20
	expect_exit 0
	expect_count house:plain 20
	fc usdt:/bin/usdt:places -- usdt 20
	expect_exit 0
	expect_count house:places 60
}

# A mark with a semaphore: the program passes it only where somebody has raised the semaphore.
test_usdt_semaphore() {
	fc 'usdt:/bin/usdt:house:*' -- usdt 20
	expect_exit 0
	expect_line '^did house:gated 20$'
	expect_did
}

test_usdt_semaphore_of_a_running_program() {
	# -p and marks: raised for that process, and lowered again behind it.
	usdt 1 > before
	fc usdt:/bin/usdt:gated -- usdt 5
	expect_count house:gated 5
	usdt 1 > after
	cmp before after || fail "the semaphore stayed"
}

# --- filters -------------------------------------------------------------------

test_filter_pid() {
	gate calls -t 100 getpgid
	start sonde funccount -p "$gated" "$getpgid"
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_count "$getpgid" 200
}

test_filter_tid() {
	gate calls -t 100 getpgid
	start sonde funccount --tid "$gated" "$getpgid"
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

test_filter_pid_user() {
	gate calls 100 getpgid
	start sonde funccount -p "$gated" u:/bin/calls:call_getpgid
	calls 50 getpgid
	open_gate
	stop INT
	expect_exit 0
	expect_count call_getpgid 100
}

test_filter_comm() {
	cp /bin/calls other
	start sonde funccount --comm other "$getpgid"
	calls 50 getpgid
	./other 100 getpgid
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

test_filter_uid() {
	start sonde funccount --uid 1000 "$getpgid"
	calls 50 getpgid
	su user -c 'exec calls 100 getpgid'
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

# cpus=2
test_filter_cpu() {
	start sonde funccount --cpu 1 "$getpgid"
	taskset 0x1 calls 50 getpgid
	taskset 0x2 calls 100 getpgid
	stop INT
	expect_exit 0
	expect_count "$getpgid" 100
}

within() {
	sh -c 'echo $$ > "/sys/fs/cgroup/$0/cgroup.procs"; exec "$@"' "$@"
}

test_filter_cgroup() {
	mkdir -p /sys/fs/cgroup/house/inner /sys/fs/cgroup/other
	start sonde funccount --cgroup /sys/fs/cgroup/house "$getpgid"
	calls 50 getpgid
	within other calls 50 getpgid
	within house calls 100 getpgid
	within house/inner calls 30 getpgid
	stop INT
	rmdir /sys/fs/cgroup/house/inner /sys/fs/cgroup/house /sys/fs/cgroup/other
	expect_exit 0
	expect_count "$getpgid" 130
}

test_filters_together() {
	gate calls 100 getpgid
	start sonde funccount -p "$gated" --comm calls --uid 0 "$getpgid"
	open_gate
	stop INT
	expect_count "$getpgid" 100
	gate calls 100 getpgid
	start sonde funccount -p "$gated" --uid 1000 "$getpgid"
	open_gate
	stop INT
	expect_exit 0
	expect_count "$getpgid" 0
}

test_pid_namespace() {
	run unshare -p -f sonde funccount "$getpgid" -- calls 100 getpgid
	if [ "$status" = 0 ]; then
		expect_count "$getpgid" 100
	else
		expect_exit 1
		expect_one_err 'pid namespace'
	fi
	cat > inside <<-'END'
	mount -t proc proc /proc
	. /lib.sh
	mkdir inner
	cd inner
	gate calls 100 getpgid
	start sonde funccount -p "$gated" "$1"
	calls 50 getpgid
	open_gate
	stop INT
	END
	run unshare -p -m -f sh -e inside "$getpgid"
	expect_exit 0
	cp inner/out out
	expect_count "$getpgid" 100
}

# --- commands ------------------------------------------------------------------

test_command_as_a_string() {
	fc -c 'calls 1000 getpgid' "$getpgid"
	expect_exit 0
	expect_count "$getpgid" 1000
}

test_command_children() {
	fc "$getppid" -- forks 5 0 100
	expect_count "$getppid" 500
	fc "$getppid" -- forks -d 4 0 100
	expect_count "$getppid" 400
}

test_command_threads() {
	fc "$getppid" -- forks 2 3 50
	expect_count "$getppid" 300
}

# cpus=2
test_command_on_two_processors() {
	for mechanism in fentry kprobe.multi kprobe; do
		has $mechanism || continue
		fc --mechanism $mechanism do_sys_openat2 "r:vfs_read" -- forks 1 0 0
		fc --mechanism $mechanism "$getppid" -- forks 4 4 1000
		[ $mechanism = fentry ] && [ "$status" = 1 ] && continue # the alias may have no BTF
		expect_exit 0
		expect_count "$getppid" 16000
	done
	fc t:syscalls:sys_enter_getppid -- forks 4 4 1000
	expect_count_or_missed syscalls:sys_enter_getppid 16000
	fc u:/bin/calls:call_getpgid -- calls -t 2000 getpgid
	expect_count call_getpgid 4000
}

test_command_and_nobody_else() {
	spin > /dev/null &
	other=$!
	fc "$getppid" -- forks 3 0 100
	kill $other
	wait $other || :
	expect_exit 0
	expect_count "$getppid" 300
}

test_command_that_fails() {
	fc do_sys_openat2 -- false
	expect_exit 0
	fc do_sys_openat2 -- /no/such/command
	expect_exit 1
	expect_err '/no/such/command'
}

# --- how it ends ---------------------------------------------------------------

ends_by() {
	start sonde funccount --comm calls do_sys_openat2
	calls 123 openat
	stop "$1"
	expect_exit 0
	expect_count do_sys_openat2 123
}

test_end_by_sigint() {
	ends_by INT
}

test_end_by_sigterm() {
	ends_by TERM
}

test_end_takes_the_command_along() {
	start sonde funccount "$getppid" -- spin
	usleep 300000
	stop TERM
	expect_exit 0
	[ "$(counted "$getppid")" -gt 0 ] || fail "nothing counted"
}

test_end_of_duration() {
	fc -d 1 "$getppid" -- spin
	expect_exit 0
	[ "$(counted "$getppid")" -gt 0 ] || fail "nothing counted"
}

test_crashes_leave_nothing() {
	for signal in KILL SEGV QUIT HUP; do
		start sonde funccount do_sys_openat2 r:vfs_read 'vfs_w*' t:syscalls:sys_enter_getpgid 'u:/bin/ufuncs:f_*' \
			'usdt:/bin/usdt:*' -- spin
		kill -$signal "$started"
		wait "$started" || :
		no_residue
	done
}

# 50 moments on each kernel, other ones on each.
# timeout=300
test_killed_at_any_moment() {
	specs='do_sys_openat2 r:vfs_read kprobe:vfs_w* t:sched:sched_process_exit t:syscalls:sys_enter_getpgid u:/bin/ufuncs:f_* usdt:/bin/usdt:*'
	read -r began _ < /proc/uptime
	fc $specs -- true
	expect_exit 0
	read -r ended _ < /proc/uptime
	whole=$(awk "BEGIN { print int(($ended - $began) * 1000000) }")
	n=0
	while [ $((n += 1)) -le 50 ]; do
		sonde funccount $specs -- spin > /dev/null 2>&1 &
		usleep "$(awk -v n="$n$KERNEL" -v whole="$whole" 'BEGIN { srand(n * 1000); print int(rand() * whole) }')"
		kill -9 $!
		wait $! 2> /dev/null || :
		[ $((n % 10)) != 0 ] || no_residue
	done
	echo "50 kills within $whole us"
}

test_closed_pipe() {
	spin > /dev/null &
	other=$!
	read -r began _ < /proc/uptime
	(
		status=0
		sonde funccount -i 1 -d 40 "$getppid" 2> err || status=$?
		echo $status > status
	) | head -n 2 > out
	read -r ended _ < /proc/uptime
	kill $other
	cat out err status
	expect_line '^FUNC +COUNT$'
	! grep -v '^Tracing ' err || fail "not quiet"
	[ "$(cat status)" = 0 ] || fail "exit status $(cat status)"
	[ "${ended%.*}" -lt $((${began%.*} + 20)) ] || fail "went on for $((${ended%.*} - ${began%.*})) s"
}

test_full_disk() {
	run sh -c 'exec sonde funccount do_sys_openat2 -- calls 1 openat > /dev/full'
	expect_exit 1
	expect_err 'No space left'
}

test_closed_stdout() {
	run sh -c 'exec sonde funccount do_sys_openat2 -- calls 1 openat >&-'
	expect_exit 1
	grep -v '^Tracing' err | grep -q . || fail "not said"
}

test_closed_stdin_and_stderr() {
	run sh -c 'exec sonde funccount do_sys_openat2 -- calls 10 openat <&- 2>&-'
	expect_exit 0
	expect_count do_sys_openat2 10
}

# --- intervals and output ------------------------------------------------------

test_intervals_add_up() {
	fc -i 1 "$getppid" -- spin 3
	expect_exit 0
	expect_did_as getppid "$getppid"
	[ "$(grep -c '^FUNC' out)" -ge 3 ] || fail "too few tables"
}

# The workload's name for it and the function's.
expect_did_as() {
	expect_count "$2" "$(awk -v f="$1" '$1 == "did" && $2 == f { n += $3 } END { print n }' out)"
}

test_intervals_and_duration() {
	spin > /dev/null &
	other=$!
	read -r began _ < /proc/uptime
	fc -i 1 -d 3 -T --comm spin "$getppid"
	read -r ended _ < /proc/uptime
	kill $other
	expect_exit 0
	[ "$(grep -c '^FUNC' out)" = 3 ] || fail "not three tables"
	[ "$(grep -cE '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]$' out)" = 3 ] || fail "not three times"
	[ "$(grep -cE "^$getppid +[0-9]+$" out)" = 3 ] || fail "not three rows"
	[ $((${ended%.*} - ${began%.*})) -ge 3 ] || fail "ended early"
}

test_json() {
	fc -j do_sys_openat2 r:vfs_read -- calls 100 openat 30 read
	expect_exit 0
	expect_json func count
	printf 'vfs_read\t30\ndo_sys_openat2\t101\n' > expected
	cmp rows expected || fail "rows: $(cat rows)"
	fc --json -i 1 "$getppid" -- spin 2
	expect_exit 0
	expect_json time func count
	! grep -v -E "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{15}[+-][0-9]{2}:[0-9]{2}$(printf '\t')" rows || fail "not a time"
	sum=$(awk '{ n += $3 } END { print n }' rows)
	[ "$sum" = "$(awk '$1 == "did" { print $3 }' out)" ] || fail "the rows sum up to $sum"
}

test_rows_ascend_and_zero_is_hidden() {
	fc do_sys_openat2 vfs_read vfs_rmdir "$getpgid" -- calls 30 openat 10 read 20 getpgid
	expect_exit 0
	expect_no_line vfs_rmdir
	grep -v -E '^(did|FUNC|$)' out | awk '{ print $2 }' > order
	[ "$(echo $(cat order))" = "10 20 31" ] || fail "order: $(echo $(cat order))"
}

test_top() {
	fc --top 1 do_sys_openat2 vfs_read "$getpgid" -- calls 30 openat 10 read 20 getpgid
	expect_exit 0
	expect_count do_sys_openat2 31
	expect_no_line '^vfs_read'
}

test_regex() {
	fc -r '^(do_sys_openat2|vfs_read)$' -- calls 30 openat 10 read
	expect_exit 0
	expect_count do_sys_openat2 31
	expect_count vfs_read 10
}

test_same_place_twice() {
	fc do_sys_openat2 p:do_sys_openat2 'do_sys_openat[2]' -- calls 30 openat
	expect_exit 0
	expect_count do_sys_openat2 30
}

test_quiet() {
	fc -q do_sys_openat2 -- calls 1 openat
	expect_exit 0
	[ ! -s err ] || fail "not quiet"
}

test_link_named_after_the_tool() {
	run funccount do_sys_openat2 -- calls 3 openat
	expect_exit 0
	expect_count do_sys_openat2 3
}

# --- many, two, modules --------------------------------------------------------

# link_types: the kinds of links in the kernel, as numbers of enum bpf_link_type.
link_types() {
	bpf-list | awk '$1 == "link" { print $3 }' | sort -un | tr '\n' ' '
}

# Asked of the kernel, not of sonde: what is one function, many, a tracepoint, a user function attached with?
test_auto_takes_the_best() {
	start sonde funccount do_sys_openat2
	best= # with single kprobes there is no choice, and before 5.15 no link
	! has kprobe.multi || best="8 "
	! has fentry || best="2 "
	[ -z "$best" ] || [ "$(link_types)" = "$best" ] || fail "one function: link types $(link_types)"
	stop INT
	no_residue
	start sonde funccount t:sched:sched_switch
	[ "$(link_types)" = "1 " ] || fail "tracepoint: link types $(link_types)"
	stop INT
	no_residue
	has kprobe.multi || return 0
	start sonde funccount 'vfs_*'
	[ "$(link_types)" = "8 " ] || fail "many functions: link types $(link_types)"
	stop INT
	no_residue
	start sonde funccount 'u:/bin/ufuncs:f_*'
	[ "$(link_types)" = "12 " ] || fail "user functions: link types $(link_types)"
	stop INT
}

load() {
	while [ ! -e enough ]; do
		busybox cp /bin/calls copy
		busybox rm copy
		busybox true
	done
}

# What is counted as attached, from "Tracing N functions for ...".
tracing() {
	sed -n 's/^Tracing \([0-9]*\) .*/\1/p' err
}

# timeout=240
test_every_function() {
	least=35000 pattern='*'
	has kprobe.multi || { least=40 pattern='vfs_*'; }
	read -r began _ < /proc/uptime
	patience=120
	start sonde funccount "$pattern"
	read -r ended _ < /proc/uptime
	echo "armed after $(awk "BEGIN { print $ended - $began }") s"
	[ "$(tracing)" -ge $least ] || fail "only $(tracing) functions"
	load &
	sleep 10
	: > enough
	wait $!
	stop INT
	expect_exit 0
	[ "$(counted vfs_write)" -gt 0 ] || fail "no vfs_write was counted"
	read -r gone _ < /proc/uptime
	echo "gone after $(awk "BEGIN { print $gone - $ended - 10 }") s"
}

# Without kprobe.multi so many kprobes would hold the machine for minutes, most of all after a kill -9.
test_too_many_for_single_kprobes() {
	has kprobe.multi && skip "this kernel has kprobe.multi"
	fc '*'
	expect_exit 1
	expect_one_err 'kprobe.multi.*--mechanism kprobe'
}

test_two_at_once() {
	start sonde funccount --comm calls do_sys_openat2 r:vfs_read u:/bin/ufuncs:f_one
	mkdir second
	cd second
	fc do_sys_openat2 r:vfs_read -- calls 100 openat 50 read
	expect_exit 0
	expect_count do_sys_openat2 101
	expect_count vfs_read 50
	cd ..
	calls 10 openat
	stop INT
	expect_exit 0
	expect_count do_sys_openat2 111
	expect_count vfs_read 50
}

test_module() {
	[ -e /lib/dummy.ko ] || skip "no dummy.ko"
	fc p:dummy:dummy_setup
	expect_exit 1
	insmod /lib/dummy.ko numdummies=0
	add='for i in 1 2 3 4 5; do ip link add house$i type dummy; done'
	del='for i in 1 2 3 4 5; do ip link del house$i; done'
	for spec in p:dummy:dummy_setup dummy:dummy_setup r:dummy:dummy_setup dummy_setup 'p:dummy:dummy_set*' 'p:dum*:dummy_setup'; do
		fc "$spec" -- sh -c "$add"
		expect_exit 0
		expect_count dummy_setup 5
		sh -c "$del"
	done
	rmmod dummy
}

# --- refusals ------------------------------------------------------------------

test_without_capabilities() {
	run su user -c 'sonde funccount do_sys_openat2'
	expect_exit 1
	expect_one_err 'root|CAP_|sudo'
	run su user -c 'sonde funccount u:/bin/ufuncs:f_one'
	expect_exit 1
	expect_one_err 'root|CAP_|sudo'
}

test_without_tracefs() {
	cat > without <<-'END'
	umount -l /sys/kernel/debug
	umount -l /sys/kernel/tracing
	exec "$@"
	END
	run unshare -m sh without sonde funccount do_sys_openat2 r:vfs_read t:sched:sched_process_exec -- calls 10 openat 5 read
	expect_exit 0
	expect_count do_sys_openat2 11
	expect_count vfs_read 5
	expect_count sched:sched_process_exec 1
	run unshare -m sh without sonde funccount t:syscalls:sys_enter_getpgid 'vfs_*' -- calls 10 getpgid
	expect_exit 0
	expect_count syscalls:sys_enter_getpgid 10
}

test_wrong_usage() {
	while read -r arguments; do
		fc $arguments
		expect_exit 2
		grep -q . err || fail "not said"
		[ ! -s out ] || fail "something on stdout"
	done <<-'END'

	-i 0 do_sys_openat2
	-i x do_sys_openat2
	-d 0 do_sys_openat2
	-d 1x do_sys_openat2
	-p 12x do_sys_openat2
	-p -1 do_sys_openat2
	-p 99999999999 do_sys_openat2
	--tid x do_sys_openat2
	--cpu x do_sys_openat2
	--top -1 do_sys_openat2
	--top 1.5 do_sys_openat2
	--mechanism nosuch do_sys_openat2
	--no-such-option do_sys_openat2
	END
}

test_usage_names_the_option() {
	fc -p 12x do_sys_openat2
	expect_err '12x'
	fc --pif 1 do_sys_openat2
	expect_exit 2
	expect_err 'pif.*--pid'
	fc --mechanism fentri do_sys_openat2
	expect_err fentry
}

test_no_match() {
	fc vfs_raed
	expect_exit 1
	expect_one_err 'vfs_raed.*vfs_read'
	fc t:sched:sched_swich
	expect_exit 1
	expect_one_err 'sched_swich.*sched_switch'
	fc u:/bin/ufuncs:f_thre
	expect_exit 1
	expect_one_err 'f_thre.*f_three'
	fc usdt:/bin/usdt:house:plian
	expect_exit 1
	expect_one_err 'plian.*plain'
	fc 'no_such_thing_*'
	expect_exit 1
	expect_one_err 'no_such_thing_'
	# One that matches does not excuse the other.
	fc do_sys_openat2 vfs_raed
	expect_exit 1
	expect_err vfs_raed
}

test_no_such_thing() {
	fc -p 4000000 do_sys_openat2
	expect_exit 1
	expect_one_err 4000000
	fc --cgroup /sys/fs/cgroup/nowhere do_sys_openat2
	expect_exit 1
	expect_one_err nowhere
	fc --uid nosuchuser do_sys_openat2
	expect_exit 2
	expect_one_err nosuchuser
	fc u:/no/such/file:f
	expect_exit 1
	expect_one_err /no/such/file
	fc u:nosuchlib:f
	expect_exit 1
	expect_one_err nosuchlib
}

test_bad_spec_with_caret() {
	for spec in p:vfs_read+zz 'p:vfs_[read' 'p:' 'u:/bin/ufuncs' t:sched; do
		fc "$spec"
		expect_exit 2
		expect_err '^ *\^'
	done
	fc -r 'vfs_(read'
	expect_exit 2
}

test_not_a_program() {
	fc u:/etc/passwd:f
	expect_exit 1
	expect_one_err '/etc/passwd.*ELF'
	fc u:/tmp:f
	expect_exit 1
	mkfifo fifo
	run timeout 10 sonde funccount u:/tmp/fifo:f
	expect_exit 1
}

# No length of a cut file crashes it or makes it hang.
test_truncated_program() {
	size=$(wc -c < /bin/libcalls)
	for length in 0 1 4 16 63 64 65 100 500 1000 4096 8000 $((size / 2)) $((size - 2000)) $((size - 64)) $((size - 1)); do
		head -c "$length" /bin/libcalls > cut
		run timeout 10 sonde funccount u:/tmp/cut:own_wrk
		expect_exit 1
		expect_one_err '/tmp/cut|own_wrk'
	done
}

# A program whose headers are noise.
test_corrupt_program() {
	n=0
	while [ $((n += 1)) -le 40 ]; do
		cp /bin/libcalls noise
		awk -v n=$n 'BEGIN { srand(n); for (i = 0; i < 8; i++) printf "%d\n", rand() * 64 }' | while read -r at; do
			head -c 1 /dev/urandom | dd of=noise bs=1 seek="$((at + 16))" conv=notrunc 2> /dev/null
		done
		status=0
		timeout -s KILL 10 sonde funccount u:/tmp/noise:own_wrk > out 2> err || status=$?
		[ $status = 1 ] || { shown; cp noise /.noise; fail "exit status $status"; }
	done
}

# --- what a review found -------------------------------------------------------

# What a mechanism is not made for is told, not tried: it has a reason like every other.
test_mechanism_for_some() {
	fc --mechanism uprobe u:/bin/ufuncs:f_one t:sched:sched_switch t:sched:sched_wakeup do_sys_openat2 -- ufuncs 10
	expect_exit 0
	expect_count f_one 10
	expect_err '3 not attached, it is nothing that uprobe attaches to: .*sched:sched_switch'
}

# The command is found among other children: of the shell that became sonde, and of a namespace's init.
test_command_among_other_children() {
	for before in 'sleep 9 & sleep 9 &' 'sh -c "sleep 9 &"; sleep 9 &'; do
		run sh -c "$before"' exec sonde funccount "$0" -- calls 100 getpgid' "$getpgid"
		expect_exit 0
		expect_count "$getpgid" 100
		run unshare -p -f sh -c "$before"' exec sonde funccount "$0" -- calls 100 getpgid' "$getpgid"
		expect_exit 0
		expect_count "$getpgid" 100
		killall sleep || :
	done
}

# A reader that takes nothing more: a signal ends it all the same, and what is lost is told.
test_stalled_reader() {
	mkfifo pipe
	sleep 50 < pipe &
	reader=$!
	(
		status=0
		timeout -s INT 5 sonde funccount -i 0.001 t:sched:sched_switch 't:sched:*' 2> err > pipe || status=$?
		echo "$status" > status
	)
	kill -0 $reader || fail "the reader was gone before"
	kill $reader
	cat err status
	expect_err 'the reader takes nothing \([0-9]+ rows? lost\)'
}

# Who ignores hangups for us means it.
test_nohup() {
	start sh -c "trap '' HUP; exec sonde funccount --comm calls do_sys_openat2"
	kill -HUP "$started"
	calls 20 openat
	stop INT
	expect_exit 0
	expect_count do_sys_openat2 20
}

test_without_btf() {
	mount -t tmpfs none /sys/kernel/btf
	fc --mechanism fentry vfs_read
	expect_exit 1
	expect_one_err 'no BTF'
	fc t:sched:sched_process_exec -- true
	expect_exit 1
	expect_one_err 'children cannot be followed.*no BTF'
	start sonde funccount do_sys_openat2 r:vfs_read
	calls 10 openat 5 read
	stop INT
	expect_exit 0
	[ "$(counted do_sys_openat2)" -ge 10 ] || fail "do_sys_openat2 was not counted"
	umount /sys/kernel/btf
}

# kernel.kptr_restrict=2 hides addresses from root too: functions are then attached by name.
test_hidden_addresses() {
	before=$(cat /proc/sys/kernel/kptr_restrict)
	echo 2 > /proc/sys/kernel/kptr_restrict
	fc do_sys_openat2 r:vfs_read -- calls 10 openat 5 read
	echo "$before" > /proc/sys/kernel/kptr_restrict
	expect_exit 0
	expect_count do_sys_openat2 11
	expect_count vfs_read 5
}
