# SPDX-License-Identifier: BSD-2-Clause
# sonde execsnoop: its rows must be what the executed programs find themselves
# (tests/programs/execs.h).
# of file: kernels=one

es() {
	run sonde execsnoop "$@"
}

# Splits out into what the programs report (told) and what sonde shows, without the heading. Lines
# can be long, and regular expressions are slow.
take_apart() {
	expect_exit 0
	expect_quiet
	: > told
	: > shown
	awk '{ begin = substr($0, 1, 9) } begin == "did exec\t" { print > "told"; next }
		begin !~ /^(TIME|UID|PCOMM) / { print > "shown" }' out
	[ -s told ] && [ -s shown ] || fail "$(wc -l < told) execs told, $(wc -l < shown) shown"
}

# No event may be lost, and stderr must have no other message.
expect_quiet() {
	! grep -v '^Tracing ' err || fail "stderr says more"
}

# Turns told into rows as the table has them. $1: an awk expression that selects execs (default:
# all). $2: the expression for the command line.
as_rows() {
	awk -F '\t' "${1:-1} { printf \"%-16s %-7d %-7d %3s %s\\n\", \$5, \$2, \$3, \$6, (${2:-\$10}) }" told > wanted
}

same() {
	diff wanted "${1:-shown}" > difference ||
		fail "rows differ (- told, + shown): $(head -n 9 difference | cut -c 1-300)"
}

# kernels=all
test_execs_as_they_are() {
	TZ=XXX-5:30 es -x -T -t -U -- execs succeed fail
	take_apart
	expect_line '^TIME     TIME\(s\)      UID    PCOMM            PID     PPID    RET ARGS$'
	! grep -vE '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9] [0-9]+\.[0-9]{6} {1,10} ' shown || fail "not a time"
	cut -c 10-21 shown | sort -n -c || fail "not in order"
	cut -c 23- shown > rows
	as_rows
	awk -F '\t' 'NR == FNR { uid[NR] = $4; next } { printf "%-6d %s\n", uid[FNR], $0 }' told wanted > with_uid
	mv with_uid wanted
	same rows
}

test_execs_as_data() {
	began=$(date -u +%Y-%m-%dT%H:%M:%S)
	es -x --json -- execs succeed fail
	ended=$(date -u +%Y-%m-%dT%H:%M:%S.999999)
	take_apart
	expect_json pid ppid uid comm ret error path args args_whole errno
	awk -F '\t' -v OFS='\t' '{ print $2, $3, $4, $5, $6, $7, $8, $9, "true", 0 - $6 }' told > wanted
	same rows
	expect_json time boot_ns
	awk -v began="$began" -v ended="$ended" '
		$1 < began || $1 > ended || $2 <= last { exit 1 }
		{ last = $2 }' rows || fail "times between $began and $ended: $(cat rows)"
}

# The error number is bcc's; the columns for more detail have its name beside it.
test_error_names() {
	es -x -v -- execs succeed fail
	expect_exit 0
	expect_line '^PCOMM            PID     PPID    RET ERROR        ARGS$'
	expect_line '^execs            [0-9]+ +[0-9]+ +0 -            [^ ]'
	expect_line '^execs            [0-9]+ +[0-9]+ +-2 ENOENT       [^ ]'
}

# Without -x only successful execs; the whole command line, however long.
# kernels=ends
test_long_lines() {
	es -- execs long fail fail-long
	take_apart
	as_rows '$6 == 0'
	longest=$(awk 'END { print length($0) }' wanted)
	[ "$longest" -gt 1500000 ] || fail "the longest is no more than $longest"
	same
}

# Each line must be the beginning of the same line of another file.
begins() {
	awk 'NR == FNR { begin[NR] = $0; next } index($0, begin[FNR]) != 1 { exit 1 }' "$@" ||
		fail "not what was passed"
}

# A row that is incomplete must say so: the buffer has no room for the line, or there are more
# arguments than are read. The last argument is in memory only if the kernel itself has read it, as
# older kernels do before they fail.
# kernels=ends
test_cut_lines() {
	es --buffer-size 64k -- execs long
	take_apart
	b4090=$(head -c 4090 /dev/zero | tr '\0' b)
	as_rows 1 '$5 != "execd" || !n++ ? $10 : "/bin/execd '"$b4090"' ... (" (n == 2 ? 95911 : 1495925) " bytes cut)"'
	same
	es -x -- execs fail-long
	take_apart
	[ "$(grep -v 'none x' shown | grep -c ' \.\.\.$')" = 4 ] || fail "not four are cut"
	expect_line ' /none x (unread|\.\.\.)$'
	sed 's/^\([^ ]* *\)\{4\}//; s/ \.\.\.$//' shown > lines
	cut -f 10 told | begins lines -
	es -x --json -- execs fail-long
	take_apart
	expect_json args_whole args
	[ "$(grep -v '"x"' rows | grep -c '^false')" = 4 ] || fail "not four are cut"
	cut -f 2 rows | sed 's/"]$//' > lines
	cut -f 9 told | begins lines -
}

