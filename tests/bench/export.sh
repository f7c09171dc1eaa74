# SPDX-License-Identifier: BSD-2-Clause
# What `sonde export` costs, on this machine and in guests. tests/bench/export sets sonde, storm, scrape, calls, dir,
# unit (of a time: ns, or instructions), times (how many scrapes are measured), starts, and rate (events a second of a
# storm). Lines of the report begin with "@@ ".
mkdir -p "$dir" && cd "$dir" || exit 1
port=9440

say() {
	echo "@@ $*"
}

# begin ARG...: $exporter serves, and its stderr is the file log.
begin() {
	"$sonde" export -l 127.0.0.1:$port "$@" 2> log &
	exporter=$!
	until grep -q '^Exporting' log; do
		kill -0 $exporter 2> /dev/null || { say "it ended: $(cat log)"; return 1; }
		usleep 10000 2> /dev/null || sleep 0.01
	done
}

end() {
	kill -TERM $exporter
	wait $exporter
}

# status NAME: a number of the exporter's /proc/PID/status.
status() {
	awk -v name="$1:" '$1 == name { print $2 }' /proc/$exporter/status
}

# large N: exports histograms of 38 keys, counters of N keys, and the times of three functions: none is zero.
large() {
	cat > large.bt <<- END
		uprobe:$storm:storm_key /arg0 < 38/ { @values[arg0] = hist(nsecs % 4096); }
		uprobe:$storm:storm_key /arg0 < $1/ { @calls[arg0] = count(); }
	END
	begin 'trace large.bt max 1000' \
		"funclatency -F u:$storm:storm_count u:$storm:storm_time u:$storm:storm_key" || return
	"$storm" -r 20000 $(($1 / 10 + 5)) > /dev/null
}

# Exactly 2000 series: as many counters as are missing.
pages() {
	large 1
	set -- $("$scrape" -n 1 $port)
	end
	large $((2001 - $1))
	say
	say "One scrape of 2000 series: $unit of the exporter, and bytes of the body"
	say
	say "$(printf '%-32s %12s %10s' '' "$unit" bytes)"
	for format in text openmetrics protobuf; do
		for how in '' -z; do
			set -- $("$scrape" -a $format $how -n $times -p $exporter $port)
			say "$(printf '%-32s %12d %10d' "$format${how:+, gzip}" $3 $2)"
		done
	done
	set -- $("$scrape" -c -n $times -p $exporter $port)
	say "$(printf '%-32s %12d %10d' 'text, a connection each' $3 $2)"
	set -- $("$scrape" -n 1 $port)
	say "series: $1, resident: $(status VmRSS) KB, at most $(status VmHWM) KB"
	end
}

# switches LABEL ARG...: how often an exporter that nobody scrapes wakes up in 20 s.
switches() {
	label=$1
	shift
	begin "$@" || return
	sleep 3
	before=$(status voluntary_ctxt_switches) || return
	sleep 20
	say "$(printf '%-32s %12d' "$label" $(($(status voluntary_ctxt_switches) - before)))"
	end
}

wakeups() {
	say
	say 'Wake-ups in 20 s without a scrape'
	say
	switches 'without --budget' "funccount u:$storm:storm_count"
	switches '--budget 0.5%' --budget 0.5% "funccount u:$storm:storm_count"
}

# start LABEL ARG...: the medians of some starts: from exec until it serves, and resident memory at most.
start() {
	label=$1 n=0
	shift
	: > starts
	while [ $((n += 1)) -le $starts ]; do
		bench-hold -a Exporting "$sonde" export -l 127.0.0.1:$port "$@" 2> why >> starts ||
			{ say "$label: fails, $(tail -n 1 why)"; return; }
	done
	say "$(awk 'NF > 1 { print $2, $3, $5 }' starts | sort -n | awk -v label="$label" '
		{ passed[NR] = $1; own[NR] = $2; if ($3 > most) most = $3 }
		END { middle = int((NR + 1) / 2)
			printf "%-32s %12.2f %12.2f %12.2f %10d", label, passed[1] / 1e6, passed[middle] / 1e6,
				own[middle] / 1e6, most }')"
}

