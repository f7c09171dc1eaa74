# SPDX-License-Identifier: BSD-2-Clause
# Stacks of PHP, of programs whose functions and lines are known. The process is $program. Read by tests in guests and on
# this machine, with tests/guest/interp.sh.
# shellcheck disable=SC2154 # $program is theirs

# Functions that call each other: directly, through C (usort, array_map), in a generator, with a closure.
write_program() {
	cat > nest.php << 'END'
<?php
function spin($n) {
    while ($n)
        $n--;
    return $n;
}
class K {
    static function key($x) { return spin(900) + $x; }
    function b($n) {
        $items = [1, 2, 0];
        usort($items,
            function ($x, $y) { return self::key($x) <=> K::key($y); });
        foreach (items($n) as $x)
            $n += $x;
        return $n + array_sum(array_map('K::key', range(0, $n)));
    }
}
function items($n) {
    for ($i = 0; $i < $n; $i++)
        yield K::key($i);
}
function a($k) {
    $k->b(2);
    spin(500);
    usleep(1);
}
$k = new K;
echo "ready\n";
while (true)
    a($k);
END
}

# Where each function can be, from the outermost on: native frames may stand between and behind.
in_spin='spin \(nest.php:[345]\)'
in_key="K::key \(nest.php:8\)(;$in_spin)?"
in_usort="usort(;([^;(]*;)*\{closure\} \(nest.php:12\)(;$in_key)?)?"
in_items="([^;(]*;)*items \(nest.php:(18|19|20|21)\)(;$in_key)?"
in_b="K::b \(nest.php:(9|1[0-6])\)(;(range|array_sum|$in_usort|array_map(;([^;(]*;)*$in_key)?|$in_items))?"
in_a="a \(nest.php:2[3-6]\)(;($in_b|$in_spin|usleep))?"
in_main="\{main\} \(nest.php:(29|30)\)(;$in_a)?"

samples() {
	profile
	expect_true php "^php[^;]*;([^;(]*;)*$in_main(;[^;(]*)* [0-9]+$" '^$' 100 \
		'^(spin|K::key|K::b|items|a|\{closure\}|\{main\}) \(nest\.php'
	# The loop is not there yet when a frame is new, and still there when a frame is gone: then functions stand at the
	# place of another loop.
	grep 'zend_execute;{main}' all | awk '{ n += $NF } END { print n + 0 }' > n_placed
	echo "  $(cat n_placed) are in their place"
	[ $(($(cat n_placed) * 100)) -ge $(($(cat n_all) * 95)) ] || fail "functions are not in the loop's place"
}

# A process that says its own stack, as "{main} 5;f 3;usleep;", and waits there.
write_teller() {
	cat > own.php << 'END'
<?php
function tell() {
    static $told = 0;
    $stack = '';
    if ($told++ > 50)
        return;
    foreach (debug_backtrace() as $i => $frame) {
        if ($i)
            $stack = (isset($frame['class']) ? "$frame[class]::" : '') .
                "$frame[function]" . (isset($line) ? " $line" : '') . ";$stack";
        $line = $frame['line'] ?? null;
    }
    fwrite(STDERR, preg_replace('/[^;]*\{closure[^;]*?( \d+)?;/', '{closure}\1;', "{main} $line;$stack") . "usleep\n");
}
class Deep {
    function __call($name, $args) { return $this->down($args[0]); }
    function down($n) {
        if ($n)
            return $n % 2 ? $this->down($n - 1) : call_user_func([$this, 'down'], $n - 1);
        foreach ($this->each() as $x)
            array_map(function ($x) { return self::rest($x); }, [$x]);
    }
    function each() {
        yield 1;
        tell(); usleep(300);
        yield 2;
    }
    static function rest($x) {
        $later = fn($x) => eval('return inner($x);');
        return array_reduce([1, 2], fn($sum, $one) => $later($one), 0);
    }
}
function inner($x) {
    tell(); usleep(300);
    return $x;
}
echo "ready\n";
while (true) {
    $deep = new Deep;
    $deep->unknown(6);
    tell(); usleep(300);
}
END
}

# has_slept N: whether the program has given up the processor so often.
has_slept() {
	[ "$(awk '/^voluntary/ { print $2 }' /proc/$program/status)" -ge "$1" ]
}

# Where the program sleeps, all stacks must be those that it said itself.
own() {
	start sonde stackcount -U -f -p $program t:syscalls:sys_enter_clock_nanosleep
	wait_until 60 has_slept $(($(awk '/^voluntary/ { print $2 }' /proc/$program/status) + 200)) ||
		fail "the program does not sleep"
	stop INT
	expect_exit 0
	grep -o '{main} (own.php.*' out | sed -E "s/;usleep;.*/;usleep/; s/ \(own\.php(\([0-9]+\) : eval\(\)'d code)?:([0-9]+)\)/ \2/g" |
		sort -u > seen
	grep ';usleep$' own | sed 's/;eval /;{main} /' | sort -u > said
	[ "$(wc -l < said)" = 3 ] || fail "$(wc -l < said) stacks were said, not 3"
	diff said seen || fail "stacks are not the program's"
	[ "$(grep -c . out)" = "$(grep -c '{main}' out)" ] || fail "there are other stacks"
}
