# SPDX-License-Identifier: BSD-2-Clause
# Recordings as files of other tools, read by those tools: protoc and Perfetto's trace processor; trace-cmd and the
# library of KernelShark. The recordings are of a made-up machine, of which everything is known (tests/convert/convert.c).

b=$0/${B:-build}
case ${B:-build} in /*) b=$B ;; esac
tests=$0/tests/convert
. "$tests/query.sh"

# record NAME [-l] [-f] [-n STEPS] ...: NAME.trace, and its truths in NAME.truth
record() {
	[ -x "$b/convert-files" ] || skip "there is no $b/convert-files"
	name=$1
	shift
	"$b/convert-files" "$@" "$name.trace" > "$name.truth" || fail "convert-files $*: $?"
}

# Prints what is true of a word and its argument: truth NAME kind sys_enter
truth() {
	awk -v what="$2" -v of="$3" '$1 == what && $2 == of { print $3 }' "$1.truth"
}

# expect WHAT GOT WANTED
expect_same() {
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

perfetto() {
	"$b/convert-files" "$1.trace" perfetto "$1.pftrace" || fail "perfetto: $?"
}

trace_dat() {
	"$b/convert-files" "$1.trace" trace.dat "$1.dat" || fail "trace.dat: $?"
	command -v trace-cmd > /dev/null || skip "there is no trace-cmd"
	trace-cmd report -i "$1.dat" > "$1.report" 2> "$1.errors" || fail "trace-cmd report: $?: $(cat "$1.errors")"
	[ ! -s "$1.errors" ] || fail "trace-cmd says: $(head -n 3 "$1.errors")"
}

# All fields are known to Perfetto: protoc prints one that is not by its number, and text that is not UTF-8 as an error.
test_perfetto_decodes() {
	command -v protoc > /dev/null || skip "there is no protoc"
	record some -l
	perfetto some
	protoc -I "$tests" --decode=Trace "$tests/perfetto.proto" < some.pftrace > some.txt 2> errors || fail "protoc: $(cat errors)"
	[ ! -s errors ] || fail "protoc says: $(head -n 3 errors)"
	! grep -qE '^ *[0-9]+( \{|:)' some.txt || fail "unknown fields: $(grep -E '^ *[0-9]+( \{|:)' some.txt | head -n 3)"
	expect_same "wakings" "$(grep -c '^ *sched_waking {' some.txt)" "$(truth some kind waking)"
	expect_same "forks" "$(grep -c '^ *task_newtask {' some.txt)" "$(truth some kind fork)"
	grep -q 'string_value: "EAGAIN"' some.txt || fail "no name of an error"
	grep -q 'name: "here \\357\\277\\275\\n\\"it\\" is"' some.txt || fail "no mark: $(grep 'name: "here' some.txt | head -n 1)"
}

# Lines of counts that must be the same as the truth: "NAME|COUNT".
count_events="SELECT substr(name, 7) AS what, count(*) FROM ftrace_event WHERE name IN ('sched_switch', 'sched_waking')
	GROUP BY 1 UNION ALL
	SELECT 'sys_enter', count(*) FROM slice WHERE category = 'syscall' UNION ALL
	SELECT 'block_complete', count(*) FROM slice WHERE category = 'block' AND dur > 0 UNION ALL
	SELECT 'probe', sum(iif(dur > 0, 2, 1)) FROM slice WHERE category = 'probe' UNION ALL
	SELECT 'mark', count(*) FROM slice WHERE category = 'mark' UNION ALL
	SELECT 'odd', count(*) FROM slice WHERE name = 'odd'"

# Each record is one event or slice, times on a processor are those of the machine, and the importer has no complaint.
# An entry and its return are one slice; a probe without a return is a moment.
test_perfetto_sql() {
	needs_trace_processor
	record some -n 20000 -c 3
	perfetto some
	query some.pftrace "$complaints" "$count_events" \
		"SELECT 'run', tid, sum(dur) FROM sched JOIN thread USING (utid) WHERE dur > 0 AND tid > 0 GROUP BY utid" \
		"SELECT 'state', tid, sum(dur) FROM thread_state JOIN thread USING (utid) WHERE state = 'Running' AND dur > 0
			AND tid > 0 GROUP BY utid" | grep . | sort > got
	{
		for kind in switch waking sys_enter block_complete probe mark odd; do
			echo "$kind|$(truth some kind $kind)"
		done
		sed -n 's/^run \([0-9]*\) \([1-9].*\)/run|\1|\2\nstate|\1|\2/p' some.truth
	} | sort > wanted
	cmp -s got wanted || fail "$(diff got wanted | head -n 5)"
}

# Calls of a thread nest, with their arguments and results; why a thread sleeps is known of all, and who woke it.
# slow=yes
test_perfetto_says_why() {
	needs_trace_processor
	record some
	perfetto some
	query some.pftrace "SELECT DISTINCT state, blocked_function, io_wait FROM thread_state WHERE state IN ('S', 'D') ORDER BY 1" \
		"SELECT 'nobody woke', count(*) FROM thread_state WHERE state = 'R' AND waker_utid IS NULL" \
		"SELECT DISTINCT name, depth > 0 FROM slice WHERE category = 'probe' AND dur > 0 ORDER BY 2" \
		"SELECT DISTINCT flat_key, int_value, string_value FROM args JOIN slice USING (arg_set_id) WHERE name = 'read'
			ORDER BY 1, 2" \
		"SELECT cmdline FROM process WHERE pid = 1001" \
		"SELECT 'twice', tid FROM thread GROUP BY tid HAVING count(*) > 1" | grep . > got
	cat > wanted <<- 'END'
		D|read(3)|1
		S|read(3)|0
		nobody woke|0
		p:vfs_"read"|0
		p:vfs_"read"|1
		debug.arg0|3|
		debug.error||EAGAIN
		debug.ret|-11|
		debug.ret|17|
		/bin/boss -x "a b"
	END
	cmp -s got wanted || fail "$(diff got wanted)"
}

# A loss is a gap on the processor where it was, with the number, and the importer marks that processor. Nothing of the
# processor happens in the gap.
# slow=yes
test_perfetto_losses() {
	needs_trace_processor
	record some -l -n 20000 -c 3
	perfetto some
	query some.pftrace "$complaints" \
		"SELECT 'lost', substr(t.name, 11), sum(a.int_value) FROM slice s JOIN track t ON t.id = s.track_id
			JOIN args a USING (arg_set_id) WHERE s.category = 'loss' AND a.flat_key = 'debug.lost' GROUP BY 2" \
		"SELECT 'in a gap', count(*) FROM slice s JOIN track t ON t.id = s.track_id
			JOIN ftrace_event e ON e.cpu = cast(substr(t.name, 11) AS int) WHERE s.category = 'loss' AND e.ts > s.ts
			AND e.ts < s.ts + s.dur" \
		"SELECT 'runs on', count(*) FROM sched WHERE dur < 0" | grep . | sort > got
	{
		grep '^lost' some.truth | tr ' ' '|'
		printf 'complaint|ftrace_cpu_has_data_loss|%s|1\n' 0 1 2
		echo 'in a gap|0'
		echo 'runs on|3'
	} | sort > wanted
	cmp -s got wanted || fail "$(diff got wanted)"
	! grep -q '^lost|.|0$' got || fail "nothing was lost"
}

# With a filter nobody knows who ran in between: that is said, and recorded threads have their times.
# slow=yes
test_perfetto_filtered() {
	needs_trace_processor
	record some -f -n 20000 -c 3
	perfetto some
	query some.pftrace "$complaints" \
		"SELECT 'run', tid, sum(dur) FROM sched JOIN thread USING (utid) WHERE dur > 0 AND tid % 2 AND tid < 4000000
			GROUP BY tid" \
		"SELECT DISTINCT name FROM thread WHERE tid > 4194304" | grep . | sort > got
	{
		grep '^run [0-9]* [1-9]' some.truth | tr ' ' '|'
		echo "(not recorded)"
	} | sort > wanted
	cmp -s got wanted || fail "$(diff got wanted | head -n 5)"
}

# Prints the time of each event of a report, behind its processor. Newer versions of trace-cmd print flags between them.
event_times() {
	LC_ALL=C awk '{
		for (i = 1; i < NF && $i !~ /^\[0[0-9]*\]$/; i++)
			;
		for (cpu = $i; i <= NF; i++)
			if ($i ~ /^[0-9]+\.[0-9]+:$/) {
				sub(/:/, "", $i)
				print cpu, $i
				break
			}
	}' "$1"
}

test_trace_cmd() {
	record some -n 20000 -c 3
	trace_dat some
	for kind in switch:sched_switch waking:sched_waking fork:sched_process_fork exit:sched_process_exit sys_enter:sys_enter \
		sys_exit:sys_exit mark:mark block_issue:block_rq_issue block_complete:block_rq_complete odd:odd; do
		expect_same "${kind%:*}" "$(grep -a -c "\] .*: ${kind#*:}: " some.report)" "$(truth some kind "${kind%:*}")"
	done
	expect_same "probes" "$(grep -a -cE ': (probe|probe_return): ' some.report)" "$(truth some kind probe)"
	for line in 'sys_enter: *NR 0 (3, 0, 0, 0, 0, 0) read$' 'sys_exit: *NR 0 = -11 read$' \
		'mark: *here \\xff\\n"it" is' 'probe: *p:vfs_"read"(ffff888000001000, 0, 0, 0, 0, 0)$' \
		'probe_return: *p:vfs_"read" = 0$' 'odd: *height=180$' 'block_rq_issue: *254,0 W 4096 [0-9]* + 8 \[' \
		'sched_switch: *worker:1002 \[120\] [SD] ==> '; do
		grep -a -q "$line" some.report || fail "no $line"
	done
	event_times some.report > times
	[ "$(wc -l < times)" -gt 20000 ] || fail "only $(wc -l < times) times"
	expect_same "time of the last event" "$(tail -n 1 times | cut -d ' ' -f 2)" \
		"$(truth some time last | awk '{ printf "%.6f", $1 / 1e9 }')"
	# of each processor in order of time, and all of it
	awk '{ if ($2 < last[$1]) bad = 1; last[$1] = $2 } END { exit bad }' times || fail "not in order"
}

# "CPU:1 [5 EVENTS DROPPED]" stands where they were lost: the gap is in front of the next event of that processor.
test_trace_cmd_losses() {
	record some -l -n 20000 -c 3
	trace_dat some
	grep -a 'EVENTS DROPPED' some.report | tr -d '[' | awk '{ sub("CPU:", "", $1); n[$1] += $2 } END {
		for (cpu in n) print "lost", cpu, n[cpu] }' | sort > got
	grep '^lost' some.truth > wanted
	cmp -s got wanted || fail "losses: $(cat got)"
}

test_kernelshark() {
	[ -e /usr/include/kernelshark/libkshark.h ] || skip "there is no libkshark"
	includes=
	for dir in kernelshark trace-cmd traceevent tracefs; do
		includes="$includes -I/usr/include/$dir"
	done
	# shellcheck disable=SC2086 # a list
	cc $includes "$tests/kshark.c" -o kshark -lkshark || skip "kshark.c does not compile with this libkshark"
	record some
	trace_dat some
	./kshark some.dat > some.kshark || fail "kshark: $?"
	expect_same "time of the last entry" "$(tail -n 1 some.kshark | cut -d ' ' -f 1)" "$(truth some time last)"
	for kind in switch:sched/sched_switch waking:sched/sched_waking sys_enter:raw_syscalls/sys_enter mark:sonde/mark; do
		expect_same "${kind%:*}" "$(grep -a -c " ${kind#*:}: " some.kshark)" "$(truth some kind "${kind%:*}")"
	done
}

# What the options of `sonde report` write is what the converters write, and no table.
test_report_options() {
	record some -l
	"$b/convert-files" some.trace perfetto some.pftrace trace.dat some.dat || fail "convert-files: $?"
	run sonde report some.trace --perfetto out.pftrace --trace-dat out.dat
	expect_exit 0
	[ ! -s out ] || fail "a table: $(head -n 1 out)"
	cmp some.pftrace out.pftrace || fail "--perfetto writes something else"
	cmp some.dat out.dat || fail "--trace-dat writes something else"
	[ "$(stat -c %a out.pftrace)" = 600 ] || fail "others may read it"
	run sonde report some.trace --perfetto out.pftrace
	expect_exit 1
	grep -q 'out.pftrace exists: --overwrite replaces it' err || fail "$(cat err)"
	run sonde report some.trace --perfetto out.pftrace --force timeline
	expect_exit 0
	[ -s out ] || fail "no timeline"
	cmp some.pftrace out.pftrace || fail "with a timeline --perfetto writes something else"
	sonde report some.trace --perfetto - | cmp - some.pftrace || fail "stdout gets something else"
	sonde report some.trace --trace-dat - | cmp - some.dat || fail "stdout gets another trace.dat"
	for left in .sonde*; do
		[ ! -e "$left" ] || fail "something is left: $left"
	done
}

# Whatever is wrong with the file, there is one line and no half file.
test_bad_recordings() {
	record some
	head -c 100000 some.trace > cut.trace
	"$b/convert-files" cut.trace perfetto cut.pftrace trace.dat cut.dat || fail "a recording that is cut: $?"
	[ -s cut.pftrace ] || fail "no file for Perfetto"
	[ -s cut.dat ] || fail "no trace.dat"
	head -c 10 some.trace > none.trace
	! "$b/convert-files" none.trace perfetto none.pftrace 2> errors || fail "10 bytes are a recording"
	[ "$(wc -l < errors)" = 1 ] || fail "not one line: $(cat errors)"
	[ ! -e none.pftrace ] || fail "there is a file"
}
