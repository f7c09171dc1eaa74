# SPDX-License-Identifier: BSD-2-Clause
# What tests in a guest share; busybox's sh reads it. A test is a function test_NAME in
# tests/tools/*.sh. It runs in a shell of its own, with set -eu, in an empty /tmp. It passes if it
# reaches its end and has left nothing behind (no_residue is called after each test). A comment "#
# timeout=SECONDS cpus=N" on the line before it changes the defaults of 120 s and one processor.
# cpus=1-locked is a guest of its own whose kernel is locked down ("confidentiality"), cpus=1-many one whose kernel
# has room for 256 processors, cpus=1-icount one whose clock counts instructions (1 ns each). cpus=2-single has two
# processors that QEMU runs in turn, in one thread: see breakable() of tests/guest/run. "image=peers"
# gives a test the tools of others, called by `peer CMD...`; it then runs only on kernels that have
# such an image.

# KERNEL: its name in tests/guest/kernels. LACKS: the mechanisms that it does not have. SYS: the
# prefix of its functions of syscalls.
. "${GUEST_CONF:-/guest.conf}"

# A test that needs a kernel function uses one that only the workload calls, once for each call, on
# all kernels: do_sys_openat2 (calls N openat), vfs_read (calls N read), and this one (calls N
# getpgid), which shells do not call.
getpgid=${SYS}_getpgid
getppid=${SYS}_getppid

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# has MECHANISM: true if this kernel has it, according to tests/guest/kernels, not to sonde.
has() {
	case ,$LACKS, in
	*,"$1",*) return 1 ;;
	esac
}

