# SPDX-License-Identifier: BSD-2-Clause
# Checks the output of tests/bench/peers/report for made-up figures.

report=$0/tests/bench/peers/report

# lines LINE...: writes lines whose fields are separated by tabs; in the arguments they are
# separated by "|".
lines() {
	printf '%s\n' "$@" | tr '|' '\t'
}

# millions ROW TOOL N: writes three repetitions of the time until armed: N, N + 1 and N + 2 million
# instructions.
millions() {
	for n in 0 1 2; do
		lines "row|armed|$1|$2|$(($3 + n))000000"
	done
}

# Runs the report without charts, whether there is matplotlib or not. Its words are in out, stderr
# in err.
report() {
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	mkdir -p without
	echo 'raise ImportError("no module for charts")' > without/matplotlib.py
	[ -e whys.tsv ] || : > whys.tsv
	run env PYTHONPATH="$PWD/without" "$report" rows.tsv docs whys.tsv
	[ "$status" != 0 ] || cp docs/BENCHMARKS.md out
}

# expect_losses LINE...: the list of rows where sonde is not the best must be these lines.
expect_losses() {
	printf '%s\n' "$@" > expected
	sed -n '/^## Where/,/^## Summary/p' out | sed -e '/^#/d' -e '/^Every row/,/^$/d' -e '/^$/d' > losses
	diff expected losses || fail "other losses"
}

test_report_where_sonde_is_not_the_best() {
	{
		millions worse 'sonde funccount' 30
		millions worse 'perf stat' 9
		millions explained 'sonde funccount' 30
		millions explained 'perf stat' 15
		millions explained 'bpftrace' 500
		millions better 'sonde funccount' 10
		millions better 'bcc funccount' 100
		lines 'row|armed|nearly|sonde funccount|101000000' 'row|armed|nearly|perf stat|100000000'
		millions missing 'bpftrace' 800
		lines 'row|cost|count: kprobe|(floor)|100' 'row|cost|count: kprobe|sonde|120' \
			'row|cost|count: kprobe|bcc|150'
		lines 'none|cost|stack|sonde|has no such table' 'row|cost|stack|bcc|150'
	} > rows.tsv
	lines '# a comment' 'armed|expl*|It asks more.' 'armed|better|Never said.' > whys.tsv
	report
	expect_losses \
		'1. **not there** Until armed, missing: sonde: it has no such tool; bpftrace 801 M. *No reason known yet.*' \
		'2. **not there** Cost of one call, stack: sonde: has no such table; bcc 150. *No reason known yet.*' \
		'3. **3.10** Until armed, worse: sonde funccount 31.0 M, perf stat 10.0 M. *No reason known yet.*' \
		'4. **1.94** Until armed, explained: sonde funccount 31.0 M, perf stat 16.0 M. It asks more.'
	expect_line '^\| Until armed +\| +1 \| +1 \| +3 \| +0 \| +1\.47 \|$'
	expect_line '^\| Cost of one call +\| +1 \| +0 \| +1 \| +0 \| +0\.80 \|$'
	expect_line '^\| missing +\| bpftrace +\| +801 M \|'
	expect_line '^\| +\| sonde +\| +no such tool \|'
	expect_line '^\| Memory +\|.*not measured \|$'
}

# There is no difference if each median lies within the other's range. If only one does, there is a
# difference.
test_report_ranges() {
	lines 'row|memory|within|sonde|80' 'row|memory|within|sonde|100' 'row|memory|within|sonde|120' \
		'row|memory|within|strace|70' 'row|memory|within|strace|90' 'row|memory|within|strace|110' \
		'row|memory|half|sonde|95' 'row|memory|half|sonde|100' 'row|memory|half|sonde|105' \
		'row|memory|half|strace|70' 'row|memory|half|strace|90' 'row|memory|half|strace|120' \
		'row|memory|beyond|sonde|80' 'row|memory|beyond|sonde|100' 'row|memory|beyond|sonde|120' \
		'row|memory|beyond|strace|89' 'row|memory|beyond|strace|90' 'row|memory|beyond|strace|91' > rows.tsv
	report
	expect_losses '1. **1.11** Memory, half: sonde 100 KB, strace 90 KB. *No reason known yet.*' \
		'2. **1.11** Memory, beyond: sonde 100 KB, strace 90 KB. *No reason known yet.*'
	expect_line '^\| within +\| strace +\| +90 KB \| +70–110 KB \| +\*\*1\.11\*\* \|$'
}

test_report_nothing_lost() {
	lines 'row|size|installed|sonde|2048' 'row|size|installed|bcc|204800' 'row|memory|one|sonde|900' > rows.tsv
	report
	expect_losses 'In no row that was measured.'
	expect_line '^\| Memory +\| +0 \| +0 \| +0 \| +1 \| +– \|$'
	expect_line '^\| installed +\| \*\*sonde\*\* +\| +\*\*2\.00 MB\*\* \| +once \| +\|$'
}

