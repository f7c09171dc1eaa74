# SPDX-License-Identifier: BSD-2-Clause
# sonde export --pin, and the store of the service manager: what is counted goes on while no exporter runs.

. /exporter.sh

pins=/sys/fs/bpf/sonde

mount_pins() {
	mount -t bpf bpf /sys/fs/bpf
}

# What a run leaves on purpose.
unpin() {
	rm -f $pins/*
	rmdir $pins
	umount /sys/fs/bpf
}

# Whether the kernel has links for perf events, which came with 5.15.
pins_probes() {
	[ "$KERNEL" != 5.10 ]
}

# Most mechanisms in one exporter.
pinned_lines() {
	echo "funccount t:syscalls:sys_enter_getpgid as raw"
	echo "syscount -L as calls"
	echo "trace -e 'tracepoint:syscalls:sys_enter_getpgid /comm == \"calls\"/" \
		"{ @n[comm] = count(); @h = hist(7); }' as script"
	echo "funccount $getpgid as function"
	echo "funccount -r ^__[a-z0-9]*_sys_getpgid$ as both"
	echo "funclatency $getpgid as times"
}

# restart N: while the workload makes 1000 calls, the exporter is killed, and another one starts.
restart() {
	calls 1000 getpgid > did &
	workload=$!
	stop KILL
	start sonde export --pin lines
	wait $workload
}

# expect_sum NAME VALUE: of all series with this name, "_total" left out; or with this name and the first labels.
expect_sum() {
	sum=$(awk -v name="$1" '
		{ sub(/_total/, "", $1) }
		index($1, name "{") == 1 || $1 == name || (name ~ /\{/ && index($1, name) == 1) { sum += $NF; n++ }
		END { print n ? sum : "none" }' page)
	[ "$sum" = "$2" ] || fail "$1 is $sum, not $2: $(grep "^${1%%\{*}" page)"
}

# expect_pinned N: every line has counted N calls.
expect_pinned() {
	scrape
	expect_sum raw "$1"
	expect_sum 'calls{syscall="getpgid"' "$1"
	expect_sum script_n "$1"
	expect_sum script_h_count "$1"
	expect_sum function "$1"
	expect_sum both "$1"
	expect_sum times_seconds_count "$1"
}

# created: when each line's counters began.
created() {
	wget -qO - --header 'Accept: application/openmetrics-text' "$url" |
		sed -n 's/^\(raw\|calls\|function\|both\|times_seconds\)_created\({.*}\)*/\1/p' | sort -u
}

# timeout=300 kernels=turns
test_export_pins() {
	mount_pins
	pinned_lines > lines
	start sonde export --pin lines
	if ! pins_probes; then
		expect_err 'as raw: this kernel cannot pin probes .*: its counters begin anew after a restart'
		export_stop
		unpin
		return 0
	fi
	scrape
	created > created
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		restart
	done
	expect_pinned 20000
	created | diff created - || fail "counters began anew"
	# an orderly end keeps them, too
	export_stop
	calls 1000 getpgid
	start sonde export --pin lines
	expect_pinned 21000
	# only one has the pins
	run sonde export --pin --listen 127.0.0.1:9436 lines
	expect_exit 1
	expect_err 'another sonde export has the pins'
	# a line that changes starts anew, one that goes is removed, and the others go on
	sed "s/as raw/as raw max 5/; /^syscount/d" lines > changed
	export_stop
	# a start that fails, because a line is found to be wrong after others were adopted, removes nothing
	{ cat lines && echo "trace -e 'tracepoint:syscalls:sys_enter_getpgid { @[pid] = count(); }'"; } > wrong
	run sonde export --pin --listen 127.0.0.1:9436 wrong
	expect_exit 2
	start sonde export --pin lines
	expect_pinned 21000
	mv changed lines
	export_stop
	start sonde export --pin lines
	scrape
	expect_sum raw 0
	expect_sum script_n 21000
	n=$(ls $pins | wc -l)
	export_stop
	start sonde export --pin lines
	[ "$(ls $pins | wc -l)" = "$n" ] || fail "$n pins became $(ls $pins | wc -l)"
	export_stop
	unpin
}

# While requests of two kinds reach the disk and calls sleep, the exporter is killed, and another one starts, among more
# threads than the table of calls has room for when it is made anew. Both kinds of requests are counted, the one that
# comes second in the row of all others; and the times of calls are whole.
# timeout=240 kernels=one
test_export_pins_exact() {
	pins_probes || return 0
	mount_pins
	disk=$(disk scratch)
	echo "biolatency -F -d ${disk#/dev/} as disk max 1" > lines
	echo "syscount -L --comm calls as calls" >> lines
	start sonde export --pin lines
	dd if=/dev/zero of="$disk" bs=4096 count=1 oflag=direct 2> dd.err
	scrape
	expect_sum disk_seconds_count 1
	for _ in 1 2 3; do
		mkfifo did
		threads -a 3000 > did &
		threads=$!
		read -r _ < did
		rm did
		calls 5 nanosleep > did &
		workload=$!
		{
			dd if=/dev/zero of="$disk" bs=4096 count=100 oflag=direct &&
				dd if="$disk" of=/dev/null bs=4096 count=90 iflag=direct
		} 2> dd.err &
		disk_load=$!
		stop KILL
		start sonde export --pin lines
		wait $workload
		wait $disk_load
		kill $threads
		wait $threads || :
		rm did
	done
	scrape
	expect_sum 'disk_seconds_count{flags=' 301
	expect_value 'disk_seconds_count{other="true"}' 270
	expect_sum 'calls{syscall="nanosleep"' 15
	awk '/^calls_time_seconds.*nanosleep/ { time = $NF } /^calls_max_seconds.*nanosleep/ { most = $NF }
		END { exit !(most >= 0.02 && time >= 15 * 0.02 && time <= 15 * most) }' page ||
		fail "$(grep nanosleep page)"
	export_stop
	unpin
}

