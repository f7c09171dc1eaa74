# SPDX-License-Identifier: BSD-2-Clause
# sonde reset-trace and pinned BPF objects: our own are removed, those of others stay until their
# owner is named.
# of file: kernels=one

. /tracefs.sh

# pins KIND:NAME...: pins objects below $P.
pins() {
	for pin in "$@"; do
		pin "${pin%%:*}" "$P/${pin#*:}"
	done
}

# The pins must be these.
expect_pins() {
	find $P /tmp/more* -type f 2> /dev/null | sed "s,^$P/,," | sort > found
	for pin in "$@"; do
		echo "$pin"
	done | sort | diff - found || fail "pins are others"
}

# hold NAME...: a process opens these; $! is its id
hold() {
	for name in "$@"; do
		set -- "$@" "$P/$name"
		shift
	done
	rm -f held
	pin hold "$@" > held &
	wait_until 10 grep -qs . held || fail "not held"
}

release() {
	kill $!
	wait $! || :
}

# kernels=ends
test_own() {
	traces bpf > before
	pins link:sonde/always/link map:sonde/always/map program:sonde/program
	mkdir '/tmp/more of it'
	mount -t bpf more '/tmp/more of it'
	pin link '/tmp/more of it/sonde/a/b/link'
	mkdir $P/sonde/links
	ln -s ../program $P/sonde/links/link
	! traces bpf | diff before - > /dev/null || fail "nothing was made"
	reset -n
	expect_exit 3
	expect_out "Would reset $P/sonde/always/link" "Would reset $P/sonde/always/map" "Would reset $P/sonde/program" \
		"Would reset /tmp/more of it/sonde/a/b/link"
	reset -n --json
	expect_exit 3
	expect_json file kind text owner state action why done
	sed -i 's/ [0-9][0-9]*\( pinned\)*	/ N\1	/' rows
	printf "%s\tpin\t%s\tsonde\tnull\tremove\tno process uses it\tfalse\n" \
		"$P/sonde/always/link" "raw_tracepoint link N" \
		"$P/sonde/always/map" "array map N pinned" "$P/sonde/program" "raw_tracepoint program N pinned" \
		"/tmp/more of it/sonde/a/b/link" "raw_tracepoint link N" | diff - rows || fail "rows"
	expect_pins sonde/always/link sonde/always/map sonde/program '/tmp/more of it/sonde/a/b/link'
	reset
	expect_exit 0
	expect_line "^Needed to reset $P/sonde/always/link\$"
	expect_pins
	[ ! -d $P/sonde/always ] && [ ! -d '/tmp/more of it/sonde' ] || fail "directories are left"
	[ -h $P/sonde/links/link ] || fail "a link that is no pin is gone"
	wait_until 10 sh -c 'traces bpf | diff before - > /dev/null' || fail "left: $(traces bpf | diff before -)"
	reset
	expect_silence
	rm -r $P/sonde
	umount '/tmp/more of it'
}

# What a running process has open stays, with everything in the same directory.
test_in_use() {
	pins link:sonde/live/link map:sonde/live/map link:sonde/gone/link map:sonde/gone/map
	hold sonde/live/map
	reset
	expect_exit 0
	expect_out "Needed to reset $P/sonde/gone/link" "Needed to reset $P/sonde/gone/map" \
		"Left alone in $P: 2 pins of sonde, in use by process $! (pin)"
	expect_pins sonde/live/link sonde/live/map
	reset --json
	expect_json file pid comm state action
	printf "$P/sonde/live/%s\t$!\tpin\talive\tleave\n" link map | diff - rows || fail "rows"
	reset -n -F
	expect_exit 3
	expect_out "Would reset $P/sonde/live/link" "Would reset $P/sonde/live/map"
	release
	hold sonde/live/link
	reset
	expect_pins sonde/live/link sonde/live/map
	release
	reset
	expect_exit 0
	expect_pins
	pins link:sonde/link
	hold sonde/link
	reset -F
	expect_pins
	release
}

