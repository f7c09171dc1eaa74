# SPDX-License-Identifier: BSD-2-Clause
# Flame graphs: read by xmllint, by a strict reader (tests/flame/check), and used in a browser (tests/flame/use.js).

b=$0/${B:-build}
case ${B:-build} in /*) b=$B ;; esac

# draw NAME [TITLE [NOTE [OLD]]]: NAME.svg of NAME.folded
draw() {
	[ -x "$b/flame-draw" ] || skip "there is no $b/flame-draw"
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	name=$1
	shift
	[ $# -gt 0 ] || set -- "sonde profile"
	"$b/flame-draw" "$@" < "$name.folded" > "$name.svg" || fail "flame-draw: $?"
	! command -v xmllint > /dev/null || xmllint --noout "$name.svg" || fail "$name.svg is not well-formed"
}

# Made-up stacks of this many lines, the same each time; kernel and JIT frames among them, and long names.
stacks() {
	awk -v n="$1" '
	function some(below) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % below }
	BEGIN {
		seed = 7
		for (i = 0; i < n; i++) {
			line = "task" some(4)
			at = 0
			for (depth = 2 + some(25); depth > 0; depth--) {
				at = (at * 7 + some(3)) % 1000
				line = line ";" (at % 9 ? "" : "std::map<std::string, int>::") "function_" at (at % 9 ? "" : "(int)")
			}
			if (i % 5 == 0)
				line = line ";js_" some(5) "_[j]"
			for (depth = some(8); depth > 0; depth--)
				line = line ";k_" depth "_" some(3) "_[k]"
			print line " " 1 + (some(20) ? 0 : some(500))
		}
	}'
}

test_widths_are_counts() {
	echo 'bash;main 1' > one.folded
	awk 'BEGIN { printf "sh"; for (i = 0; i < 200; i++) printf ";f%d", i; print " 3" }' > deep.folded
	: > none.folded
	stacks 500 > some.folded
	for name in one deep none some; do
		draw "$name"
		"$0/tests/flame/check" "$name.svg" "$name.folded" || fail "$name"
	done
}

# The widest 10,000 frames are drawn; the file says so and stays small.
test_many_stacks() {
	stacks 30000 > many.folded
	draw many
	"$0/tests/flame/check" many.svg many.folded || fail "many"
	grep -q '>Only the 10,000 widest frames are drawn. [0-9,]* narrower ones, below 0.[0-9]* % each,' many.svg || fail "no note"
	[ "$(stat -c %s many.svg)" -lt 4000000 ] || fail "$(stat -c %s many.svg) bytes"
}

# Whatever a name is, it is text.
hostile_names() {
	printf '%s' "<script>alert(1)</script>;\"onclick=\"alert(1);'><svg/onload=alert(1)>;]]>;&lt;&amp;<!--;\${alert(1)}"
	awk 'BEGIN { printf ";"; for (i = 0; i < 300; i++) printf "<" }'
	printf ';\001\033[2J\177;\377\376\200;\357\277\276;\342\200\256;\360\237\224\245;\346\274\242\345\255\227 5\n'
}

test_hostile_names() {
	hostile_names > hostile.folded
	printf 'other%s\n' "$(cat hostile.folded)" > old.folded
	draw hostile '<script>alert(2)</script>' '"onclick="alert(3)'
	"$0/tests/flame/check" hostile.svg || fail "alone"
	draw hostile ']]>' '<&' old.folded
	"$0/tests/flame/check" hostile.svg || fail "compared"
	grep -q ', called by' hostile.svg || [ "$(grep -c '>Only in old.folded' hostile.svg)" = 1 ] || fail "nothing is gone"
}

# Shares of the total: of a 50 % before and 80 % now; of b 50 and 10; c is new.
test_comparison() {
	printf 'sh;a 50\nsh;b 50\n' > old.folded
	printf 'sh;a 8\nsh;b 1\nsh;c 1\n' > new.folded
	draw new "sonde profile" "" old.folded
	"$0/tests/flame/check" new.svg new.folded || fail "$(cat new.svg)"
	for want in 'a|8 samples, 80.00 %|before: 50 samples, 50.00 % (+30.00 points)|r5' \
		'b|1 samples, 10.00 %|before: 50 samples, 50.00 % (-40.00 points)|b5' \
		'c|1 samples, 10.00 %|before: 0 samples, 0.00 % (+10.00 points)|r5' \
		'sh|10 samples, 100.00 %|before: 100 samples, 100.00 % (+0.00 points)|z'; do
		tr '\n' '|' < new.svg | grep -qF "<title>${want%|*}</title><rect class=\"${want##*|}\"" || fail "$want"
	done
	grep -q 'compared with old.folded' new.svg || fail "the old file has no name"
	draw old "sonde profile" "" new.folded
	grep -q '>Only in new.folded, 10.00 % of it: 1 function with what it called' old.svg || fail "$(tail -n 20 old.svg)"
	grep -q '10.00 %  c, called by sh' old.svg || fail "c is not listed"
}

test_times() {
	printf 'sh;a 1500000\nsh;b 20\n' > times.folded
	TIMES=1 draw times
	"$0/tests/flame/check" times.svg || fail "times"
	grep -qx '1.50 s, 100.00 %</title>.*' times.svg || fail "no seconds"
	grep -q '^20.0 .s, &lt;0.01 %' times.svg || fail "no microseconds"
}

test_comparison_with_what_is_not_folded() {
	printf 'sh;a 1\n' > new.folded
	printf 'sh;a 1\nno count\n' > old.folded
	run "$b/flame-draw" title "" old.folded < new.folded
	expect_exit 1
	expect_one_err '^old.folded, line 2: not a folded stack'
}