# A loss that was not reported is worse than a greater one that was. A few events too many belong to
# other processes.
test_report_loss_and_residue() {
	lines 'row|loss|opens|sonde|1000 900 102' 'row|loss|opens|bcc|1000 950 0' \
		'none|loss|opens|strace|waits for each' 'row|loss|opens|perf|1000 500 900' \
		'row|loss|execs|sonde|1000 1002 0' 'row|loss|execs|perf|1000 1000 0' \
		'row|left|count|sonde|0 0 0 0 0' 'row|left|count|bpftrace|0 0 0 0 0' \
		'row|left|count|trace-cmd|0 0 3 1 0' > rows.tsv
	report
	expect_losses 'In no row that was measured.'
	expect_line '\| +\*\*100 of 1,000\*\* \|'
	expect_line '\| bcc +\| +50 of 1,000, 50 unreported \|.* 0\.00 \|$'
	expect_line '\| perf +\| +500 of 1,000, 400 too many reported \|.*\*\*0\.20\*\* \|$'
	expect_line '\| \*\*sonde\*\* +\| +\*\*0 of 1,000\*\* \|'
	expect_line '\| strace +\| +– \(1\) \|'
	expect_line '^- \(1\) waits for each$'
	expect_line '\| bpftrace +\| +0 \|.*\*\*1\.00\*\* \|$'
	expect_line '\| trace-cmd +\| +4: 3 events \+ 1 enabled \|'
}

# Rows of events are compared by their number, those of functions by the pattern: each tool may find
# another number for it.
grown() {
	lines 'row|functions|vfs_*|sonde|80 5000000 2048' 'row|functions|vfs_*|bcc|60 50000000 4096' \
		'row|functions|tcp_*|sonde|400 9000000 2048' 'row|functions|tcp_*|bcc|400 90000000 4096' \
		'row|events|opens|sonde|1000 5000000 2048' 'row|events|opens|bcc|990 6000000 4096' \
		'row|events|opens|sonde|10000 25000000 2048' 'row|events|opens|bcc|10000 20000000 4096' \
		'command|events|opens|sonde|sonde opensnoop -t' 'version|kernel|6.12' 'note|events|all of /usr'
}

test_report_growth() {
	grown > rows.tsv
	report
	expect_err 'no charts: no module for charts'
	expect_losses '1. **1.25** More events: time until all is printed, opens (10,000 events): sonde 25.0 M, bcc 20.0 M. *No' \
		'   reason known yet.*'
	expect_line '\| 50\.0 M \(60 functions\) \|'
	expect_line '^\| `vfs_\*` \(80 functions\) +\|'
	expect_line '^- all of /usr$'
	expect_line '^sonde opensnoop -t$'
	expect_line '^\| kernel \| 6\.12 +\|$'
}

# well_formed FILE...
well_formed() {
	/usr/bin/python3 -c 'import sys, xml.dom.minidom as dom; [dom.parse(name) for name in sys.argv[1:]]' "$@"
}

# The charts must be the same each time, and have the colours of the page that shows them.
test_report_charts() {
	/usr/bin/python3 -c 'import matplotlib' || skip "there is no matplotlib, so no charts are drawn"
	grown > rows.tsv
	"$report" rows.tsv docs
	"$report" rows.tsv again
	diff -r docs again || fail "others the second time"
	for chart in functions-time functions-memory events-time-opens events-memory-opens; do
		well_formed docs/$chart.svg || fail "$chart is no SVG"
		grep -q 'currentColor' docs/$chart.svg && grep -q 'prefers-color-scheme:dark' docs/$chart.svg ||
			fail "$chart has one colour"
		grep -q '>bcc<' docs/$chart.svg || fail "$chart does not name its lines"
		grep -q "^!.*($chart.svg)$" docs/BENCHMARKS.md || fail "$chart is not shown"
	done
}

# A malformed line must be named, and nothing be written.
test_report_malformed() {
	while read -r bad; do
		lines 'row|armed|one|sonde|10' "$bad" > rows.tsv
		rm -rf docs
		report
		expect_exit 1
		expect_one_err 'rows\.tsv:2: '
		[ ! -e docs ] || fail "written nevertheless"
	done <<-END
		row|armed|one|sonde
		row|armed||sonde|10
		row|armed|one|sonde|ten
		row|armed|one|sonde|1 2
		row|armed|one|sonde|nan
		row|armed|one|sonde|-1
		row|loss|one|sonde|0 0 0
		row|nowhere|one|sonde|10
		line|armed|one|sonde|10
		version|sonde
	END
	lines 'version|sonde|1.0' > rows.tsv
	report
	expect_exit 1
	expect_one_err 'nothing was measured'
	lines 'row|armed|one|sonde|10' > rows.tsv
	lines 'armed|one' > whys.tsv
	report
	expect_exit 1
	expect_one_err 'whys\.tsv:1: '
}
