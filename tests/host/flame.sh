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
		'b|1 sample, 10.00 %|before: 50 samples, 50.00 % (-40.00 points)|b5' \
		'c|1 sample, 10.00 %|before: 0 samples, 0.00 % (+10.00 points)|r5' \
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
	grep -q '^20.0 µs, &lt;0.01 %' times.svg || fail "no microseconds"
}

# What threads wait for has colors of its own, and a key with the sums.
test_causes() {
	cat > causes.folded <<- 'END'
		sh;main;alpha 600
		sh;main;alpha;[processor] 100
		sh;main;beta;[disk] 150
		sh;other;[disk] 50
		sh;[sleep] 100
	END
	draw causes
	"$0/tests/flame/check" causes.svg causes.folded || fail "causes"
	grep -o 'data-find="[^"]*"><rect class="c[0-9]"[^>]*><text[^>]*>[^<]*' causes.svg |
		sed 's/data-find="\([^"]*\)"><rect class="\(..\)".*>/\1 \2 /' > keys
	cat > want <<- 'END'
		^\[disk]$ c1 disk 20.00 %
		^\[processor]$ c2 processor 10.00 %
		^\[sleep]$ c3 sleep 10.00 %
	END
	cmp -s keys want || fail "$(cat keys)"
	grep -q '>running 60.00 %<' causes.svg || fail "no running time"
	[ "$(grep -c '<title>\[disk\]$' causes.svg)" = 2 ] || fail "not two waits for a disk"
	grep -A 2 '<title>\[disk\]$' causes.svg | grep -q '<rect class="c1"' || fail "no color"
	# where the page is light, and behind the rule of dark pages
	grep '^\.c[0-9]' causes.svg | tr -d '\n' > colors
	[ "$(cat colors)" = '.c1{fill:#ff9ad5}.c2{fill:#ff8f8f}.c3{fill:#dcdf7a}.c1{fill:#9c2f77}.c2{fill:#a8323a}.c3{fill:#65680f}' ] ||
		fail "the colors are $(cat colors)"
	# a long one has room in the key
	printf 'sh;a;[%s] 1\n' 'not known for what' disk sleep processor > long.folded
	draw long
	grep -o 'translate([0-9]* [0-9]*)" data-find="[^"]*"><rect[^>]*><text[^>]*>[^<]*' long.svg |
		sed 's/translate(\([0-9]*\) \([0-9]*\).*>/\1 \2 /' > keys
	awk '{ text = $0; sub(/^[0-9]* [0-9]* /, "", text) }
		$2 == line && $1 < end { exit 1 }
		{ line = $2; end = $1 + 16 + 6.6 * length(text) }
		END { exit NR != 4 }' keys || fail "over each other: $(cat keys)"
	# a picture without causes has no such key
	printf 'sh;a 1\n' > none.folded
	draw none
	! grep -q '>running' none.svg || fail "a key without causes"
}

