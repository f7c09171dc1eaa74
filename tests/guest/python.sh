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
