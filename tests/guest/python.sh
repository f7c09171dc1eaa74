# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Python, of a program whose functions and lines are known: each sample must have all of them, in their order.
# The process is $program. Read by tests in guests and on this machine.
# shellcheck disable=SC2154 # $program is theirs

# Functions that call each other: directly, through C (sorted, map), in a generator, in a thread that sleeps.
write_program() {
	cat > nest.py << 'END'
import threading, time
def spin(n):
    while n:
        n -= 1
    return n
def key(x):
    return spin(900) + x
def b(n):
    for x in sorted(range(3), key=key):
        n += x
    return sum(items(n))
def items(n):
    for x in map(key, range(n)):
        yield x
def a():
    b(2)
    spin(500)
def sleeper():
    while True:
        time.sleep(0.01)
threading.Thread(target=sleeper, daemon=True).start()
print("ready", flush=True)
while True:
    a()
END
}

# Where each function can be, from the outermost on: native frames may stand between and behind. A function begins in
# the line of its def. A sample can hit a moment in which the interpreter itself would show a function without a line.
module='<module> \(nest.py:2[34]\)'
in_spin='spin \(nest.py(:[2345])?\)'
in_key="key \(nest.py(:[67])?\)(;$in_spin)?"
in_b="b \(nest.py(:(8|9|10|11))?\)(;([^;(]*;)*($in_key|items \(nest.py(:1[234])?\)(;([^;(]*;)*$in_key)?))?"
in_a="a \(nest.py(:1[567])?\)(;($in_b|$in_spin))?"
# Before 3.11 methods have no class in their name.
of='(Thread\.)?'
from="${of}_bootstrap \(threading.py:[0-9]*\);${of}_bootstrap_inner \(threading.py:[0-9]*\);${of}run"
thread="$from \(threading.py:[0-9]*\);sleeper \(nest.py:(19|20)\)"

samples() {
	profile
	expect_true python "^python[^;]*;([^;(]*;)*$module(;$in_a)?(;[^;(]*)* [0-9]+$" 'sleeper (' 100 \
		'^(spin|key|b|items|a|sleeper|<module>|Thread\.[a-z_]*|_bootstrap|_bootstrap_inner|run) \((nest|threading)\.py'
	! grep -q '_PyEval_EvalFrameDefault;.*nest.py' out || fail "the interpreter's loop is shown"
}

sleeps() {
	run timeout 60 sonde offcputime -p $program -f -U --state 1 1
	grep -q 'clock_nanosleep\|select' out || skip "this kernel shows no sleep"
	# glibc 2.41 sleeps in functions of its own, which have no names
	grep -E '(sleep|select)[^;]*(;libc[^;]*)* [0-9]+$' out > asleep || fail "no thread has slept"
	! grep -v -E "^(python|Thread-)[^;]*;([^;(]*;)*$thread(;[^;(]*)* [0-9]+$" asleep || fail "not the thread's functions"
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

# One thread keeps the interpreter's lock for long in C code, 0.1 s at least, another one a lock of the program.
write_holder() {
	cat > hold.py << 'END'
import threading, time
lock, did, said = threading.Lock(), {}, open('said', 'w')
def timed(name, function, *args):
    began = time.monotonic()
    function(*args)
    did[name] = max(did.get(name, 0), time.monotonic() - began)
def crunch(n):
    return sum(range(n))
def under_lock():
    with lock:
        time.sleep(0.1)
def has_gil():
    n = 1 << 16
    while did.get('crunch', 0) < 0.1:
        n *= 2
        timed('crunch', crunch, n)
    for i in range(3):
        timed('crunch', crunch, n)
def has_lock():
    for i in range(3):
        under_lock()
def wait_for(thread, done):
    while thread.is_alive():
        done()
def take_lock():
    with lock:
        pass
    time.sleep(0.001)
for name, function, done in ('crunch', has_gil, lambda: time.sleep(0.001)), ('under_lock', has_lock, take_lock):
    thread = threading.Thread(target=function)
    thread.start()
    print('held by', thread.native_id, 'in', name, file=said, flush=True)
    wait_for(thread, done)
END
}

# expect_held LOCK FUNCTION LEAST: of the waits for it that FUNCTION ended, by the thread that has said so, one lasted LEAST ns.
expect_held() {
	holder=$(sed -n "s/^held by \([0-9]*\) in $2$/\1/p" said)
	[ -n "$holder" ] || fail "the program has not said who holds it"
	grep "^wait	$1 (Python)	[0-9]*	$holder	$2 (hold\.py:" rows > ended
	[ -s ended ] || fail "nobody waited for what $holder held in $2: $(grep "$1" rows)"
	awk -F '\t' -v least="$3" '$3 >= least { n++ } END { exit !n }' ended || fail "none of $3 ns: $(cat ended)"
}

# holders PYTHON...
holders() {
	write_holder
	run timeout 100 sonde why --json -n 500 -- "$@" hold.py
	expect_exit 0
	expect_json kind lock ns waker_tid waker_function
	# a timer ends each 5 ms of a wait for the interpreter's lock
	expect_held GIL crunch 11000000
	expect_held threading.Lock under_lock 30000000
}

holders_text() {
	write_holder
	run timeout 100 sonde why -n 500 -- "$@" hold.py
	expect_exit 0
	expect_line "^ +[0-9]+\. +[0-9.]+  condition +[^ ]+ [0-9]+  GIL \(Python\): held by .+ $(sed -n 's/^held by \(.*\) in crunch$/\1/p' said) in crunch \(hold\.py:[78]\)$"
}
