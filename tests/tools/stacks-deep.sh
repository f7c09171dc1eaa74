# SPDX-License-Identifier: BSD-2-Clause
# Stacks of programs that say how deep they are (tests/programs/deeps.dyn.c): every sample must be whole, frame by frame.
# of file: kernels=one arch=yes

# What the C library is between the program's first function and main(), or the thread's; it has no names of its own.
begin='(_start|__libc_start_[^;]*|libc[^;]*);'
main="($begin)*main;"
thread='(clone3?[^;]*|start_thread|libc[^;]*);(start_thread;|libc[^;]*;)*run;'
libc='([^;]*(sort|raise|kill)[^;]*|libc[^;]*);'
# x86-64's libc returns from a handler itself, arm64's by the vDSO.
from_signal='(__restore_rt|__kernel_rt_sigreturn|libc[^;]*|\[vdso\][^;]*);'

# downs N: a regex of N frames, with a function of our own below each.
downs() {
	echo "(down;){$1}leaf(;|\$)"
}

# all_are COMM LEAST REGEX: every stack of COMM in which down() has been reached matches from its beginning, and there
# are LEAST samples of such. A guest that stands still takes few samples. On the way down there are page faults: stacks
# that end in down() itself are not deep yet.
all_are() {
	awk -v comm="$1" '{ n = $NF; sub(/ [0-9]+$/, "") } index($0, comm ";") == 1 && /;(down|leaf)(;|$)/ && !/;down$/ {
		sub(/^[^;]*;/, ""); print n, $0 }' folded > those
	awk '{ n += $1 } END { print n + 0 }' those > sampled
	echo "  $(cat sampled) samples below down"
	[ "$(cat sampled)" -ge "$2" ] || fail "$(cat sampled) samples, not $2"
	! grep -v -E "^[0-9]+ $3" those > others || { head -n 5 others; fail "$(wc -l < others) stacks are not $3"; }
}

# Removes the stacks that are marked as cut, if they are less than a tenth. On one processor the program
# runs on while sonde makes the table of a file that is new to it.
without_marked() {
	awk '{ all += $NF } /;\[truncated\];/ { cut += $NF } END { print cut + 0, all + 0; exit cut * 10 >= all }' \
		folded ||
		fail "a tenth is cut"
	sed '/;\[truncated\];/d' folded > whole && mv whole folded
}

# deeps_are REGEX ARG...: profiles deeps, run in half a second of processor time.
deeps_are() {
	regex=$1
	shift
	rm -f folded
	run sonde profile -F 199 -U --folded folded -- deeps -m 500 "$@"
	expect_exit 0
	all_are deeps "10" "$regex"
}

# kernels=all arch=yes
test_deep_27() {
	deeps_are "${main}$(downs 27)" plain spin
}

# kernels=ends arch=yes
test_deep_107() {
	deeps_are "${main}$(downs 107)" -n 107 plain spin
}

# kernels=ends arch=yes
test_deep_static() {
	rm -f folded
	run sonde profile -F 199 -U --folded folded -- deeps-static -m 500 plain spin
	all_are deeps-static 10 "${main}$(downs 27)"
}

# kernels=ends arch=yes
test_deep_in_system_calls() {
	deeps_are "${main}$(downs 27)" plain calls
}

test_deep_in_vdso() {
	deeps_are "${main}$(downs 27)" plain vdso
	grep -q 'leaf;.*vdso\|leaf;.*clock_gettime' folded || fail "nothing in the vDSO"
}

test_deep_in_plt() {
	deeps_are "${main}$(downs 27)" plain plt
	grep -q 'leaf;nothing' folded || fail "nothing in the library"
}

# A CFA that only a register of the topmost frame tells.
test_deep_by_a_register() {
	deeps_are "${main}$(downs 27)" plain register
	grep -q 'leaf;by_register ' folded || fail "nothing in by_register"
}

