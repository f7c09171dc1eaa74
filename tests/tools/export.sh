# SPDX-License-Identifier: BSD-2-Clause
# sonde export: what a scraper reads must be what the workload did.
# of file: kernels=one

. /exporter.sh

# kernels=ends
test_export_counts() {
	export_start "funccount $getpgid $getppid" "funccount $getpgid as mine"
	gate calls 1000 getpgid 30 getppid
	scrape
	expect_value "sonde_funccount_total{func=\"$getpgid\"}" 0
	open_gate
	scrape
	expect_value "sonde_funccount_total{func=\"$getpgid\"}" 1000
	expect_value "sonde_funccount_total{func=\"$getppid\"}" 30
	expect_value "mine_total{func=\"$getpgid\"}" 1000
	expect_value "sonde_line_up{line=\"funccount $getpgid as mine\"}" 1
	expect_value "sonde_probes_attached{line=\"funccount $getpgid $getppid\"}" 2
	# a scrape resets nothing
	calls 5 getpgid
	scrape
	expect_value "sonde_funccount_total{func=\"$getpgid\"}" 1005
	expect_value sonde_scrape_seconds_count 2
	export_stop
}

# What a kretprobe misses because many calls sleep in the function is in the page, also if the kernel does not report it.
# kernels=ends
test_export_missed_returns() {
	export_start 'funccount --mechanism kprobe r:hrtimer_nanosleep'
	# shellcheck disable=SC2046 # a list
	waits 4 50 $(yes sleep | head -n 30) > did
	scrape
	# what the kernel reports is counted, and in both
	awk '
		function calls(n) { return n >= 120 && n <= 135 }
		/^sonde_funccount_total/ { counted = $NF }
		/^sonde_missed_hits_total/ { missed = $NF }
		END { exit !missed || !(calls(counted) || calls(counted + missed)) }' page ||
		fail "$(grep -E '^sonde_(funccount|missed_hits)_total' page)"
	export_stop
}

