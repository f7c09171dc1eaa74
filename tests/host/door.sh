# SPDX-License-Identifier: BSD-2-Clause
# What sonde says to somebody who types no tool, or the name of another tracer's: the page of `sonde`, the groups of
# `sonde help`, and the table of docs/coming-from.txt.

groups='what is slow?
who does this?
how long?
how often?
what happened?
always on
after a crash'

# The lines of `sonde help` that are neither indented nor empty are its groups, after two and before one that are not.
titles() {
	grep -E '^[a-z]' out | sed '1d; $d'
}

# With the command and the next prompt it fits a terminal of 24 lines.
test_page_fits_a_terminal() {
	run sonde
	expect_exit 2
	[ ! -s err ] || fail "something on stderr"
	[ "$(wc -l < out)" -le 22 ] || fail "$(wc -l < out) lines"
	[ "$(wc -L < out)" -le 80 ] || fail "$(wc -L < out) columns"
	echo "$groups" | while read -r title; do
		grep -F "$title " out | grep -q '  sonde [a-z]' || fail "no command for '$title'"
	done
}

# A pipe that is closed early is no error, and a full disk is one.
test_page_in_a_pipe() {
	sonde 2> err | head -n 1 > out
	sonde help 2>> err | head -n 1 >> out
	expect_out 'usage: sonde TOOL [options] [arguments]' 'usage: sonde TOOL [options] [arguments]'
	sonde > /dev/full 2> err || status=$?
	expect_one_err 'cannot write: No space left on device$'
	[ "$status" != 0 ] || fail "exit status 0"
}

# Each command of the page is accepted by its tool.
test_page_names_commands() {
	sonde > page || :
	grep -v '^sonde help' page | grep -oE 'sonde [a-z-]+( [^ ]+)*' | sed 's/   *.*//' > commands
	[ "$(wc -l < commands)" = 7 ] || fail "not seven commands: $(cat commands)"
	accepted < commands
}

# Every tool has a group, hence one line in the list and one in the man page.
test_every_tool_in_one_group() {
	run sonde help
	expect_exit 0
	titles > seen
	echo "$groups" | diff - seen || fail "other groups (+)"
	sed -n '/^help and version/,$d; s/^  \([a-z-]*\) .*/\1/p' out | sort > listed
	sonde help --names | sort | diff - listed || fail "not every tool once (+)"
	[ "$(wc -L < out)" -le 80 ] || fail "$(wc -L < out) columns"
	expect_line '^Exit status: 0 .*, 1 .*, 2 '
	sonde help --man > man
	grep -qx '.SH EXIT STATUS' man || fail "the man page does not name the exit status"
	sed -n 's/^\.SS "\(.*\)"$/\1/p' man | tr 'WHA' 'wha' > seen
	echo "$groups" | diff - seen || fail "other groups in the man page (+)"
}

# A script of the user's own needs no group, and has its place then.
test_script_without_a_group() {
	mkdir -p bin/share/sonde
	cp "$(command -v sonde)" bin/sonde
	printf '// mine: a line\nBEGIN { exit(); }\n' > bin/share/sonde/mine.bt
	printf '// lost: a line\n// group: how oft?\nBEGIN { exit(); }\n' > bin/share/sonde/lost.bt
	printf '// found: a line\n// group: how often?\nBEGIN { exit(); }\n' > bin/share/sonde/found.bt
	run bin/sonde help
	titles | tail -n 1 | grep -qx others || fail "no group of others"
	sed -n '/^others/,/^$/p' out | tr -s ' ' > part
	printf 'others\n lost a line\n mine a line\n\n' | diff - part || fail "other scripts (+)"
	sed -n '/^how often/,/^$/p' out | grep -q '^  found  *a line$' || fail "found is not in its group"
	run bin/sonde
	expect_line '^others$'
	expect_line '^    lost, mine$'
	[ "$(wc -l < out)" -le 22 ] || fail "$(wc -l < out) lines"
}