# timeout=300 slow=yes
test_browser_causes() {
	printf 'sh;main;a 60\nsh;main;a;[disk] 30\nsh;[disk_of_mine] 10\n' > causes.folded
	draw causes
	{
		sed '$d' causes.svg
		cat <<- 'END'
			<script>
			const key = document.querySelector('[data-find]');
			const click = () => key.dispatchEvent(new MouseEvent('click'));
			const state = () => location.hash + ' ' + document.querySelectorAll('.hit').length;
			click();
			const first = state();
			click();
			document.documentElement.dataset.result = first + ',' + state();
			</script></svg>
		END
	} > use.svg
	browse 800 "file://$PWD/use.svg"
	grep -q 'data-result="#find=%5E%5C%5Bdisk%5D%24 1, 0"' dom || fail "$(grep -o 'data-result="[^"]*"' dom)"
}

# The wall time of a run: each microsecond of its threads is in the picture.
test_wall_time() {
	command -v sonde > /dev/null || fail "no sonde"
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	run sonde why --json --flame run.svg --folded run.folded -- \
		sh -c 'sleep 0.1; i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
	expect_exit 0
	"$0/tests/flame/check" run.svg > checked || fail "run.svg"
	life=$(sed -n 's/.*"kind":"total".*"ns":\([0-9]*\),.*/\1/p' out)
	drawn=$(sed -n 's/.*<g data-n="\([0-9]*\)" transform="[^"]*"><title>all$/\1/p' run.svg)
	lines=$(wc -l < run.folded)
	[ -n "$life" ] && [ "$drawn" -le "$life" ] && [ "$drawn" -ge $((life - lines - 100)) ] ||
		fail "$drawn ns of $life"
	grep -q ';\[sleep\] [0-9]*$' run.folded || fail "no sleep"
	grep -q '>sleep [0-9.]* %<' run.svg || fail "no key"
}

# --top adds up what the folded stacks of the same run say: self by the innermost name, total by all names of a stack.
test_top() {
	command -v sonde > /dev/null || fail "no sonde"
	run sonde profile -F 999 --top=100000 --json --folded run.folded -- \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	expect_exit 0
	awk '{
		n = $NF
		sub(/ [0-9]+$/, "")
		frames = split($0, name, ";")
		self[name[frames]] += n
		all += n
		split("", seen)
		for (i = 2; i <= frames; i++)
			if (!seen[name[i]]++)
				total[name[i]] += n
	}
	END {
		for (one in total)
			printf "%s\t%d\t%d\n", one, self[one], total[one]
		print all > "all"
	}' run.folded | sort > wanted
	# functions of one name in two files are two rows
	expect_json function self total total_percent
	awk -F '\t' '{ self[$1] += $2; total[$1] += $3 }
		END { for (one in self) printf "%s\t%d\t%d\n", one, self[one], total[one] }' rows | sort > made
	diff wanted made || fail "not what the stacks say"
	awk -F '\t' -v all="$(cat all)" '{ off = $4 - 100 * $3 / all; bad += off > 0.001 || off < -0.001 } END { exit bad > 0 }' \
		rows || fail "other shares of $(cat all)"
	[ "$(wc -l < made)" -gt 20 ] || fail "$(cat made)"
	run sonde profile -F 999 --top=2 -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	expect_heading '     SELF     %     TOTAL     % MODULE               FUNCTION'
	[ "$(grep -c '^ *[0-9][0-9]* ' out)" -le 2 ] || fail "$(cat out)"
	run sonde profile --top=0 -- true
	expect_exit 2
}

# The picture of a run has the stacks of its folded file.
test_profile() {
	command -v sonde > /dev/null || fail "no sonde"
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	run sonde profile -F 999 --flame run.svg --folded run.folded -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
	expect_exit 0
	[ "$(stat -c %a run.svg)" = 600 ] || fail "mode $(stat -c %a run.svg)"
	"$0/tests/flame/check" run.svg run.folded > checked || fail "run.svg"
	! grep -q '^1 frames' checked || fail "no stack"
	grep -q '<title>sonde profile -F 999 --flame run.svg ' run.svg || fail "the command is not in the title"
	run sonde profile --flame again.svg --compare run.folded -d 1 -- true
	expect_exit 0
	grep -q 'compared with run.folded' again.svg || fail "nothing is compared"
	run sonde profile --flame bad.svg --compare run.svg -- true
	expect_one_err 'run.svg, line 1: not a folded stack'
	[ ! -e bad.svg ] || fail "there is a bad.svg"
	run sonde profile --compare run.folded -- true
	expect_exit 2
	expect_one_err 'add --flame FILE'
	run sonde profile --folded one --flame one -- true
	expect_exit 2
	expect_one_err 'one is named twice'
	run sonde profile --json -f -- true
	expect_exit 2
	expect_one_err 'stdout gets either a table'
}