# All buckets of a histogram are there, none is less than the one before it, and the last has all.
test_export_histograms() {
	export_start "funclatency $getpgid" "funclatency -F $getpgid $getppid as each buckets 1us..1s/4"
	calls 1000 getpgid
	scrape
	expect_value sonde_funclatency_seconds_count 1000
	expect_value 'sonde_funclatency_seconds_bucket{le="+Inf"}' 1000
	awk '/^sonde_funclatency_seconds_bucket/ { if ($2 < last) exit 1; last = $2; n++ } END { exit n < 10 }' page ||
		fail 'the buckets are not cumulative'
	awk '/^sonde_funclatency_seconds_sum/ && $2 > 0 && $2 < 10 { found = 1 } END { exit !found }' page ||
		fail 'no sum'
	expect_value "each_seconds_count{func=\"$getpgid\"}" 1000
	expect_value "each_seconds_count{func=\"$getppid\"}" 0
	[ "$(grep -c "^each_seconds_bucket{func=\"$getpgid\"" page)" = 6 ] || fail 'other buckets'
	# one program at both ends serves both
	! grep '^sonde_probe_attached' page || fail 'ends that are not attached'
	export_stop
}

# Two lines of one tool, with other options: each page shows what its own line asked for, after scrapes in turns too.
test_export_two_options() {
	export_start 'syscount --comm calls -x as failed' 'syscount --comm calls --syscall getpgid as one' \
		"funclatency $getpgid as whole" "funclatency --comm nobody $getpgid as nobodys"
	for round in 1 2; do
		calls 70 getpgid 40 openat
		scrape
		expect_value 'failed_total{syscall="openat"}' $((40 * round))
		expect_value 'failed_total{syscall="getpgid"}' none
		expect_value 'one_total{syscall="getpgid"}' $((70 * round))
		expect_value 'one_total{syscall="openat"}' none
		expect_value whole_seconds_count $((70 * round))
		expect_value nobodys_seconds_count 0
	done
	export_stop
}

# Keys beyond the limit go to one row, exactly.
test_export_limits() {
	cat > script.bt <<- EOF
		kprobe:$getpgid { @[1] = count(); }
		kprobe:$getppid { @[2] = count(); }
		kprobe:${SYS}_fsync { @[3] = count(); }
		kprobe:${SYS}_fdatasync { @[4] = count(); }
	EOF
	export_start 'trace script.bt max 2' 'syscount --comm calls as calls max 3'
	calls 70 getpgid 60 getppid
	scrape
	calls 40 fsync 30 fdatasync 5 getppid 3 getpgid 2 openat
	scrape
	sum=$(awk '/^calls_total/ { n += $2 } END { print n }' page)
	[ "$(grep -c '^calls_total' page)" = 4 ] || fail "not 3 rows and one of all others"
	[ "$(value 'calls_total{other="true"}')" != none ] && [ "$sum" -ge 205 ] || fail "$sum calls"
	grep '^sonde_trace' page > rows
	[ "$(wc -l < rows)" = 3 ] || fail "not 2 rows and one of all others: $(cat rows)"
	awk '/other="true"/ { other = $2; next } { own[$2] = 1 }
		END { exit !(other == 70 && own[73] && own[65]) }' rows ||
		fail "other values: $(cat rows)"
	export_stop
}

# A line that cannot be attached is a metric, and the rest runs; --strict ends. It is tried again at a reload.
test_export_down() {
	start sonde export 'funccount p:sonde_nosuch as gone' "funccount $getpgid"
	expect_err '^sonde export: argument 1: no kernel function matches .sonde_nosuch.'
	expect_err '^Exporting 1 of 2 lines at '
	calls 7 getpgid
	scrape
	expect_value 'sonde_line_up{line="funccount p:sonde_nosuch as gone"}' 0
	expect_value "sonde_line_up{line=\"funccount $getpgid\"}" 1
	attached='sonde_probe_attached{line="funccount p:sonde_nosuch as gone",reason="no kernel function .*"}'
	grep -q "^$attached 0$" page ||
		fail "no metric of the line that is down: $(grep probe_attached page)"
	expect_value "sonde_funccount_total{func=\"$getpgid\"}" 7
	kill -HUP $started
	wait_until 20 grep -q '^read the configuration again: 1 of 2 lines are up' err || fail "no reload: $(cat err)"
	[ "$(grep -c 'sonde_nosuch' err)" = 2 ] || fail 'it was not tried again'
	export_stop
	run sonde export --strict 'funccount p:sonde_nosuch as gone' "funccount $getpgid"
	expect_exit 1
	expect_err '^sonde export: a line could not be attached$'
	run sonde export --check 'funccount p:sonde_nosuch as gone' "funccount $getpgid"
	expect_exit 1
	expect_line "^sonde_funccount_total\\{func=\"$getpgid\"\\} 0$"
	expect_err "^argument 1: funccount p:sonde_nosuch as gone: not attached$"
	expect_err "^argument 2: funccount $getpgid: 1 probe, [0-9]+ KB in the kernel$"
	run sonde export --check "funccount $getpgid"
	expect_exit 0
}

# wrong REGEX LINE...: the configuration is refused in one line, and nothing is attached.
wrong() {
	printf '%s\n' "$@" | sed 1d > wrong.conf
	run sonde export wrong.conf
	expect_exit 2
	expect_one_err "^sonde export: wrong.conf:$1"
}

test_export_refused() {
	wrong "1: there is no tool 'funccuont' \\(did you mean funccount\\?\\)" 'funccuont vfs_read'
	wrong '2: execsnoop has no totals to export' '# a comment' execsnoop
	wrong '1: status counts nothing' status
	wrong '2: the metrics would be called sonde_runqlat, as those of wrong.conf:1' runqlat 'runqlat -m'
	wrong '3: the metrics would be called x, as those of wrong.conf:1' 'runqlat as x' 'biolatency' 'vfscount as x'
	wrong '1: the metric sonde_hits is also one of sonde itself' "funccount $getpgid as sonde_hits"
	wrong "1: invalid metric name '1x'" 'runqlat as 1x'
	wrong '1: --json has no meaning here' 'runqlat -j'
	wrong '1: --duration has no meaning here' "funccount -d 1 $getpgid"
	wrong "1: '1' has no meaning here" 'runqlat 1'
	wrong "1: '--' has no meaning here" "funccount $getpgid -- true"
	wrong '1: rows by pid cannot be exported' 'runqlat -P'
	wrong "1: a ' is not closed" "trace -e 'k:vfs_read"
	wrong '1: unknown option --nosuch' 'runqlat --nosuch'
	: > wrong.conf
	run sonde export wrong.conf
	expect_exit 2
	expect_one_err 'there is nothing to export'
	run sonde export nosuch
	expect_exit 2
	expect_one_err "'nosuch' is neither a tool nor a file"
	run sonde export ./nosuch
	expect_exit 1
	expect_one_err "cannot read the configuration './nosuch'"
	run sonde export
	expect_exit 2
}

# Lines that stay the same go on with their totals while others come and go; a wrong file changes nothing.
# kernels=ends
test_export_reload() {
	printf '%s\n' "funccount $getpgid as stays" "funccount $getppid as goes" > conf
	start sonde export conf
	calls -t 100000 getpgid 10 getppid > did &
	load=$!
	for round in 1 2 3 4 5; do
		printf '%s\n' "# moved" "funccount  '$getpgid'   as stays # $round" \
			"funccount vfs_read as new$round" > conf
		kill -HUP $started
		wait_until 20 reloaded $round || fail "no reload: $(cat err)"
	done
	wait $load
	scrape
	expect_value "stays_total{func=\"$getpgid\"}" "$(sed -n 's/did getpgid //p' did)"
	[ "$(value "new5_total{func=\"vfs_read\"}")" != none ] || fail 'no new line'
	! grep -q '^goes\|^new4' page || fail 'a line that went is still there'
	expect_value sonde_config_reload_success 1
	before=$(value sonde_config_reload_timestamp_seconds)
	echo 'nosuch vfs_read' >> conf
	kill -HUP $started
	wait_until 20 \
		grep -q "^sonde export: the configuration stays as it is: conf:4: there is no tool 'nosuch'" err ||
		fail "no word of the wrong file: $(cat err)"
	calls 11 getpgid > did
	scrape
	expect_value "stays_total{func=\"$getpgid\"}" 200011
	expect_value sonde_config_reload_success 0
	expect_value sonde_config_reload_timestamp_seconds "$before"
	# a line that means something else starts anew
	echo "funccount $getpgid as stays max 4" > conf
	kill -HUP $started
	wait_until 20 has_value sonde_config_reload_success 1
	expect_value "stays_total{func=\"$getpgid\"}" 0
	export_stop
}

reloaded() {
	[ "$(grep -c '^read the configuration again: 2 of 2' err)" = "$1" ]
}

# A script that ends is a line that is down, and the others run on.
test_export_ends() {
	script="trace -e 'kprobe:$getppid { @n = count(); exit(); }' as script"
	export_start "$script" "funccount $getpgid"
	calls 3 getpgid 1 getppid
	wait_until 20 has_value "sonde_line_up{line=\"$script\"}" 0 ||
		fail 'the script is still up'
	expect_value "sonde_funccount_total{func=\"$getpgid\"}" 3
	expect_err "^sonde export: trace -e .*: it has ended by itself$"
	export_stop
}

# A port that is taken, and a wrong place to listen, end it before anything is attached.
test_export_port() {
	export_start "funccount $getpgid"
	cp err first.err
	status=0
	sonde export "funccount $getppid" > out 2> second.err || status=$?
	[ "$status" = 1 ] || fail "exit $status with a port that is taken"
	grep -q 'another program does' second.err || fail "$(cat second.err)"
	export_stop
	run sonde export --listen nowhere "funccount $getppid"
	[ "$status" != 0 ] || fail 'it listens nowhere'
	expect_one_err 'nowhere'
	start sonde export --listen "unix:$PWD/socket" "funccount $getpgid"
	[ -S socket ] || fail 'no socket'
	stop INT
	expect_exit 0
	[ ! -e socket ] || fail 'the socket is left'
}

# resident: prints the KB of memory of the exporter.
resident() {
	awk '/^VmRSS/ { print $2 }' /proc/$started/status
}

# Memory stays what it is over scrapes and reloads.
# timeout=300
test_export_memory() {
	printf '%s\n' "funccount $getpgid" runqlat 'syscount as a' \
		"trace -e 'kprobe:$getpgid { @[comm] = count(); }'" > conf
	sed 's/as a/as b/; s/comm/comm, cpu/' conf > other
	cp conf this
	start sonde export conf
	for round in 1 2 3 4 5 6 7 8; do
		cp other conf
		kill -HUP $started
		wait_until 30 reloads $((round * 2 - 1))
		cp this conf
		kill -HUP $started
		wait_until 30 reloads $((round * 2))
		i=0
		while [ $i -lt 20 ]; do
			scrape
			i=$((i + 1))
		done
		[ $round != 4 ] || first=$(resident)
	done
	echo "first $first KB, last $(resident) KB"
	[ "$(resident)" -le $((first + 100)) ] || fail "$first KB first, $(resident) KB now"
	[ "$(resident)" -le 8192 ] || fail "$(resident) KB"
	export_stop
}

reloads() {
	[ "$(grep -c '^read the configuration again: 4 of 4' err)" = "$1" ]
}

# A page as a file, without the numbers of a process, which node-exporter has itself. Nobody listens then.
test_export_textfile() {
	start sonde export --textfile "$PWD/x.prom" --every 100ms "funccount $getpgid"
	calls 12 getpgid
	wait_until 20 grep -qxF "sonde_funccount_total{func=\"$getpgid\"} 12" x.prom ||
		fail "not written: $(cat x.prom)"
	! grep process_ x.prom || fail 'numbers of the process'
	! wget -qO page "$url" || fail 'somebody listens'
	stop TERM
	expect_exit 0
	[ ! -e x.prom ] || fail 'the file is left'
	run sonde export --textfile nowhere/x.prom "funccount $getpgid"
	expect_exit 1
	expect_one_err 'nowhere'
}