test_version() {
	sonde --version > version
	grep -qE '^sonde [0-9]+\.[0-9]+\.[0-9]+' version || fail "version: $(cat version)"
	for asks in -V version 'funccount -V' 'funccount --version'; do
		# shellcheck disable=SC2086 # two words
		sonde $asks | diff version - || fail "another version (+) by $asks"
	done
}

# --- what other tracers call it ---

test_page_is_current() {
	"$0/scripts/coming-from" --page | diff "$0/docs/COMING-FROM.md" - || fail "make docs writes another page (+)"
}

# accepted < COMMANDS: each tool exists and accepts the options; programs are compiled, though this kernel may lack
# what they probe. The words in capitals stand for something.
accepted() {
	while IFS= read -r command; do
		eval "set -- $(printf '%s\n' "$command" | sed 's/\<CMD\>/true/g; s/\<PID\>/1/g; s/\<FILE\>/file/g')"
		[ "$1" = sonde ] || fail "not sonde: $command"
		tool=$2
		shift 2
		[ "$tool" != help ] || { sonde help "$@" > out || fail "refused: $command"; continue; }
		sonde "$tool" --help "$@" > out 2> err < /dev/null || { cat err; fail "refused: $command"; }
		case "$tool ${1:-}" in
		'trace -e') compiled "$@" || { cat err; fail "$command"; } ;;
		esac
	done
}

# compiled -e PROGRAM [WORD]...: words after it are a command's, and -l runs none.
compiled() {
	sonde trace -l "$1" "$2" > out 2> err < /dev/null ||
		head -n 1 err | grep -qE 'no (kernel function|tracepoint|event) |cannot (read|open)'
}

test_commands_are_accepted() {
	"$0/scripts/coming-from" --here > commands
	[ "$(wc -l < commands)" -gt 250 ] || fail "only $(wc -l < commands) commands"
	accepted < commands
	echo 'sonde trace -e "kprobe:vfs_read { @[com] = count(); }"' > commands
	! (accepted < commands) > /dev/null || fail "a program with an error is accepted"
	echo 'sonde funccount --tops 5' > commands
	! (accepted < commands) > /dev/null || fail "an unknown option is accepted"
}

# answered NAME [WORD]: one line names the nearest command, or says that there is none; another may say what differs.
answered() {
	sonde "$@" > out 2> err < /dev/null && fail "sonde $* is no error" || status=$?
	expect_exit 2
	[ ! -s out ] || fail "sonde $* prints something on stdout"
	[ "$(wc -l < err)" -le 2 ] || fail "sonde $*: $(wc -l < err) lines"
	nearest='(; the nearest is: sonde [a-z]|, and nothing like it$)'
	head -n 1 err | grep -qE "^sonde: there is no tool '$*'( \([^)]+\))?$nearest" ||
		{ cat err; fail "no answer to sonde $*"; }
}

# No name is given twice or hidden by a tool, and `sonde help NAME` answers the same. Names of two words are two arguments.
test_names_are_answered() {
	"$0/scripts/coming-from" --names > names
	[ "$(wc -l < names)" -gt 250 ] || fail "only $(wc -l < names) names"
	[ -z "$(sort names | uniq -d)" ] || fail "twice: $(sort names | uniq -d)"
	while read -r name; do
		# shellcheck disable=SC2086 # one word or two
		answered $name
		mv err first
		case $name in
		-*) continue ;; # options of sonde help
		esac
		# shellcheck disable=SC2086 # one word or two
		sonde help $name > out 2> err && fail "sonde help $name is no error" || status=$?
		expect_exit 2
		cmp -s first err || { diff first err || :; fail "help $name says something else (+)"; }
	done < names
}

