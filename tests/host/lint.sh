# SPDX-License-Identifier: BSD-2-Clause
# Tests our own checks of `make lint`: in a tree made for the test, each must find its fault and
# name the line.

# tree SCRIPT: makes a tree with only this script of ours; a script checks the tree that it is in.
tree() {
	mkdir -p scripts src/base src/run bpf tools
	cp "$0/scripts/$1" scripts/
}

# function_of N: prints a function with N lines between its braces.
function_of() {
	printf 'int f(void)\n{\n'
	yes '	step();' | head -n "$1"
	printf '}\n'
}

# switch_of LINES: prints a function that is a switch of 40 cases with these lines.
switch_of() {
	printf 'int f(void)\n{\n	switch (x) {\n'
	for i in $(seq 40); do
		printf '	case %d:\n%s\n' "$i" "$1"
	done
	printf '	}\n}\n'
}

test_functions_and_files() {
	tree limits
	function_of 60 > src/base/good.c
	function_of 58 | sed '2d; 1s/$/ {/' > tools/good.c # where a table begins so
	yes '// line' | head -n 700 > bpf/good.h
	switch_of '		return 1;' > src/run/table.c
	switch_of '		x = 1;
		break;' > src/run/steps.c
	run scripts/limits
	expect_silence
	function_of 61 > src/run/long.c
	yes '// line' | head -n 701 > bpf/long.h
	switch_of '		x = 1;
		y = 2;
		break;' > src/run/work.c
	switch_of '		if (x)
			return 1;' > src/run/conditions.c
	{
		function_of 11 | sed '$d'
		switch_of '		return 1;' | sed 1,2d
	} > src/run/around.c
	run scripts/limits
	expect_exit 1
	diff - out <<-'END'
		bpf/long.h: 701 lines, at most 700
		src/run/around.c:2: 93 lines, at most 60: int f(void)
		src/run/conditions.c:2: 122 lines, at most 60: int f(void)
		src/run/long.c:2: 61 lines, at most 60: int f(void)
		src/run/work.c:2: 162 lines, at most 60: int f(void)
	END
	run scripts/limits src/base/good.c
	expect_silence
}

# added LINE...: prints a diff that adds them at line 7.
added() {
	printf '%s\n' '--- a/x.c' '+++ b/x.c' "@@ -6,0 +7,$# @@"
	printf '+%s\n' "$@"
}

test_columns() {
	tree limits
	x112=$(printf '%0112d' 0)
	umlauts=$(printf '\303\244%.0s' $(seq 120))
	added "$x112""12345678" "$(printf '\t')$x112" "12$(printf '\t')$x112" "$umlauts" > good
	run sh -c 'scripts/limits --columns < good'
	expect_silence
	added short "$x112""123456789" "$(printf '\t')${x112}1" "$umlauts." > long
	run sh -c 'scripts/limits --columns < long'
	expect_exit 1
	for line in 8 9 10; do
		echo "x.c:$line: 121 columns, at most 120"
	done | diff - out
	sed 's/x\.c/docs.md/' long > of_others
	run sh -c 'scripts/limits --columns < of_others'
	expect_silence
}

test_columns_of_commits() {
	tree limits
	export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x
	export GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
	git init -q .
	printf '%0121d\n' 0 > src/base/old.c
	git add src
	git commit -q -m old
	printf 'one\n%0122d\n' 0 >> src/base/old.c
	run scripts/limits --columns HEAD
	expect_exit 1
	expect_out 'src/base/old.c:3: 122 columns, at most 120'
}

# include FROM TO: writes a file whose second line includes the other one.
include() {
	mkdir -p "$(dirname "$1")"
	printf '\n#include "%s"\n' "$2" > "$1"
}

test_conventions() {
	tree conventions
	printf '%s\n' 'int f(void)' '{' '	if (!ret)' '		ret = step();' '}' > src/run/good.c
	printf '%s\n' '#ifndef SONDE_BASE_BASE_H' '#define __cleanup(fn) __attribute__((cleanup(fn)))' > src/base/base.h
	printf '%s\n' '#ifndef SONDE_BPF_GOOD_H' 'struct a {' '	int x;' '};' \
		'_Static_assert(sizeof(struct a) == 4, "size");' > bpf/good.h
	printf '%s\n' 'struct b {' '};' > bpf/good.bpf.h
	printf '%s\n' '/* why */' '#ifndef SONDE_RUN_GOOD_H' '#define SONDE_RUN_GOOD_H' > src/run/good.h
	include src/run/beside.c run_part.h
	run scripts/conventions
	expect_silence
	echo '	ret = ret ? ret : step();' > src/run/chain.c
	echo '	int fd __attribute__((cleanup(closep)));' > tools/attribute.c
	printf '	report_note("%%s%%llu long waits lost", up, n);\n	report_note("%%llu wait%%s lost", n, str_plural(n));\n' \
		> src/run/plural.c
	printf '%s\n' '#ifndef SONDE_TOOLS_SHARED_H' 'struct a {' '};' 'union b {' '};' \
		'_Static_assert(sizeof(struct a) == 4, "size");' > tools/shared.h
	include src/run/foreign.c base/base_part.h
	echo '#ifndef SONDE_GOOD_H' > src/run/guard.h
	run scripts/conventions
	expect_exit 1
	expect_line '^src/run/chain.c:1:.*: chain errors by if'
	expect_line '^tools/attribute.c:1:.*: use __cleanup'
	expect_line '^src/run/plural.c:1:.*: one thing has no plural'
	expect_line '^tools/shared.h:4: union b is shared and has no _Static_assert'
	expect_line '^src/run/foreign.c:2:.*: only files beside it include it'
	expect_line '^src/run/guard.h:1: .*: the guard of this header is SONDE_RUN_GUARD_H'
	[ "$(wc -l < out)" = 6 ] || fail "not six faults"
}

