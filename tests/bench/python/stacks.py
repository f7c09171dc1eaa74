# SPDX-License-Identifier: BSD-2-Clause
"""What profilers print of Python, as stacks of one notation: {"f (a.py);g (a.py)": samples}."""
import collections
import os
import re


def frame(name, path):
    """A function's own name: some tools print its class too. Lines are left out."""
    return f'{name.rpartition(".")[2]} ({os.path.basename(path)})'


def of_sonde(text):
    for line in text.splitlines():
        stack, _, count = line.rpartition(' ')
        names = []
        for part in stack.split(';')[1:]:
            match = re.fullmatch(r'(\S+) \((.+\.py)(:\d+)?\)', part)
            if match:
                names.append(frame(match[1], match[2]))
            elif part == '[python]':
                names.append(part)
        yield names, int(count)


def of_austin(text):
    """A line is a sample; its number is the time since the last one."""
    for line in text.splitlines():
        if line.startswith('P'):
            parts = [part.rsplit(':', 2) for part in line.rpartition(' ')[0].split(';')[2:]]
            yield [frame(part[1], part[0]) for part in parts if len(part) == 3 and part[0].endswith('.py')], 1


def of_sampling(text):
    for line in text.splitlines():
        stack, _, count = line.rpartition(' ')
        parts = [part.split(':') for part in stack.split(';')[1:]]
        yield [frame(part[1], part[0]) for part in parts if len(part) == 3 and part[0].endswith('.py')], int(count)


def of_perf(text):
    """Frames from the innermost on, an empty line behind each stack."""
    for stack in text.split('\n\n'):
        if stack.strip():
            yield [frame(*match) for match in reversed(re.findall(r'py::(\S+?):(\S+\.py)', stack))], 1


def counted(stacks):
    all_of = collections.Counter()
    for names, count in stacks:
        all_of[';'.join(names)] += count
    return all_of
