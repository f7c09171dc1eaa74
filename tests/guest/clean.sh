# SPDX-License-Identifier: BSD-2-Clause
# Undoes what a failed test left in a guest, so that the next test finds the guest as it was at
# boot. init reads this file. It calls clean_remember once, and clean_up after each failure, when no
# process of the test is alive.

T=/sys/kernel/tracing

# Settings that tests change; the values at boot are written back.
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

# Prints "ID PLACE" of the mounts that were not there at boot, the last one first. The kernel's
# escapes are kept in PLACE.
clean_new_mounts() {
	awk '
		FILENAME == "/.mountinfo" { old[$1] = 1; next }
		!($1 in old) { print $1, $5 }' /.mountinfo /proc/self/mountinfo | tac
}

# Unmounts from the top down. A place may have several mounts on top of each other: each is
# unmounted.
clean_mounts() {
	clean_new_mounts | while read -r _ place; do
		umount -l "$(printf %b "$place")"
	done
	# mounts again what a test has unmounted, and makes writable what it has made read-only
	while read -r source place type options _; do
		if ! cut -d ' ' -f 2,3 /proc/mounts | grep -qxF "$place $type"; then
			mount -t $type "$source" "$(printf %b "$place")"
		fi
		case $type,$options in
		tracefs,rw* | bpf,rw*) mount -o remount,rw "$place" ;;
		esac
	done < /.mounts
	# a mount that was made again has another place in the list
	if [ "$(sort /proc/mounts)" = "$(sort /.mounts)" ]; then
		{
			grep -v -e '^mount: ' -e '^process: ' /.baseline
			sed 's/^/mount: /' /proc/mounts
			grep '^process: ' /.baseline
		} > /.traces
		mv /.traces /.baseline
	fi
}

# Removes users before what they use: a trigger holds the events that it uses, an event the probes
# that it is made of.
clean_tracing() {
	cd $T || return
	echo nop > current_tracer
	for instance in instances/* .; do
		for file in set_event set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace \
			set_ftrace_pid set_event_pid; do
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

# Reports what could not be undone, and from then on treats it as if it had been there at boot: it
# fails one test, not all that follow.
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
