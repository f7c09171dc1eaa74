# SPDX-License-Identifier: BSD-2-Clause
# What a sample of Python costs, in instructions of a guest: load.py with and without sonde profile. run -g boots it.
cd /tmp || exit

# worked ROUNDS TOOL...: runs load.py with the tool, and prints what both took in all, and the samples.
worked() {
	rounds=$1
	shift
	rm -f said in out && mkfifo in
	peer python3 /tmp/load.py "$rounds" /tmp/truth < in > said &
	exec 3> in
	until grep -q ready said; do usleep 50000; done
	program=$(pidof python3)
	: > err
	if [ $# -gt 0 ]; then
		"$@" -p "$program" > out 2> err &
		tool=$!
		until grep -q Tracing err; do usleep 50000; done
		usleep 500000
	fi
	echo >&3
	until grep -q cpu said; do usleep 100000; done
	[ $# -eq 0 ] || { kill -INT $tool && wait $tool; }
	echo >&3
	exec 3>&-
	wait
	sed -n 's/^.*"cpu": \([0-9]*\), "wall": \([0-9]*\).*$/\1 \2/p' said
	[ $# -eq 0 ] || awk '{ n += $NF } END { print n + 0 }' out
}

python=$(peer python3 -c 'import platform; print(platform.python_version())')
plain=$(worked 150)
echo "@@ Python $python on Linux $(uname -r), load.py alone: its instructions, and all: $plain"
for hz in 99 999; do
	set -- $(worked 150 sonde profile -f -U -F $hz)
	echo "$plain $*" | awk -v hz=$hz '{ printf "@@ sonde profile -F %d: %d samples, work %.4f, all %.4f, %d instructions a sample\n",
		hz, $5, $3 / $1, $4 / $2, ($4 - $2) / $5 }'
done
echo "@@ end"
