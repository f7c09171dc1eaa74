# SPDX-License-Identifier: BSD-2-Clause
"""The tables of the benchmark: what each one measures, and how its numbers are compared and shown."""
import statistics

import figures


def medians(values):
    """Returns the median of each number of the repetitions."""
    return [statistics.median(column) for column in zip(*values)]


class Metric:
    """One number of a table's repetitions. Less is better."""

    def __init__(self, form, name='', of=0):
        self.form, self.name, self.of = form, name, of

    def scores(self, value):
        """Returns the numbers to compare, the most important first; the last one is shown."""
        return [value[self.of]]

    def cell(self, values):
        return self.form(medians([self.scores(value) for value in values])[-1])

    def spread(self, values):
        scores = [self.scores(value)[-1] for value in values]
        return figures.span(self.form, min(scores), max(scores)) if len(scores) > 1 else 'once'


class Loss(Metric):
    """DONE PRINTED REPORTED: the events that happened, were printed, and were reported as lost. An unreported loss is
    worse than any reported one. Scores are shares of DONE, because not every tool's workload does the same number of
    things. A tool that sees all processes may print or report a few more events than the workload caused."""
    FEW = 0.01

    def scores(self, value):
        done, printed, reported = value
        return [max(done - printed - reported, 0) / done, max(done - printed, 0) / done]

    def cell(self, values):
        done, printed, _ = medians(values)
        unreported = round(statistics.median([value[0] - value[1] - value[2] for value in values]))
        text = f'{figures.count(max(done - printed, 0))} of {figures.count(done)}'
        if unreported > 0:
            text += f', {figures.count(unreported)} unreported'
        elif -unreported > self.FEW * done:
            text += f', {figures.count(-unreported)} too many reported'
        return text

    def spread(self, values):
        lost = [max(value[0] - value[1], 0) for value in values]
        return figures.span(figures.count, min(lost), max(lost)) if len(lost) > 1 else 'once'


class Left(Metric):
    """PROGRAMS LINKS EVENTS ENABLED OTHER: shows their sum and its parts."""
    PARTS = ('programs', 'links', 'events', 'enabled', 'others')

    def scores(self, value):
        return [sum(value)]

    def cell(self, values):
        parts = [f'{figures.count(n)} {what}' for n, what in zip(medians(values), self.PARTS) if n]
        return super().cell(values) + (': ' + ' + '.join(parts) if parts else '')


class Table:
    def __init__(self, title, text, *metrics, numbers=1, counts=None, axis=None, least=0):
        """counts: what the first number counts, in tables about growth; axis: its title in a chart; least: the least
        value that a number may have."""
        self.title, self.text, self.metrics = title, text, metrics
        self.numbers, self.counts, self.axis, self.least = numbers, counts, axis, least


TABLES = {
    'armed': Table(
        'Until armed',
        'From exec until every probe is armed: how long a user waits before the tool sees anything. Instructions of '
        'the whole machine, kernel included.',
        Metric(figures.millions)),
    'gone': Table(
        'Until gone',
        'From the signal to stop, or the end of the command that the tool ran, until the process is gone.',
        Metric(figures.millions)),
    'memory': Table(
        'Memory',
        'The most that all processes of a tool held together (VmHWM).',
        Metric(figures.kilobytes)),
    'maps': Table(
        'Memory of BPF maps',
        'Kernel memory in the BPF maps of a tool (memlock in fdinfo), which VmHWM does not show.',
        Metric(figures.kilobytes)),
    'size': Table(
        'Size installed',
        'What must be installed beyond a minimal Debian, dependencies included.',
        Metric(figures.kilobytes)),
    'cost': Table(
        'Cost of one call',
        'Instructions that tracing adds to one call of the traced function. `(floor)` is an empty BPF program in the '
        'same place: nothing can cost less there.',
        Metric(figures.count), least=-1e6),
    'reader': Table(
        'Cost of reading',
        'Processor time that the tool itself used for what it printed, in seconds per million events.',
        Metric(figures.seconds_per_million)),
    'sample': Table(
        'Cost of a sample',
        'Instructions of the whole machine for a sample of a stack, taken 999 times a second: the interrupt, the walk, '
        'and what the tool does with it while it runs.',
        Metric(figures.count), least=-1e6),
    'incomplete': Table(
        'Incomplete stacks',
        'Of 100 samples of a program without frame pointers, those whose stack does not reach its first function.',
        Metric(figures.percent)),
    'bytes': Table(
        'Bytes for a sample',
        'The size of the file that the tool writes, divided by the number of samples.',
        Metric(figures.count)),
    'wait': Table(
        'Cost of a wait',
        'Instructions that tracing adds when a thread waits for another one: a switch, and a wake-up for every '
        'second one, which the tool keeps in order, or adds up by their causes or stacks. A thread that is woken '
        'runs at once, so whoever woke it has not gone to sleep when the answer comes.',
        Metric(figures.count), least=-1e6),
    'size_of_wait': Table(
        'Bytes for a wait',
        'By how much the file grows for a wait as in the table before.',
        Metric(figures.count)),
    'slowdown': Table(
        'Slowdown',
        'How much longer a workload runs with the tool than without it: 1.00 x is not slower at all.',
        Metric(figures.times)),
    'loss': Table(
        'Events lost',
        'Events that happened and were not printed. An unreported event, neither printed nor reported as lost, is '
        'the worst: the order is by these first, then by all lost events.',
        Loss(figures.count), numbers=3),
    'left': Table(
        'Left behind by kill -9',
        'What is still in the kernel after the tool was killed: BPF programs, links, event definitions in tracefs, '
        'events enabled there, and others (instances, pins, sysctls).',
        Left(figures.count), numbers=5),
    'functions': Table(
        'More functions',
        'How the time until armed and the memory grow with the number of functions.',
        Metric(figures.millions, 'time until armed', 1), Metric(figures.kilobytes, 'memory', 2),
        numbers=3, counts='functions', axis='functions attached'),
    'events': Table(
        'More events',
        'How the time from the first event until the tool has printed the last one and is gone, and the memory, grow '
        'with the number of events.',
        Metric(figures.millions, 'time until all is printed', 1), Metric(figures.kilobytes, 'memory', 2),
        numbers=3, counts='events', axis='events streamed'),
}