# disk NAME: prints the device of one of this guest's disks. Every guest has "scratch": 64 MB for
# any use.
disk() {
	load disk
	serial=$(grep -lx "$1" /sys/block/*/serial) || fail "there is no disk $1"
	serial=${serial#/sys/block/}
	echo "/dev/${serial%/serial}"
}

# run CMD...: keeps stdout, stderr and the exit status in out, err and $status, for the checks that
# follow.
run() {
	echo "+ $*"
	status=0
	"$@" > out 2> err < /dev/null || status=$?
	shown
}

shown() {
	awk 'FNR <= 60 { print "  " FILENAME ": " substr($0, 1, 1000) }' out err
	echo "  exit $status"
}

fc() {
	run sonde funccount "$@"
}

expect_exit() {
	[ "$status" = "$1" ] || fail "exit status $status, not $1"
}

# expect_line REGEX: a line of stdout must match; expect_err REGEX: a line of stderr.
expect_line() {
	grep -qE -e "$1" out || fail "no line of stdout matches '$1'"
}

expect_err() {
	grep -qE -e "$1" err || fail "no line of stderr matches '$1'"
}

expect_no_line() {
	! grep -E -e "$1" out || fail "a line of stdout matches '$1'"
}

# expect_one_err [REGEX]: stderr must be one line, which matches.
expect_one_err() {
	[ "$(wc -l < err)" -eq 1 ] || fail "$(wc -l < err) lines on stderr, not one"
	expect_err "$1"
}

# expect_heading LINE: the first line of stdout that is not the workload's must be this one.
expect_heading() {
	sed '/^did /d' out | head -n 1 | grep -qxF -e "$1" || fail "the heading is not '$1'"
}

# add_up COLUMN FILE [CONDITION]: prints the sum of a column over the lines for which the awk condition
# holds. busybox's awk has only 32 bits for %d, too few for ns.
add_up() {
	awk "${3:-1} { n += \$$1 } END { printf \"%.0f\n\", n }" "$2"
}

# elapsed BEGAN ENDED: prints the ms between two readings of /proc/uptime.
elapsed() {
	awk -v began="$1" -v ended="$2" 'BEGIN { printf "%.0f\n", (ended - began) * 1000 }'
}

# counted FUNC: prints its count in the tables of out, 0 if it has no row. FUNC@ADDRESS is one of
# several functions FUNC.
counted() {
	awk -v f="$1" '{ sub(/@[0-9a-fx]+$/, "", $1) } $1 == f { n += $2 } END { printf "%.0f\n", n }' out
}

# expect_count FUNC N
expect_count() {
	[ "$(counted "$1")" = "$2" ] || fail "$1 counted $(counted "$1") times, not $2"
}

# expect_count_or_missed FUNC N: the count and the reported misses must add up to N. For places
# where the kernel may skip hits: 7.x can preempt a BPF program on a tracepoint, and skips the hits
# until that program has ended. No filter sees a skipped hit: it may belong to another process, and
# then all N were counted.
expect_count_or_missed() {
	missed=$(sed -n 's/.* \([0-9]*\) hits* missed by the kernel.*/\1/p' err)
	seen=$(counted "$1")
	[ "$seen" -le "$2" ] && [ $((seen + ${missed:-0})) -ge "$2" ] ||
		fail "$1 counted $seen times, missed ${missed:-0}, not $2"
}

# refused MECHANISM SPEC: a mechanism that the user names is used or refused, never replaced.
refused() {
	fc --mechanism "$@" -- calls 1 openat
	expect_exit 1
	expect_one_err "$(echo "$1" | sed 's/_tp$/[_ ]t(p|racepoint)/')"
}

# expect_out LINE...: stdout must be these lines, and stderr empty.
expect_out() {
	printf '%s\n' "$@" > expected
	diff expected out || fail "stdout is another"
	[ ! -s err ] || fail "something on stderr"
}

expect_silence() {
	expect_exit 0
	[ ! -s out ] && [ ! -s err ] || fail "something was said"
}

# expect_did: the counts must be what the workload did ("did FUNC N" in out; several for a FUNC are
# added up).
expect_did() {
	grep -q '^did ' out || fail "the workload did nothing"
	awk '$1 == "did" { n[$2] += $3 } END { for (name in n) print name, n[name] }' out > dids
	while read -r func n; do
		expect_count "$func" "$n"
	done < dids
}

# expect_dids: what the workload did, in the file dids, must equal what was shown, in the file seen.
expect_dids() {
	cmp -s dids seen || { diff dids seen || :; fail "what was done (-) is not what was shown (+)"; }
}

# expect_json [KEY]...: without the workload's "did" lines, out must be JSON objects, one a line and
# at least one. The values of their KEYs are written to rows, separated by tabs (see
# tests/programs/json.c).
expect_json() {
	sed '/^did /d' out > objects
	[ -s objects ] || fail "no JSON"
	json "$@" < objects > rows 2> why || fail "$(cat why)"
}

# skipped: prints how many events the last run reported as skipped by the kernel, which 7.x does; see none_lost.
skipped() {
	sed -n 's/.*: \([0-9]*\) events* lost: the kernel skipped.*/\1/p' err | grep . || echo 0
}

# none_lost N: checks a run with --fail-on-loss that should have N rows of JSON. Returns true if all
# are there and nothing else was reported. 7.x may skip a tracepoint's program: it can preempt one,
# and interrupts meanwhile cause hits. The missing rows must then be reported, and the exit status
# be 1: returns false.
none_lost() {
	lost=$(skipped)
	expect_exit $((lost > 0))
	seen=$(grep -c '^{' out) || :
	[ "$seen" -le "$1" ] && [ $((seen + lost)) -ge "$1" ] || fail "$seen rows and $lost lost of $1"
	[ "$lost" = 0 ]
}

# slow_cgroup: makes a cgroup, /sys/fs/cgroup/slow, that may run for 20 ms of 100.
slow_cgroup() {
	echo +cpu > /sys/fs/cgroup/cgroup.subtree_control || skip "no cpu controller"
	mkdir /sys/fs/cgroup/slow
	if ! echo '20000 100000' > /sys/fs/cgroup/slow/cpu.max; then
		rmdir /sys/fs/cgroup/slow
		skip "no quotas"
	fi
}

# wait_until SECONDS CMD...: waits until CMD succeeds.
wait_until() {
	tries=$(($1 * 50))
	shift
	while ! "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.02
	done
}

# start CMD...: runs it in the background, and waits until it reports that it is armed, for at most
# $patience seconds. Its id is $!. stop SIGNAL ends it, and keeps out, err and status as run does.
# One at a time.
start() {
	echo "+ $* &"
	: > err
	dfl "$@" > out 2> err < /dev/null &
	started=$!
	wait_until "${patience:-50}" armed || { status=none; shown; fail "not armed: $*"; }
}

# Called often, hence without another process: the awaited program needs the processor.
armed() {
	while read -r said; do
		case $said in
		*'Hit Ctrl-C to end'* | 'Attached '*) return 0 ;;
		esac
	done < err
	! kill -0 "$started" 2> /dev/null
}

