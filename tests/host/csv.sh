# SPDX-License-Identifier: BSD-2-Clause
# What --csv prints, read by a strict parser, has the columns and the values of --json.

ufuncs=$(command -v ufuncs)

[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"

# same_rows CSV JSON [KEY...]: compares all columns, or these. Checks what RFC 4180 asks for: lines end with CR LF, all have as
# many fields, and quotes are where they may be.
same_rows() {
	/usr/bin/python3 - "$@" <<- 'END' || fail "$1 and $2 differ"
	import csv, json, sys
	table, objects, keys = sys.argv[1], sys.argv[2], sys.argv[3:]
	text = open(table, newline="", encoding="utf-8").read()
	assert text.endswith("\r\n"), "the last line does not end with CR LF"
	rows = list(csv.reader(text.splitlines(keepends=True), strict=True))
	data = [json.loads(line) for line in open(objects, encoding="utf-8") if line.startswith("{")]
	headings = rows.pop(0)
	assert all(len(row) == len(headings) for row in rows), "lines have different numbers of fields"
	assert data and list(data[0]) == headings, f"{headings} are not the keys {list(data[0])}"
	assert len(rows) == len(data), f"{len(rows)} rows of CSV, {len(data)} of JSON"

	def same(field, value):
	    if value is None:
	        return field == ""
	    if isinstance(value, bool):
	        return field == str(value).lower()
	    if isinstance(value, str):
	        return field.replace("\r\n", "\n") == value.replace("\r\n", "\n")
	    return json.loads(field) == value

	for row, value in zip(rows, data):
	    for key, field in zip(headings, row):
	        assert (keys and key not in keys) or same(field, value[key]), f"{key}: {field!r} is not {value[key]!r}"
	END
}

test_names() {
	run sonde syscount -l --csv
	expect_exit 0
	mv out table
	run sonde syscount -l --json
	same_rows table out
	[ "$(head -c 16 table | od -An -c | tr -d ' \n')" = 'syscall,number\r\n' ] || fail "$(head -n 1 table)"
}

test_counts() {
	fc --csv "u:$ufuncs:f_one" "u:$ufuncs:f_three" -- ufuncs 100
	expect_exit 0
	sed '/^did /d' out > table
	fc --json "u:$ufuncs:f_one" "u:$ufuncs:f_three" -- ufuncs 100
	same_rows table out func symbol count
}

# Percentiles and buckets are JSON in a field.
test_histograms() {
	run sonde funclatency --csv --precise -F "u:$ufuncs:f_one" "u:$ufuncs:f_three" -- ufuncs 100
	expect_exit 0
	sed '/^did /d' out > table
	run sonde funclatency --json --precise -F "u:$ufuncs:f_one" "u:$ufuncs:f_three" -- ufuncs 100
	same_rows table out func symbol unit count
	/usr/bin/python3 -c '
import csv, json
rows = list(csv.DictReader(open("table", newline=""), strict=True))
for row in rows:
    assert sum(bucket["count"] for bucket in json.loads(row["buckets"])) == int(row["count"]), row
    assert json.loads(row["percentiles"])["max"] >= json.loads(row["percentiles"])["p50"], row
' || fail "$(cat table)"
}

# A name may hold what CSV itself is made of, what moves a cursor, and bytes that are no text.
test_foreign_names() {
	for name in 'a,b' 'a"b' 'a""' '"' ',' "$(printf 'a\nb')" "$(printf 'a\rb')" "$(printf '\033[2J')" "$(printf '\377\200')" '=1+1' ' a '; do
		cp /bin/true "./$name"
		run sonde syscount -P --csv -- "./$name"
		expect_exit 0
		mv out table
		run sonde syscount -P --json -- "./$name"
		! grep -q "$(printf '\033')" table || fail "an escape sequence is as it was"
		/usr/bin/python3 -c '
import csv, json
rows = list(csv.DictReader(open("table", newline="", encoding="utf-8"), strict=True))
names = {json.loads(line)["comm"].replace("\x1b", "\ufffd") for line in open("out", encoding="utf-8")}
assert {row["comm"] for row in rows} == names, (rows, names)
' || fail "$name"
	done
}

# One line of headings for all tables.
test_intervals() {
	fc --csv -i 1 -d 3 "u:$ufuncs:f_one" -- sh -c 'ufuncs 10; ufuncs 10'
	sed '/^did /d' out > table
	[ "$(grep -c '^time,func,symbol,count' table)" = 1 ] || fail "$(cat table)"
	/usr/bin/python3 -c '
import csv, datetime
for row in csv.DictReader(open("table", newline=""), strict=True):
    datetime.datetime.fromisoformat(row["time"])
' || fail "$(cat table)"
}

test_json_and_csv() {
	run sonde syscount -l --json --csv
	expect_exit 2
	expect_err "json or --csv"
}