starts() {
	say
	say "From exec until it serves, in million $unit: the least and the median of all, its own; and KB at most"
	say
	say "$(printf '%-32s %12s %12s %12s %10s' '' least median own KB)"
	start 'a uprobe' "funccount u:$storm:storm_count"
	[ ! -e metrics.conf ] || start 'the installed configuration' metrics.conf
}

# The installed configuration, after scrapes in all formats.
resident() {
	[ -e metrics.conf ] || return
	begin metrics.conf || return
	for format in text openmetrics protobuf; do
		"$scrape" -a $format -n 20 $port > /dev/null
		"$scrape" -a $format -z -n 20 $port > /dev/null
	done
	set -- $("$scrape" -n $times -p $exporter $port)
	say "The installed configuration: $1 series, $3 $unit a scrape, $(status VmRSS) KB resident," \
		"at most $(status VmHWM) KB"
	end
}

# with TRACER ARG...: sets $cost to the instructions of one call of the workload while the tracer is armed.
with() {
	out=$(bench-hold -f rows -w "$workload" "$@" 2> why) || { cost= why=$(tail -n 1 why); return 1; }
	cost=$(echo "$out" | head -n 1)
}

# event LABEL WORKLOAD TOOL ARG...: what a tool adds to a call when it is run by hand, exported, and exported with a
# budget.
event() {
	label=$1 workload="$calls $2"
	shift 2
	plain=$($workload)
	with "$sonde" "$@" && hand=$cost &&
		with -a Exporting "$sonde" export -l 127.0.0.1:$port "$*" && exported=$cost &&
		with -a Exporting "$sonde" export -l 127.0.0.1:$port --budget 50% "$*" ||
		{ say "$label: fails, $why"; return; }
	say "$(awk -v label="$label" -v plain="$plain" -v hand="$hand" -v exported="$exported" -v budget="$cost" '
		BEGIN {
			printf "%-40s %9.0f %9.0f %9.0f %7.2f", label, hand - plain, exported - plain, budget - plain,
				(exported - plain) / (hand - plain)
		}')"
}

events() {
	say
	say 'Instructions added to one call: by the tool in a shell, by sonde export, with --budget'
	say
	say "$(printf '%-40s %9s %9s %9s %7s' '' shell export budget ratio)"
	event 'funccount vfs_read' read funccount vfs_read
	event 'funccount of a uprobe' emulated funccount "u:$calls:emulated"
	event 'funclatency vfs_read' read funclatency vfs_read
	event 'funclatency -F vfs_read' read funclatency -F vfs_read
	event 'syscount -p' read syscount -p %p
	event 'syscount -L -p' read syscount -L -p %p
	echo 'kprobe:vfs_read { @[comm] = count(); }' > names.bt
	echo 'kprobe:vfs_read { @ = hist(arg2); }' > hist.bt
	event 'trace: @[comm] = count()' read trace names.bt
	event 'trace: @ = hist(arg2)' read trace hist.bt
}

# --- the budget ---

