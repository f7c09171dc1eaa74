# SPDX-License-Identifier: BSD-2-Clause
# Compares stacks of Python, PHP, Ruby and Node with those that they say themselves, in a guest: on arm64, where `make test` has
# no interpreter, and of Debian 12 (6.1), 13 (6.12) and sid (newest).
#
#	tests/guest/run -a arm64 -k 6.12 -I languages -s tests/stacks/languages.sh
# shellcheck disable=SC1090,SC1091 # they are the guest's
. /lib.sh
. /interp.sh

# check LANGUAGE WHAT FILE CHECK: the check, while the image's interpreter executes the file.
check() {
	(
		. "/$1.sh"
		write_program
		write_teller
		: > ready
		chroot "/$IMAGE" sh -c "cd /tmp && exec $2 $3" > ready 2> own &
		program=$!
		wait_until 200 grep -q ready ready || fail "$2 does not run: $(cat own)"
		[ "$1" != python ] || ln -f own said
		"$4"
		case $? in
		0 | 77) ;;
		*) echo "FAIL: $4" ;;
		esac
		kill $program
		wait $program
		echo "$2 $3: $(awk '{ n += $NF } END { print n + 0 }' out) samples"
	)
	rm -f own said
}

# Each sample at a timer's signal, in whose handler Python prints its own stack: no instruction runs in between.
write_load() {
	cat > load.py << 'END'
import faulthandler, functools, json, re, signal, sys, time
class K:
    def __init__(self, v): self.v = v
    def __lt__(self, o):
        return self.v < o.v
def by_sort():
    sorted([K((i * 7919) % 31) for i in range(30)])
def by_re():
    return re.sub('a', lambda m: m.group(0) + 'b', 'xaxaxaxa' * 3)
def gen(n):
    for i in range(n):
        yield functools.reduce(lambda a, b: a + b, range(5)) + i
def by_gen(): return sum(gen(10)) + sum(map(len, ['a' * k for k in range(9)]))
def deep(n):
    if n: return deep(n - 1) + 1
    return sum(x * x for x in range(60))
async def coro(n):
    if n: return await coro(n - 1)
    return by_gen()
def raises():
    try: raise ValueError(1)
    except ValueError as e: return str(e)
    finally: json.dumps({'a': [1, 2, {'b': 3}]}, indent=1)
code = compile('def made(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\nmade(80)\n', 'made.py', 'exec')
names = {}
def work():
    by_sort(); by_re(); by_gen(); deep(40); raises()
    try: coro(5).send(None)
    except StopIteration: pass
    exec(code, names)
faulthandler.register(signal.SIGPROF, file=open('said', 'w'), all_threads=False, chain=False)
signal.setitimer(signal.ITIMER_PROF, 0.005, 0.0037)
end = time.process_time() + 8
while time.process_time() < end:
    work()
signal.setitimer(signal.ITIMER_PROF, 0)
time.sleep(3)
END
}

# Functions by their last name: faulthandler has no classes before 3.11 and after 3.13.
last_names() {
	sed 's/[^; (]*\.\([^; .(]*\) (/\1 (/g' | sort
}

signals() {
	write_load
	sonde stackcount -U -f t:signal:signal_deliver -- chroot "/$IMAGE" sh -c 'cd /tmp && exec python3 load.py' > out
	awk '/^Stack/ { if (n++) print s; s = ""; next }
		/^  File/ { split($0, part, "\""); sub(/^.*\//, "", part[2]); split(part[3], word, " ")
			s = word[5] " (" part[2] ":" word[3] ")" (s == "" ? "" : ";") s }
		END { print s }' said | sed 's/:???)/)/g' | last_names > all
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); k = split($0, frame, ";"); s = ""
		for (i = 2; i <= k; i++)
			if (frame[i] ~ /\.py(:[0-9]+)?\)$|^\[python\]/)
				s = s (s == "" ? "" : ";") frame[i]
		while (n--)
			print s }' out | last_names > seen
	diff all seen > other || sed 's/^/  /' other
	echo "python3 load.py: $(wc -l < all) samples said, $(grep -c '^[+][^+]' other) others seen"
}

cd /tmp || exit
signals
check python python3 nest.py samples
check python python3 nest.py sleeps
check python python3 own.py own
check php '/usr/bin/php8.?' nest.php samples
check php '/usr/bin/php8.?' own.php own
check ruby '/usr/bin/ruby3.? --disable-gems' nest.rb samples
check ruby '/usr/bin/ruby3.? --disable-gems' own.rb own
# V8's interpreter, its baseline compiler, and all of them
check node 'node --no-opt --no-sparkplug' 'own.js 0' own
check node 'node --no-opt --always-sparkplug' 'own.js 300' own
check node node 'own.js 3000' own
check node node nest.js samples