# The address behind a system call can belong to another function.
test_deep_at_an_edge() {
	[ "$SYS" = __x64_sys ] || skip "x86-64 only"
	rm -f folded
	run sonde profile -F 199 --folded folded -- deeps -m 500 plain edge
	expect_exit 0
	# an interrupt that came during the call hits the first instruction of asked(); so only those in the kernel count
	grep -q -E "^deeps;${main}(down;){27}leaf;ask;" folded || fail "nothing in the call of ask()"
	! grep ';asked;' folded || fail "asked() makes no system call"
}

# Behind a function that only its frame pointer leads out of.
test_deep_without_a_table() {
	deeps_are "${main}with_pointer;saving;below;$(downs 27)" untabled spin
}

test_deep_in_a_callback() {
	deeps_are "${main}(sort;)($libc)+compare;$(downs 27)" callback spin
}

test_deep_in_a_signal_handler() {
	deeps_are "${main}(sort;)($libc)+compare;($libc)+${from_signal}handler;$(downs 27)" signal spin
}

test_deep_on_a_stack_of_its_own() {
	deeps_are "${main}(sort;)($libc)+compare;($libc)+${from_signal}handler;$(downs 27)" alternate spin
}

test_deep_on_a_stack_above() {
	deeps_are "${thread}(sort;)($libc)+compare;($libc)+${from_signal}handler;$(downs 27)" crossed spin
}

# kernels=ends arch=yes
test_deep_in_what_interrupts() {
	deeps_are "${main}busy;${from_signal}handle_timer;handler;$(downs 27)" interrupt spin
}

# On another processor the program would run while sonde reads its files: so they are read before.
# cpus=2 kernels=ends arch=yes
test_deep_in_threads() {
	gate deeps -m 500 threads spin
	start sonde profile -F 199 -U --folded folded -p $gated
	open_gate
	stop INT
	all_are deeps 10 "${thread}$(downs 27)"
}

test_deep_in_a_library_loaded_later() {
	gate deeps -m 500 dlopen spin
	start sonde profile -F 199 -U --folded folded -p $gated
	open_gate
	stop INT
	# Loading the library can take a sample, too, and its stack is as deep.
	sed '/;dlopen;/d' folded > below && mv below folded
	without_marked
	all_are deeps 10 "${main}inside;$(downs 27)"
}

test_deep_after_exec() {
	gate deeps -m 500 exec spin
	start sonde profile -F 199 -U --folded folded -p $gated
	open_gate
	stop INT
	# its name is that of the link it was executed by
	sed -i 's/^exe;/deeps;/' folded
	all_are deeps 10 "${main}$(downs 27)"
}

# At a few instructions of arm64's loader, while it binds a symbol, a stack is cut, and marked so (1 of 237 here).
without_cut_in_loader() {
	sed '/^deeps;\[truncated\];.*;ld-linux-aarch64[^;]*$/d' folded > whole && mv whole folded
}

# Children that live for 10 ms.
# kernels=ends arch=yes
test_deep_in_short_lives() {
	rm -f folded
	run sonde profile -F 499 -U --folded folded -- deeps -m 10 -r 50 forks spin
	without_cut_in_loader
	all_are deeps 10 "${main}($libc)*$(downs 27)"
}

# Children that sonde has not read about, since it stands still.
test_deep_in_unread_lives() {
	gate deeps -m 20 -r 20 forks spin
	start sonde profile -F 499 -U --folded folded
	kill -STOP $started
	open_gate
	kill -CONT $started
	stop INT
	without_cut_in_loader
	all_are deeps 10 "${main}($libc)*$(downs 27)"
	awk '/^deeps;/ { all += $NF; if (/main;/) whole += $NF } END { exit whole < all * 0.9 }' folded ||
		fail "$(grep -v 'main;' folded)"
}

test_deep_32_bit() {
	command -v narrow > /dev/null || skip "no such program for this architecture"
	rm -f folded
	run sonde profile -F 199 -U --folded folded -- narrow
	expect_exit 0
	# 27 and leaf(), start() and _start(); sonde reads no symbols of 32-bit files
	deepest=$(awk '$1 ~ /^narrow;narrow\+/ && gsub(/;narrow\+/, "") == 30 { n += $NF } END { print n + 0 }' folded)
	[ "$deepest" -ge 10 ] || fail "$deepest samples with 30 frames"
}
