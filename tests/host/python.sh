# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Python, with Debian's python3 and those of pyenv, whichever are on the machine.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"
. "$0/tests/guest/python.sh"

interpreters() {
	for python in /usr/bin/python3 "$HOME"/.pyenv/versions/3.[89].*/bin/python3 \
		"$HOME"/.pyenv/versions/3.1[0-4].*/bin/python3; do
		[ ! -x "$python" ] ||
			"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 15))' ||
			continue
		[ ! -x "$python" ] || echo "$python"
	done
}

# each CMD...: with the process of each interpreter, which runs the program, in $program.
each() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	interpreters > those
	[ -s those ] || skip "there is no Python of 3.8 to 3.14"
	write_program
	write_teller
	[ "$1" = own ] && what=own.py || what=nest.py
	while read -r python; do
		echo "  $python"
		: > ready # that of the one before is there
		"$python" $what > ready 2> said &
		program=$!
		wait_until 20 grep -q ready ready || fail "$python does not run"
		set +e
		(set -e; "$@")
		came=$?
		set -e
		kill $program
		wait $program || :
		[ $came = 0 ] || exit $came
	done < those
}

# slow=yes
test_python_samples() {
	each samples
}

# slow=yes
test_python_asleep() {
	each sleeps
}

native() {
	profile --native
	grep -q 'nest.py:[0-9]*);\(_PyEval_EvalFrameDefault\|[^;]*python[^;]*+fn[^;]*\);.*nest.py' out ||
		fail "the loop is not shown"
}

test_python_native() {
	each native
}

# Says each of its stacks once, as "<module> 5;f 3", and makes a system call there.
write_teller() {
	cat > own.py << 'END'
import functools, os, re, sys
told = set()
def tell():
    frame, stack = sys._getframe(1), []
    while frame:
        if frame.f_code.co_filename.endswith('own.py'):
            stack.append('%s %d' % (getattr(frame.f_code, 'co_qualname', frame.f_code.co_name), frame.f_lineno))
        frame = frame.f_back
    stack = ';'.join(reversed(stack)) + ';tell 13'
    if stack not in told:
        told.add(stack)
        sys.stderr.write(stack + '\n')
    os.umask(0o22)
    return 1
class K:
    def __init__(self, n): self.n = n + tell()
    def __lt__(self, other):
        tell()
        return self.n < other.n
    @property
    def area(self): return tell()
    @classmethod
    def made(cls, n): return cls(n)
def deep(n): return deep(n - 1) if n else tell()
def gen(n):
    for i in range(n):
        yield i + tell()
def outer(): yield from gen(2)
async def coro(n): return await coro(n - 1) if n else tell()
code = compile('def made(x):\n    y = x\n    return tell() + y\nmade(\n    1)\n', 'x-own.py', 'exec')
def all_of():
    sorted([K(3), K(1)], key=lambda k:
           (k, tell())[0])
    sum(map(lambda v: v + tell(), [1, 2]))
    sum(outer()) + sum([x for x in gen(2)])
    re.sub('a', lambda m: str(tell()), 'aab')
    functools.partial(tell)()
    exec(code, {'tell': tell})
    try: raise ValueError
    except ValueError: tell()
    finally: K.made(1).area
    try: coro(3).send(None)
    except StopIteration: deep(50)
print('ready', flush=True)
while True:
    all_of()
END
}

own() {
	start sonde stackcount -U -f -p $program t:syscalls:sys_enter_umask
	wait_until 60 has_run $(($(awk '{ print $14 + $15 }' /proc/$program/stat) + 50)) || fail "the program does not run"
	stop INT
	expect_exit 0
	sed 's/ [0-9]*$//' out | awk -F';' '{
		s = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ / \((x-)?own\.py/) {
				sub(/\((x-)?own\.py:/, "", $i)
				sub(/\)$/, "", $i)
				s = s ";" $i
			}
		print substr(s, 2) }' | sort -u > seen
	sort -u said > all
	[ "$(wc -l < all)" -ge 14 ] || fail "only $(wc -l < all) stacks were said"
	diff all seen || fail "stacks are not the program's"
}

test_python_own() {
	each own
}
