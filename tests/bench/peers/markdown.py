# SPDX-License-Identifier: BSD-2-Clause
"""Writes Markdown that is readable both in a terminal, as it is, and on a page."""
import re


def plain(text):
    """Protects text from Markdown: words like vfs_* become code, not emphasis."""
    return re.sub(r'[^\s`]*[\\*_<>|~][^\s`]*?(?=[,;:.]*(\s|`|$))', r'`\g<0>`', text)


def table(sides, head, lines):
    """sides: < or > for each column. Pads cells, so that columns are aligned."""
    lines = [[cell.replace('|', '\\|') for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(head, *lines)]

    def line(cells):
        return '| ' + ' | '.join(f'{cell:{side}{width}}' for cell, side, width in zip(cells, sides, widths)) + ' |'

    rule = ['-' * (width - 1) + ':' if side == '>' else '-' * width for side, width in zip(sides, widths)]
    return '\n'.join(map(line, [head, rule, *lines]))