# While an exporter runs, its pins stay. After its end they count on, and reset-trace removes them.
# kernels=one
test_export_pins_reset() {
	pins_probes || return 0
	mount_pins
	start sonde export --pin 'funccount t:syscalls:sys_enter_getpgid'
	n=$(ls $pins | wc -l)
	run sonde reset-trace
	expect_exit 0
	expect_line "^Left alone in /sys/fs/bpf: $n pins of sonde, in use by process $started .*\$"
	[ "$(ls $pins | wc -l)" = "$n" ] || fail "$n pins became $(ls $pins | wc -l)"
	stop KILL
	run sonde status
	expect_exit 0
	expect_line " pin $pins/[0-9a-f]+_[lp][0-9]+\$"
	run sonde reset-trace
	expect_exit 0
	[ "$(grep -c "^Needed to reset $pins/" out)" = "$n" ] || fail "$n pins: $(cat out)"
	[ ! -e $pins ] || fail "left: $(ls -d $pins $pins/*)"
	umount /sys/fs/bpf
}

# A scrape reads files: where each is slow, many scrapes cost more than the budget, and nothing comes back. wait_until
# makes 50 tries for each of its seconds: these are 100 s for each.
comes_back() {
	sleep 2
	has_value "sonde_sampling_ratio{$line}" 1
}

# A storm costs more than the budget: calls are sampled, and the line is paused. After the storm all comes back.
# timeout=400 kernels=turns
test_export_budget() {
	line='line="funclatency vfs_read"'

	run sonde export --budget 5 'funclatency vfs_read'
	expect_exit 2
	expect_err 'give a share of the machine'
	mount_pins
	start sonde export --pin --budget 0.5% 'funclatency vfs_read'
	dd if=/dev/zero of=/dev/null bs=1 2> dd.err &
	storm=$!
	wait_until 30 has_value "sonde_line_up{$line}" 0 || fail "it is not paused: $(grep _ratio page)"
	expect_value "sonde_sampling_ratio{$line}" 8
	expect_value sonde_budget_ratio 0.005
	expect_err '^funclatency vfs_read: paused: it cost [0-9.]+ % of the machine, the budget is 0.5 %$'
	if pins_probes; then
		# a pause goes on while no exporter runs, and is a part of the gap
		gap=$(value "sonde_gap_seconds_total{$line}")
		stop KILL
		start sonde export --pin --budget 0.5% 'funclatency vfs_read'
		scrape
		now=$(value "sonde_gap_seconds_total{$line}")
		awk -v gap="$gap" -v now="$now" 'BEGIN { exit !(gap > 0 && now > gap) }' ||
			fail "the gap was $gap, and is $now"
	fi
	kill $storm
	wait_until 3 comes_back || fail "it does not come back: $(cat err)"
	expect_value "sonde_line_up{$line}" 1
	awk -v gap="$(value "sonde_gap_seconds_total{$line}")" 'BEGIN { exit !(gap > 0) }' || fail 'there is no gap'
	export_stop
	unpin
}

# --- the service manager's store ---

# A unit without the hardening of packaging/sonde-export.service.
store_unit() {
	cat > /proc/1/root/run/systemd/system/kept.service <<- UNIT
	[Service]
	Type=notify
	ExecStart=/guest/bin/sonde export /run/lines
	ExecReload=kill -HUP \$MAINPID
	FileDescriptorStoreMax=512
	Restart=always
	RestartSec=0
	UNIT
	peer systemctl daemon-reload
}

main_pid() {
	peer systemctl show -P MainPID kept
}

# kill -9 or systemctl restart, while the workload makes 1000 calls.
restart_unit() {
	calls 1000 getpgid > did &
	workload=$!
	if [ $(($1 % 2)) = 0 ]; then
		peer systemctl restart kept
	else
		before=$(main_pid)
		peer systemctl kill -s KILL kept
		wait_until 20 is_restarted "$before"
	fi
	wait $workload
}

is_restarted() {
	pid=$(main_pid)
	[ "$pid" != 0 ] && [ "$pid" != "$1" ] && [ "$(peer systemctl is-active kept)" = active ]
}

# image=systemd timeout=240 kernels=turns
test_export_store() {
	pinned_lines > /proc/1/root/run/lines
	store_unit
	peer systemctl start kept
	scrape
	created > created
	for i in 1 2; do
		restart_unit $i
	done
	expect_pinned 2000
	created | diff created - || fail "counters began anew"
	# a line that changes starts anew, also at a reload, and what it had is not kept
	sed -i 's/as raw/as raw max 5/; /^syscount/d' /proc/1/root/run/lines
	peer systemctl reload kept
	peer systemctl restart kept
	calls 5 getpgid
	scrape
	expect_sum raw 5
	expect_sum function 2005
	kept=$(peer systemctl show -P NFileDescriptorStore kept)
	peer systemctl restart kept
	[ "$(peer systemctl show -P NFileDescriptorStore kept)" = "$kept" ] || fail "the store grows"
	# a stop drops all
	peer systemctl stop kept
	peer systemctl start kept
	scrape
	expect_sum function 0
	peer systemctl stop kept
	rm /proc/1/root/run/systemd/system/kept.service /proc/1/root/run/lines
}