test_comparison_with_what_is_not_folded() {
	printf 'sh;a 1\n' > new.folded
	printf 'sh;a 1\nno count\n' > old.folded
	run "$b/flame-draw" title "" old.folded < new.folded
	expect_exit 1
	expect_one_err '^old.folded, line 2: not a folded stack'
}

# browse WIDTH URL: the document after its scripts have run, in dom. As root Chromium wants no sandbox.
browse() {
	command -v chromium > /dev/null || skip "there is no chromium (scripts/deps browser)"
	HOME=$PWD timeout 90 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
		--user-data-dir="$PWD/browser" --window-size="$1,900" --virtual-time-budget=10000 --dump-dom "$2" > dom 2> err ||
		fail "chromium: $(tail -n 3 err)"
}

# use NAME: a copy of NAME.svg with a second script, which uses it.
use() {
	{ sed '$d' "$1.svg" && echo '<script><![CDATA[' && cat "$0/tests/flame/use.js" && echo ']]></script></svg>'; } > use.svg
}

browser_stacks() {
	cat <<- 'END'
		sh;main;a 2
		sh;main;a;b 6
		sh;main;c;x 1
		sh;main;c;std::map<int, std::string>::insert_or_assign(int&&, char const*) 5
		sleep;kernel_read_[k] 3
		sleep;[unknown] 2
		wide;größegrößegrößegrößegrößegrößegrößegrößegrößegrößegrößegrößegrößegrößegrößegröße 4
		wide;漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 4
		sleep;<script>document.documentElement.dataset.hacked=1</script>;"onfocus="document.documentElement.dataset.hacked=1 1
	END
}

# timeout=300 slow=yes
test_browser() {
	browser_stacks > some.folded
	draw some 'sonde profile <script>document.documentElement.dataset.hacked=1</script>'
	use some
	for width in 400 800 1600; do
		browse $width "file://$PWD/use.svg"
		grep -q 'data-result="ok"' dom || fail "$width: $(grep -o 'data-result="[^"]*"' dom || tail -n 3 err)"
	done
}

# A link keeps what was looked at; what it says may be nonsense.
# timeout=300 slow=yes
test_browser_address() {
	browser_stacks > some.folded
	draw some
	browse 800 "file://$PWD/some.svg#zoom=4&find=%5Eb%24"
	grep -q '<g [^>]*class="hit"[^>]*><title>b$' dom || fail "nothing is marked"
	grep -q '<title>sleep$' dom || fail "no frame sleep"
	grep -q 'display: none[^>]*><title>sleep$' dom || fail "sleep is shown"
	browse 800 "file://$PWD/some.svg#zoom=999&find=(&x=1"
	! grep -q 'display: none' dom || fail "frames are hidden"
}

# As an image in a page it is a still picture, which fits whatever width it gets.
# timeout=300
test_browser_image() {
	browser_stacks > some.folded
	draw some
	cat > page.html <<- 'END'
		<img src="some.svg" style="width: 300px" onload="this.title = this.naturalWidth + ' ' + (this.height > 40 && this.height < 90)">
	END
	browse 800 "file://$PWD/page.html"
	grep -q 'title="1200 true"' dom || fail "$(cat dom)"
}

# 10,000 frames and names of 300 letters: the script ends in time, and no label is too wide.
# timeout=300 slow=yes
test_browser_many_stacks() {
	stacks 30000 | sed 's/function_/&xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/g' > many.folded
	draw many
	{
		sed '$d' many.svg
		cat <<- 'END'
			<script>
			const bad = [...document.getElementById('frames').children].filter(g => g.childNodes[2] &amp;&amp;
				g.childNodes[2].getComputedTextLength() + 8 > g.childNodes[1].width.baseVal.value + 1);
			document.documentElement.dataset.result = bad.length ? bad[0].textContent : 'ok';
			</script></svg>
		END
	} > use.svg
	browse 1600 "file://$PWD/use.svg"
	grep -q 'data-result="ok"' dom || fail "$(grep -o 'data-result="[^"]*"' dom)"
}