test_some_answers() {
	run sonde top
	expect_err '^sonde: there is no tool .top.; the nearest is: sonde profile -i 5$'
	run sonde ltrace
	expect_err "^sonde: there is no tool 'ltrace' \(strace\); the nearest is: sonde funccount 'c:str\*' -- CMD\$"
	run sonde funcgraph
	expect_err "^sonde: there is no tool 'funcgraph' \(ftrace\); the nearest is: sonde graph 'vfs_\*'\$"
	expect_err '^Arguments and results by '
	run sonde perf stat make
	expect_err "^sonde: there is no tool 'perf stat'; the nearest is: sonde why -- CMD\$"
	run sonde help perf record
	expect_err "^sonde: there is no tool 'perf record'; the nearest is: sonde profile -- CMD\$"
	run sonde flamegraph
	expect_err '; the nearest is: sonde profile --flame FILE$'
	run sonde c2c
	expect_err "^sonde: there is no tool 'c2c' \(perf\), and nothing like it\$"
}

# A part of a name, two names and an empty one are none.
test_no_such_name() {
	for name in hwla wlat 'hwlat blk' '' ' ' 'hwlat ' "$(printf 'c\001c')"; do
		run sonde "$name"
		expect_exit 2
		expect_one_err "there is no tool '"
		! grep -q nearest err || fail "an answer to '$name'"
	done
	run sonde funccuont
	expect_one_err "there is no tool 'funccuont' \(did you mean funccount\?\)$"
}

# known NAME...: each is a tool of sonde or is answered.
known() {
	sonde help --names > tools
	for name; do
		grep -qxF "$name" tools || answered "$name"
	done
}

test_knows_bcc() {
	known argdist bashreadline bindsnoop biolatency biolatpcts biopattern biosnoop biotop bitesize bpflist \
		btrfsdist btrfsslower cachestat cachetop capable cobjnew compactsnoop cpudist cpuunclaimed \
		criticalstat dbslower dbstat dcsnoop dcstat deadlock dirtop drsnoop execsnoop exitsnoop ext4dist \
		ext4slower filegone filelife fileslower filetop funccount funcinterval funclatency funcslower \
		gethostlatency hardirqs inject javacalls javaflow javagc javaobjnew javastat javathreads killsnoop \
		klockstat kvmexit llcstat mdflush memleak mountsnoop mysqld_qslower netqtop nfsdist nfsslower nodegc \
		nodestat offcputime offwaketime oomkill opensnoop perlcalls perlflow perlstat phpcalls phpflow \
		phpstat pidpersec ppchcalls profile pythoncalls pythonflow pythongc pythonstat readahead reset-trace \
		rubycalls rubyflow rubygc rubyobjnew rubystat runqlat runqlen runqslower shmsnoop slabratetop \
		sofdsnoop softirqs solisten sslsniff stackcount statsnoop swapin syncsnoop syscount tclcalls tclflow \
		tclobjnew tclstat tcpaccept tcpcong tcpconnect tcpconnlat tcpdrop tcplife tcpretrans tcprtt \
		tcpstates tcpsubnet tcpsynbl tcptop tcptracer threadsnoop tplist trace ttysnoop vfscount vfsstat \
		virtiostat wakeuptime wqlat xfsdist xfsslower zfsdist zfsslower
}

test_knows_perf_and_ftrace() {
	known annotate archive bench buildid-cache buildid-list c2c config daemon data diff evlist inject iostat \
		kallsyms kmem kvm kwork list lock mem probe record report sched script stat test timechart top trace
	known blk branch function function_graph hwlat irqsoff mmiotrace nop osnoise preemptirqsoff preemptoff \
		timerlat wakeup wakeup_dl wakeup_rt
	known agent check-events clear convert dump extract hist list listen options profile record report restart \
		restore set setup-guest show snapshot split stack start stat stop stream trace-cmd
	known funcgraph functrace iolatency iosnoop kprobe perf-stat-hist reset-ftrace tpoint uprobe
}

test_knows_the_rest() {
	known -c -e -p ltrace perf ftrace trace-cmd bcc dtrace flamegraph dtruss lockstat top htop iotop iostat vmstat \
		mpstat pidstat ps lsof ss tcpdump time biostacks mdflush ssllatency undump xfsdist
}
