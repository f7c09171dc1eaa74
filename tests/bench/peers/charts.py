# SPDX-License-Identifier: BSD-2-Clause
"""Charts of growth: SVG that is readable on a white page and on a dark one, and identical for identical figures."""
import math
import os
import re

import matplotlib
matplotlib.use('svg')
from matplotlib import pyplot, ticker
from matplotlib.lines import Line2D

import verdict
from tables import TABLES, medians

# Each family's colour, which stands out from white and from black (a contrast of at least 3.5), and its marker.
LOOKS = {
    'sonde': ('#d1242f', 'o'),
    'bcc': ('#2f7fd6', 's'),
    'bpftrace': ('#2b8a3e', '^'),
    'libbpf-tools': ('#8957e5', 'D'),
    'perf': ('#b35900', 'v'),
    'trace-cmd': ('#0b8a8a', 'P'),
    'strace': ('#c2418f', 'X'),
}
OTHERS = ('#7d8590', '*')
LINES = ('-', '--', ':', '-.')  # for the tools of a family, one after another

# Text and axes have the page's colour: they are drawn in INK, which is replaced by currentColor.
INK = '#010203'
STYLE = '<style>svg{color:#59636e}@media(prefers-color-scheme:dark){svg{color:#9198a1}}</style>'

GAP = 0.062  # between two labels, as a share of the height of the axes

matplotlib.rcParams.update({
    'svg.fonttype': 'none', 'svg.hashsalt': 'sonde', 'font.family': 'sans-serif', 'font.size': 10,
    'text.color': INK, 'axes.edgecolor': INK, 'axes.labelcolor': INK, 'xtick.color': INK, 'ytick.color': INK,
    'axes.spines.top': False, 'axes.spines.right': False, 'xtick.minor.size': 0, 'ytick.minor.size': 0,
})


def looks(tools):
    """How each tool of a table is drawn: in its family's colour and marker, and with a line style of its own."""
    found, seen = {}, {}
    for tool in sorted(tools):
        family = verdict.family(tool)
        colour, marker = LOOKS.get(family, OTHERS)
        line = LINES[seen.get(family, 0) % len(LINES)]
        seen[family] = seen.get(family, 0) + 1
        found[tool] = {'color': colour, 'marker': marker, 'linestyle': line,
                       'linewidth': 2.4 if family == 'sonde' else 1.4, 'zorder': 4 if family == 'sonde' else 3}
    return found


def short(x, _=None):
    """Formats a number for an axis: 1 k, 10 M."""
    for size, letter in ((1e9, ' G'), (1e6, ' M'), (1e3, ' k')):
        if x >= size:
            return f'{x / size:g}{letter}'
    return f'{x:g}'


def megabytes(x, _=None):
    return f'{x:g} MB'


def scale(axis, values, form):
    """Powers of ten; also 2 and 5 times these, if there are few powers."""
    wide = max(values) / min(values) > 300
    axis.set_major_locator(ticker.LogLocator(subs=(1,) if wide else (1, 2, 5)))
    axis.set_major_formatter(form)
    axis.set_minor_formatter(ticker.NullFormatter())


def apart(heights):
    """Moves heights (0 to 1) as little as possible, until each is a GAP above the one before."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = [heights[i] for i in order]
    for _ in range(200):  # labels that are too close push each other away
        for i in range(len(placed) - 1):
            lacks = GAP - (placed[i + 1] - placed[i])
            if lacks > 1e-6:
                placed[i] -= lacks / 2
                placed[i + 1] += lacks / 2
        placed[0], placed[-1] = max(placed[0], 0), min(placed[-1], 1)
    found = [0.0] * len(heights)
    for place, i in zip(placed, order):
        found[i] = place
    return found


def label(axes, lines, style):
    """Writes each tool's name right of the axes, as near to the end of its line as possible."""
    axes.autoscale_view()  # from here on the positions are known
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = {tool: to_axes.transform(points[-1]) for tool, points in lines.items()}
    for (tool, (x, y)), height in zip(ends.items(), apart([y for _, y in ends.values()])):
        colour = style[tool]['color']
        beside = {'transform': axes.transAxes, 'clip_on': False, 'color': colour}
        axes.add_artist(Line2D([x, 1.01, 1.04], [y, height, height], linewidth=0.8, linestyle=(0, (1, 2)), **beside))
        axes.add_artist(Line2D([1.04], [height], marker=style[tool]['marker'], **beside))
        axes.text(1.065, height, tool, transform=axes.transAxes, verticalalignment='center_baseline',
                  fontweight='bold' if verdict.family(tool) == 'sonde' else 'normal')


def draw(path, title, axis, form, lines, style):
    figure, axes = pyplot.subplots(figsize=(8.6, 4.4))
    figure.subplots_adjust(left=0.1, right=0.71, top=0.9, bottom=0.13)
    axes.set_xscale('log')
    axes.set_yscale('log')
    for tool, points in lines.items():
        axes.plot(*zip(*points), markersize=6, **style[tool])
    xs, ys = zip(*(point for points in lines.values() for point in points))
    axes.margins(x=0.04, y=0.08)
    scale(axes.xaxis, xs, short)
    scale(axes.yaxis, ys, form)
    axes.grid(color=INK, alpha=0.2, linewidth=0.6)
    axes.set_xlabel(axis)
    axes.set_title(title, loc='left', fontsize=11, pad=12)
    label(axes, lines, style)
    figure.savefig(path, transparent=True, metadata={'Date': None, 'Creator': None})
    pyplot.close(figure)
    with open(path, encoding='utf-8') as file:
        svg = file.read()
    svg = svg.replace(INK, 'currentColor').replace('<defs>', STYLE + '\n <defs>', 1)
    svg = re.sub("'[^\"]*', sans-serif", 'sans-serif', svg)  # the reader's font, not a list of this machine's fonts
    with open(path, 'w', encoding='utf-8') as file:
        file.write(svg)


def panels(part):
    """Groups lines to draw together: {tool: [(number, median)]}. Rows are points of one line, but a row that has
    several numbers is a chart of its own."""
    names = [group.name for group, _ in part.rows]
    alone = len(set(names)) < len(names)
    found = {}
    for group, _ in part.rows:
        lines = found.setdefault(group.name if alone else '', {})
        for tool, values in group.values.items():
            number, *rest = medians(values)
            amount = rest[part.metric.of - 1] / (1024 if part.metric.name == 'memory' else 1)
            if number > 0 and amount > 0:
                lines.setdefault(tool, []).append((number, amount))
    return {name: {tool: sorted(points) for tool, points in lines.items()}
            for name, lines in found.items() if any(len(points) > 1 for points in lines.values())}


def draw_all(parts, directory):
    """Draws the charts of parts (see report), and returns title and file of each."""
    drawn = []
    for part in parts:
        style = looks({tool for group, _ in part.rows for tool in group.values})
        memory = part.metric.name == 'memory'
        for name, lines in panels(part).items():
            title = part.title + (f', {name}' if name else '') + ('' if memory else ', in instructions')
            file = '-'.join([*part.id.split('/'), *re.findall('[a-z0-9]+', name.lower())]) + '.svg'
            form = megabytes if memory else short
            draw(os.path.join(directory, file), title, TABLES[part.table].axis, form, lines, style)
            drawn.append((title, file))
    return drawn