# A shell reads back what -q shows.
test_quoted_lines() {
	es -q -- execs succeed
	take_apart
	cut -c 38- shown | while IFS= read -r line; do
		eval "set -- $line"
		printf '%s\0' "$@" | xxd -p | tr -d '\n'
		echo
	done > read_back
	cut -f 11 told > wanted
	same read_back
	! grep -q '[^ -~é]' shown || fail "not to be pasted"
}

test_by_name_and_line() {
	es -n '^(script|bare|execd)$' -l 'b c|[x]$' -- execs succeed
	take_apart
	as_rows '$5 ~ /^(script|bare|execd)$/ && $10 ~ /b c|[x]$/'
	same
	es --max-args 3 -l 'two \.\.\.$|^./bare a b c$|fd$' -- execs succeed
	take_apart
	as_rows '$10 ~ /two|bare|fd$/' '$10 ~ /two/ ? "/bin/execd -n one two ..." : $10'
	same
}

# The kernel keeps 15 bytes of a name. A pattern may match the whole name or these 15 bytes.
test_by_long_name() {
	cp /bin/execd long-name-of-a-program
	cp /bin/execd long-name-of-a-pro
	for name in '^long-name-of-a-program$' '^long-name-of-a-$' 'a-program'; do
		es -n "$name" -- sh -c './long-name-of-a-program one; ./long-name-of-a-pro two'
		take_apart
		as_rows
		case $name in
		*-\$) ;;
		*) sed -i '/ two$/d' wanted ;;
		esac
		[ -s wanted ] || fail "nothing to compare with"
		same
	done
}

test_of_a_user() {
	es -u user -U -- execs succeed
	take_apart
	as_rows '$4 == 1000'
	sed -i 's/^/1000   /' wanted
	same
}

# -p: what a process executes; -P: only its children; by the name that it then has; within a cgroup.
# kernels=ends
test_of_processes() {
	mkfifo go
	sh -c ': > waits; read x < go; exec execd became' > ours &
	pid=$!
	wait_until 20 test -e waits
	start sonde execsnoop -p $pid
	execd other > others
	echo > go
	wait $pid
	stop INT
	ours
	start sonde execsnoop -P $$ -n execd
	execd ours > ours
	sh -c 'execd theirs; :' >> others
	stop INT
	ours
	cp /bin/execd named
	mkdir -p /sys/fs/cgroup/house
	start sonde execsnoop --comm named --cgroup house
	./named outside >> others
	sh -c 'echo $$ > /sys/fs/cgroup/house/cgroup.procs; execd other; exec ./named inside' > all
	stop INT
	rmdir /sys/fs/cgroup/house
	grep '"inside"' all > ours
	ours
}

ours() {
	cat ours >> out
	take_apart
	as_rows
	same
}

# Only a command's children and their children, not another process at the same time.
# kernels=ends
test_of_a_command() {
	mkfifo go gone
	(
		read -r _ < go
		execd outside > outside
		echo > gone
	) &
	es -- sh -c 'echo > go; read x < gone; sh -c "execd inside; :"; exec execd last'
	wait
	grep -q '/bin/execd outside' outside || fail "nobody else was there"
	take_apart
	cut -c 38- shown > lines
	cat > wanted <<-'END'
	/bin/sh -c echo > go; read x < gone; sh -c "execd inside; :"; exec execd last
	/proc/self/exe -c execd inside; :
	/bin/execd inside
	/bin/execd last
	END
	same lines
	as_rows
	grep '^execd' shown > lines
	same lines
}

# In a PID namespace of our own: the ids of the host, or ours.
# kernels=ends
test_in_a_pid_namespace() {
	mkdir host
	mount -t proc proc host
	PROC=/tmp/host run unshare -m -p -f --mount-proc sonde execsnoop -- execs succeed
	take_apart
	as_rows
	same
	start unshare -m -p -f --mount-proc sonde execsnoop --pidns
	sonde=$(pidof sonde)
	execd outside > outside
	nsenter -t "$sonde" -m -p execs succeed > inside
	kill -INT "$sonde"
	await
	umount host
	cat inside >> out
	take_apart
	awk -F '\t' '$3 == 0' told | grep -q . || fail "a parent that is seen"
	as_rows
	same
}

test_errors() {
	run sonde execsnoop -n 'a('
	expect_exit 2
	expect_err "option -n 'a\(': bad regular expression"
	run sonde execsnoop --line '['
	expect_exit 2
	expect_err "option --line '\[': bad regular expression"
}
