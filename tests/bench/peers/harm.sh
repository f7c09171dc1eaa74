# SPDX-License-Identifier: BSD-2-Clause
# What return probes do to a program, by tool. Each case of the workloads returns, throws and panics runs without
# probes, then while a tool probes the ends of its functions r_*. Prints "@@ TOOL|CASE|RESULT".
#
#	tests/guest/run -s tests/bench/peers/harm.sh -k 6.12 -I peers
cd /tmp || exit

cases='returns/longjmp returns/setjmp returns/swapcontext returns/callers returns/backtrace returns/threads returns/fork
returns/jumps throws/thrown panics/caught'

# ends FILE PROGRAM CASE: sets ended to how it ends.
ends() {
	ended=0
	timeout -s KILL 60 "$2" "$3" > "$1" 2> /dev/null || ended=$?
}

result() {
	case $ended in
	"$expected") cmp -s plain now && echo same || echo 'prints something else' ;;
	132) echo 'dies of SIGILL' ;;
	134) echo 'dies of SIGABRT' ;;
	137) echo hangs ;;
	139) echo 'dies of SIGSEGV' ;;
	*) echo "ends with $ended" ;;
	esac
}

# says WORD: waits until the tool says so, which is $pid. Then its probes are set, or soon.
says() {
	n=0
	while ! grep -q "$1" said; do
		[ $((n += 1)) -lt 600 ] && kill -0 $pid 2> /dev/null || return
		usleep 100000
	done
	usleep 1500000
}

# A tool that does not end is killed.
end_tool() {
	n=0
	kill -INT $pid
	while kill -0 $pid 2> /dev/null && [ $((n += 1)) -lt 100 ]; do
		usleep 200000
	done
	kill -KILL $pid 2> /dev/null
	wait $pid 2> /dev/null
}

start_sonde() {
	sonde funclatency "u:/bin/$1:r_*" > /dev/null 2> said &
	pid=$!
	says Tracing
}

start_bpftrace() {
	peer bpftrace -e "uretprobe:/guest/bin/$1:r_* { @[probe] = count(); }" > said 2>&1 &
	pid=$!
	says Attach
}

start_bcc() {
	peer python3 -u /usr/sbin/funclatency-bpfcc -r "/guest/bin/$1:^r_.*" > said 2>&1 &
	pid=$!
	says Tracing
}

start_perf() {
	for function in $(sonde trace -l "uprobe:/bin/$1:r_*" | sed 's/.*://' | sort -u); do
		peer perf probe -q -x "/guest/bin/$1" -a "$function%return" >> said 2>&1
	done
	peer perf record -q -o /tmp/perf.data -a -e 'probe_*:*' > said 2>&1 &
	pid=$!
	usleep 3000000
	kill -0 $pid
}

for tool in sonde bpftrace bcc perf; do
	for case in $cases; do
		program=${case%/*} name=${case#*/}
		ends plain "$program" "$name"
		expected=$ended
		: > said
		if start_$tool "$program"; then
			ends now "$program" "$name"
			echo "@@ $tool|$case|$(result)"
		else
			echo "@@ $tool|$case|not started: $(tail -n 1 said)"
		fi
		end_tool
		[ $tool != perf ] || peer perf probe -q -d '*' > /dev/null 2>&1
	done
done
