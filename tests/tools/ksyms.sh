# SPDX-License-Identifier: BSD-2-Clause
# Functions of the kernel by address and by name, as src/kernel/ finds them, against /proc/kallsyms.

# kernels=turns
test_kernel_and_modules() {
	if [ -e /lib/dummy.ko ]; then
		insmod /lib/dummy.ko numdummies=0
		trap 'rmmod dummy' EXIT
	fi
	# a program and its trampoline, where the kernel has them
	sonde funccount -c 'ksyms 1000' vfs_read > out || fail "$(cat out)"
	grep -q 'addresses' out || fail "$(cat out)"
	! grep " and not " out || fail "$(cat out)"
	! has fentry || want=2
	awk -v want="${want:-1}" '/ of BPF/ && $8 >= want { found = 1 } END { exit !found }' out || fail "$(cat out)"
	awk '$1 >= 300 && $6 >= 30 { found = 1 } END { exit !found }' out || fail "$(cat out)"
	[ ! -e /lib/dummy.ko ] || grep -v ' 0 of modules' out
}