test_of_others() {
	pins link:mine/link map:mine/sub/map program:theirs/program map:alone map:tc/globals/x map:tc/globals/cilium_x
	for option in '' -F '-F --owner bcc'; do
		# shellcheck disable=SC2086 # several words
		reset $option
		expect_exit 0
		expect_out "Left alone in $P: 2 pins of mine (--owner mine removes them)" \
			"Left alone in $P: 1 pin of cilium (--owner cilium removes them)" \
			"Left alone in $P: 1 pin of iproute2 (--owner iproute2 removes them)" \
			"Left alone in $P: 1 pin of theirs (--owner theirs removes them)" \
			"Left alone: 1 pin whose path names no owner (-v for verbose)"
	done
	reset -v
	expect_line "^Left $P/alone \(array map [0-9]* pinned\): its path names no owner\$"
	expect_line "^Left $P/mine/link \(raw_tracepoint link [0-9]*\): pins of others stay until their owner is named"
	reset --owner min
	expect_exit 2
	expect_err "min.*did you mean mine"
	expect_pins mine/link mine/sub/map theirs/program alone tc/globals/x tc/globals/cilium_x
	hold mine/link
	reset --owner mine
	expect_exit 0
	expect_line "^Needed to reset $P/mine/sub/map\$"
	expect_line "^Left alone in $P: 1 pin of mine, in use by process $! \(pin\)\$"
	expect_pins mine/link theirs/program alone tc/globals/x tc/globals/cilium_x
	reset -q -F --owner mine
	expect_silence
	expect_pins theirs/program alone tc/globals/x tc/globals/cilium_x
	release
	# its user has the pin beside it open, but other owners share this directory
	hold tc/globals/cilium_x
	reset -q --owner iproute2
	release
	expect_pins theirs/program alone tc/globals/cilium_x
	[ -d $P/tc/globals ] || fail "a directory that several share is gone"
	# their agent closes what it has pinned: its name counts as its user
	cp "$(command -v pin)" /tmp/theirs-agent
	pins map:other
	/tmp/theirs-agent hold $P/other > agent &
	wait_until 10 grep -qs . agent
	reset -q --owner theirs
	expect_pins theirs/program alone other tc/globals/cilium_x
	release
	reset -q --owner theirs
	expect_pins alone other tc/globals/cilium_x
	rm -r $P/*
}

# Inside a PID namespace nobody can know which process has a pin open.
test_pid_namespace() {
	pins map:sonde/map
	run unshare -p -f sonde reset-trace
	expect_exit 0
	expect_out "Left alone in $P: 1 pin of sonde, which may be alive outside this pid namespace"
	reset
	expect_pins
}

# A pin that cannot be opened has no proven owner, and must be reported.
test_read_only() {
	pins map:sonde/map
	mount -o remount,ro $P
	reset
	mount -o remount,rw $P
	expect_exit 0
	expect_one_err "not checked, for it cannot be read: $P/sonde/map: Read-only file system"
	reset
	expect_exit 0
	expect_pins
}

# A kernel that is locked down refuses all of tracefs, but not pins: these are removed, and the
# refusal is reported.
# cpus=1-locked
test_locked_down() {
	! cat /sys/kernel/tracing/current_tracer > /dev/null 2>&1 || skip "this kernel cannot be locked down"
	pins link:sonde/link map:mine/map
	refused='cannot read /sys/kernel/tracing: the kernel is locked down \(confidentiality\), which forbids tracing it$'
	reset -n
	expect_exit 1
	expect_one_err "$refused"
	expect_line "^Would reset $P/sonde/link\$"
	expect_pins sonde/link mine/map
	reset --json
	expect_exit 1
	expect_one_err "$refused"
	expect_json file done
	printf '%s\n' "$P/mine/map	false" "$P/sonde/link	true" | diff - rows || fail "rows"
	reset -v --owner mine
	expect_exit 1
	expect_one_err "$refused"
	printf '%s\n' 'Resetting tracing state...' '' "Needed to reset $P/mine/map" '' Done. | diff - out ||
		fail "another text"
	expect_pins
	run su user -c 'sonde reset-trace'
	expect_exit 1
	expect_one_err 'tracefs.*(sudo|denied|permitted)'
}