test_layers() {
	tree layers
	include src/run/good.c base/base.h
	include src/run/beside.c run.h
	include src/why/good.c recorder/record_kinds.h
	run scripts/layers
	expect_silence
	include src/base/up.c run/run.h
	include src/kernel/beside.c output/output.h
	include src/engine/up.c engines/count.h
	mkdir -p src/nowhere
	echo > src/nowhere/x.c
	run scripts/layers
	expect_exit 1
	diff - out <<-'END'
		src/base/up.c:2: includes "run/run.h": base is below run
		src/engine/up.c:2: includes "engines/count.h": engine is below engines
		src/kernel/beside.c:2: includes "output/output.h": kernel and output do not know each other
		src/nowhere/x.c: no layer is called nowhere
	END
}

test_layers_of_folders() {
	tree layers
	include src/lang/check/good.c lang/text/source.h
	include src/lang/check/beside.c check.h
	include src/lang/text/low.c base/base.h
	include src/lang/lang.c lang/lower/lower.h
	include src/script/good.c lang/check/check.h # whoever is above the room sees all of it
	run scripts/layers
	expect_silence
	include src/lang/text/up.c lang/check/check.h
	include src/lang/types/beside.c lang/code/ir.h
	include src/lang/check/up.c lang/lang.h
	include src/kernel/up.c lang/text/source.h
	include src/attach/beside.c lang/text/source.h
	include src/lang/nowhere/x.c base/base.h
	run scripts/layers
	expect_exit 1
	diff - out <<-'END'
		src/attach/beside.c:2: includes "lang/text/source.h": attach and lang do not know each other
		src/kernel/up.c:2: includes "lang/text/source.h": kernel is below lang
		src/lang/check/up.c:2: includes "lang/lang.h": lang/check is below lang/
		src/lang/nowhere/x.c: no layer is called lang/nowhere
		src/lang/text/up.c:2: includes "lang/check/check.h": lang/text is below lang/check
		src/lang/types/beside.c:2: includes "lang/code/ir.h": lang/types and lang/code do not know each other
	END
}

test_named_tests() {
	tree named-tests
	mkdir -p tests/host tests/tools tests/unit
	echo 'test_there() {' > tests/host/some.sh
	echo 'Test(suite, there)' > tests/unit/some.c
	printf '%s\n' '- One. [some/there]' '- Two.' '  [unit suite/there]' > document.md
	run scripts/named-tests document.md
	expect_silence
	printf '%s\n' '- Three. [some/gone]' '- Four.' '- Five. [unit suite/gone]' >> document.md
	run scripts/named-tests document.md
	expect_exit 1
	[ "$(wc -l < err)" = 3 ] || fail "not three faults"
	expect_err "there is no test 'some/gone'"
	expect_err "there is no test 'unit suite/gone'"
	expect_err "no test stands beside: - Four"
}

# A tree with the pages that scripts/pages wants: two rooms, two tools.
tree_of_pages() {
	tree pages
	printf '\trank["base"] = rank["run"] = 2\n\trank["main"] = 3\n\trank["base/deep"] = 1\n' > scripts/layers
	mkdir -p src/base/deep docs
	touch src/base/base.h src/base/deep/deep.c src/run/run.c src/main.c bpf/hist.h bpf/hist.bpf.c
	touch tools/one.c tools/one.bpf.c tools/two.bt
	printf '%s\n' '| **Why?** | one, two | something |' '[all](ARCHITECTURE.md#two-words)' > README.md
	printf '| 2 | [%s](src/%s/README.md) | x |\n' base base run run > ARCHITECTURE.md
	printf '%s\n' '## Two words' '```' '[no link](gone.md)' '```' >> ARCHITECTURE.md
	echo 'Read `base.h`, `deep/*.c`, `hist.h` and `tools/NAME.c`: [up](../../README.md).' > src/base/README.md
	echo 'Nothing.' | tee src/base/deep/README.md > src/run/README.md
	echo '[web](https://example.org/x#y) `src/run/run.c` `other.c`' > docs/HOWTO.md
}

test_pages() {
	tree_of_pages
	run scripts/pages
	expect_silence
	head -c 12289 /dev/zero | tr '\0' x >> README.md
	head -c 10241 /dev/zero | tr '\0' x >> ARCHITECTURE.md
	touch tools/three.c
	rm src/base/deep/README.md
	sed -i 's/= 2$/= 4/' scripts/layers
	echo 'Read `gone.h`, `src/base/gone.c` and `gone/*.c`: [up](../README.md), [two](#none).' >> src/run/README.md
	echo '[words](../ARCHITECTURE.md#three-words) `src/gone.c`' >> docs/HOWTO.md
	run scripts/pages
	expect_exit 1
	expect_out 'README.md: 12358 bytes, at most 12288: move what only some readers need' \
		'ARCHITECTURE.md: 10357 bytes, at most 10240: move what only some readers need' \
		'README.md: the table lacks three' 'src/base/deep: has no README.md' \
		'ARCHITECTURE.md: the table of rooms lacks base with rank 4' \
		'ARCHITECTURE.md: the table of rooms lacks run with rank 4' \
		'./docs/HOWTO.md:2: there is no such heading: ../ARCHITECTURE.md#three-words' \
		'./docs/HOWTO.md:2: there is no file src/gone.c' \
		'./src/run/README.md:2: the link leads nowhere: ../README.md' \
		'./src/run/README.md:2: there is no such heading: #none' \
		'./src/run/README.md:2: there is no file gone.h in src/run' \
		'./src/run/README.md:2: there is no file src/base/gone.c' \
		'./src/run/README.md:2: there is no file gone/*.c in src/run'
}
