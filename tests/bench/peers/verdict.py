# SPDX-License-Identifier: BSD-2-Clause
"""Decides who is first in a row: the best of sonde's tools or the best of its peers."""
import math
import statistics

from tables import medians

FIRST, TIE, NOT, ALONE = 'first', 'tie', 'not first', 'alone'
SAME = 0.02  # numbers that differ by less count as the same


def family(tool):
    return tool.split()[0]


def competes(tool):
    return not tool.startswith('(')


def compare(a, b):
    """Returns -1, 0 or 1: a is less than b, the same, or more. They are the same if they differ by at most SAME, or if
    each median lies within the other's range."""
    at, bt = statistics.median(a), statistics.median(b)
    if abs(at - bt) <= SAME * max(abs(at), abs(bt)):
        return 0
    if min(b) <= at <= max(b) and min(a) <= bt <= max(a):
        return 0
    return -1 if at < bt else 1


def quotient(a, b):
    a, b = statistics.median(a), statistics.median(b)
    if a == b:
        return 1.0
    return a / b if b > 0 and a >= 0 else math.inf if a > b else 0.0


def duel(metric, ours, theirs):
    """Returns (-1, 0 or 1; ratio) of our repetitions to theirs. The first score that differs decides."""
    for a, b in zip(zip(*map(metric.scores, ours)), zip(*map(metric.scores, theirs))):
        order = compare(a, b)
        if order:
            break
    return order, quotient(a, b)


class Verdict:
    """kind: None if nothing was measured; ranked: the competitors, the best first; ours, theirs: the tool that
    stands for each side; ratio: of ours to theirs, None if one is missing."""

    def __init__(self, metric, values):
        ranked = sorted(filter(competes, values), key=lambda tool: medians([metric.scores(v) for v in values[tool]]))
        ours = [tool for tool in ranked if family(tool) == 'sonde']
        peers = [tool for tool in ranked if family(tool) != 'sonde']
        self.ranked = ranked
        self.ours, self.theirs, self.ratio = next(iter(ours), None), next(iter(peers), None), None
        if not ours or not peers:
            self.kind = NOT if peers else ALONE if ours else None
            return
        duels = {tool: duel(metric, values[self.ours], values[tool]) for tool in peers}
        # The best median may vary so much that it proves nothing, while the second best does.
        better = [tool for tool in peers if duels[tool][0] > 0]
        self.theirs = (better or peers)[0]
        self.ratio = duels[self.theirs][1]
        self.ratios = {tool: ratio for tool, (_, ratio) in duels.items()}
        self.kind = NOT if better else FIRST if all(order < 0 for order, _ in duels.values()) else TIE
