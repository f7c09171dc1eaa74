# SPDX-License-Identifier: BSD-2-Clause
# What Python's interpreter and its C modules do: calls, dictionaries, sorting, json, re, hashes, deep recursion.
import hashlib
import json
import re
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def deep(n):
    return sorted(range(200), key=lambda x: x * 7919 % 1000) if n == 0 else deep(n - 1)


end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    fib(15)
    deep(5)
    data = json.dumps({str(i): [i, i * 0.5, 'x' * (i % 10)] for i in range(300)})
    json.loads(data)
    re.sub(r'(\d+)\.(\d+)', r'\2.\1', data)
    hashlib.sha256(data.encode()).hexdigest()
