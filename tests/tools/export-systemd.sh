# SPDX-License-Identifier: BSD-2-Clause
# `sonde export` as a service: the real systemd restarts it, the real Prometheus scrapes it, Debian's dpkg installs and
# removes its package.
# of file: kernels=one

# The image's root.
image=/proc/1/root

# dpkg need not wait for the disk, which is lost anyway
package() {
	run peer dpkg --force-unsafe-io "$@"
	expect_exit 0
}

# serve LINE...: installs the package, if no test before has done that, and starts the service with these lines of
# configuration; without lines, with those that the package has.
serve() {
	[ -e $image/etc/sonde/metrics.conf ] || package -i /guest/sonde.deb
	cmp -s $image/usr/bin/sonde /bin/sonde ||
		fail "the package has another sonde than the build directory: make tests"
	[ -e $image/etc/sonde/installed ] || cp $image/etc/sonde/metrics.conf $image/etc/sonde/installed
	cp $image/etc/sonde/installed $image/etc/sonde/metrics.conf
	[ $# = 0 ] || printf '%s\n' "$@" > $image/etc/sonde/metrics.conf
	run peer systemctl start sonde-export
	[ "$status" = 0 ] || { journal; fail "the service does not start"; }
}

journal() {
	peer journalctl --sync
	peer journalctl --no-pager --output=cat -u sonde-export
}

# Ends the service, and Prometheus if it runs. What the service left, no_residue finds.
end() {
	peer systemctl stop sonde-export
	[ -z "${prometheus:-}" ] || { kill $prometheus && wait $prometheus || :; }
}

# page: the metrics, without comments, in the file page.
page() {
	peer curl -sSf --max-time 30 http://127.0.0.1:9435/metrics > whole || fail "no page"
	grep -v '^#' whole > page
}

# value SERIES: prints the value of a series of the page, named as it is written there.
value() {
	awk -v name="$1" 'substr($0, 1, length(name) + 1) == name " " { print $NF; found = 1 }
		END { exit !found }' page || fail "there is no $1: $(head -n 5 page)"
}

expect_value() {
	[ "$(value "$1")" = "$2" ] || fail "$1 is $(value "$1"), not $2"
}

# Users that exist while a service runs leave a file for locks.
files() {
	find $image/etc $image/usr $image/var/lib/systemd ! -name .pwd.lock | sort
}

# Installed, it runs only when somebody says so. An upgrade keeps the configuration and restarts what runs; removal
# stops it; a purge leaves nothing.
# timeout=300 image=systemd
test_package() {
	[ ! -e $image/etc/sonde ] || { rm -f $image/etc/sonde/installed && package -P sonde; }
	files > before
	serve runqlat
	rm $image/etc/sonde/installed
	run peer systemctl is-enabled sonde-export.service sonde-export.socket
	expect_out disabled disabled
	run peer systemd-analyze --man=no verify /usr/lib/systemd/system/sonde-export.service
	expect_silence
	first=$(peer systemctl show -P MainPID sonde-export)
	peer systemctl enable sonde-export 2> log
	package -i /guest/sonde.deb
	[ "$(peer systemctl show -P MainPID sonde-export)" != "$first" ] ||
		fail "an upgrade did not restart the service"
	peer systemctl is-active sonde-export || fail "an upgrade ended the service"
	[ "$(cat $image/etc/sonde/metrics.conf)" = runqlat ] || fail "an upgrade changed the configuration"
	package -r sonde
	! peer systemctl is-active sonde-export || fail "it runs without its program"
	[ -e $image/etc/sonde/metrics.conf ] || fail "removal removed the configuration"
	package -P sonde
	files | diff before - || fail "a purge left something"
}

# The service may do little: systemd's own judgement, and what the process may really do.
# timeout=300 image=systemd kernels=ends
test_hardened() {
	serve 'biolatency -D' runqlat 'funccount do_sys_openat2 t:sched:sched_process_exec' vfsstat 'syscount --summary'
	run peer systemd-analyze security --no-pager --threshold=25 sonde-export
	expect_exit 0
	pid=$(peer systemctl show -P MainPID sonde-export)
	grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/$pid/status > may
	cat may
	# CAP_PERFMON is 38, CAP_BPF 39
	for set in CapEff CapBnd; do
		grep -q "^$set:.000000c000000000$" may || fail "$set is not CAP_BPF and CAP_PERFMON"
	done
	! grep -q '^Uid:.0' may || fail "it runs as root"
	page
	[ "$(grep -c '^sonde_line_up{.*} 1$' page)" = 5 ] || { journal; fail "$(grep line_up page)"; }
	end
}

# A line that cannot attach, or may not, is a metric, and no reason to restart. A wrong configuration neither.
# timeout=300 image=systemd
test_bad_lines() {
	serve runqlat 'funccount no_such_function_anywhere' 'funccount vfs_* as vfs'
	page
	[ "$(grep -c '^sonde_line_up{.*} 1$' page)" = 1 ] && [ "$(grep -c '^sonde_line_up{.*} 0$' page)" = 2 ] ||
		fail "$(grep line_up page)"
	journal > log
	grep -q 'metrics.conf:3: .*without CAP_SYS_ADMIN' log || fail "the journal does not say why: $(cat log)"
	# a wrong file leaves what runs
	echo 'runqlat --no-such-option' > $image/etc/sonde/metrics.conf
	peer systemctl reload sonde-export || :
	wait_until 30 reload_failed || { journal; fail "the failed reload is not to be seen"; }
	[ "$(grep -c '^sonde_line_up{.*} 1$' page)" = 1 ] || fail "the wrong file ended what ran"
	journal > log
	grep -q 'metrics.conf:1: .*no-such-option' log || fail "the journal does not say why: $(cat log)"
	! peer systemctl restart sonde-export || fail "it starts with a wrong file"
	[ "$(peer systemctl show -P NRestarts sonde-export)" = 0 ] || fail "it restarts again and again"
	end
}

reload_failed() {
	page
	grep -qx 'sonde_config_reload_success 0' page
}

# systemd listens: the first scrape starts the service, and none is refused while it restarts.
# timeout=300 image=systemd
test_socket() {
	serve 'funccount t:sched:sched_process_exec'
	peer systemctl stop sonde-export
	peer systemctl start sonde-export.socket
	page
	peer systemctl restart --no-block sonde-export
	page
	peer systemctl is-active sonde-export
	peer systemctl stop sonde-export.socket sonde-export.service
	end
}

# counted_on: calls a function that nobody else calls, until a file "enough" exists.
counted_on() {
	while [ ! -e enough ]; do
		calls 500 getpgid
	done > did
}

# kept SERIES: ends counted_on, and compares what it did with a series.
expect_kept() {
	: > enough
	wait "$counting"
	page
	expect_value "$1" "$(add_up 3 did)"
}

# Counters go on over restarts, reloads and the death of the service, and nothing is counted twice.
# timeout=900 image=systemd kernels=turns
test_restarts() {
	serve "funccount $getpgid as pgids" runqlat
	[ "$(peer systemctl show -P NFileDescriptorStore sonde-export)" -gt 0 ] || fail "nothing is kept"
	page
	series=$(grep -o "^pgids[a-z_]*{[^}]*}" page)
	begun=$(grep '^process_start_time_seconds' page)
	counted_on &
	counting=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		peer systemctl restart sonde-export || { journal; fail "restart $i"; }
		peer systemctl reload sonde-export || fail "reload $i"
		page
		now=$(value "$series")
		[ "$now" -ge "${last:-0}" ] || { journal; fail "restart $i: $now after $last"; }
		last=$now
	done
	[ "$(grep '^process_start_time_seconds' page)" != "$begun" ] || fail "nothing was restarted"
	kill -9 "$(peer systemctl show -P MainPID sonde-export)"
	wait_until 60 again || { journal; fail "it does not come back"; }
	expect_kept "$series"
	# stopped, it forgets
	peer systemctl stop sonde-export
	peer systemctl start sonde-export
	page
	expect_value "$series" 0
	end
}

again() {
	[ "$(peer systemctl show -P NRestarts sonde-export)" = 1 ] && peer systemctl is-active sonde-export > log
}

# prometheus OPTION...: starts Prometheus, which scrapes the service each second.
prometheus() {
	cat > prometheus.yml <<-END
		global:
		  scrape_interval: 1s
		  evaluation_interval: 1s
		rule_files: [rules.yml]
		scrape_configs:
		  - job_name: sonde
		    static_configs:
		      - targets: ['127.0.0.1:9435']
	END
	[ -e rules.yml ] || echo 'groups: []' > rules.yml
	peer promtool check config prometheus.yml > log || fail "$(cat log)"
	peer prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:9090 "$@" \
		> prometheus.log 2>&1 &
	prometheus=$!
	wait_until 60 answers 'up == 1' || { tail -n 5 prometheus.log; fail "Prometheus scrapes nothing"; }
}

# query EXPRESSION: prints the values of its series, one a line.
query() {
	peer promtool query instant http://127.0.0.1:9090 "$1" | sed -n 's/.* => \(.*\) @\[.*/\1/p'
}

answers() {
	query "$1" > answer 2> log && [ -s answer ]
}

# expect_median EXPRESSION: the median of 25 naps of 20 ms or somewhat more, depending on how busy the machine is,
# must lie in the bucket of the text page that has the 13th.
expect_median() {
	query "$1" > median
	page
	awk -F '[" ]' '
		FILENAME == "median" { median = $1; next }
		/^naps_seconds_bucket/ && $NF >= 13 && !high { high = $2 }
		END {
			print "median", median, "bound", high
			exit !(high >= 0.03125 && median > high / 2 && median <= high)
		}' median page > compared || { grep naps page; fail "$(cat compared)"; }
	cat compared
}

# What Prometheus's query language says of the workload is what the workload says.
# timeout=600 image=systemd
test_prometheus() {
	serve "funccount $getpgid as pgids" 'funclatency --comm calls hrtimer_nanosleep as naps_seconds'
	prometheus
	calls 30000 getpgid 25 nanosleep > did
	# Scrapes were made meanwhile, also one between the calls and the last nap: the next ones have it all.
	wait_until 60 answers 'naps_seconds_count >= 25' || fail "$(query naps_seconds_count) naps, not 25"
	[ "$(cat answer)" = 25 ] || fail "$(cat answer) naps, not 25"
	answers '{__name__=~"pgids.*",__name__!~".*created"}' || fail "Prometheus has no calls"
	[ "$(cat answer)" = 30000 ] || fail "Prometheus counts $(cat answer)"
	expect_median 'histogram_quantile(0.5, naps_seconds_bucket)'
	[ "$(query 'min_over_time(up[1h])')" = 1 ] || fail "a scrape failed"
	peer curl -sSf http://127.0.0.1:9435/metrics | peer promtool check metrics || fail "promtool complains"
	end
}

# options TEXT: the service's options from its next start on.
options() {
	sed -i "s/^OPTIONS=.*/OPTIONS=\"$1\"/" $image/etc/sonde/export.env
}

# examples FILE...: copies them from where the package has put them.
examples() {
	for file in "$@"; do
		at=$image/usr/share/doc/sonde/examples/$file
		cat $at > $file 2> log || zcat $at.gz > $file
	done
}

# Each expression of the dashboard and each rule gives something for the configuration that is installed, on this
# machine.
# timeout=600 image=systemd
test_dashboard() {
	serve
	# what a budget does has series too; this one is never exceeded
	trap 'options ""' EXIT
	options '--budget 90%'
	peer systemctl restart sonde-export
	examples grafana.json rules.yml
	prometheus
	wait_until 60 answers 'count_over_time(sonde_build_info[1h]) > 4'
	dd if="$(disk scratch)" of=/dev/null bs=4096 count=100 2> log
	cat > ask.py <<-'END'
		import json, re, sys, urllib.parse, urllib.request
		def ask(expression):
		    url = 'http://127.0.0.1:9090/api/v1/query?query=' + urllib.parse.quote(expression)
		    return json.load(urllib.request.urlopen(url))['data']['result']
		panels = json.load(open('grafana.json'))['panels']
		asked = [t['expr'] for p in panels for t in p['targets']]
		asked = [a.replace('$__rate_interval', '1m').replace('$instance', '.*') for a in asked]
		asked += re.findall('record: (.*)', open('rules.yml').read())
		bad = [expression for expression in asked if not ask(expression)]
		alerts = json.load(urllib.request.urlopen('http://127.0.0.1:9090/api/v1/alerts'))['data']['alerts']
		alerts = [a['labels'] for a in alerts]
		print(len(asked), 'expressions; without an answer:', bad, 'alerts:', alerts)
		sys.exit(len(asked) < 25 or bool(bad) or bool(alerts))
	END
	wait_until 60 asked || fail "$(cat asked)"
	cat asked
	end
}

asked() {
	peer python3 ask.py > asked 2>&1
}

# node-exporter's collector for files finds nothing to complain about in the page, and serves it.
# timeout=240 image=systemd
test_node_exporter() {
	mkdir collected
	start sonde export --textfile "$PWD/collected/sonde.prom" --every 100ms "funccount $getpgid as pgids" runqlat
	peer prometheus-node-exporter --collector.disable-defaults --collector.textfile \
		--web.listen-address=127.0.0.1:9100 --collector.textfile.directory="$PWD/collected" > node.log 2>&1 &
	node=$!
	calls 77 getpgid
	wait_until 60 collects || { grep -E 'pgids|error' nodes; fail "$(tail -n 3 node.log)"; }
	kill $node
	wait $node || :
	stop TERM
	expect_exit 0
}

collects() {
	peer curl -sf http://127.0.0.1:9100/metrics > nodes &&
		grep -q '^pgids_total{.*} 77$' nodes && grep -q '^sonde_runqlat_seconds_count' nodes &&
		grep -qx 'node_textfile_scrape_error 0' nodes
}

# Each alert fires for what it is about, and not for what is well.
# timeout=300 image=systemd
test_alerts() {
	serve runqlat
	end
	examples rules.yml
	cat > alerts.yml <<-'END'
		rule_files: [rules.yml]
		evaluation_interval: 1m
		tests:
		  - interval: 1m
		    input_series:
		      - {series: 'sonde_line_up{instance="bad"}', values: '0x180'}
		      - {series: 'sonde_line_up{instance="well"}', values: '1x180'}
		      - {series: 'sonde_config_reload_success{instance="bad"}', values: '0x180'}
		      - {series: 'sonde_config_reload_success{instance="well"}', values: '1x180'}
		      - {series: 'sonde_lost_total{instance="bad"}', values: '0+9x180'}
		      - {series: 'sonde_lost_total{instance="well"}', values: '5x180'}
		      - {series: 'sonde_gap_seconds_total{instance="bad"}', values: '0+2x180'}
		      - {series: 'sonde_gap_seconds_total{instance="well"}', values: '99x180'}
		      - {series: 'sonde_sampling_ratio{instance="bad"}', values: '8x180'}
		      - {series: 'sonde_sampling_ratio{instance="well"}', values: '1x180'}
		      - {series: 'sonde_cost_ratio{instance="bad",line="a"}', values: '0.004x180'}
		      - {series: 'sonde_cost_ratio{instance="bad",line="b"}', values: '0.004x180'}
		      - {series: 'sonde_cost_ratio{instance="well"}', values: '0.004x180'}
		      - {series: 'sonde_budget_ratio{instance="bad"}', values: '0.005x180'}
		      - {series: 'sonde_budget_ratio{instance="well"}', values: '0.005x180'}
		    promql_expr_test:
		      - eval_time: 2h
		        expr: count by (alertname, instance) (ALERTS{alertstate="firing"})
		        exp_samples:
	END
	sed -n "s/.*alert: \(.*\)/          - {labels: '{alertname=\"\1\",instance=\"bad\"}', value: 1}/p" \
		rules.yml >> alerts.yml
	run peer promtool test rules alerts.yml
	expect_exit 0
	[ "$(grep -c alertname= alerts.yml)" -ge 6 ] || fail "where are the alerts?"
}

# The machine whose requests are slow for another reason than those of the others, and no other one.
# timeout=300 image=systemd
test_alerts_of_requests() {
	serve runqlat
	end
	examples rules-requests.yml
	cat > short.yml <<-'END'
		rule_files: [rules-requests.yml]
		evaluation_interval: 1m
		tests:
		  - interval: 1m
		    input_series:
		      - {series: 'SLOW{instance="a",server="a",cause="disk"}', values: '0+6x180'}
		      - {series: 'SLOW{instance="a",server="a",cause="queue"}', values: '0+2x180'}
		      - {series: 'SLOW{instance="b",server="a",cause="disk"}', values: '0+60x180'}
		      - {series: 'SLOW{instance="c",server="a",cause="disk"}', values: '0+3x180'}
		      - {series: 'SLOW{instance="odd",server="a",cause="disk"}', values: '0+1x180'}
		      - {series: 'SLOW{instance="odd",server="a",cause="throttled"}', values: '0+9x180'}
		      - {series: 'SLOW{instance="a",server="b",cause="disk"}', values: '0+1x180'}
		      - {series: 'SLOW{instance="odd",server="b",cause="queue"}', values: '0+1x180'}
		      # each has 5 slow ones a minute; at server c, only 1; at server d, they are quick
		      - {series: 'COUNT{instance="a",server="a"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="b",server="a"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="c",server="a"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="odd",server="a"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="a",server="b"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="odd",server="b"}', values: '0+5x180'}
		      - {series: 'SLOW{instance="a",server="c",cause="disk"}', values: '0+6x180'}
		      - {series: 'SLOW{instance="b",server="c",cause="disk"}', values: '0+6x180'}
		      - {series: 'SLOW{instance="odd",server="c",cause="queue"}', values: '0+6x180'}
		      - {series: 'COUNT{instance="a",server="c"}', values: '0+1x180'}
		      - {series: 'COUNT{instance="b",server="c"}', values: '0+1x180'}
		      - {series: 'COUNT{instance="odd",server="c"}', values: '0+1x180'}
		      - {series: 'SLOW{instance="a",server="d",cause="disk"}', values: '0+0.04x180'}
		      - {series: 'SLOW{instance="b",server="d",cause="disk"}', values: '0+0.04x180'}
		      - {series: 'SLOW{instance="odd",server="d",cause="queue"}', values: '0+0.04x180'}
		      - {series: 'COUNT{instance="a",server="d"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="b",server="d"}', values: '0+5x180'}
		      - {series: 'COUNT{instance="odd",server="d"}', values: '0+5x180'}
		      # of server e, one of ten is a batch
		      - {series: 'TIMES{instance="a",server="e",le="1"}', values: '0+10x180'}
		      - {series: 'TIMES{instance="a",server="e",le="+Inf"}', values: '0+10x180'}
		      - {series: 'ALL{instance="a",server="e"}', values: '0+10x180'}
		      - {series: 'MERGED{instance="a",server="e"}', values: '0+1x180'}
		      - {series: 'TIMES{instance="a",server="f",le="1"}', values: '0+10x180'}
		      - {series: 'TIMES{instance="a",server="f",le="+Inf"}', values: '0+10x180'}
		      - {series: 'ALL{instance="a",server="f"}', values: '0+10x180'}
		      - {series: 'MERGED{instance="a",server="f"}', values: '0x180'}
		    promql_expr_test:
		      - eval_time: 2h
		        expr: count by (server) (job_server:sonde_why_request_seconds:p99)
		        exp_samples:
		          - {labels: '{server="f"}', value: 1}
		      - eval_time: 2h
		        expr: count by (alertname, instance, server, cause) (ALERTS{alertstate="firing"})
		        exp_samples:
		          - labels: '{alertname="SondeSlowForAnotherReason",instance="odd",
		              server="a",cause="throttled"}'
		            value: 1
		      - eval_time: 2h
		        expr: instance_cause:SHARE{instance="odd",cause="throttled"}
		        exp_samples:
		          - {labels: 'instance_cause:SHARE{instance="odd",server="a",cause="throttled"}', value: 0.9}
		      - eval_time: 2h
		        expr: job_cause:SHARE{server="a",cause="throttled"}
		        exp_samples:
		          - {labels: 'job_cause:SHARE{server="a",cause="throttled"}', value: 0.225}
	END
	sed 's/SLOW/sonde_why_request_slow_cause_seconds_total/; s/SHARE/sonde_why_request_slow:share15m/
		s/COUNT/sonde_why_requests_slow_total/; s/TIMES/sonde_why_request_seconds_bucket/
		s/ALL{/sonde_why_requests_total{/; s/MERGED/sonde_why_requests_merged_total/' short.yml > alerts.yml
	run peer promtool test rules alerts.yml
	expect_exit 0
}

# Native histograms come without a list of bounds, by protobuf.
# timeout=600 image=systemd kernels=turns
test_native_histograms() {
	serve 'funclatency --comm calls hrtimer_nanosleep as naps_seconds'
	prometheus --enable-feature=native-histograms
	calls 25 nanosleep > did
	wait_until 60 answers 'histogram_count(naps_seconds) >= 25' ||
		{ tail -n 5 prometheus.log; fail "no native histogram"; }
	[ "$(cat answer)" = 25 ] || fail "$(cat answer) naps, not 25"
	expect_median 'histogram_quantile(0.5, naps_seconds)'
	end
}
