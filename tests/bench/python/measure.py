# SPDX-License-Identifier: BSD-2-Clause
"""Runs load.py below each tool, and prints the table. tests/bench/python/run calls it."""
import argparse
import collections
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import stacks

ROOT = sys.argv[1]
INSIDE = ['chroot', ROOT]
WORK = ROOT + '/tmp/bench'
# What belongs to one C library runs with it.
AUSTIN = [ROOT + '/lib64/ld-linux-x86-64.so.2', '--library-path', ROOT + '/usr/lib/x86_64-linux-gnu', ROOT + '/usr/bin/']
COUNTS_STOPS = 'prev_state & 12 && prev_pid == %d'  # of tracers and of signals
SETTLE = 2.2  # seconds until each tool samples, on a machine with other work

Tool = collections.namedtuple('Tool', 'name python options command read')


def sonde(rate, pid):
    return [os.environ['SONDE'], 'profile', '-q', '-f', '-U', '-F', str(rate), '-p', str(pid)]


def austin(name):
    def command(rate, pid):
        return AUSTIN[:3] + [AUSTIN[3] + name, '-s', '-i', str(1000000 // rate), '-p', str(pid)]
    return command


def perf(how):
    def command(rate, pid):
        return [*INSIDE, 'perf', 'record', '-q', '-k', '1', '-o', '/tmp/bench/perf.data', '-F', str(rate), '--call-graph', how,
                '-e', 'cpu-clock:u', '-p', str(pid)]
    return command


def sampling(*options):
    def command(rate, pid):
        return [*INSIDE, 'python3.15', '-m', 'profiling.sampling', 'attach', '-a', '-r', str(rate), *options,
                '--collapsed', '-o', '/tmp/bench/sampled', str(pid)]
    return command


TOOLS = [
    Tool('sonde', '3.11', (), sonde, stacks.of_sonde),
    Tool('austin', '3.11', (), austin('austin'), stacks.of_austin),
    Tool('austinp', '3.11', (), austin('austinp'), stacks.of_austin),
    Tool('sonde', '3.14', (), sonde, stacks.of_sonde),
    Tool('perf -g, -X perf', '3.14', ('-X', 'perf'), perf('fp'), stacks.of_perf),
    Tool('perf DWARF, -X perf_jit', '3.14', ('-X', 'perf_jit'), perf('dwarf,65528'), stacks.of_perf),
    Tool('pyinstrument', '3.14', ('-m', 'pyinstrument', '-i', 'RATE', '-o', '/dev/null'), None, None),
    Tool('profiling.sampling', '3.15', (), sampling('--mode', 'cpu'), stacks.of_sampling),
    # A stopped thread is never on a processor, so mode cpu would have no samples.
    Tool('profiling.sampling --blocking', '3.15', (), sampling('--mode', 'gil', '--blocking'), stacks.of_sampling),
]


def processor_time(pid):
    """ns of all threads of a process: its clock has this number."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def memory(pid):
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        return int(re.search(r'VmHWM:\s*(\d+)', file.read())[1]) / 1024


class Load:
    """load.py, which waits until it is told to go."""
    def __init__(self, python, options, rounds):
        own = python == '3.11'
        self.truth = WORK + '/truth'
        place = WORK if own else '/tmp/bench'
        command = [f'/usr/bin/python{python}', *options, place + '/load.py', str(rounds), place + '/truth']
        self.process = subprocess.Popen(command if own else INSIDE + command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.pid = self.process.pid
        self.says('ready')

    def says(self, what):
        for line in self.process.stdout:
            if line.startswith(what):
                return line
        sys.exit(f'load.py ended: {self.process.wait()}')

    def go(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()

    def end(self):
        self.process.communicate('\n', timeout=60)


class Stops:
    """How often the process was stopped, as the scheduler saw it."""
    def __init__(self, pid):
        self.perf = subprocess.Popen([*INSIDE, 'perf', 'stat', '-x,', '-a', '-e', 'sched:sched_switch', '--filter',
                                      COUNTS_STOPS % pid], stderr=subprocess.PIPE, text=True)

    def count(self):
        self.perf.send_signal(signal.SIGINT)
        said = self.perf.communicate(timeout=60)[1]
        match = re.search(r'^(\d+),', said, re.M)
        return int(match[1]) if match else None


def texts(tool, out):
    """What the tool has seen, as text, and the processor time of the commands that print it."""
    before = os.times()
    if tool.read is stacks.of_perf:
        data = '/tmp/bench/perf.data'
        if '-X perf_jit' in tool.name:
            subprocess.run([*INSIDE, 'perf', 'inject', '-i', data, '-j', '-o', data + '.jit'], check=False, capture_output=True)
            data += '.jit'
        text = subprocess.run([*INSIDE, 'perf', 'script', '-i', data, '-F', 'comm,ip,sym'], check=False, capture_output=True,
                              text=True).stdout
    elif tool.read is stacks.of_sampling:
        with open(WORK + '/sampled', encoding='utf-8') as file:
            text = file.read()
    else:
        text = out
    after = os.times()
    return text, after.children_user + after.children_system - before.children_user - before.children_system


def run(tool, rate, rounds):
    """One run, as a dictionary of what was measured. Without a tool's command the load runs alone."""
    options = [str(1 / rate) if option == 'RATE' else option for option in tool.options]
    load = Load(tool.python, options, rounds)
    result = {}
    if tool.command:
        out = open(WORK + '/out', 'w+', encoding='utf-8')
        process = subprocess.Popen(tool.command(rate, load.pid), stdout=out, stderr=subprocess.DEVNULL)
        stops = Stops(load.pid)
        time.sleep(SETTLE)
        result['start'] = processor_time(process.pid) / 1e6
    load.go()
    said = json.loads(load.says('{'))
    result['cpu'] = said['cpu']
    if tool.command:
        result['memory'] = memory(process.pid)
        while_running = processor_time(process.pid) / 1e6
        process.send_signal(signal.SIGINT)
        usage = os.wait4(process.pid, 0)[2]
        process.returncode = 0
        result['stops'] = stops.count()
        out.seek(0)
        text, later = texts(tool, out.read())
        result['own'] = (while_running - result['start']) / said['wall'] * 1e8  # % of one processor
        result['end'] = (usage.ru_utime + usage.ru_stime + later) * 1e3 - while_running
        out.close()
    load.end()
    if tool.command:
        result['seen'] = judge(stacks.counted(tool.read(text)), load.truth, said['parts'])
    return result


def part_of(stack):
    names = [name.partition(' ')[0] for name in stack.split(';')]
    if 'in_thread' in names:
        return 'in_thread'
    return names[names.index('work') + 1] if 'work' in names[:-1] else None


def judge(seen, truth, times):
    """Samples, the share of them whose stack is right, and the largest error of a part's share, in %."""
    with open(truth, encoding='utf-8') as file:
        true = set(file.read().splitlines())
    samples = sum(seen.values())
    right = sum(count for stack, count in seen.items() if stack in true)
    if 'SHOW' in os.environ:
        for stack, count in seen.most_common():
            if stack not in true:
                print(count, stack[-200:], file=sys.stderr)
    parts = collections.Counter()
    for stack, count in seen.items():
        parts[part_of(stack)] += count
    del parts[None]
    total, all_times = sum(parts.values()), sum(times.values())
    error = max(abs(parts[name] / total - value / all_times) for name, value in times.items()) if total else 1
    return samples, 100 * right / max(samples, 1), 100 * error


def median(values, form='.1f'):
    values = [value for value in values if value is not None]
    return format(statistics.median(values), form) if values else '–'


def line(tool, slow, fast, alone):
    cost = [a['cpu'] / b['cpu'] for a, b in zip(slow, alone)]
    seen = [result['seen'] for result in fast if 'seen' in result]
    return [tool.name, tool.python, str(sum(one[0] for one in seen)) if seen else '–', median([one[1] for one in seen], '.2f'),
            median([one[2] for one in seen]), median(cost, '.3f'), median([result.get('own') for result in slow], '.2f'),
            median([result.get('start') for result in slow], '.0f'), median([result.get('end') for result in slow], '.0f'),
            median([result.get('memory') for result in slow]),
            median([result.get('stops') for result in slow], '.0f')]


def show(rows, alone):
    head = ['tool', 'Python', 'samples', 'right %', 'error', 'work', 'own %', 'start ms', 'end ms', 'MB', 'stops']
    for row in [head] + rows:
        print('| ' + ' | '.join(row) + ' |')
    for python, results in alone.items():
        spent = [result['cpu'] for result in results]
        print(f'alone, {python}: {min(spent) / 1e9:.2f} to {max(spent) / 1e9:.2f} s')
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('root')
    parser.add_argument('-r', type=int, default=5, dest='repetitions')
    parser.add_argument('-n', type=int, default=600, dest='rounds')
    parser.add_argument('only', nargs='*')
    args = parser.parse_intermixed_args()
    # A shell's background commands ignore it, and so would the tools.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tools = [tool for tool in TOOLS if not args.only or tool.name.startswith(tuple(args.only))]
    pythons = sorted({tool.python for tool in tools})
    slow, fast, alone = (collections.defaultdict(list) for _ in range(3))
    for _ in range(args.repetitions):
        for python in pythons:
            alone[python].append(run(Tool(None, python, (), None, None), 99, args.rounds))
        for tool in tools:
            key = tool.name, tool.python
            slow[key].append(run(tool, 99, args.rounds))
            if tool.command:
                fast[key].append(run(tool, 999, args.rounds))
        # after each repetition, of all so far
        show([line(tool, slow[tool.name, tool.python], fast[tool.name, tool.python], alone[tool.python]) for tool in tools],
             alone)



main()
