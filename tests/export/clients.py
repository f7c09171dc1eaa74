#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Bad clients of sonde export, and a good one that scrapes meanwhile.

	clients.py URL KIND...

URL: http://ADDRESS:PORT/metrics or unix:PATH. Each kind of bad client does its worst; meanwhile the good one must get
whole pages. Prints for each kind how long the slowest of its scrapes took. A scrape that had to wait for a bad client
would take the 2 s that a client has, which is the limit here.
"""
import re
import socket
import struct
import sys
import threading
import time

MANY = 1000
LIMIT = 2.0
GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


class Place:
    def __init__(self, url):
        self.url = url

    def connect(self, receive=0):
        if self.url.startswith("unix:"):
            s, where = socket.socket(socket.AF_UNIX), self.url[5:]
        else:
            host, port = re.fullmatch(r"http://\[?([0-9a-f.:]+?)\]?:(\d+)/metrics", self.url).groups()
            s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
            where = (host, int(port))
        s.settimeout(20)
        if receive:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        s.connect(where)
        return s


def read_answer(s):
    """Returns status and body of one answer, and checks that it is whole."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = s.recv(65536)
        if not piece:
            raise EOFError(f"closed after {len(data)} bytes")
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"\r\nContent-Length: (\d+)", head).group(1))
    while len(body) < length:
        piece = s.recv(65536)
        if not piece:
            raise EOFError(f"closed after {len(body)} of {length} bytes")
        body += piece
    assert len(body) == length, f"{len(body)} bytes, not {length}"
    return int(head.split()[1]), body


class Scraper:
    """The good client: scrapes by a new connection each time."""

    def __init__(self, place):
        self.place, self.n, self.slowest = place, 0, 0.0

    def scrape(self):
        began = time.monotonic()
        with self.place.connect() as s:
            s.sendall(GET)
            status, body = read_answer(s)
        took = time.monotonic() - began
        assert status == 200 and body.endswith(b"\n"), (status, body[-20:])
        assert took < LIMIT, f"a scrape took {took:.3f} s"
        self.n, self.slowest = self.n + 1, max(self.slowest, took)


def send(s, data):
    """Sends what the socket takes at once; the server may have closed."""
    s.setblocking(False)
    try:
        while data:
            data = data[s.send(data):]
    except OSError:
        pass


def many(place, scraper, data, number=MANY, receive=0):
    clients = []
    for i in range(number):
        clients.append(place.connect(receive))
        send(clients[-1], data)
        if i % (number // 10) == number // 10 - 1:
            scraper.scrape()
    for _ in range(10):
        scraper.scrape()
    for s in clients:
        s.close()


def half(place, scraper):
    many(place, scraper, b"GET /metrics HTTP/1.1\r\nHost:")


def silent(place, scraper):
    many(place, scraper, b"")


def deaf(place, scraper):
    """They ask for page after page, and read none."""
    many(place, scraper, GET * 1000, 50, 4096)


def greedy(place, scraper):
    """They come back as soon as they lose their place."""
    stop = threading.Event()

    def client():
        while not stop.is_set():
            try:
                with place.connect() as s:
                    s.sendall(b"GET /met")
                    s.settimeout(0.05)
                    s.recv(1)
            except OSError:
                pass

    threads = [threading.Thread(target=client) for _ in range(30)]
    for t in threads:
        t.start()
    try:
        for _ in range(50):
            scraper.scrape()
    finally:
        stop.set()
        for t in threads:
            t.join()


def resetting(place, scraper):
    """They ask for a page and are gone, without a good-bye."""
    for i in range(MANY):
        s = place.connect()
        send(s, GET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()
        if i % 100 == 99:
            scraper.scrape()


def lying(place, scraper):
    """What they send is not what it says, and each gets the answer to that."""
    cases = [
        (b"GET /metrics HTTP/1.1\r\n\r\n", 400),
        (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n" + b"x" * 30000, 405),
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /", 400),
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (b"GET /" + b"x" * 10000, 414),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 10000, 431),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000, 431),
        (b"GET /metrics HTTP/1.1\r\nHost: x\0\r\n\r\n", 400),
    ]
    for data, expected in cases:
        with place.connect() as s:
            s.sendall(data)
            status, _ = read_answer(s)
            assert status == expected, (data[:60], status, expected)
            assert not s.recv(1), "the connection is still open"
        scraper.scrape()


def pipelining(place, scraper):
    with place.connect() as s:
        s.sendall((b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n") * 50)
        data = b""
        while data.count(b"healthy\n") < 50:
            piece = s.recv(65536)
            assert piece, "closed"
            data += piece
            scraper.scrape()


def dripping(place, scraper):
    with place.connect() as s:
        for i in range(len(GET)):
            s.sendall(GET[i:i + 1])
            scraper.scrape()
        assert read_answer(s)[0] == 200


def keeping(place, scraper):
    """Others are scrapers, too: all that fit stay connected."""
    clients = [place.connect() for _ in range(7)]
    for _ in range(20):
        for s in clients:
            s.sendall(GET)
            assert read_answer(s)[0] == 200
        scraper.scrape()
    for s in clients:
        s.close()


def main():
    place = Place(sys.argv[1])
    for kind in sys.argv[2:]:
        scraper = Scraper(place)
        scraper.scrape()
        globals()[kind](place, scraper)
        print(f"{kind}: {scraper.n} scrapes, the slowest took {scraper.slowest * 1000:.1f} ms")


main()
