# SPDX-License-Identifier: BSD-2-Clause
# Tests of the test framework: do the checks that all other tests rely on notice failures?
# of file: kernels=one

must_fail() {
	! (set -e; "$@") > /dev/null 2>&1 || fail "passed and should not: $*"
}

# kernels=all
test_boot() {
	[ -e /sys/kernel/btf/vmlinux ]
	grep -q . /sys/kernel/tracing/available_filter_functions
	[ "$(nproc)" = "$CPUS" ]
}

# cpus=2
test_boot_two() {
	[ "$(nproc)" = 2 ]
}

# A write passes through the block layer, and the data read back come from there.
test_disk() {
	disk=$(disk scratch)
	name=${disk#/dev/}
	[ "$(cat /sys/block/$name/size)" = 131072 ] || fail "$(cat /sys/block/$name/size) sectors, not 64 MB"
	seq 1 9999 | head -c 40960 > written
	set -- $(cat /sys/block/$name/stat)
	read_before=$3 written_before=$7
	dd if=written of=$disk bs=4096 seek=5 conv=fsync
	echo 3 > /proc/sys/vm/drop_caches
	dd if=$disk of=back bs=4096 skip=5 count=10
	cmp written back
	set -- $(cat /sys/block/$name/stat)
	[ $(($7 - written_before)) = 80 ] || fail "$(($7 - written_before)) sectors written, not 80"
	[ $(($3 - read_before)) -ge 80 ] || fail "only $(($3 - read_before)) sectors read"
}

# The tools of others see this kernel, this /tmp and this directory, and are the process that was
# started.
# image=peers kernels=all
test_peer() {
	mkdir here
	cd here
	echo p:mine vfs_read > /sys/kernel/tracing/kprobe_events
	[ "$(peer cat /sys/kernel/tracing/kprobe_events)" = "$(cat /sys/kernel/tracing/kprobe_events)" ] ||
		fail "another tracefs"
	echo > /sys/kernel/tracing/kprobe_events
	peer sh -c 'pwd; ls -d /guest/bin/sonde "$0"' /lib/modules/$(uname -r)/build/Makefile > out
	printf '/tmp/here\n/guest/bin/sonde\n/lib/modules/%s/build/Makefile\n' "$(uname -r)" | diff - out
	peer sleep 1000 &
	wait_until 10 grep -q sleep /proc/$!/comm || fail "$(cat /proc/$!/comm) is not sleep"
	kill $!
	wait $! || :
	for tool in perf bpftrace trace-cmd strace; do
		peer $tool --version > out 2>&1 || grep -q '^trace-cmd version' out ||
			fail "$tool does not run: $(cat out)"
	done
	run peer python3 -c 'import bcc'
	expect_exit 0
	must_fail peer nothing
}

# unit NAME LINE...: makes a service of these lines, and starts it.
unit() {
	name=$1
	shift
	printf '%s\n' '[Service]' "$@" > "/proc/1/root/run/systemd/system/$name.service"
	peer systemctl daemon-reload
	peer systemctl start "$name"
}

# The image's systemd is the first process. Services may do what hardened ones do.
# image=systemd kernels=ends
test_systemd() {
	[ "$(cat /proc/1/comm)" = systemd ] || fail "the first process is $(cat /proc/1/comm)"
	run peer systemctl is-system-running
	expect_exit 0
	unit hardened 'Type=oneshot' 'DynamicUser=yes' 'ProtectSystem=strict' 'PrivateNetwork=yes' \
		'ProtectHome=yes' 'SystemCallFilter=@system-service' \
		'ExecStart=sh -c "id; touch /etc/mine; /guest/bin/sonde --version"' ||
		{ peer journalctl --no-pager -u hardened; fail "the service failed"; }
	run peer sh -c 'journalctl --sync && journalctl --no-pager -u hardened'
	expect_line 'uid=6[0-9]+ '
	expect_line 'Read-only file system'
	expect_line 'sonde [0-9]'
	for tool in 'prometheus --version' 'promtool --version' 'curl --version' 'prometheus-node-exporter --version' \
		'dpkg --version' '/usr/lib/pcp/bin/pmcd -?'; do
		peer $tool > out 2>&1 || grep -qi usage out || fail "$tool does not run: $(cat out)"
	done
	run peer python3 -c 'import prometheus_client'
	expect_exit 0
}

test_programs_do_what_they_say() {
	trace=/sys/kernel/tracing
	echo 1 > $trace/events/syscalls/sys_enter_getppid/enable
	echo 1 > $trace/tracing_on
	echo > $trace/trace
	calls 123 getppid > did
	calls -t 50 getppid >> did
	forks 3 2 10 >> did
	forks -d 4 0 5 >> did
	cp $trace/trace trace
	echo 0 > $trace/events/syscalls/sys_enter_getppid/enable
	cat did
	said=$(awk '{ n += $3 } END { print n }' did)
	[ "$said" = 303 ] || fail "the programs said $said"
	saw=$(grep -c 'sys_getppid(' trace)
	[ "$saw" = 303 ] || fail "the kernel saw $saw"
}

test_residue_sees_kprobe_events() {
	echo 'p:left vfs_read' > /sys/kernel/tracing/kprobe_events
	residue || :
	! residue > /dev/null || fail "a kprobe event was not noticed"
	echo > /sys/kernel/tracing/kprobe_events
}

test_residue_sees_processes() {
	spin > /dev/null &
	wait_until 10 grep -qx spin /proc/$!/comm
	! residue > /dev/null || fail "a process was not noticed"
	kill $!
	wait $! || :
}

test_residue_sees_mounts() {
	mkdir here
	mount -t tracefs x here
	! residue > /dev/null || fail "a mount was not noticed"
	umount here
}

# kernels=ends
test_residue_sees_tracers() {
	trace=/sys/kernel/tracing
	echo vfs_read > $trace/set_ftrace_filter
	echo function > $trace/current_tracer
	mkdir $trace/instances/house /sys/fs/bpf/house
	must_fail traces 0 /.baseline
	residue > seen && fail "nothing was noticed"
	rmdir $trace/instances/house /sys/fs/bpf/house
	echo nop > $trace/current_tracer
	echo > $trace/set_ftrace_filter
	cat seen
	for what in 'traced function: vfs_read ' 'tracer: function$' 'instance: .*/house$' 'pin: .*/house$'; do
		grep -q "^+$what" seen || fail "not noticed: $what"
	done
	traces 5 /.baseline
}

test_expectations_can_fail() {
	printf 'FUNC COUNT\nvfs_read 5\n' > out
	: > err
	status=0
	expect_exit 0
	expect_count vfs_read 5
	expect_count vfs_write 0
	expect_line '^FUNC'
	must_fail expect_exit 1
	must_fail expect_count vfs_read 4
	must_fail expect_count vfs_write 1
	must_fail expect_line nothing
	must_fail expect_err .
	must_fail expect_one_err .
	must_fail expect_no_line FUNC
}

# reads OBJECT VALUES [KEY]...: json must print these values of the KEYs for one line.
reads() {
	object=$1 values=$2
	shift 2
	printf '%b\n' "$object" > line
	json "$@" < line > values || fail "refused: $object"
	[ "$(cat values)" = "$values" ] || fail "$object is $(cat values), not $values"
}

test_sums_of_ns() {
	printf 'disk 3000000000\ntimer 7\ndisk 2000000001\n' > rows
	[ "$(add_up 2 rows)" = 5000000008 ] || fail "the sum is $(add_up 2 rows)"
	[ "$(add_up 2 rows '$1 == "disk"')" = 5000000001 ] || fail "the disk's sum is $(add_up 2 rows '$1 == "disk"')"
}

test_json_reads() {
	tab=$(printf '\t')
	reads '{}' ''
	reads ' { "a" : 1 ,\t"b":null } \r' "null${tab}1" b a
	reads '{"n":-0,"m":12.50,"e":1E+2,"s":"x","t":true,"f":false}' \
		"-0${tab}12.50${tab}1E+2${tab}x${tab}true${tab}false" n m e s t f
	reads '{"s":"\\"\\\\\\/\\b\\f\\n\\r\\t"}' '"\\/\u0008\u000c\n\u000d\t' s
	reads '{"s":"\\u0041\\u00e9\\u20ac\\ud83d\\uDE00"}' 'Aé€😀' s
	reads '{"s":"é€😀","":"\0177"}' "é€😀$tab\\u007f" s ''
	reads '{"s":"\\u0000\\u0085","l":[ 1, "a\\u0022\\n", [ ], { } ],"o":{"k" : {"x":[]}, "y":"é"}}' \
		"\\u0000\\u0085${tab}[1,\"a\\\"\\n\",[],{}]$tab{\"k\":{\"x\":[]},\"y\":\"é\"}" s l o
	printf '{"a":1}\n{"a":2}\n' | json a > values
	[ "$(echo $(cat values))" = "1 2" ] || fail "two lines are $(cat values)"
}

# Lines that are no JSON object. They are for printf's %b: \\ is a backslash, \0NNN a byte.
test_json_refuses() {
	n=0
	while read -r object; do
		n=$((n + 1))
		printf '{"a":1}\n%b\n{"a":1}\n' "$object" > lines
		status=0
		json < lines > values 2> why || status=$?
		read -r said < why || :
		case "$status $said" in
		"1 json: line 2, byte "[1-9]*": "?*) ;;
		*) fail "exit $status of $object: $said" ;;
		esac
	done <<-'END'

	{
	{"a":1
	{"a":1}}
	{"a":1} x
	{"a":1}{"a":2}
	[1]
	1
	null
	{a:1}
	{'a':1}
	{1:1}
	{"a"}
	{"a":}
	{"a" 1}
	{"a":1,}
	{,"a":1}
	{"a":1 "b":2}
	{"a":1;"b":2}
	{"a":1,"a":2}
	{"a":{"b":1,"\\u0062":2}}
	{"a":[1,]}
	{"a":[,1]}
	{"a":[1 2]}
	{"a":[1}
	{"a":[1]]}
	{"a":01}
	{"a":-}
	{"a":-01}
	{"a":+1}
	{"a":.5}
	{"a":1.}
	{"a":1.e1}
	{"a":1e}
	{"a":1e+}
	{"a":0x1}
	{"a":1,000}
	{"a":NaN}
	{"a":-Infinity}
	{"a":nul}
	{"a":nullx}
	{"a":True}
	{"a":"}
	{"a":"x}
	{"a":'x'}
	{"a":"\\"}
	{"a":"\\x41"}
	{"a":"\\U0041"}
	{"a":"\\u12"}
	{"a":"\\u12g4"}
	{"a":"\\u"}
	{"a":"\\ud800"}
	{"a":"\\ud800x"}
	{"a":"\\ud800\\u0041"}
	{"a":"\\ud800\\ud800"}
	{"a":"\\udc00"}
	{"a":"\tb"}
	{"a":"\0001"}
	{"a":"\0000"}
	{"a":1}\0000
	{"\0001":1}
	{"a":"\0200"}
	{"a":"\0303"}
	{"a":"\0303
	{"a":"\0303\0050"}
	{"a":"\0300\0200"}
	{"a":"\0301\0277"}
	{"a":"\0340\0237\0277"}
	{"a":"\0355\0240\0200"}
	{"a":"\0360\0217\0277\0277"}
	{"a":"\0364\0220\0200\0200"}
	{"a":"\0370\0210\0200\0200\0200"}
	{"a":"\0377"}
	\0357\0273\0277{"a":1}
	\0014{"a":1}
	{"a":1}\0302\0240
	END
	[ $n -gt 70 ] || fail "only $n were tried"
	{ printf '{"a":'; head -c 100000 /dev/zero | tr '\0' '['; echo; } > deep
	must_fail json < deep
	printf '{"a":1}' | must_fail json
	echo '{"a":1}' | must_fail json b
}

test_expect_json() {
	printf 'did x 3\n{"func":"f","count":3}\n{"func":"g","count":4}\n' > out
	expect_json func
	[ "$(echo $(cat rows))" = "f g" ] || fail "rows: $(cat rows)"
	must_fail expect_json nothing
	printf 'did x 3\n' > out
	must_fail expect_json
	printf '{"func":"f"}\nfunc\n' > out
	must_fail expect_json
	printf '{"func":"f"}\n{"func":"' > out
	must_fail expect_json
}

test_gate_holds() {
	gate calls 5 getppid
	usleep 100000
	[ ! -s did ]
	open_gate
	[ "$(cat did)" = "did getppid 5" ]
}

# What tests of counting tools assume: one call of the program is one call of this function.
# kernels=all arch=yes
test_calls_are_functions() {
	cd /sys/kernel/tracing
	printf 'p:o do_sys_openat2\nr:oret do_sys_openat2\np:r vfs_read\np:g %s\n' "$getpgid" > kprobe_events
	echo > trace
	echo 1 > events/kprobes/enable
	calls 70 openat
	calls 50 read 30 getpgid
	# Switched off before it is read: reading is a vfs_read.
	echo 0 > events/kprobes/enable
	grep ' *calls-[0-9]' trace > /tmp/saw
	echo > kprobe_events
	cd /tmp
	saw=$(sed 's/.*[0-9]: \([a-z]*\): .*/\1/' saw | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }')
	[ "$saw" = "g 30 o 71 oret 71 r 50 " ] || fail "$saw"
}
