# SPDX-License-Identifier: BSD-2-Clause
# Go programs must not be harmed, whatever the user asks for: gofuncs prints what it did only if it
# reaches its end.
# of file: kernels=ends arch=yes

# refused_by TOOL SPEC: it must fail, and one line must say why.
refused_by() {
	run sonde "$1" "$2" -- gofuncs 10
	expect_exit 1
	expect_one_err 'Go moves its stacks.*--force'
	expect_no_line '^did'
}

# A function that can be left without a return instruction has no return that can be probed. An address is as good as a name.
# kernels=one arch=yes
test_go_returns_refused() {
	for function in runtime.morestack_noctxt.abi0 runtime.gogo.abi0; do
		refused_by funccount r:/bin/gofuncs:$function
		refused_by funclatency u:/bin/gofuncs:$function
		refused_by funcslower u:/bin/gofuncs-pie:$function
	done
	grep -q 'jump' err || fail "not for its jump"
	at=$(awk '$2 == "main.work" { print $1 }' /gofuncs.symbols)
	run sonde funclatency "u:/bin/gofuncs:$at" -- gofuncs 10
	expect_exit 0
	expect_line '^did'
}

# The workload's functions must be counted as often as it says. A panic leaves thrown without a
# return.
go_exact() {
	has "$1" || { refused "$1" "$2:/bin/gofuncs:main.work"; return 0; }
	fc --mechanism "$1" "$2:/bin/gofuncs:main.*" -- gofuncs 100
	expect_exit 0
	for function in work deep nap twice thrown catch dive; do
		calls=$(awk -v f=main.$function '$1 == "did" && $2 == f { print $3 }' out)
		[ "$2 $function" != 'ur thrown' ] || calls=0
		expect_count main.$function "$calls"
	done
}

# If the stack has no room, a call starts again, and still is one call.
test_go_entries_uprobe() {
	go_exact uprobe u
}

test_go_entries_uprobe_multi() {
	go_exact uprobe.multi u
}

test_go_returns_uprobe() {
	go_exact uprobe ur
}

test_go_returns_uprobe_multi() {
	go_exact uprobe.multi ur
}

# Each call is measured by itself, in whichever threads it runs, and wherever its stack moves.
go_times() {
	has "$1" || return 0
	run sonde funclatency -j -F --max-calls 30000 --mechanism "$1" 'u:/bin/gofuncs:main.*' -- gofuncs 60
	expect_exit 0
	expect_json func count total
	awk '$1 == "did" && $2 ~ /^main/ && $2 != "main.thrown" { print $2, $3 }' out | sort > dids
	awk '{ print $1, $2 }' rows | grep -E '^main.(work|deep|nap|twice|catch|dive) ' | sort > seen
	expect_dids
	for what in nap dive; do
		read -r calls least most <<-END
			$(sed -n "s/^did $what //p" out)
		END
		total=$(awk -v f=main.$what '$1 == f { print $3 }' rows)
		expect_between "total of $calls calls of $what" "$least" "$most" "$total"
	done
}

test_go_times_uprobe() {
	go_times uprobe
}

# kernels=one arch=yes
test_go_times_uprobe_multi() {
	go_times uprobe.multi
}

# Its arguments are twice(0), twice(1), ... and its return values 1, 3, 3, 9, ...
test_go_arguments() {
	run sonde funcslower -j -u 1 -a 1 u:/bin/gofuncs-pie:main.twice -- gofuncs-pie 20
	expect_exit 0
	expect_json args retval
	awk 'BEGIN { for (n = 0; n < 20; n++) print "[" n "]\t" (n % 2 ? n * 3 : n + 1) }' | sort > dids
	sort rows > seen
	expect_dids
}

# Everything at once, in a runtime that moves stacks all the time: it must reach its end, and the
# counts must be right.
# timeout=240
test_go_everything() {
	run sonde funclatency --max-calls 30000 'u:/bin/gofuncs:main.*' 'u:/bin/gofuncs:sync.*' \
		'u:/bin/gofuncs:time.*' 'u:/bin/gofuncs:runtime.m*' -- gofuncs 30
	expect_exit 0
	expect_line '^did main.nap 90$'
	fc 'r:/bin/gofuncs-pie:*' -- gofuncs-pie 10
	expect_exit 0
	expect_line '^did main.nap 30$'
	expect_count main.nap 30
}

# timeout=240 kernels=one arch=yes
test_go_all_entries() {
	fc 'u:/bin/gofuncs-pie:*' -- gofuncs-pie 10
	expect_exit 0
	expect_line '^did main.nap 30$'
	expect_count main.nap 30
}
