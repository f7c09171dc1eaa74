# SPDX-License-Identifier: BSD-2-Clause
"""Reads whys.tsv: the reasons why sonde is not the best in a row. Used only for rows that were measured so."""
import fnmatch

from rows import Malformed
from tables import TABLES


class Whys:
    def __init__(self, path):
        self.lines = []
        with open(path, encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip('\n')
                if not line or line.startswith('#'):
                    continue
                fields = line.split('\t')
                if len(fields) != 3 or not all(fields):
                    raise Malformed(f'{path}:{number}: not TABLE, glob of ROW and text, separated by tabs')
                if fields[0].split('/')[0] not in TABLES:
                    raise Malformed(f'{path}:{number}: there is no table "{fields[0]}"')
                self.lines.append(fields)

    def of(self, table, *names):
        """Returns the first text that matches. TABLE names both metrics of a table or one of them: functions/memory."""
        for wanted, glob, text in self.lines:
            if wanted in (table, table.split('/')[0]) and any(fnmatch.fnmatchcase(name, glob) for name in names):
                return text
        return None
