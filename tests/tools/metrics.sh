# SPDX-License-Identifier: BSD-2-Clause
# The names of metrics are an interface. docs/METRICS.md has the same list: tests/host/metrics.sh compares the two.
# of file: kernels=one

# LINE|FAMILY TYPE UNIT LABELS|..., which goes on in the next line after a | at the end.
families() {
	awk '{ printf "%s%s", $0, (/\|$/ ? "" : "\n") }' <<-'END'
		biolatency|sonde_biolatency_seconds histogram seconds -
		biolatency -D|sonde_biolatency_seconds histogram seconds disk
		biolatency -F|sonde_biolatency_seconds histogram seconds flags
		bitesize|sonde_bitesize_kbytes histogram - comm
		cpudist|sonde_cpudist_seconds histogram seconds -
		cpuwalk|sonde_cpuwalk_cpu histogram - -
		funccount vfs_read|sonde_funccount_total counter - func
		funclatency -F vfs_read|sonde_funclatency_seconds histogram seconds func
		hardirqs|sonde_hardirqs_seconds summary seconds hardirq
		hardirqs -C|sonde_hardirqs_total counter - hardirq
		hardirqs -d|sonde_hardirqs_seconds histogram seconds hardirq
		pidpersec|sonde_pidpersec_forks_total counter - -
		runqlat|sonde_runqlat_seconds histogram seconds -
		runqlen|sonde_runqlen_runqlen histogram - -
		softirqs|sonde_softirqs_seconds summary seconds softirq
		softirqs -C|sonde_softirqs_total counter - softirq
		softirqs -d|sonde_softirqs_seconds histogram seconds softirq
		syscount -L|sonde_syscount_total counter - syscall|
		sonde_syscount_errors_total counter - syscall|
		sonde_syscount_time_seconds_total counter seconds syscall|
		sonde_syscount_max_seconds gauge seconds syscall
		vfscount|sonde_vfscount_total counter - func
		vfsstat|sonde_vfsstat_reads_total counter - -|
		sonde_vfsstat_writes_total counter - -|
		sonde_vfsstat_fsyncs_total counter - -|
		sonde_vfsstat_opens_total counter - -|
		sonde_vfsstat_creates_total counter - -
		why --requests --port 80|sonde_why_request_seconds histogram seconds server|
		sonde_why_request_cause_seconds_total counter seconds server,cause|
		sonde_why_request_slow_cause_seconds_total counter seconds server,cause|
		sonde_why_requests_total counter - server|
		sonde_why_requests_merged_total counter - server|
		sonde_why_requests_lost_total counter - server|
		sonde_why_requests_slow_total counter - server|
		sonde_why_requests_unanswered_total counter - -
	END
}

# timeout=180
test_families() {
	families > list
	while IFS='|' read -r line wanted; do
		sonde export --families "$line" > got 2> err || fail "$line: $(cat err)"
		[ "$(tr '\t' ' ' < got | paste -sd '|')" = "$wanted" ] || fail "$line: $(cat got)"
	done < list
}

# Events have no totals, and labels must not grow for ever.
test_refused() {
	refused='has no totals to export|rows by (pid|tid|process) cannot be exported|cannot be a label'
	for line in execsnoop tcpconnect wakeuptime 'runqlat -P' 'runqlat -L' 'syscount -P'; do
		run sonde export --families "$line"
		expect_exit 2
		expect_err "^sonde export: argument 1: .*($refused)"
	done
}
