# SPDX-License-Identifier: BSD-2-Clause
# Tests that run on any kernel that sonde may meet, also without kprobes, and beside other users of
# the machine: they trace only our own programs, each started by sonde.

ufuncs=$(command -v ufuncs)
usdt=$(command -v usdt)
libcalls=$(command -v libcalls)

test_user_function() {
	fc "u:$ufuncs:f_one" "ur:$ufuncs:f_three" -- ufuncs 100
	expect_exit 0
	expect_count f_one 100
	expect_count f_three 300
}

test_user_glob() {
	fc "u:$ufuncs:f_*" "u:$ufuncs:twin" -- ufuncs 20
	expect_exit 0
	sed -i 's/^f_two_alias /f_two /; s/^[^ ]*twin[^ ]* /twin /' out
	expect_did
}

test_user_each_mechanism() {
	for mechanism in uprobe uprobe.multi; do
		fc --mechanism $mechanism "u:$ufuncs:f_one" -- ufuncs 50
		[ "$status" = 0 ] || { expect_exit 1; expect_one_err $mechanism; continue; }
		expect_count f_one 50
	done
}

test_usdt() {
	fc "usdt:$usdt:*" -- usdt 20
	expect_exit 0
	expect_line '^did house:gated 20$'
	expect_did
}

test_library_ifunc() {
	fc u:c:strlen -- libcalls 0
	expect_exit 0
	before=$(counted strlen)
	fc u:c:strlen -- libcalls 1000
	expect_exit 0
	[ $(($(counted strlen) - before)) = 1000 ] || fail "strlen: $before and then $(counted strlen)"
}

test_tracepoint_of_a_command() {
	fc t:sched:sched_process_fork t:sched:sched_process_exit -- forks 5 0 1
	expect_exit 0
	expect_count sched:sched_process_fork 5
	expect_count sched:sched_process_exit 6
}

test_tracepoint_raw() {
	fc rt:sched_process_exit -- forks 5 2 1
	expect_exit 0
	expect_count_or_missed sched:sched_process_exit 16
}

test_children_and_threads() {
	calls=$(command -v calls)
	fc "u:$calls:call_getpgid" -- sh -c 'calls 30 getpgid; calls -t 20 getpgid & wait'
	expect_exit 0
	expect_count call_getpgid 70
}

# A kernel function is counted, or one line says why this kernel cannot.
test_kernel_function_or_refusal() {
	fc do_sys_openat2 -- calls 100 openat
	[ "$status" = 0 ] || { expect_exit 1; expect_one_err 'kprobe|fentry|kernel function'; return 0; }
	expect_count do_sys_openat2 100
}

test_json() {
	fc -j "u:$ufuncs:f_one" -- ufuncs 100
	expect_exit 0
	expect_json func count
	[ "$(cat rows)" = "$(printf 'f_one\t100')" ] || fail "rows: $(cat rows)"
}

test_bad_usage() {
	fc -i 0 "u:$ufuncs:f_one"
	expect_exit 2
	fc "u:$ufuncs:f_thre"
	expect_exit 1
	expect_one_err 'f_thre.*f_three'
}

# Go programs survive tracing on a machine with several processors.
test_go() {
	gofuncs=$(command -v gofuncs)
	fc "ur:$gofuncs:main.*" -- gofuncs 50
	expect_exit 0
	expect_count main.deep 10000
	run sonde funclatency -j -F --max-calls 100000 "u:$gofuncs:main.*" -- gofuncs 50
	expect_exit 0
	expect_line '^did main.nap 150$'
	expect_json func count
	grep -qx "$(printf 'main.deep\t10000')" rows || fail "$(cat rows)"
}