stop() {
	kill "-$1" "$started" 2> /dev/null || echo "  had ended before SIG$1"
	await
}

await() {
	status=0
	wait "$started" || status=$?
	shown
}

# one_of_three CMD...: for comparisons with another account of the same events. A machine that
# stands still between the two readings spoils the comparison. At least one of three attempts must
# succeed; a bug spoils all three. Each runs in a shell of its own.
one_of_three() {
	for attempt in 1 2 3; do
		set +e
		(set -e; "$@")
		came=$?
		set -e
		[ $came != 0 ] || return 0
		echo "attempt $attempt of 3: exit $came"
	done
	exit $came
}

# gate FIFO CMD...: starts a workload in the background as "CMD -w FIFO", which waits there;
# open_gate lets it go on.
gate() {
	rm -f gate
	mkfifo gate
	program=$1
	shift
	"$program" -w gate "$@" > did &
	gated=$!
	wait_until 20 at_gate || fail "$program does not come to its gate"
}

# It sleeps nowhere else. It has the program's name from its exec on.
at_gate() {
	read -r _ comm state _ < /proc/$gated/stat
	[ "$comm $state" = "($program) S" ]
}

open_gate() {
	echo > gate
	wait "$gated" || fail "the workload failed"
	cat did
}

# Prints what exists now and did not at boot; succeeds if that is nothing.
residue() {
	traces > /.traces
	! diff /.baseline /.traces | grep "^[-+][^-+]"
}

# Detaching ends after the process does (RCU, the last reference to a program): so it waits, up to
# this many seconds.
no_residue() {
	traces 40 /.baseline || residue > /.residue || { cat /.residue; fail "left behind: $(head -n 1 /.residue)"; }
}

# expect_turns TOTAL: compares out with the kernel's own account. For each child of turns
# (tests/programs/turns.c), the rows by pid must together have as many values as it had turns on a
# processor, and their sum must equal the kernel's figure; TOTAL is ran or waited. The JSON of the
# rows is in the file rows.
expect_turns() {
	expect_json pid comm count total
	awk -v total="$1" '
		function wrong(pid, usecs) {
			# in each turn, a moment passes before we read the clock after the kernel
			slack = usecs * 0.1 + times[pid] * 200 + 3000
			return sum[pid] - usecs > slack || usecs - sum[pid] > slack ||
				count[pid] < times[pid] - 1 || count[pid] > times[pid] + 2
		}
		/^did turns/ { want[$3] = (total == "ran" ? $4 : $5) / 1000; times[$3] = $6; next }
		$2 == "turns" { count[$1] += $3; sum[$1] += $4 }
		END {
			for (pid in want) {
				n++
				if (wrong(pid, want[pid]))
					printf "process %s: %d values, %d usecs; the kernel says %d, %d\n",
						pid, count[pid], sum[pid], times[pid], want[pid]
			}
			if (!n)
				print "the workload did nothing"
		}' out rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# expect_times COLUMN: after blocks pingpong (tests/programs/blocks.c), the counts of the file rows (comm, count) must be
# those of the kernel in this column of what it did, but for the moments before the first and behind the last.
expect_times() {
	for name in ping pong; do
		times=$(awk -v name=$name -v column="$1" '$1 == "did" && $2 == name { print $column }' out)
		expect_between "$name" $((times - 10)) $((times + 2)) \
			"$(awk -v name=$name '$1 == name { n += $2 } END { print n + 0 }' rows)"
	done
}

# expect_between LABEL LEAST MOST VALUE
expect_between() {
	[ "$4" -ge "$2" ] && [ "$4" -le "$3" ] || fail "$1: $4, not between $2 and $3"
}