# programs: prints the ns and the runs of the programs that the exporter holds, as the kernel's statistics say.
programs() {
	cat /proc/$exporter/fdinfo/* 2> /dev/null | awk '
		$1 == "prog_id:" { id = $2 }
		$1 == "run_time_ns:" { ns[id] = $2 }
		$1 == "run_cnt:" { runs[id] = $2 }
		END { for (id in ns) { all += ns[id]; n += runs[id] } printf "%.0f %.0f\n", all, n }'
}

stats() {
	echo $1 > /proc/sys/kernel/bpf_stats_enabled
}

cpus() {
	grep -c ^processor /proc/cpuinfo
}

# s since the boot
now() {
	awk '{ print $1 }' /proc/uptime
}

# costs: prints the sum of the lines' estimates.
costs() {
	wget -qO - http://127.0.0.1:$port/metrics | awk '/^sonde_cost_ratio/ { sum += $NF } END { print sum + 0 }'
}

# agreement LINE: the estimates of 20 s beside the kernel's statistics of the same time. PID in LINE is the storm's.
agreement() {
	line=$1
	"$storm" -r $rate 40 > /dev/null &
	load=$!
	begin -v --budget 100% "$(echo "$line" | sed "s/PID/$load/")" || return
	sleep 6
	stats 1
	set -- $(now) $(programs)
	for second in $(seq 20); do
		sleep 1
		# of the estimate, the part in programs
		parts=$(sed -n 's/.* \([0-9.]*\) ns in a program, \([0-9.]*\) ns in the trap.*/\1 \2/p' log | tail -n 1)
		echo "$(costs) $parts"
	done > seconds
	set -- $* $(now) $(programs)
	stats 0
	say "$(awk -v label="$line" -v s=$1 -v ns=$2 -v runs=$3 -v s2=$4 -v ns2=$5 -v runs2=$6 -v cpus=$(cpus) '
		NF == 3 { n++; all += $1; programs += $1 * $2 / ($2 + $3) }
		END { kernel = (ns2 - ns) / (s2 - s) / 1e9 / cpus
			printf "%-46s %8.3f %8.3f %8.3f %+7.1f %9d", label, 100 * all / n, 100 * programs / n,
				100 * kernel, 100 * (programs / n / kernel - 1), (runs2 - runs) / (s2 - s) }' seconds)"
	end
	kill $load 2> /dev/null || :
	wait $load || :
}

agreements() {
	say
	say "% of the machine: the budget's estimate, its part in programs, the kernel's statistics;" \
		"difference (%), runs a second"
	say
	agreement 'syscount -p PID'
	agreement 'funccount -p PID t:raw_syscalls:sys_enter'
	agreement "funclatency u:$storm:storm_time"
	[ ! -e /sys/kernel/tracing/kprobe_events ] || agreement 'funclatency __x64_sys_getppid'
}

# watch SECONDS: prints for each the cost of the programs, of the estimate, and what is paused and sampled.
watch() {
	left=$1
	set -- $(now) $(programs)
	while [ $((left -= 1)) -ge 0 ]; do
		sleep 1
		wget -qO page http://127.0.0.1:$port/metrics
		set -- $(now) $(programs) $*
		say "$(awk -v began=$began -v s2=$1 -v ns2=$2 -v s=$4 -v ns=$5 -v cpus=$(cpus) '
			/^sonde_cost_ratio/ { cost += $NF }
			/^sonde_sampling_ratio/ { sampled = sampled " " $NF }
			/^sonde_line_up/ { up += $NF }
			END { printf "%6.1f s  programs %6.3f %%  estimate %6.3f %%  lines up %d  sampled%s",
				s2 - began, (ns2 - ns) / (s2 - s) / 1e7 / cpus, 100 * cost, up, sampled }' page)"
		set -- $1 $2 $3
	done
}

# What a storm costs with a budget that permits it, and what with --budget 0.5%: from its begin, and after its end.
storms() {
	for budget in 100% 0.5%; do
		mkfifo go
		"$storm" -w go -r $rate 20 > /dev/null &
		load=$!
		begin --budget $budget "syscount -L -p $load" "funccount u:$storm:storm_count" \
			"funclatency u:$storm:storm_time" || return
		sleep 5
		stats 1
		say
		say "A storm of 20 s, --budget $budget"
		say
		began=$(now)
		echo > go
		rm go
		watch $([ $budget = 100% ] && echo 8 || echo 20)
		kill $load 2> /dev/null || :
		wait $load || :
		say 'the storm has ended'
		[ $budget = 100% ] || watch 60
		stats 0
		sed 's/^/@@ /' log
		end
	done
}
