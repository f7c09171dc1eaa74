# SPDX-License-Identifier: BSD-2-Clause
# sonde swapin: its counts must be the kernel's own.

# Adds up what each processor has counted.
swapped_in() {
	cat /proc/sys/vm/stat_refresh 2> /dev/null || :
	awk '$1 == "pswpin" { print $2 }' /proc/vmstat
}

swap_off() {
	swapoff "$device"
	rmdir "$group"
	echo -memory > /sys/fs/cgroup/cgroup.subtree_control
	echo 3 > /proc/sys/vm/page-cluster
}

test_swapin() {
	grep -q memory /sys/fs/cgroup/cgroup.controllers || skip "there is no limit of memory for cgroups"
	device=$(disk scratch) group=/sys/fs/cgroup/swaps
	mkswap "$device" > made
	swapon "$device"
	# no reading ahead: each fault reads one page
	echo 0 > /proc/sys/vm/page-cluster
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	mkdir "$group"
	echo 8M > "$group/memory.max"
	before=$(swapped_in)
	start sonde swapin -T 3600
	sh -c "echo \$\$ > $group/cgroup.procs; exec swaps 5000" > did
	stop INT
	after=$(swapped_in)
	swap_off
	expect_exit 0
	[ $((after - before)) -ge 1000 ] || fail "the kernel swapped in only $((after - before)) pages"
	expect_heading 'COMM             PID     COUNT'
	seen=$(awk 'NR > 1 { n += $NF } END { print n + 0 }' out)
	expect_between swapin $((after - before)) $((after - before)) "$seen"
	expect_line '^swaps            [0-9]+ +[0-9]+$'
}
