# SPDX-License-Identifier: BSD-2-Clause
# The soak, on this machine and in guests: tests/bench/soak sets rate, minutes, port, sonde, storm, dir and fetch().
# Lines of the report begin with "@@ ".
mkdir -p "$dir"
cd "$dir" || exit 1

say() {
	echo "@@ $*"
}

# Keys that come and go, a histogram of a script's own, and more keys than the limit.
cat > keys.bt <<- END
	uprobe:$storm:storm_key { @live[arg0] = count(); @calls = count(); }
	uprobe:$storm:storm_gone { delete(@live[arg0]); }
	uprobe:$storm:storm_time { @start[tid] = nsecs; }
	uretprobe:$storm:storm_time /@start[tid]/ { @usecs = hist((nsecs - @start[tid]) / 1000); delete(@start[tid]); }
END
cat > names.bt <<- END
	uprobe:$storm:storm_key { @[comm] = count(); }
END

# begin: the storm waits for the exporter, whose filter has its process id.
begin() {
	mkfifo gate
	"$storm" -w gate -r "$rate" $((minutes * 60)) > made &
	maker=$!
	"$sonde" export -l "127.0.0.1:$port" "funccount u:$storm:storm_count" "funclatency u:$storm:storm_time" \
		"syscount -p $maker" 'trace keys.bt as keys' 'trace names.bt as names max 64' 2> log &
	exporter=$!
	until grep -qs "^Exporting" log; do
		kill -0 $exporter || { cat log >&2; kill $maker; exit 1; }
		sleep 0.2
	done
	echo > gate
}

# kb NAME: a number of the exporter's /proc/PID/status.
kb() {
	awk -v name="$1:" '$1 == name { print $2 }' /proc/$exporter/status
}

# The memory of the exporter's maps and programs in the kernel, in KB.
maps() {
	cat /proc/$exporter/fdinfo/* 2> /dev/null | awk '/^memlock:/ { n += $2 } END { printf "%d\n", n / 1024 }'
}

# Scrapes, in one format after the other, until the storm is over. A line of "memory": second, RSS, maps, series.
watch() {
	second=0 protobuf='proto=io.prometheus.client.MetricFamily'
	while kill -0 $maker 2> /dev/null; do
		case $((second % 3)) in
		0) accept='text/plain;version=0.0.4' ;;
		1) accept='application/openmetrics-text;version=1.0.0' ;;
		2) accept="application/vnd.google.protobuf;$protobuf;encoding=delimited" ;;
		esac
		fetch "$accept" page || failed=$((failed + 1))
		[ $((second % 3)) = 2 ] || [ "$(tail -n 1 page | cut -c 1)" ] || failed=$((failed + 1))
		echo "$second $(kb VmRSS) $(maps) $(grep -vac '^#' page)" >> memory
		second=$((second + 1))
		sleep 1
	done
}

# total SERIES: the sum of the series of the last page that have this name, or this name and these labels.
total() {
	awk -v series="$1" '
		index($0, series) == 1 && substr($0, length(series) + 1, 1) ~ /[ {]/ { n += $NF }
		END { printf "%.0f\n", n }' page
}

# same WHAT MADE SERIES
same() {
	[ "$2" = "$(total "$3")" ] && word=exact || { word=WRONG; wrong=$((wrong + 1)); }
	say "$(printf '%-48s %14s %14s  %s' "$1" "$2" "$(total "$3")" $word)"
}

made() {
	awk -v name="$1" '$1 == name { print $2 }' made
}

# The counts, and what the exporter says that it has missed.
compare() {
	say "$(printf '%-48s %14s %14s' count made exported)"
	same 'system calls: syscount -p' "$(made getppid)" 'sonde_syscount_total{syscall="getppid"}'
	same 'calls: funccount' "$(made storm_count)" 'sonde_funccount_total{func="storm_count"}'
	same 'times: funclatency' "$(made storm_time)" 'sonde_funclatency_seconds_count'
	same 'times: hist() of a script' "$(made storm_time)" 'keys_usecs_count'
	same 'keys: a counter of a script' "$(made storm_key)" 'keys_calls_total'
	same 'keys that live' "$(made live)" 'keys_live_total'
	same 'names, all others in one row' "$(made storm_key)" 'names_total'
	same 'values lost' 0 'sonde_lost_total'
	same 'hits missed' 0 'sonde_missed_hits_total'
	same 'scrapes that failed' 0 'sonde_failed_reads_total'
	same 'lines that are up' 5 'sonde_line_up'
}

# grown COLUMN NAME: how memory went from the end of the first minute to the end.
grown() {
	most=$(awk -v column="$1" '
		$1 >= 60 { if (!first) first = $column; if ($column > most) most = $column; last = $column }
		END { print first + 0, most + 0, last + 0, most - first }' memory)
	set -- "$2" $most
	say "$1 in KB: $2 after a minute, $3 at most, $4 at the end"
	[ "$5" -le 100 ] || wrong=$((wrong + 1))
}

failed=0 wrong=0
begin
watch
wait $maker || wrong=$((wrong + 1))
fetch 'text/plain' page || failed=$((failed + 1))
say "$(awk -v minutes="$minutes" '{ n[$1] = $2 } END {
	all = n["getppid"] + n["storm_count"] + 2 * n["storm_time"] + n["storm_key"]
	printf "%d minutes, %.0f events a second, %d keys came", minutes, all * 1000 / n["ms"], n["keys"] }' made)"
compare
grown 2 'resident memory'
grown 3 'maps and programs'
say "scrapes: $(wc -l < memory), failed: $failed"
say "exporter: $(awk '/^process_cpu_seconds_total/ { printf "%.1f s of CPU, ", $2 }' page)$(kb VmHWM) KB at most"
kill -TERM $exporter
wait $exporter || wrong=$((wrong + 1))
[ "$wrong$failed" != 00 ] || say 'All is well.'
