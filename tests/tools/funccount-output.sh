# SPDX-License-Identifier: BSD-2-Clause
# The output of sonde funccount: tables at intervals, JSON, the selection and the order of rows.
# of file: kernels=one

test_intervals_add_up() {
	fc -i 0.2 "$getppid" -- spin 1
	expect_exit 0
	expect_did_as getppid "$getppid"
	[ "$(grep -c '^FUNC' out)" -ge 2 ] || fail "too few tables"
}

# expect_did_as WORKLOAD-NAME FUNCTION: what the workload calls by one name is counted under the
# other.
expect_did_as() {
	expect_count "$2" "$(awk -v f="$1" '$1 == "did" && $2 == f { n += $3 } END { print n }' out)"
}

test_intervals_and_duration() {
	spin > /dev/null &
	other=$!
	read -r began _ < /proc/uptime
	fc -i 1 -d 3 -T --comm spin "$getppid"
	read -r ended _ < /proc/uptime
	kill $other
	expect_exit 0
	[ "$(grep -c '^FUNC' out)" = 3 ] || fail "not three tables"
	[ "$(grep -cE '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]$' out)" = 3 ] || fail "not three times"
	[ "$(grep -cE "^$getppid +[0-9]+$" out)" = 3 ] || fail "not three rows"
	[ $((${ended%.*} - ${began%.*})) -ge 3 ] || fail "ended early"
}

test_json() {
	fc -j do_sys_openat2 r:vfs_read -- calls 100 openat 30 read
	expect_exit 0
	expect_json func count
	printf 'vfs_read\t30\ndo_sys_openat2\t101\n' > expected
	cmp rows expected || fail "rows: $(cat rows)"
	fc --json -i 0.4 "$getppid" -- spin 1
	expect_exit 0
	expect_json time func count
	! grep -v -E "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{15}[+-][0-9]{2}:[0-9]{2}$(printf '\t')" rows ||
		fail "not a time"
	sum=$(awk '{ n += $3 } END { print n }' rows)
	[ "$sum" = "$(awk '$1 == "did" { print $3 }' out)" ] || fail "the rows sum up to $sum"
}

test_rows_ascend_and_zero_is_hidden() {
	fc do_sys_openat2 vfs_read vfs_rmdir "$getpgid" -- calls 30 openat 10 read 20 getpgid
	expect_exit 0
	expect_no_line vfs_rmdir
	grep -v -E '^(did|FUNC|$)' out | awk '{ print $2 }' > order
	[ "$(echo $(cat order))" = "10 20 31" ] || fail "order: $(echo $(cat order))"
}

test_top() {
	fc --top 1 do_sys_openat2 vfs_read "$getpgid" -- calls 30 openat 10 read 20 getpgid
	expect_exit 0
	expect_count do_sys_openat2 31
	expect_no_line '^vfs_read'
}

test_regex() {
	fc -r '^(do_sys_openat2|vfs_read)$' -- calls 30 openat 10 read
	expect_exit 0
	expect_count do_sys_openat2 31
	expect_count vfs_read 10
}

test_same_place_twice() {
	fc do_sys_openat2 p:do_sys_openat2 'do_sys_openat[2]' -- calls 30 openat
	expect_exit 0
	expect_count do_sys_openat2 30
}

test_quiet() {
	fc -q do_sys_openat2 -- calls 1 openat
	expect_exit 0
	[ ! -s err ] || fail "not quiet"
}

test_link_named_after_the_tool() {
	run funccount do_sys_openat2 -- calls 3 openat
	expect_exit 0
	expect_count do_sys_openat2 3
}
