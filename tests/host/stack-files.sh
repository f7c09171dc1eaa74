# SPDX-License-Identifier: BSD-2-Clause
# Files of stacks, read by programs that others wrote: folded, pprof and speedscope must hold the same stacks.

b=$0/${B:-build}
case ${B:-build} in /*) b=$B ;; esac

# write ROWS [-t]
write() {
	[ -x "$b/stack-files" ] || skip "there is no $b/stack-files"
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	run "$b/stack-files" -n "$@" folded folded pprof pprof speedscope speedscope
	expect_exit 0
}

# The stacks of each file, as {(names from the root): weight}.
cat > read_stacks.py << 'END'
import json, re, subprocess, sys


def folded(name):
    stacks = {}
    for line in open(name, encoding="utf-8", newline="\n"):
        path, weight = re.fullmatch(r"([^;\n]+(?:;[^;\n]+)*) ([1-9][0-9]*)\n", line).groups()
        path = tuple(path.split(";"))
        assert path not in stacks, f"twice: {path}"
        stacks[path] = int(weight)
    return stacks


def speedscope(name, unit):
    data = json.load(open(name, encoding="utf-8"))
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = data["shared"]["frames"]
    assert all(set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str) for frame in frames)
    (profile,) = data["profiles"]
    assert profile["type"] == "sampled" and profile["unit"] == unit, profile["unit"]
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["startValue"] == 0 and profile["endValue"] == sum(profile["weights"])
    return {tuple(frames[i]["name"] for i in sample): weight
            for sample, weight in zip(profile["samples"], profile["weights"])}


# As text of `go tool pprof -raw`: samples first, each with its labels, then locations, then mappings. Newer versions
# print a column after the line. With its own symbols it would shorten names of C++.
def pprof(name):
    command = ["go", "tool", "pprof", "-symbolize=none", "-raw", name]
    raw = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    samples, rest = raw.split("\nLocations\n")
    names = {}
    for line in rest.split("\nMappings\n")[0].splitlines():
        at = re.fullmatch(r" *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*) :\d+(?::\d+)? s=\d+(?:\(.*\))?", line)
        names[at[1]] = at[2]
    stacks, sums = {}, None
    for line in re.split(r"\n(?:samples/count cpu|contentions/count delay)/nanoseconds\n", samples)[1].splitlines():
        sample = re.fullmatch(r" *(\d+) +(\d+): ([\d ]+?) *", line)
        comm = re.fullmatch(r" *comm:\[(.*)\]", line)
        if sample:
            sums, path = (int(sample[1]), int(sample[2])), [names[i] for i in reversed(sample[3].split())]
        elif comm:
            path = (comm[1],) + (() if path == ["[no stack]"] else tuple(path))
            before = stacks.get(path, (0, 0))
            stacks[path] = (before[0] + sums[0], before[1] + sums[1])
    return stacks


def as_folded(path):
    return tuple(name.replace(";", r"\x3b") for name in path)


def shown(name):
    return re.sub(r"[\x00-\x1f]", lambda c: {"\n": r"\n"}.get(c[0], r"\x%02x" % ord(c[0])), name)


def text_only(name):
    return re.sub(r"\\x[89a-f][0-9a-f]", "\ufffd", name)


def compare(what, got, want):
    differ = [path for path in want.keys() | got.keys() if want.get(path) != got.get(path)]
    for path in differ[:5]:
        print(f"{what}: {path}: {got.get(path)}, not {want.get(path)}")
    assert not differ, f"{what}: {len(differ)} stacks differ"


times = sys.argv[1:] == ["-t"]
want = folded("folded")
scope = speedscope("speedscope", "microseconds" if times else "none")
compare("pprof", {as_folded(path): sums[1] // 1000 if times else sums[0] for path, sums in pprof("pprof").items()
                  if not times or sums[1] >= 1000}, want)
# bytes that are no text are lost in JSON
compare("speedscope", {tuple(map(shown, as_folded(path))): weight for path, weight in scope.items()},
        {tuple(map(text_only, path)): weight for path, weight in want.items()})
print(len(want), sum(want.values()))
END

consume() {
	command -v go > /dev/null || skip "there is no go"
	run /usr/bin/python3 read_stacks.py "$@"
	expect_exit 0
}

# Go 1.25 and later build pprof when it is used for the first time.
# timeout=300
test_stacks_are_the_same_in_all_formats() {
	write 10000
	consume
	expect_line '^[0-9]{4} [0-9]{6}$'
}

test_times() {
	write 10000 -t
	consume -t
	expect_line '^[0-9]{4} [0-9]{7,}$'
}

test_no_stacks() {
	write 0
	[ ! -s folded ] || fail "$(cat folded)"
	/usr/bin/python3 -c 'import json; assert json.load(open("speedscope"))["profiles"][0]["samples"] == []' ||
		fail "$(cat speedscope)"
	command -v go > /dev/null || skip "there is no go"
	run go tool pprof -raw pprof
	expect_exit 0
	expect_line '^samples/count cpu/nanoseconds$'
}

# What people call: the total, and a function's own part.
test_pprof_top() {
	command -v go > /dev/null || skip "there is no go"
	write 1000
	run go tool pprof -top -sample_index=samples pprof
	expect_exit 0
	expect_line "^Duration: 5s, Total samples = $(awk '{ sum += $NF } END { print sum }' folded) *\$"
	expect_line '^File: prog$'
	own=$(awk '/[;]function_17 [0-9]+$/ { sum += $NF } END { print sum }' folded)
	[ "$own" -gt 0 ] || fail "no function_17"
	expect_line "^ +$own .* function_17\$"
}

# What a run of a real tool writes, and its summary.
test_a_profile() {
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	run sonde profile -F 997 --folded folded --pprof pprof --speedscope speedscope -- \
		bash -c 'for ((i = 0; i < 100000; i++)); do :; done'
	expect_exit 0
	told=$(sed -n 's/^sonde profile: \([0-9]*\) samples.*/\1/p' err)
	consume
	expect_line "^[0-9]+ $told\$"
	grep -q '^bash;_start;.*;main;.*;execute_command;' folded || fail "$(head -n 5 folded)"
	run go tool pprof -top pprof
	expect_line '^File: bash$'
	expect_line '^Type: cpu$'
}

# With addresses, stacks of the same functions are several rows, as long as they are at different places in these.
test_rows_with_addresses() {
	run sonde profile -v -F 1997 -U -- bash -c 'for ((i = 0; i < 100000; i++)); do :; done'
	expect_exit 0
	/usr/bin/python3 - << 'END' || fail "$(tail -n 40 out)"
import collections, re
exact, named = collections.Counter(), collections.Counter()
for block in open("out").read().strip("\n").split("\n\n"):
    *frames, task, count = block.split("\n")
    assert all(re.fullmatch(r"    [0-9a-f]{1,16} +\S.*", frame) for frame in frames), block
    exact[tuple(frames), task] += 1
    named[tuple(frame[21:] for frame in frames), task] += 1
assert max(exact.values()) == 1, exact.most_common(1)
assert max(named.values()) > 1
END
}
