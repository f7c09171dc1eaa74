# SPDX-License-Identifier: BSD-2-Clause
# Tests how the suite chooses: which test runs on which kernel, which tests a change reaches, and what a run says of
# itself at its end.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says

# picked KERNEL PLACE [VARIABLE=VALUE]...: the names of the tests of tests.sh that a run on this kernel has.
picked() {
	kernel=$1 place=$2
	shift 2
	awk -f "$0/tests/guest/list.awk" tests.sh |
		awk -v pairs=class -v kernel="$kernel" -v place="$place" $(printf -- '-v %s ' "$@" parts=) \
			-f "$0/tests/guest/pick.awk" | cut -d ' ' -f 3 | sed 's|tests/||' | tr '\n' ' '
}

expect_picked() {
	wanted=$1
	shift
	[ "$(picked "$@")" = "$wanted" ] || fail "$*: $(picked "$@")not $wanted"
}

# expect_times NAME N KERNEL PLACE: of eight commits in a row, N run this test on this kernel.
expect_times() {
	for turn in 1 2 3 4 5 6 7 8; do
		picked "$3" "$4" pairs=turn turn=$turn
	done > turns
	[ "$(grep -ow "$1" turns | wc -l)" = "$2" ] || fail "not $2 times in eight commits $*: $(cat turns)"
}

