# SPDX-License-Identifier: BSD-2-Clause
# The mechanisms by which sonde funccount attaches: the best one for many functions and for few, and
# what it falls back to.

# link_types: prints the kinds of links in the kernel, as numbers of enum bpf_link_type.
link_types() {
	traces bpf | awk '$1 == "link" { print $3 }' | sort -un | tr '\n' ' '
}

# Asks the kernel, not sonde, how one function, many functions, a tracepoint and a user function are
# attached.
# kernels=all arch=yes
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

# One program and one link for many functions: the kernel says which link, and what has no trampoline is not tried.
# kernels=ends
test_many_trampolines() {
	has fentry.multi || { refused fentry.multi 'vfs_*'; return 0; }
	start sonde funccount --mechanism fentry.multi 'vfs_*' seq_printf do_sys_openat2 r:vfs_read
	[ "$(link_types)" = "15 " ] || fail "many functions: link types $(link_types)"
	stop INT
	expect_err 'not attached, it has a variable number of arguments: seq_printf$'
	no_residue
	fc --mechanism fentry.multi 'vfs_*' do_sys_openat2 -- calls 1000 openat 300 read
	expect_exit 0
	expect_count_or_missed do_sys_openat2 1001
	expect_count_or_missed vfs_read 300
	fc --mechanism fentry.multi 'r:vfs_*' -- calls 300 read
	expect_count_or_missed vfs_read 300
}

# A target for which a mechanism is not made is reported with the reason, like any other failure,
# and not tried.
# kernels=one
test_mechanism_for_some() {
	fc --mechanism uprobe u:/bin/ufuncs:f_one t:sched:sched_switch t:sched:sched_wakeup do_sys_openat2 -- ufuncs 10
	expect_exit 0
	expect_count f_one 10
	expect_err '2 not attached, uprobe cannot attach to a tracepoint: sched:sched_switch, sched:sched_wakeup$'
	expect_err '1 not attached, uprobe cannot attach to a kernel function: do_sys_openat2$'
}

load() {
	while [ ! -e enough ]; do
		busybox cp /bin/calls copy
		busybox rm copy
		busybox true
	done
}

# Prints the number of attached targets, from "Tracing N functions for ...".
tracing() {
	sed -n 's/^Tracing \([0-9]*\) .*/\1/p' err
}

# timeout=240 kernels=turns
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
	sleep 2
	: > enough
	wait $!
	stop INT
	expect_exit 0
	[ "$(counted vfs_write)" -gt 0 ] || fail "no vfs_write was counted"
	read -r gone _ < /proc/uptime
	echo "gone after $(awk "BEGIN { print $gone - $ended - 2 }") s"
}

# Without kprobe.multi so many kprobes would block the machine for minutes, most of all after a kill
# -9.
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

test_without_tracefs() {
	cat > without <<-'END'
	umount -l /sys/kernel/debug
	umount -l /sys/kernel/tracing
	exec "$@"
	END
	run unshare -m sh without sonde funccount do_sys_openat2 r:vfs_read t:sched:sched_process_exec -- \
		calls 10 openat 5 read
	expect_exit 0
	expect_count do_sys_openat2 11
	expect_count vfs_read 5
	expect_count sched:sched_process_exec 1
	run unshare -m sh without sonde funccount t:syscalls:sys_enter_getpgid 'vfs_w*' -- calls 10 getpgid
	expect_exit 0
	expect_count syscalls:sys_enter_getpgid 10
}

# kernels=all
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

# kernel.kptr_restrict=2 hides addresses even from root: functions are then attached by name.
test_hidden_addresses() {
	before=$(cat /proc/sys/kernel/kptr_restrict)
	echo 2 > /proc/sys/kernel/kptr_restrict
	fc do_sys_openat2 r:vfs_read -- calls 10 openat 5 read
	echo "$before" > /proc/sys/kernel/kptr_restrict
	expect_exit 0
	expect_count do_sys_openat2 11
	expect_count vfs_read 5
}
