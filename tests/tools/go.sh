# SPDX-License-Identifier: BSD-2-Clause
# Programs in Go, which come to no harm whatever is asked for: gofuncs says what it did only where it has come to its end.

# refused_on BINARY: a return probe by itself, and both ends.
refused_on() {
	fc "ur:/bin/$1:main.work" -- gofuncs 10
	expect_exit 1
	expect_one_err 'Go moves its stacks.*--force'
	for tool in funclatency funcslower; do
		run sonde $tool "u:/bin/$1:main.work" -- gofuncs 10
		expect_exit 1
		expect_one_err 'Go moves its stacks.*--force'
	done
}

test_go_returns_refused() {
	refused_on gofuncs
	refused_on gofuncs-pie
	fc r:/bin/gofuncs-stripped:main.work -- gofuncs-stripped 10
	expect_exit 1
	expect_one_err 'Go moves its stacks.*--force'
}

# Each call passes its function's begin once, and once more where the stack has had no room: then it is grown, and the call begins anew.
go_entries() {
	has "$1" || { refused "$1" u:/bin/gofuncs:main.work; return 0; }
	fc --mechanism "$1" 'u:/bin/gofuncs:main.*' 'u:/bin/gofuncs:runtime.mallocgc' -- gofuncs 100
	expect_exit 0
	for function in work deep nap twice thrown catch dive; do
		calls=$(awk -v f=main.$function '$1 == "did" && $2 == f { print $3 }' out)
		expect_between main.$function "$calls" $((calls + 100 * 12)) "$(counted main.$function)"
	done
}

test_go_entries_uprobe() {
	go_entries uprobe
}

test_go_entries_uprobe_multi() {
	go_entries uprobe.multi
}

test_go_all_entries() {
	fc 'u:/bin/gofuncs-pie:main.*' 'u:/bin/gofuncs-pie:sync.*' 'u:/bin/gofuncs-pie:runtime.m*' -- gofuncs-pie 50
	expect_exit 0
	expect_line '^did main.nap 150$'
}
