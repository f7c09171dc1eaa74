# SPDX-License-Identifier: BSD-2-Clause
# Functions of the kernel by address and by name, as src/kernel/ finds them, against /proc/kallsyms.

test_kernel_and_modules() {
	if [ -e /lib/dummy.ko ]; then
		insmod /lib/dummy.ko numdummies=0
		trap 'rmmod dummy' EXIT
	fi
	ksyms 1000 > out || fail "$(cat out)"
	awk '$1 >= 300 && $6 >= 30 { found = 1 } END { exit !found }' out || fail "$(cat out)"
	[ ! -e /lib/dummy.ko ] || grep -v ' 0 of modules' out
}