test_classes() {
	cat > tests.sh <<-'END'
		test_default() {
		# kernels=one
		test_newest() {
		# timeout=9 kernels=all
		test_each() {
		# of file: kernels=one arch=yes
		test_of_file() {
		# kernels=ends
		test_own_line() {
		# of file: kernels=turns
		test_dear() {
	END
	expect_picked 'default each own_line ' 5.10 oldest
	expect_picked 'each ' 6.1 between
	expect_picked 'default newest each of_file own_line ' 7.2 newest
	expect_picked 'of_file own_line dear ' 6.12 between foreign=1
	expect_picked 'default newest each of_file own_line dear ' 6.1 between pairs=full
	expect_times dear 1 6.1 between
	expect_times each 8 6.1 between
	expect_times default 8 7.2 newest
	expect_times default 2 5.10 oldest
	expect_times newest 2 7.2 newest
	expect_times newest 1 5.10 oldest
}

# What is left out has its turn within eight commits, on each kernel and architecture.
# slow=yes timeout=300 kernels=turns
test_each_pair_has_its_turn() {
	run "$0/tests/guest/turns"
	expect_exit 0
	expect_no_line never
	run "$0/tests/guest/turns" -a arm64
	expect_exit 0
	# and the script notices a pair that has none
	cp -r "$0/tests" .
	mkdir scripts
	cp "$0/scripts/version" scripts
	sed -i 's/has_turn(8)/has_turn(9)/' tests/guest/pick.awk
	run tests/guest/turns
	expect_exit 1
	expect_line '^never: '
}

test_parts() {
	for k in 1 2 3; do
		"$0/tests/guest/run" -l -p turn -S $k/3 > part.$k
		[ -s part.$k ] || fail "part $k is empty"
	done
	sort part.? > parts
	"$0/tests/guest/run" -l -p turn | sort | cmp - parts || fail "the parts are not the whole"
	run "$0/tests/guest/run" -l -S 4/3
	expect_exit 2
	expect_one_err 'at most N'
}

test_bad_declarations() {
	for line in '# kernels=some' '# arch=arm64' '# slow=no' '# a test with kernels=all'; do
		printf '%s\ntest_x() {\n' "$line" > tests.sh
		run awk -f "$0/tests/guest/list.awk" tests.sh
		[ "$status" != 0 ] || fail "accepted: $line"
		expect_one_err '^tests.sh:1: '
	done
}

# reaches FILE: what tests/since prints after a change of this file of the clone.
reaches() {
	echo >> "tree/$1"
	run env B="$build" tree/tests/since HEAD
	git -C tree checkout -q "$1"
}

expect_reached() {
	expect_exit 0
	for line in "$@"; do
		grep -qxF "$line" out || fail "does not reach $line"
	done
}

# slow=yes
test_since() {
	build=$(dirname "$(realpath "$(command -v sonde)")")
	git clone -q --shared "$0" tree 2> /dev/null || skip "not a git tree"
	cp "$0/tests/since" tree/tests/
	ln -s "$build" tree/
	build=$(basename "$build")
	echo "$build" >> tree/.git/info/exclude
	git -C tree -c user.name=t -c user.email=t@example.com commit -qam now 2> /dev/null || :
	reaches tools/opensnoop.bpf.c
	expect_reached 'guest opensnoop/*'
	expect_no_line 'execsnoop|why|^[a-z]+ \*$'
	reaches bpf/sched.bpf.h
	expect_reached 'guest runqlat/*' 'guest why/*'
	reaches src/base/str.c
	expect_reached 'host *' 'guest *'
	reaches tests/guest/lib.sh
	expect_reached 'host *' 'guest *'
	reaches tests/tools/stream.sh
	[ "$(cat out)" = 'guest stream/*' ] || fail "more than the changed test"
	reaches README.md
	expect_reached 'host lint/*' 'host install/*'
	! grep guest out || fail "a page reaches guests"
	run env B="$build" tree/tests/since HEAD
	expect_silence
	run env B="$build" tree/tests/since nonsense
	expect_exit 2
	expect_one_err 'nonsense is not a commit'
}

# make_tree [TESTS]: a tree with these host tests, and whose guests are a script; and its build directory b.
make_tree() {
	mkdir -p tree/tests/host tree/scripts b/tests
	cp "$0/scripts/version" tree/scripts
	cp -r "$0/tests/run" "$0/tests/modules" "$0/tests/guest" tree/tests
	ln -s "$(command -v spin)" b/tests/
	ln -s "$(dirname "$(realpath "$(command -v sonde)")")/return-guard" b/
	[ $# = 1 ] || set -- 'test_passes() { :; }'
	echo "$1" > tree/tests/host/house.sh
	echo 'results 100' > tree/tests/budget
	cat > tree/tests/guest/run <<-'END'
		#!/bin/sh
		mkdir -p "$B/guest"
		printf '%s\n' '3.0 5.10 why/slow' '4.5 newest why/slow' '1.0 5.10 why/quick' > "$B/guest/times"
		echo 'newest why/slow: 9 samples' > "$B/guest/again"
		echo '3 passed, 0 failed, 0 skipped'
	END
}

# refused_return FILE COMMAND...: the guard that we run in refuses a return probe on the file, and has listed it. The
# list is emptied: it would fail this test.
refused_return() {
	file=$1
	shift
	run "$@"
	expect_exit 1
	[ "$(sort -u ../refused)" = "$file" ] || fail "not listed: $*"
	rm ../refused
}

# No test sets the kernel's return probe on a file of others. The file here is one that nobody else has mapped: should
# the guard fail, then nobody is harmed.
test_return_probes_are_guarded() {
	foreign=$(mktemp -d)
	trap 'rm -rf "$foreign"' EXIT
	cp "$(command -v ufuncs)" "$foreign/ufuncs"
	ln -s "$foreign" ours
	for mechanism in uprobe uprobe.multi; do
		refused_return "$foreign/ufuncs" \
			sonde funccount --force --mechanism $mechanism ur:ours/ufuncs:g_through -- ufuncs 5
		fc --mechanism $mechanism "u:$foreign/ufuncs:g_through" -- "$foreign/ufuncs" 5
		expect_count g_through 5
	done
	refused_return "$foreign/ufuncs" sonde funccount --force "ur:$foreign/ufuncs:g_through" -- sh -c 'ufuncs 5'
	cp "$foreign/ufuncs" .
	fc --force "ur:$PWD/ufuncs:g_through" -- ./ufuncs 5
	expect_count g_through 5
}

# What the guard lists fails the test, even one that noticed nothing.
test_return_probes_fail_a_test() {
	make_tree 'test_probes() { echo /lib/libc.so.6 > ../refused; }'
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --host
	expect_exit 1
	expect_line '^  host: house/probes: a return probe on a file of others, /lib/libc.so.6$'
	expect_line '^0 passed, 1 failed, 2 skipped$'
}

# A test that fails runs again, if few did and nobody named it. What fails then is a failure.
test_few_failures_run_again() {
	make_tree 'test_first() { [ -e ../was ] || { touch ../was; fail "the first time"; }; }'
	printf 'test_always() { fail "each time"; }\n' >> tree/tests/host/house.sh
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --host
	expect_exit 1
	expect_line '^  again house/first: the first time \(exit 1\)$'
	expect_line '^  not ok house/always: each time \(exit 1\)$'
	expect_line '^  host house/first: the first time$'
	expect_line '^  host: house/always: each time$'
	expect_line '^1 passed, 1 failed, 2 skipped$'
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --host 'house/always'
	expect_exit 1
	[ "$(grep -c 'each time (exit 1)' out)" = 1 ] || fail "again, though it was named"
	for n in 2 3 4 5; do
		printf 'test_always_%s() { fail "each time"; }\n' $n >> tree/tests/host/house.sh
	done
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --host
	expect_exit 1
	! grep '^  again' out || fail "again, though six failed"
	expect_line '^0 passed, 6 failed, 2 skipped$'
}

# A quick run leaves slow tests out; what runs beside it is counted, and its failures are named.
test_quick() {
	make_tree
	printf '# slow=yes\ntest_slow() { fail "it is slow"; }\n' >> tree/tests/host/house.sh
	mkdir b/unit
	printf '#!/bin/sh\necho "unit got $*"\necho "Passing: 2 | Failing: 1 | Crashing: 0"\nexit 1\n' > b/unit/unit
	chmod +x b/unit/unit
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --quick
	expect_exit 1
	expect_line '^unit got -j[1-9][0-9]* --filter [*]/!\([a-z_|]*\|random_programs\)$'
	expect_line '^unit: 2 passed, 1 failed$'
	expect_line '^  unit: 1 tests$'
	expect_line '^6 passed, 1 failed, 1 skipped$'
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run
	expect_exit 1
	expect_line '^unit got $'
	expect_line '^  unit: 1 tests$'
	expect_line '^  host: house/slow: it is slow$'
	expect_line '^6 passed, 2 failed, 1 skipped$'
	printf '#!/bin/sh\nexit 0\n' > b/unit/unit
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --quick
	expect_exit 1
	expect_line '^4 passed, 1 failed, 1 skipped$'
}

# Each unit test that a quick run leaves out is there, and once: another one of its name would be left out, too.
test_quick_names() {
	sed -n "s/^dear='\(.*\)'$/\1/p" "$0/tests/modules" | tr '|' '\n' > names
	[ "$(wc -l < names)" = 4 ] || fail "not four names: $(cat names)"
	while read -r name; do
		[ "$(cat "$0"/tests/unit/*.c | grep -cE "^Test\([a-z_]*, ${name}[,)]")" = 1 ] || fail "not one test $name"
	done < names
}

# What tests the suite itself runs at one of eight commits, and whenever it is named or a change reaches it.
test_turns_on_the_host() {
	make_tree "$(printf '# kernels=turns\ntest_passes() { :; }\n')"
	for turn in 1 2 3 4 5 6 7 8; do
		run env B="$PWD/b" SONDE="$(command -v sonde)" TURN=$turn tree/tests/run --host
		expect_exit 0
		tail -n 1 out >> said
	done
	[ "$(grep -c '^1 passed' said)" = 1 ] || fail "not at one of eight commits: $(cat said)"
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --host 'house/*'
	expect_line '^1 passed'
}

# The end of a run.
test_remarks_and_budget() {
	make_tree
	echo 'results 6' > tree/tests/budget
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run
	expect_exit 0
	expect_line '^ +7\.5 s  why/slow$'
	expect_line '^ran again:$'
	expect_line '^  newest why/slow: 9 samples$'
	expect_line '^took 0 minutes of the processors'
	expect_line '^4 passed, 0 failed, 2 skipped$'
	echo 'results 5' > tree/tests/budget
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run
	expect_exit 1
	expect_line '^  budget: 6 results, at most 5: see tests/budget$'
	run env B="$PWD/b" SONDE="$(command -v sonde)" tree/tests/run --full
	expect_exit 0
}
