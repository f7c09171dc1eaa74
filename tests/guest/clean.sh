# SPDX-License-Identifier: BSD-2-Clause
# Undoes what a failed test left in a guest, so that the next one meets the guest as it was at boot. Read by init, which calls
# clean_remember once and clean_up after each failure, when no process of the test lives any more.

T=/sys/kernel/tracing

# Settings that tests change: what they were is written back.
clean_settings="/proc/sys/kernel/kptr_restrict /proc/sys/kernel/ftrace_enabled /proc/sys/kernel/bpf_stats_enabled
	/proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/unprivileged_bpf_disabled /proc/sys/fs/suid_dumpable
	/proc/sys/kernel/core_pattern /sys/kernel/debug/kprobes/enabled $T/tracing_on $T/tracing_thresh"

clean_remember() {
	traces > /.baseline
	cat /proc/self/mountinfo > /.mountinfo
	cat /proc/mounts > /.mounts
	ls /sys/class/net > /.net
	for file in $clean_settings; do
		[ ! -e $file ] || echo "$file $(cat $file)"
	done > /.settings
}

# "ID PLACE" of the mounts that were not there at boot, the last one first; a place as the kernel escapes it.
clean_new_mounts() {
	awk 'FILENAME == "/.mountinfo" { old[$1] = 1; next } !($1 in old) { print $1, $5 }' /.mountinfo /proc/self/mountinfo | tac
}

# What is above goes before what is below. A place is unmounted again and again: another mount may hide there.
clean_mounts() {
	clean_new_mounts | while read -r _ place; do
		umount -l "$(printf %b "$place")"
	done
	# and what was there at boot and is gone; read-only is what a test may have made of it
	while read -r source place type options _; do
		if ! awk -v place="$place" -v type=$type '$2 == place && $3 == type { found = 1 } END { exit !found }' /proc/mounts; then
			mount -t $type "$source" "$(printf %b "$place")"
		fi
		case $type,$options in
		tracefs,rw* | bpf,rw*) mount -o remount,rw "$place" ;;
		esac
	done < /.mounts
	# what was mounted again has another place in the list
	if [ "$(sort /proc/mounts)" = "$(sort /.mounts)" ]; then
		{
			grep -v '^mount: ' /.baseline
			sed 's/^/mount: /' /proc/mounts
		} > /.traces
		mv /.traces /.baseline
	fi
}

# A trigger holds the events that it uses, an event what it is made of: from the user to the used.
clean_tracing() {
	cd $T || return
	echo nop > current_tracer
	for instance in instances/* .; do
		for file in set_event set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace set_ftrace_pid set_event_pid; do
			[ ! -e $instance/$file ] || echo > $instance/$file
		done
		echo 0 > $instance/events/enable
		grep -v '^#' $instance/events/*/*/trigger | while IFS=: read -r file trigger; do
			echo "!${trigger%% \[*}" > "$file"
		done
	done
	rmdir instances/*
	for file in dynamic_events synthetic_events kprobe_events uprobe_events; do
		[ ! -e $file ] || echo > $file
	done
	echo > trace
}

clean_rest() {
	while read -r file value; do
		[ "$(cat $file)" = "$value" ] || echo "$value" > $file
	done < /.settings
	find /sys/fs/cgroup -mindepth 1 -depth -type d -exec rmdir {} +
	rm -rf /sys/fs/bpf/*
	ls /sys/class/net | grep -vxFf /.net | while read -r name; do
		ip link del "$name"
	done
}

# What could not be undone is said, and is from now on as if it had been there at boot: it is one test's failure, not all others'.
clean_up() {
	clean_mounts 2> /dev/null
	(clean_tracing) 2> /dev/null
	clean_rest 2> /dev/null
	traces 30 /.baseline && return
	traces > /.traces
	diff /.baseline /.traces | sed -n 's/^[-+][^-+]/still there or gone: &/p'
	mv /.traces /.baseline
	cat /proc/self/mountinfo > /.mountinfo
}
