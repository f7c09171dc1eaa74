# SPDX-License-Identifier: BSD-2-Clause
"""Reads rows.tsv, checks each line, and puts the rows in order."""
import math
import statistics

from tables import TABLES

FIELDS = {'row': 5, 'none': 5, 'command': 5, 'version': 3, 'note': 3}
NEAR = 1.5  # numbers of events this close belong to one row: tools see slightly different numbers


class Malformed(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Malformed(what)


class Rows:
    """The lines of each kind by table, row and tool, in the order of their first appearance."""

    def __init__(self, path):
        self.values, self.reasons, self.commands, self.notes, self.versions = {}, {}, {}, {}, {}
        with open(path, encoding='utf-8', errors='replace') as file:
            for number, line in enumerate(file, 1):
                try:
                    self.add(line.rstrip('\r\n'))
                except Malformed as why:
                    raise Malformed(f'{path}:{number}: {why}') from None
        check(self.values, f'{path}: nothing was measured: it has no rows')

    def add(self, line):
        kind = line.split('\t', 1)[0]
        check(kind in FIELDS, f'"{kind}" is none of {", ".join(FIELDS)}')
        fields = line.split('\t', FIELDS[kind] - 1)[1:]
        check(len(fields) == FIELDS[kind] - 1 and all(field.strip() for field in fields),
              f'{kind} has {FIELDS[kind]} fields, none of them empty')
        if kind == 'version':
            self.versions[fields[0]] = fields[1]
            return
        table = fields[0]
        check(table in TABLES, f'there is no table "{table}"')
        if kind == 'note':
            keep(self.notes.setdefault(table, []), fields[1])
        elif kind == 'command':
            keep(self.commands.setdefault(table, {}).setdefault(tuple(fields[1:3]), []), fields[3])
        elif kind == 'none':
            keep(self.reasons.setdefault(table, {}).setdefault(tuple(fields[1:3]), []), fields[3])
        else:
            value = self.value(TABLES[table], fields[3])
            self.values.setdefault(table, {}).setdefault(tuple(fields[1:3]), []).append(value)

    @staticmethod
    def value(table, text):
        try:
            value = tuple(float(word) for word in text.split())
        except ValueError:
            raise Malformed(f'"{text}" is not a number') from None
        check(len(value) == table.numbers, f'"{text}": {len(value)} numbers, not {table.numbers}')
        check(all(math.isfinite(x) and x >= table.least for x in value), f'"{text}" cannot have been measured')
        check(table is not TABLES['loss'] or value[0], f'"{text}": nothing happened')
        return value

    def groups(self, table):
        """Returns a list of Group, one for each row of a table."""
        values, reasons = self.values.get(table, {}), self.reasons.get(table, {})
        names = list(dict.fromkeys(row for row, _ in [*values, *reasons]))
        groups = []
        for name in names:
            own = {tool: reps for (row, tool), reps in values.items() if row == name}
            why = {tool: texts for (row, tool), texts in reasons.items() if row == name}
            parts = by_number(own) if table == 'events' else [own]
            groups += [Group(name, part, why, TABLES[table].counts) for part in parts or [own]]
        return groups


class Group:
    """A row: the repetitions of each tool, or the reasons why there are none."""

    def __init__(self, name, values, reasons, counts):
        self.name, self.values, self.reasons = name, values, reasons
        self.number = None  # the number that grows, in tables about growth
        if counts and values:
            self.number = statistics.median_high(value[0] for reps in values.values() for value in reps)
        self.label = name
        if self.number is not None:
            self.label += f' ({self.number:,.0f} {counts[:-1] if self.number == 1 else counts})'


def keep(texts, text):
    if text not in texts:
        texts.append(text)


def by_number(tools):
    """Splits a workload of several lengths into several rows."""
    found = sorted({value[0] for reps in tools.values() for value in reps})
    parts = []
    for number in found:
        if not parts or number > parts[-1][-1] * NEAR:
            parts.append([])
        parts[-1].append(number)
    return [{tool: near for tool, reps in tools.items() if (near := [value for value in reps if value[0] in part])}
            for part in parts]
