# SPDX-License-Identifier: BSD-2-Clause
# What tests in a guest have in common; read by busybox's sh. A test is a function test_NAME in
# tests/tools/*.sh. It runs in a shell of its own, with set -eu, in an empty /tmp, and passes when
# it comes to its end and has left nothing behind (no_residue is called after each). A comment
# "# timeout=SECONDS cpus=N" on the line before it changes the defaults of 120 s and one processor; cpus=1-locked is a guest
# of its own whose kernel is locked down ("confidentiality"); "image=peers" gives a test the tools of others, called by
# `peer CMD...`, and runs it on the kernels only that there is such an image for.

# KERNEL: its name in tests/guest/kernels; LACKS: its missing mechanisms; SYS: how its functions of syscalls begin
. "${GUEST_CONF:-/guest.conf}"

# Where a test needs a kernel function it is one that the workload alone calls, once a call, on all kernels:
# do_sys_openat2 (calls N openat), vfs_read (calls N read), and this one (calls N getpgid), which shells do not call.
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

# Does this kernel have the mechanism? Known from tests/guest/kernels, not from sonde.
has() {
	case ,$LACKS, in
	*,"$1",*) return 1 ;;
	esac
}

# disk NAME: prints the device of a disk that this guest has. "scratch" every guest has: 64 MB for anybody.
disk() {
	load disk
	serial=$(grep -lx "$1" /sys/block/*/serial) || fail "there is no disk $1"
	serial=${serial#/sys/block/}
	echo "/dev/${serial%/serial}"
}

# run CMD...: keeps stdout, stderr and the exit status in out, err and $status, for what follows.
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

# expect_line REGEX: a line of stdout matches; expect_err: of stderr.
expect_line() {
	grep -qE -e "$1" out || fail "no line of stdout matches '$1'"
}

expect_err() {
	grep -qE -e "$1" err || fail "no line of stderr matches '$1'"
}

expect_no_line() {
	! grep -E -e "$1" out || fail "a line of stdout matches '$1'"
}

# The whole of stderr is one line (and matches).
expect_one_err() {
	[ "$(wc -l < err)" -eq 1 ] || fail "$(wc -l < err) lines on stderr, not one"
	expect_err "$1"
}

# counted FUNC: its count in the tables of out, 0 where it has no row. FUNC@ADDRESS is one of several FUNCs.
counted() {
	awk -v f="$1" '{ sub(/@[0-9a-fx]+$/, "", $1) } $1 == f { n += $2 } END { printf "%d\n", n }' out
}

# expect_count FUNC N
expect_count() {
	[ "$(counted "$1")" = "$2" ] || fail "$1 counted $(counted "$1") times, not $2"
}

# expect_count_or_missed FUNC N: what the kernel skipped is said, and nothing else is missing. For where skipping is
# the kernel's habit: 7.x may preempt a BPF program on a tracepoint, and skips the hits until that one has ended. No
# filter has looked at what was skipped: it may be of others, and then all N were counted.
expect_count_or_missed() {
	missed=$(sed -n 's/.* \([0-9]*\) hits* missed by the kernel.*/\1/p' err)
	seen=$(counted "$1")
	[ "$seen" -le "$2" ] && [ $((seen + ${missed:-0})) -ge "$2" ] || fail "$1 counted $seen times, missed ${missed:-0}, not $2"
}

# refused MECHANISM SPEC: what was asked for by name is used or refused, never replaced.
refused() {
	fc --mechanism "$@" -- calls 1 openat
	expect_exit 1
	expect_one_err "$(echo "$1" | sed 's/_tp$/[_ ]t(p|racepoint)/')"
}

# The whole of stdout is these lines, and stderr nothing.
expect_out() {
	printf '%s\n' "$@" > expected
	diff expected out || fail "stdout is another"
	[ ! -s err ] || fail "something on stderr"
}

expect_silence() {
	expect_exit 0
	[ ! -s out ] && [ ! -s err ] || fail "something was said"
}

# What the workload did ("did FUNC N" in out) is what was counted.
expect_did() {
	grep -q '^did ' out || fail "the workload did nothing"
	sed -n 's/^did //p' out | sort | awk '$1 != f && f { print f, n; n = 0 } { f = $1; n += $2 } END { print f, n }' > dids
	while read -r func n; do
		expect_count "$func" "$n"
	done < dids
}

# What the workload did, in the file dids, is what was shown, in the file seen.
expect_dids() {
	cmp -s dids seen || { diff dids seen || :; fail "what was done (-) is not what was shown (+)"; }
}

# expect_json [KEY]...: all of out but the workload's "did" lines is JSON objects, one a line and at least one; the
# values of their KEYs are in rows, separated by tabs (tests/programs/json.c says how).
expect_json() {
	sed '/^did /d' out > objects
	[ -s objects ] || fail "no JSON"
	json "$@" < objects > rows 2> why || fail "$(cat why)"
}

# none_lost N: a run with --fail-on-loss has N rows of JSON: true when they are all there and nothing else was
# said. Where 7.x has skipped a tracepoint's program (it preempts one, and an interrupt's hits come meanwhile), what is
# missing has been told, and the exit status is 1: false.
none_lost() {
	lost=$(sed -n 's/.*: \([0-9]*\) events* lost: the kernel skipped.*/\1/p' err)
	expect_exit $((${lost:-0} > 0))
	seen=$(grep -c '^{' out) || :
	[ "$seen" -le "$1" ] && [ $((seen + ${lost:-0})) -ge "$1" ] || fail "$seen rows and ${lost:-0} lost of $1"
	[ -z "$lost" ]
}

# wait_until SECONDS CMD...: until CMD succeeds.
wait_until() {
	tries=$(($1 * 50))
	shift
	while ! "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.02
	done
}

# start CMD...: in the background until it says that it is armed; its id is $!, and
# stop SIGNAL ends it and keeps out, err and status as run does. One at a time; $patience: seconds to wait.
start() {
	echo "+ $* &"
	: > err
	dfl "$@" > out 2> err < /dev/null &
	started=$!
	wait_until "${patience:-50}" armed || { status=none; shown; fail "not armed: $*"; }
}

# Asked often, hence without a process: what is waited for needs the processor.
armed() {
	while read -r said; do
		case $said in
		*'Hit Ctrl-C to end'*) return 0 ;;
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

# one_of_three CMD...: for what is compared with another account of the same, where a machine that stands still between the two
# looks at the clock spoils one or the other: in one of three attempts it did not, and a bug spoils all. Each in a shell of its own.
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

# gate FIFO CMD...: a workload in the background that starts with "CMD -w FIFO", and waits there; open_gate lets it go.
gate() {
	rm -f gate
	mkfifo gate
	program=$1
	shift
	"$program" -w gate "$@" > did &
	gated=$!
	wait_until 20 at_gate || fail "$program does not come to its gate"
}

# It sleeps nowhere else. Its name is that of the program from its exec on.
at_gate() {
	read -r _ comm state _ < /proc/$gated/stat
	[ "$comm $state" = "($program) S" ]
}

open_gate() {
	echo > gate
	wait "$gated" || fail "the workload failed"
	cat did
}

# Prints what is there now and was not at boot; succeeds when that is nothing.
residue() {
	traces > /.traces
	! diff /.baseline /.traces | grep "^[-+][^-+]"
}

# Detaching ends after the process does (RCU, the last reference of a program), hence the patience, in seconds.
no_residue() {
	traces 40 /.baseline || residue > /.residue || { cat /.residue; fail "left behind: $(head -n 1 /.residue)"; }
}

# expect_turns TOTAL: of each child of turns (tests/programs/turns.c) the rows of out by pid have, in all, as many values as it
# had turns on a processor, and their sum is what the kernel itself says: TOTAL is ran or waited. Their JSON is in rows.
expect_turns() {
	expect_json pid comm count total
	awk -v total="$1" '
		/^did turns/ { sub(/^did /, ""); want[$2] = total == "ran" ? $3 : $4; times[$2] = $5; next }
		$2 == "turns" { count[$1] += $3; sum[$1] += $4 }
		END {
			for (pid in want) {
				n++
				# a moment of each turn is between the kernel looking at the clock and us
				slack = want[pid] / 1000 * 0.1 + times[pid] * 200 + 3000
				off = sum[pid] - want[pid] / 1000
				if (off > slack || -off > slack || count[pid] < times[pid] - 1 || count[pid] > times[pid] + 2)
					print "process " pid ": " count[pid] + 0 " values, " sum[pid] + 0 " usecs; the kernel says " times[pid] ", " want[pid] / 1000
			}
			if (!n)
				print "the workload did nothing"
		}' out rows > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# expect_between LABEL LEAST MOST VALUE
expect_between() {
	[ "$4" -ge "$2" ] && [ "$4" -le "$3" ] || fail "$1: $4, not between $2 and $3"
}
