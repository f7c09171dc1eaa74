# SPDX-License-Identifier: BSD-2-Clause
# One program on many functions: kprobe.multi and its sessions beside links of many trampolines (7.2). Prints the lines of
# tests/bench/peers/trampolines.md: what a call costs, and until armed and gone. Needs a clock that counts instructions:
#
#	ACCEL='tcg,thread=single -icount shift=0,sleep=off' tests/guest/run -s tests/bench/trampolines.sh -k newest
cd /tmp || exit

# many TOOL PATTERN KPROBE TRAMPOLINE: a line for each mechanism, with the kernel's name for it
many() {
	for mechanism in kprobe.multi fentry.multi; do
		name=$3
		[ $mechanism = kprobe.multi ] || name=$4
		bench-hold -t 200 -f rows -w 'bench-calls -s 20 read' sonde "$1" --mechanism $mechanism "$2" 2> why > held || {
			echo "@@ $1 $2 $name: $(tail -n 1 why)"
			continue
		}
		awk -v tool="$1" -v pattern="$2" -v name="$name" -v plain="$plain" '
			NR == 1 { cost = $1 - plain }
			NR > 1 { printf "@@ | %-31s | %-14s | %6.0f | %7.0f M | %7.0f M |\n", "`" tool " " pattern "`", name, cost, $2 / 1e6, $7 / 1e6 }' held
	done
}

plain=$(bench-calls -s 20 read)
echo "@@ Linux $(uname -r), a read takes $plain"
# the first runs read files that the later ones find in memory
many funccount vfs_read warm warm > /dev/null
many funccount 'vfs_*' kprobe.multi fentry.multi
many funccount 'r:vfs_*' kretprobe.multi fexit.multi
many funclatency 'vfs_*' kprobe.session fsession.multi
many graph 'vfs_*' kprobe.session fsession.multi
many graph 'x*' kprobe.session fsession.multi
many funccount '*' kprobe.multi fentry.multi
