# SPDX-License-Identifier: BSD-2-Clause
# Pages of metrics, read by parsers that others wrote: promtool, Prometheus's client for Python, protoc.

b=$0/${B:-build}
case ${B:-build} in /*) b=$B ;; esac

# page FORMAT
page() {
	[ -x "$b/metric-pages" ] || skip "there is no $b/metric-pages"
	"$b/metric-pages" "$1" > "page.$1"
}

# Computes the odd page a second time, as tests/metrics/pages.c says it is.
cat > odd.py << 'END'
import math, struct
from fractions import Fraction

CREATED = 1714557600.123456789
NUMBERS = {
    "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "tenth": 0.1, "third": 1 / 3.0, "least": 5e-324,
    "small": -1e-300, "large": 1e300, "mega": 1048576, "odd": 123456789.125, "zero": 0, "-zero": -0.0,
    "int64": -2.0**63,
}
# Each byte that is no UTF-8, and each control character but tab, CR and LF, is U+FFFD.
LABELS = ["plain", 'quo"te', "back\\slash", "new\nline", "tab\tcr\r", "\\n", "\ufffd\ufffd",
          "caf\u00e9 \u20ac \U0001f600", "\ufffd[31m", '{a="b"}', "a,b", " blank ", "# EOF", "\ufffd\ufffd\ufffd"]


def values():
    yield from range(3)
    v = 10**9
    for _ in range(12):
        yield from (v - 1, v, v + 1)
        v //= 2
    v = 1
    for _ in range(1000):
        yield v >> 34
        v = (v * 6364136223846793005 + 1442695040888963407) % 2**64


VALUES = list(values())
UNITS = {"odd_bounds_seconds": 10**9, "odd_precise_seconds": 10**9, "odd_linear_seconds": 10**9, "odd_size_bytes": 1}


# le: a bound in base units. Bounds are inclusive, and compared without rounding; those that are integers of ns are not
# doubles, so the integer next to it is meant.
def up_to(le, unit):
    if math.isinf(le):
        return len(VALUES)
    bound = Fraction(le) * unit
    if abs(bound - round(bound)) < Fraction(1, 10**6):
        bound = round(bound)
    return sum(v <= bound for v in VALUES)


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))
END

cat > text.py << 'END'
import sys
from odd import *
from prometheus_client.parser import text_string_to_metric_families as text
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics

form = sys.argv[1]
page = open("page." + form, encoding="utf-8", newline="").read()
families = {f.name: f for f in (openmetrics if form == "openmetrics" else text)(page)}
info = "odd_build" if form == "openmetrics" else "odd_build_info"
types = {"odd_number": "gauge", "odd_labels": "counter", info: "info" if form == "openmetrics" else "gauge",
         "odd_wait_seconds": "summary", "odd_time_seconds": "counter", "odd_bounds_seconds": "histogram",
         "odd_precise_seconds": "histogram", "odd_linear_seconds": "histogram", "odd_size_bytes": "histogram",
         "odd_steps": "histogram"}
assert {name: f.type for name, f in families.items()} == types
assert families["odd_number"].documentation == 'Odd \\ "numbers"\nhere.'
if form == "openmetrics":
    assert {n: f.unit for n, f in families.items() if f.unit} == {
        n: n.rsplit("_", 1)[1] for n in types if n.endswith(("_seconds", "_bytes"))}

for sample in families["odd_number"].samples:
    want = NUMBERS.pop(sample.labels["what"])
    assert same(sample.value, want), (sample, want)
assert not NUMBERS

totals = [s for s in families["odd_labels"].samples if s.name == "odd_labels_total"]
assert [s.labels for s in totals] == [{"number": str(i), "odd_name": value} for i, value in enumerate(LABELS)]
for i in range(len(LABELS)):
    assert f" {2**64 - 1 - i}\n" in page, i
created = [s for f in families.values() for s in f.samples if s.name.endswith("_created")]
if form == "openmetrics":
    assert len(created) == len(LABELS) + 2 + 4 * 2 + 1, len(created)
    assert all(s.value == CREATED for s in created) and page.count("} 1714557600.123456789\n") == len(created) - 2
    assert page.endswith("\n# EOF\n")
else:
    assert not created and "# EOF\n#" not in page

waits = {s.name: s.value for s in families["odd_wait_seconds"].samples}
assert waits["odd_wait_seconds_count"] == 3 and waits["odd_wait_seconds_sum"] == 1.234567891
assert "odd_time_seconds_total 9007199.254740993\n" in page

for name, unit in UNITS.items():
    for which in ("empty", "full"):
        samples = [s for s in families[name].samples if s.labels["name"] == which]
        buckets = [s for s in samples if s.name == name + "_bucket"]
        assert len(buckets) > 20, (name, len(buckets))
        for s in buckets:
            want = up_to(float(s.labels["le"]), unit) if which == "full" else 0
            assert s.value == want, (s, want)
        rest = {s.name[len(name):]: s.value for s in samples}
        n, total = (len(VALUES), sum(VALUES)) if which == "full" else (0, 0)
        assert rest["_count"] == n and same(rest["_sum"], float(Fraction(total, unit))), (name, rest)
steps = [(s.labels.get("le"), s.value) for s in families["odd_steps"].samples if s.name == "odd_steps_bucket"]
assert steps == [("-9.0", 3), ("199993.0", 3), ("399995.0", 4), ("599997.0", 4), ("799999.0", 4), ("1e+06", 8),
                 ("+Inf", 10)], steps
print("ok", len(families))
END

cat > proto.py << 'END'
import re, subprocess, sys
from odd import *

SCHEMAS = {"odd_bounds_seconds": 0, "odd_size_bytes": 0, "odd_precise_seconds": 6}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


# Each family has its length in front; protoc reads messages without: makes them fields of one message.
data, page, at, n = open("page.protobuf", "rb").read(), b"", 0, 0
while at < len(data):
    start = at
    length, at = varint(data, at)
    page += b"\x0a" + data[start:at + length]
    at, n = at + length, n + 1
assert at == len(data) and n == 10, (at, n)
command = ["protoc", "--decode=io.prometheus.client.Page", "-I", sys.argv[1], "metrics.proto"]
text = subprocess.run(command, input=page, stdout=subprocess.PIPE, check=True).stdout.decode()
assert not re.search(r"^ *\d", text, re.M), "a field that metrics.proto does not have"


# protoc's text: lines "name: value", "name {", "}".
def message(lines):
    fields = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            fields.setdefault(line[:-2], []).append(message(lines))
        else:
            name, value = line.split(": ", 1)
            fields.setdefault(name, []).append(value)
    return fields


def number(fields, name):
    return float(fields.get(name, ["0"])[0])


def string(text):
    return eval("b" + text).decode()


families = {string(f["name"][0]): f for f in message(iter(text.splitlines()))["family"]}
assert "odd_labels_total" in families and "odd_build_info" in families
assert {name: f["unit"][0] for name, f in families.items() if "unit" in f} == {
    name: '"seconds"' if "seconds" in name else '"bytes"' for name in families if re.search("_(seconds|bytes)", name)}
for metric in families["odd_number"]["metric"]:
    what = string(metric["label"][0]["value"][0])
    assert same(number(metric["gauge"][0], "value"), float(NUMBERS.pop(what))), what
assert not NUMBERS
labels = [string(m["label"][1]["value"][0]) for m in families["odd_labels_total"]["metric"]]
assert labels == LABELS, labels
(counter,) = families["odd_time_seconds_total"]["metric"][0]["counter"]
assert counter["created_timestamp"] == [{"seconds": ["1714557600"], "nanos": ["123456789"]}], counter

for name, unit in UNITS.items():
    for metric, n in zip(families[name]["metric"], (0, len(VALUES))):
        hist = metric["histogram"][0]
        assert number(hist, "sample_count") == n
        for bucket in hist["bucket"]:
            want = up_to(number(bucket, "upper_bound"), unit) if n else 0
            assert number(bucket, "cumulative_count") == want, (name, bucket)
        if name not in SCHEMAS:
            assert "zero_threshold" not in hist and "positive_span" not in hist
            continue
        schema, threshold = number(hist, "schema"), number(hist, "zero_threshold")
        assert schema == SCHEMAS[name] and threshold > 0
        # spans and deltas as the format's description reads them
        found, index, count, deltas = {}, 0, 0, iter(hist.get("positive_delta", []))
        for span in hist.get("positive_span", []):
            index += int(number(span, "offset"))
            for _ in range(int(number(span, "length"))):
                count += int(next(deltas))
                found[index] = count
                index += 1
        assert next(deltas, None) is None and all(c >= 0 for c in found.values())
        zeros = number(hist, "zero_count")
        assert zeros + sum(found.values()) == n, name
        if not n:
            continue
        assert zeros == sum(v <= Fraction(threshold) * unit for v in VALUES)
        if schema == 0:
            want = {}
            for v in VALUES:
                i = next(i for i in range(-40, 70) if v <= Fraction(2)**i * unit)
                if Fraction(v, unit) > Fraction(threshold):
                    want[i] = want.get(i, 0) + 1
            assert {i: c for i, c in found.items() if c} == want, name
        else:
            # Values lie in the native bucket of their bucket's middle: at most one bucket off.
            at = {}
            for v in VALUES:
                if v:
                    i = math.ceil(math.log2(v / unit) * 2**schema)
                    at[i] = at.get(i, 0) + 1
            for low in range(min(at), max(at) + 1, 16):
                inner = sum(c for i, c in found.items() if low <= i < low + 16)
                assert sum(c for i, c in at.items() if low + 1 <= i < low + 15) <= inner
                assert inner <= sum(c for i, c in at.items() if low - 1 <= i < low + 17)
print("ok", len(families))
END

test_text() {
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	page text
	run /usr/bin/python3 text.py text
	expect_exit 0
	expect_line '^ok 10$'
}

test_openmetrics() {
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	page openmetrics
	run /usr/bin/python3 text.py openmetrics
	expect_exit 0
	expect_line '^ok 10$'
}

test_protobuf() {
	command -v protoc > /dev/null || skip "there is no protoc"
	page protobuf
	run /usr/bin/python3 proto.py "$0/tests/metrics"
	expect_exit 0
	expect_line '^ok 10$'
}

# Debian's package would start a Prometheus on this machine, so nobody installs it for the test. Guests have it.
test_promtool() {
	command -v promtool > /dev/null || skip "there is no promtool"
	page text
	run sh -c 'promtool check metrics < page.text'
	expect_exit 0
}

# table TITLE: the rows of a table of docs/METRICS.md, without quotes, cells separated by |.
table() {
	awk -F ' *[|] *' -v title="## $1" '/^## / { here = $0 == title } here && /^[|] `/ {
		gsub(/`/, "")
		print $2 "|" $3 "|" $4 "|" $5 "|" $6
	}' "$0/docs/METRICS.md"
}

# The list of tests/tools/metrics.sh is what the binary says.
test_documented_tools() {
	(. "$0/tests/tools/metrics.sh" && families) |
		awk -F '|' '{ for (i = 2; i <= NF; i++) { gsub(/ /, "|", $i); print $1 "|" $i } }' > binary
	table Tools > page
	[ "$(wc -l < page)" -gt 20 ] || fail "the page has $(wc -l < page) families"
	cmp -s page binary || fail "$(diff page binary)"
}

# Each family of the exporter itself is on the page, with its type.
test_documented_self() {
	run sonde export --check --budget 50% 'funccount t:sched:sched_process_exec as only_this'
	expect_exit 0
	! grep -n ' $' "$0/docs/METRICS.md" || fail "docs/METRICS.md has blanks at the end of a line"
	table 'The exporter itself' | cut -d '|' -f 1,2 > page
	sed -n 's/^# TYPE \([^ ]*\) \(.*\)/\1|\2/p' out | grep -v '^only_this' > families
	[ "$(wc -l < families)" -gt 10 ] || fail "too few families: $(cat out)"
	grep -q '^sonde_gap_seconds_total|' families || fail "no metrics of the budget: $(cat families)"
	! grep -vxFf page families > new || fail "docs/METRICS.md lacks: $(cat new)"
}

# No line can have the name of one of them, also of those that this page does not have.
# timeout=120
test_reserved() {
	table 'The exporter itself' | cut -d '|' -f 1 | sed 's/_total$//; s/_info$//' > names
	[ "$(wc -l < names)" -gt 20 ] || fail "too few names: $(cat names)"
	while read -r name; do
		run sonde export --check "funccount t:sched:sched_process_exec as $name"
		expect_exit 2
		expect_one_err "argument 1: the metric $name is also one of sonde itself: name the line by 'as NAME'"
	done < names
}
