# SPDX-License-Identifier: BSD-2-Clause
# Tests tests/faults/run as far as it needs no build and no guest: `make faults` does the rest.

# A fault that no longer applies would only show when somebody runs all of them.
test_faults_apply() {
	run "$0/tests/faults/run" -c
	expect_exit 0
	expect_line '^[1-9][0-9]* faults apply$'
}

# fault NAME KERNEL TESTS FILE OLD: writes a fault.
fault() {
	printf '%s\n' "kernel: $2" 'breaks: Nothing.' "file: $4" "tests: $3" old: "$5" new: '	other();' > "faults/$1.fault"
}

# expect_refused WHY: the fault "it" does not apply for this reason.
expect_refused() {
	run env FAULTS="$PWD/faults" "$0/tests/faults/run" -c it
	expect_exit 1
	expect_one_err "^it: $1"
}

test_faults_that_do_not_apply() {
	mkdir faults
	quirks=src/attach/quirks.c line='	BPF_FUNC_task_pt_regs = 175, /* since 5.15 */'
	fault it 5.10 guest/none bpf/typed.bpf.h "$line"
	expect_refused 'there is no test guest/none$'
	sed -i 's|guest/none|stream/lost_is_counted|' faults/it.fault
	sed 's/^kernel: .*/kernel: 4.4/' faults/it.fault > faults/old.fault
	run env FAULTS="$PWD/faults" "$0/tests/faults/run" -c it old
	expect_exit 1
	expect_one_err '^old: there is no kernel 4.4$'
	fault it 5.10 stream/lost_is_counted $quirks '#include "quirks.h'
	expect_refused "its old text does not occur once in $quirks$"
	fault it 5.10 stream/lost_is_counted $quirks '	return fd >= 0;'
	expect_refused "its old text does not occur once in $quirks$"
	fault it 5.10 stream/lost_is_counted src/attach/none.c '	return fd >= 0;'
	expect_refused 'not one file is src/attach/none.c$'
	expect_no_line apply
}
