# SPDX-License-Identifier: BSD-2-Clause
# How tracers grow with the number of functions whose calls they count.

# The workload does little, and lists all functions that have hooks.
printf '%s\n' 'usleep 100000' 'grep -c "^[^[:space:]]" /sys/kernel/tracing/enabled_functions > hooks' > look

# point TOOL GLOB HOLD-OPTION... COMMAND...: measures once; sets $took to the time that it took.
point() {
	tool=$1 glob=$2
	shift 2
	rm -f kept hooks
	began=$(seconds)
	hold -t 60 -o kept -w 'sh look' "$@" || return
	took=$(($(seconds) - began))
	# the number of functions that the tool reports, or that the kernel lists
	[ "$targets" != 0 ] || targets=$(cat hooks)
	[ "$targets" != 0 ] || why="it has attached to nothing: $(grep -v '^$' kept | tail -n 1)"
	[ "$targets" != 0 ] && row functions "$glob" "$tool" "$targets $armed $tree"
}

# curve TOOL: measures the tool's points, each twice if that is quick, until one takes longer than a minute.
curve() {
	took=0 before=
	while read -r glob; do
		if [ $took -gt 60 ]; then
			none functions "$glob" "$1" "$before took $took s already"
			continue
		fi
		before=$glob
		count_with "$1" "$glob" shown functions "$glob" "$1"
		count_with "$1" "$glob" point "$1" "$glob" || {
			none functions "$glob" "$1" "$why"
			continue
		}
		[ $took -gt 4 ] || count_with "$1" "$glob" point "$1" "$glob"
	done < points
}

sleep 3
warm
globs > all
# start.sh measures one function, about 1,000 and all, and everything of bcc, which takes long for each.
for n in 10 100 10000; do
	nearest $n < all
done > points
rm all
for tool in 'sonde funccount' bpftrace 'perf ftrace profile'; do
	curve "$tool"
done
finish
