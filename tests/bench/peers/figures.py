# SPDX-License-Identifier: BSD-2-Clause
"""Formats numbers for people: three digits, and one unit for all figures of a table."""
import math


def digits(x):
    if abs(x) >= 100 or x == 0:
        return f'{x:,.0f}'
    return f'{x:.1f}' if abs(x) >= 10 else f'{x:.2f}' if abs(x) >= 1 else f'{x:.2g}'


def count(x):
    return f'{x:,.0f}' if x == int(x) else digits(x)


def millions(x):
    return digits(x / 1e6) + ' M' if x >= 1e4 else count(x)


def kilobytes(x):
    return count(x) + ' KB' if x < 1000 else digits(x / 1024) + ' MB'


def seconds_per_million(ns):
    return digits(ns / 1000) + ' s'


def percent(x):
    return f'{x:.1f} %'


def times(x):
    return f'{x:,.2f} x'


def ratio(x):
    if math.isinf(x):
        return '∞'
    if 0 < x < 0.005:
        return '<0.01'
    return f'{x:.2f}' if x < 10 else digits(x)


def span(form, least, most):
    """Formats a range: "32.4–32.6 M" for 32.4 M and 32.6 M."""
    least, most = form(least), form(most)
    if ' ' in most and least.split(' ')[1:] == most.split(' ')[1:]:
        least = least.split(' ')[0]
    return f'{least}–{most}'
