# SPDX-License-Identifier: BSD-2-Clause
# sonde funccount of functions of the kernel and of modules: exact counts by each mechanism and each
# name.
# of file: kernels=all

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

# arch=yes
test_entry_fentry() {
	kernel_exact fentry p
}

# arch=yes
test_return_fentry() {
	kernel_exact fentry r
}

# arch=yes
test_entry_kprobe_multi() {
	kernel_exact kprobe.multi p
}

# arch=yes
test_return_kprobe_multi() {
	kernel_exact kprobe.multi r
}

# arch=yes
test_entry_kprobe() {
	kernel_exact kprobe p
}

# arch=yes
test_return_kprobe() {
	kernel_exact kprobe r
}

test_entry_auto() {
	fc do_sys_openat2 -- calls 1000 openat
	expect_exit 0
	expect_count do_sys_openat2 1000
	expect_err "^Tracing 1 function for \"do_sys_openat2\"\.\.\. Hit Ctrl-C to end\.$|^Tracing 1 functions for "
	# The columns as documented.
	expect_line "^do_sys_openat2 {22,23} +1000$"
}

# kernels=ends
test_entry_and_return_together() {
	fc p:do_sys_openat2 r:vfs_read -- calls 70 openat 50 read
	expect_exit 0
	expect_count vfs_read 50
	expect_count do_sys_openat2 71
}

# The words of bpftrace and of bcc mean the same.
# kernels=ends
test_words() {
	trampolines='fentry: kfunc: fexit: kretfunc:'
	has fentry || trampolines=
	for spec in kprobe: k: p:: kretprobe: kr: $trampolines; do
		fc "${spec}do_sys_openat2" -- calls 5 openat
		expect_exit 0
		expect_count do_sys_openat2 5
	done
}

# Names that ftrace does not list, because it lists another name of the same address.
# kernels=ends
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

# without PATTERN FILE...: counts the functions of a pattern while these files are empty. There must
# be as many as lines of ftrace's list match $listed.
without() {
	functions=$(grep -c "$listed" $tracing/available_filter_functions)
	[ "$functions" -gt 3 ] || fail "$functions functions"
	pattern=$1
	shift
	for file; do
		[ ! -e $file ] || mount --bind /dev/null $file
	done
	fc "$pattern" -- true
	expect_exit 0
	expect_err "^Tracing $functions functions for"
	for file; do
		[ ! -e $file ] || umount $file
	done
}

# Which functions a pattern matches. Their symbols are in the kernel's memory if it says where (from
# 6.0), else in /proc/kallsyms. The functions that can be traced are in ftrace's records or, if it
# does not confirm their number, in its list, with addresses or (before 6.5) only with names.
# kernels=turns
test_symbols_and_records() {
	tracing=/sys/kernel/tracing
	listed=^vfs_re
	without 'vfs_re*' $tracing/available_filter_functions $tracing/available_filter_functions_addrs
	without 'vfs_re*' $tracing/dyn_ftrace_total_info
	[ $KERNEL != 5.10 ] || return 0
	without 'vfs_re*' /proc/kallsyms
	[ -e /lib/dummy.ko ] || return 0
	insmod /lib/dummy.ko numdummies=0
	trap 'rmmod dummy' EXIT
	listed='\[dummy]$'
	without 'dummy:*' /proc/kallsyms
}

# Prints the offset of the first instruction behind the place where ftrace hooks in. On x86-64 that
# place is 5 bytes long, with or without an endbr64 before it. On arm64 it is two instructions, with
# or without a bti before them; the next one saves registers.
behind_hook() {
	[ "$(uname -m)" = x86_64 ] || { echo 16; return; }
	echo "p:house $1" > /sys/kernel/tracing/kprobe_events
	hook=$(sed -n "s/.* $1+0x\([0-9a-f]*\) .*/\1/p" /sys/kernel/debug/kprobes/list)
	echo > /sys/kernel/tracing/kprobe_events
	echo $((0x$hook + 5))
}

# kernels=ends arch=yes
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

# kernels=ends arch=yes
test_offset_within_an_instruction() {
	fc "p:do_sys_openat2+$(($(behind_hook do_sys_openat2) - 2))" -- calls 1 openat
	expect_exit 1
	expect_err do_sys_openat2
}

# kernels=ends
test_module() {
	[ -e /lib/dummy.ko ] || skip "no dummy.ko"
	fc p:dummy:dummy_setup
	expect_exit 1
	insmod /lib/dummy.ko numdummies=0
	n=0
	for spec in p:dummy:dummy_setup dummy:dummy_setup r:dummy:dummy_setup dummy_setup \
		'p:dummy:dummy_set*' 'p:dum*:dummy_setup'; do
		n=$((n + 1))
		fc "$spec" -- sh -c 'ip link add "$0a" type dummy; ip link add "$0b" type dummy' house$n
		expect_exit 0
		expect_count dummy_setup 2
	done
	rmmod dummy
}

# A kretprobe follows about as many calls at a time as there are processors, at least 10 on newer kernels. What it
# misses is said, also on kernels that do not report it.
test_missed_returns() {
	fc --mechanism kprobe r:$getpgid -- calls 10 getpgid
	expect_exit 0
	expect_count $getpgid 10
	! grep 'missed\|missing' err || fail "none is"
	asleep=$(yes sleep | head -n 30)
	# shellcheck disable=SC2086 # a list
	fc --mechanism kprobe r:hrtimer_nanosleep -- waits 4 50 $asleep
	expect_exit 0
	missed=$(sed -n 's/.*: \([0-9]*\) \(hits*\|returns*\) missed.*/\1/p' err)
	[ "${missed:-0}" -gt 0 ] || fail "no return was missed"
	counted=$(sed -n 's/^hrtimer_nanosleep *//p' out)
	# the kernel counts those of other processes, too
	expect_between "counted or missed" 120 130 $((counted + missed))
	# shellcheck disable=SC2086 # a list
	fc --mechanism kprobe hrtimer_nanosleep -- waits 4 50 $asleep
	! grep 'missed\|missing' err || fail "no return is asked for"
}
