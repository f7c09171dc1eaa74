# SPDX-License-Identifier: BSD-2-Clause
"""Markdown that is read as it is, in a terminal, as well as on a page."""
import re


def plain(text):
    """Text that Markdown leaves alone: words like vfs_* are code, and no emphasis."""
    return re.sub(r'[^\s`]*[\\*_<>|~][^\s`]*?(?=[,;:.]*(\s|`|$))', r'`\g<0>`', text)


def table(sides, head, lines):
    """sides: < or > for each column. Cells are padded, so that columns stand below each other."""
    lines = [[cell.replace('|', '\\|') for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(head, *lines)]

    def line(cells):
        return '| ' + ' | '.join(f'{cell:{side}{width}}' for cell, side, width in zip(cells, sides, widths)) + ' |'

    rule = ['-' * (width - 1) + ':' if side == '>' else '-' * width for side, width in zip(sides, widths)]
    return '\n'.join(map(line, [head, rule, *lines]))
