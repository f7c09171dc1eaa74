# SPDX-License-Identifier: BSD-2-Clause
# For tests/stress: works, which are programs as Debian has them, with something to do. They print and end with probes as
# they do without. A file of tests has make_works, which makes a directory works/NAME for each, with a script "work" for a
# shell of the image, and has_program NAME.

root=/$IMAGE

# work NAME TO: runs one; TO.NAME gets what it prints and how it ends. Ids of processes differ.
work() {
	status=0
	(cd "works/$1" && timeout -s KILL 1800 peer sh ./work) > "$2.$1" 2> "$2.$1.words" < /dev/null || status=$?
	{ echo "exit $status"; grep -v '^$' "$2.$1.words" | sed "s/[0-9]*[0-9][0-9][0-9][0-9]/N/g"; } >> "$2.$1" || :
}

# The works of $only, or all.
names() {
	for dir in works/*; do
		name=${dir#works/}
		case " ${only:-$name} " in
		*" $name "*) ! has_program "$name" || echo "$name" ;;
		esac
	done
}

# All at once, on two processors, beside a program that needs one of them.
works() {
	spin > /dev/null &
	spins=$!
	for name in $(names); do
		work "$name" "$1" &
		pids="${pids:-} $!"
	done
	wait $pids
	pids=
	kill $spins
}

# compare COMMAND...: of sonde, which must set probes on $least functions, by default 900.
# Twice without probes, for a work that differs then would say nothing; then with.
compare() {
	make_works
	works plain
	works again
	patience=600
	start "$@"
	works probed
	stop INT
	expect_exit 0
	for name in $(names); do
		! grep -qE '^exit 12[67]$' "plain.$name" || fail "$name does not run: $(cat "plain.$name")"
		if ! cmp -s "plain.$name" "again.$name"; then
			diff "plain.$name" "again.$name" | head -5
			echo "$name(without probes)" >> differ
		elif ! cmp -s "plain.$name" "probed.$name"; then
			diff "plain.$name" "probed.$name" | head -40
			echo "$name" >> differ
		fi
	done
	[ ! -s differ ] || fail "another output: $(tr '\n' ' ' < differ)"
	functions=$(sed -n 's/^Tracing \([0-9]*\) functions .*/\1/p' err)
	[ "${functions:-0}" -ge "${least:-900}" ] || fail "no more than ${functions:-0} functions were probed"
	[ "$(json count < out | awk '{ n += $1 } END { print (n > 1000) }')" = 1 ] || fail "hardly any call was measured"
}

# specs FILE COUNT: regular expressions of so many of its functions, chosen by chance; what is refused is left out. Each
# is shorter than the longest that sonde takes.
specs() {
	sonde trace -l "uprobe:$1:*" 2> /dev/null | sed 's/.*://' | grep -E '^[A-Za-z_][A-Za-z0-9_]*$' | sort -u |
		awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand(), $0 }' | sort | head -n "$2" |
		cut -d ' ' -f 2 | awk -v file="$1" '
			function flush() { print "u:" file ":^(" names ")$" }
			length(names) + length($0) > 16000 { flush(); names = "" }
			{ names = names (names == "" ? "" : "|") $0 }
			END { flush() }'
}

# All functions of the C library. Every call of it costs then, so that only $only work.
all_of_libc() {
	echo "u:$(echo "$root"/usr/lib/*/libc.so.6):*"
}

# whole FILE...: all functions of these programs, and of their C library.
whole() {
	for file in "$@"; do
		[ -e "$file" ] || skip "there is no $file"
		set -- "$@" "u:$file:*"
		shift
	done
	compare sonde funclatency -j "$@" "$(all_of_libc)"
}

# part FILE: 2,000 functions of one that has many thousand, and the C library.
part() {
	[ -e "$1" ] || skip "there is no $1"
	seed=$(date +%Y%j)
	echo "seed $seed"
	compare sonde funclatency -j -r $(specs "$1" 2000) "$(all_of_libc | sed 's/\*$/./')"
}
