# SPDX-License-Identifier: BSD-2-Clause
# sonde funccount of user functions, libraries and USDT probes.
# of file: kernels=one

user_exact() {
	has "$1" || { refused "$1" "$2:/bin/ufuncs:f_one"; return 0; }
	fc --mechanism "$1" "$2:/bin/ufuncs:f_one" -- ufuncs 100
	expect_exit 0
	expect_count f_one 100
	fc --mechanism "$1" "$2:/bin/ufuncs:f_one" "$2:/bin/ufuncs:f_three" -- ufuncs 20
	expect_count f_one 20
	expect_count f_three 60
}

# kernels=all arch=yes
test_user_entry_uprobe() {
	user_exact uprobe u
}

# kernels=all arch=yes
test_user_return_uprobe() {
	user_exact uprobe ur
}

# kernels=all arch=yes
test_user_entry_uprobe_multi() {
	user_exact uprobe.multi u
}

# kernels=all arch=yes
test_user_return_uprobe_multi() {
	user_exact uprobe.multi ur
}

# kernels=all
test_user_glob() {
	fc 'u:/bin/ufuncs:f_*' u:/bin/ufuncs:twin -- ufuncs 20
	expect_exit 0
	# f_two has two names for one place: one row, with either name. The twins get different
	# names in the table.
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

# kernels=ends arch=yes
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

# Every function of a dynamically linked program.
# kernels=ends
test_user_everything() {
	fc 'u:/bin/libcalls:*' -- libcalls 11
	expect_exit 0
	expect_count main 1
	expect_count own_work 11
}

# The difference between two runs is what the library did for the workload, without what it does by
# itself.
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

# arch=yes
test_library_ifunc() {
	library_exact strlen
	library_exact memcpy
}

# kernels=ends arch=yes
test_usdt() {
	fc usdt:/bin/usdt:house:plain -- usdt 20
	expect_exit 0
	expect_count house:plain 20
	fc usdt:/bin/usdt:places -- usdt 20
	expect_exit 0
	expect_count house:places 60
}

# A USDT probe with a semaphore: the program passes it only after a tracer has raised the semaphore.
# kernels=all
test_usdt_semaphore() {
	fc 'usdt:/bin/usdt:house:*' -- usdt 20
	expect_exit 0
	expect_line '^did house:gated 20$'
	expect_did
}

test_usdt_semaphore_of_a_running_program() {
	# -p and USDT probes: the semaphore is raised in that process, and lowered again at the end.
	usdt 1 > before
	fc usdt:/bin/usdt:gated -- usdt 5
	expect_count house:gated 5
	usdt 1 > after
	cmp before after || fail "the semaphore stayed"
}

# refused_place SPEC WHY: nothing is attached, one line says why, and the program is not started.
refused_place() {
	fc "$1" -- ufuncs 10
	expect_exit 1
	expect_one_err "$2"
	expect_no_line '^did'
}

# A breakpoint inside an instruction or behind the function would change what the program does.
# arch=yes
test_user_places_refused() {
	at=$(awk '$2 == "f_one" { print $1 }' /ufuncs.symbols)
	data=$(awk '$2 == "_IO_2_1_stdout_" { print $1 }' /ufuncs.symbols)
	[ "$at" ] && [ "$data" ] || fail "no addresses of ufuncs"
	refused_place u:/bin/ufuncs:f_one+1 "'f_one.0x1': the offset is inside an instruction .--force overrides this"
	refused_place u:/bin/ufuncs:f_one+400 \
		"'f_one' ends before .0x190: it is 0x[0-9a-f]* bytes long .--force overrides this"
	refused_place u:/bin/ufuncs:f_one+0x7fffffffffffffff "'f_one' ends before"
	refused_place "u:/bin/ufuncs:$(printf 0x%x $((at + 1)))" 'inside an instruction'
	refused_place "u:/bin/ufuncs:$data" 'not in the code'
	# the address of the ELF header
	refused_place u:/bin/ufuncs:0x400010 'not in the code|no code is there|not in a function'
	refused_place c:memcpy+1 'inside an instruction|not in a function|the length of'
	# the return of a place that is no function's beginning: the stack does not hold a return
	# address there
	[ "$SYS" = __arm64_sys ] && second=4 || second=3
	for spec in u:/bin/ufuncs:f_one+$second "u:/bin/ufuncs:$(printf 0x%x $((at + second)))"; do
		fc "$spec" -- ufuncs 10
		expect_exit 0
		run sonde funclatency "$spec" -- ufuncs 10
		expect_exit 1
		expect_one_err 'place inside a function'
	done
}

# probed NAME+OFFSET: the program runs as it does without a probe, and the calls are counted; else the probe is refused.
probed() {
	name=${1%+*}
	place=$name
	[ "${1#*+}" = 0 ] || place=$name+$(printf 0x%x "${1#*+}")
	run steps "$name"
	cp out alone
	fc "u:/bin/steps:$place" -- steps "$name"
	if [ "$status" = 0 ]; then
		grep '^d' out | cmp -s - alone || fail "the program does not run as before"
		[ "$(counted "$place")" = 3 ] || fail "$(counted "$place") hits, not 3"
		return 0
	fi
	[ "$status" = 1 ] || fail "exit $status"
	expect_one_err "the kernel would skip|the program would die|the program would never get beyond|the kernel sets no probe"
	refused="$refused ${1%+0}"
}

# Of instructions that a kernel may not run as they are: the places, and functions that begin or end with them.
# timeout=900 kernels=all arch=yes
test_user_odd_instructions() {
	refused=
	for place in $(steps -l); do
		probed "$place"
	done
	if [ "$SYS" = __arm64_sys ]; then
		expected=" step_exclusive+8 step_between+12 step_conditional+16 step_literal step_word step_sign step_fetch step_single"
		expected="$expected step_real step_vector step_system+4 step_restore+4 step_yield step_event step_speculation"
		expected="$expected step_check_sp+4 step_signed_return+4 step_signed_jump+8"
	else
		expected=" step_compare step_fused step_clear step_or step_move step_store step_order step_upper step_flags"
		expected="$expected step_lock step_exchange+3 step_system+5 step_jump+7"
	fi
	[ "$refused" = "$expected" ] || fail "refused:$refused; expected:$expected"
	# and the returns, one after the other: the program prints what it does alone
	run steps $(steps -l | sed 's/+.*//')
	cp out alone
	for name in $(steps -l | sed 's/+.*//'); do
		run sonde funclatency "u:/bin/steps:$name" -- steps "$name"
		[ "$status" = 1 ] || grep '^d' out | sed 's/$/x/' | grep -qxF "$(grep " $name " alone)x" ||
			fail "the return of $name: the program does not run as before"
	done
}

# patched PID: how many bytes of its code differ from those of its file, /bin/spin.
patched() {
	set -- "$1" $(sed -n 's,^\([0-9a-f]*\)-\([0-9a-f]*\) r-xp \([0-9a-f]*\) .*/bin/spin$,\1 \2 \3,p' "/proc/$1/maps")
	[ $# = 4 ] || fail "no code of $1"
	pages=$(((0x$3 - 0x$2) / 4096))
	dd if="/proc/$1/mem" of=code bs=4096 skip=$((0x$2 / 4096)) count=$pages 2> /dev/null
	dd if=/bin/spin of=file bs=4096 skip=$((0x$4 / 4096)) count=$pages 2> /dev/null
	[ -s code ] || fail "the code of $1 cannot be read"
	cmp -l code file 2> /dev/null | wc -l
}

# With -p the breakpoint stands in that process alone; without, in each that has mapped the file.
# kernels=all arch=yes
test_breakpoints_of_others() {
	spin > /dev/null &
	target=$!
	spin > /dev/null &
	other=$!
	wait_until 60 grep -q /bin/spin "/proc/$target/maps"
	wait_until 60 grep -q /bin/spin "/proc/$other/maps"
	start sonde funccount -p $target u:/bin/spin:main
	[ "$(patched $target)" -ge 1 ] || fail "the process has no breakpoint"
	[ "$(patched $other)" = 0 ] || fail "another process has a breakpoint"
	stop INT
	start sonde funccount u:/bin/spin:main
	[ "$(patched $target)" -ge 1 ] && [ "$(patched $other)" -ge 1 ] || fail "not each process has a breakpoint"
	stop INT
	[ "$(patched $target)" = 0 ] && [ "$(patched $other)" = 0 ] || fail "a breakpoint is left"
	kill $target $other
}

# At each instruction of a function the program must run as before. At every other byte only --force
# continues.
# kernels=ends arch=yes
test_user_each_instruction() {
	begins=0
	for at in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
		fc "u:/bin/ufuncs:f_deep+$at" -- ufuncs 10
		[ "$status" = 0 ] || { expect_one_err 'inside an instruction'; continue; }
		expect_line '^did f_deep 10$'
		[ "$at" != 0 ] || expect_count f_deep 10
		begins=$((begins + 1))
	done
	[ $begins -ge 3 ] || fail "$begins instructions"
}

# arch=yes
test_user_force() {
	fc --force u:/bin/ufuncs:f_never+1 -- ufuncs 10
	# the arm64 kernel knows that no instruction begins there
	[ "$SYS" != __arm64_sys ] || { expect_exit 1; expect_one_err 'the kernel does not allow'; return 0; }
	expect_exit 0
	expect_line "^did f_one 10$"
}

# Calls that end by a jump are remembered until then, in a room that newer ones take: what is not seen is said.
# kernels=ends arch=yes
test_calls_pushed_out() {
	for tool in funccount 'trace -e'; do
		probe=ur:/bin/laps:lap_fall
		[ "$tool" = funccount ] || probe='uretprobe:/bin/laps:lap_fall { @ = count(); }'
		# shellcheck disable=SC2086 # words
		run sonde $tool "$probe" -- laps fall 20000
		expect_exit 0
		n=$(grep -oE '^(lap_fall|@:) +[0-9]+$' out | awk '{ print $2 }')
		missing=$(sed -n 's/.*: up to \([0-9]*\) returns missing: .*/\1/p' err)
		[ "$n" -gt 8192 ] && [ "$n" -lt 20000 ] || fail "$n returns"
		[ $((n + missing)) = 20000 ] || fail "$n returns, $missing missing"
		# shellcheck disable=SC2086
		run sonde $tool "$probe" -- laps fall 8000
		expect_exit 0
		expect_line '^(lap_fall|@:) +8000$'
		! grep missing err || fail "none is missing"
	done
}

# Two programs of one name: a message must say that the command executed another file than the one
# that is probed, and only then.
test_another_file_of_that_name() {
	mkdir other
	cp /bin/laps other/ufuncs
	for tool in funccount funclatency; do
		PATH=/tmp/other:$PATH run sonde $tool u:/bin/ufuncs:f_one -- ufuncs nap 5 200000
		expect_exit 0
		expect_err "no hits in /bin/ufuncs: the command first executed another file: /tmp/other/ufuncs$"
		run sonde $tool u:/bin/laps:lap_dive u:/bin/laps:lap_nap -- laps nap 5 200000
		expect_exit 0
		! grep 'no hits' err || fail "it was executed"
		run sonde $tool u:/bin/laps:lap_dive -- laps nap 5 200000
		! grep 'no hits' err || fail "it was executed"
	done
}

# The same for a process that is already running.
test_a_file_that_is_not_mapped() {
	gate laps nap 1 1000
	start sonde funccount -p "$gated" u:/bin/ufuncs:f_one u:/bin/laps:lap_dive
	stop INT
	expect_err "^sonde funccount: no hits in /bin/ufuncs: process $gated has not mapped that file$"
	! grep 'in /bin/laps' err || fail "it is mapped"
	open_gate
}

# The kernel would skip an AVX instruction whose opcode is that of a jump: it is an error by name,
# and left out of a pattern.
test_user_instruction_that_is_skipped() {
	[ "$SYS" = __x64_sys ] || skip "an instruction of x86"
	refused_place u:/bin/ufuncs:f_avx "'f_avx': the kernel would skip the instruction there"
	refused_place u:/bin/ufuncs:f_avx+0 'the kernel would skip'
	refused_place u:/bin/ufuncs:f_compare "'f_compare': the program would die there"
	refused_place u:/bin/ufuncs:f_clear "'f_clear': the kernel sets no probe on the instruction there"
	fc 'u:/bin/ufuncs:f_*' -- ufuncs 5
	expect_exit 0
	expect_count f_one 5
	expect_err '1 left out, the kernel would skip .*: f_avx'
}
