# SPDX-License-Identifier: BSD-2-Clause
"""A busy Python service that knows its own stacks.

load.py ROUNDS TRUTH: writes each stack of functions that it can have to TRUTH, one per line, says ready, and waits for a
line on stdin. Then it works, prints as JSON how much processor time each part took, and waits for another line.
"""
import asyncio
import json
import os
import re
import sys
import threading
import time

times = {}
stop = False


def spin(n):
    while n:
        n -= 1


def inner():
    spin(20000)


def middle():
    inner()


def nested():
    middle()


def squares():
    return sum([i * i for i in range(16000)])


def key(x):
    return -x


def sorts():
    sorted(range(9000), key=key)


def replace(match):
    return match.group(0) + 'b'


def regex():
    re.sub('a', replace, 'xa' * 2500)


def only_c():
    sum(range(60000))


def deep(n):
    if n:
        deep(n - 1)
    else:
        sum(range(50000))


def recursion():
    deep(20)


async def last():
    sum(range(60000))


async def coroutine():
    await last()


async def coroutines():
    await asyncio.create_task(coroutine())


def service():
    loop.run_until_complete(coroutines())


# Who makes whose coroutine: its frame is there for a moment, but the interpreter's trace does not say so.
MADE = {'service': 'coroutines', 'coroutines': 'coroutine', 'coroutine': 'last'}
PARTS = nested, squares, sorts, regex, only_c, recursion, service


def in_thread():
    sum(range(30000))


def thread():
    while not stop:
        began = time.thread_time_ns()
        in_thread()
        times['in_thread'] = times.get('in_thread', 0) + time.thread_time_ns() - began
        time.sleep(0.02)


def work(rounds):
    for _ in range(rounds):
        for part in PARTS:
            began = time.thread_time_ns()
            part()
            times[part.__name__] = times.get(part.__name__, 0) + time.thread_time_ns() - began


def note(stacks):
    """All stacks that a round has, by the interpreter's own trace."""
    def event(frame, what, _):
        if what != 'call':
            return
        names = []
        while frame:
            code = frame.f_code
            names.append(f'{code.co_name} ({os.path.basename(code.co_filename)})')
            frame = frame.f_back
        for depth, name in enumerate(names):
            stack = ';'.join(reversed(names[depth:]))
            stacks.add(stack)
            if name.partition(' ')[0] in MADE:
                stacks.add(f"{stack};{MADE[name.partition(' ')[0]]} (load.py)")
    return event


def main():
    global stop
    stacks = set()
    threading.setprofile(note(stacks))
    second = threading.Thread(target=thread)
    second.start()
    sys.setprofile(note(stacks))
    work(2)
    json.dumps({'cpu': 1, 'parts': times})
    sys.setprofile(None)
    stop = True
    second.join()
    threading.setprofile(None)
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.writelines(stack + '\n' for stack in sorted(stacks))
    stop = False
    second = threading.Thread(target=thread)
    second.start()
    print('ready', flush=True)
    sys.stdin.readline()
    times.clear()
    began, wall = time.process_time_ns(), time.perf_counter_ns()
    work(int(sys.argv[1]))
    print(json.dumps({'cpu': time.process_time_ns() - began, 'wall': time.perf_counter_ns() - wall, 'parts': times}),
          flush=True)
    sys.stdin.readline()
    stop = True
    second.join()


loop = asyncio.new_event_loop()
main()
