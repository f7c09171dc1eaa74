# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Ruby, of programs whose functions and lines are known. The process is $program. Read by tests in guests and on
# this machine, with tests/guest/interp.sh.
# shellcheck disable=SC2154 # $program is theirs

# Functions that call each other: directly, through C (sort, each_with_index), by a block, in a rescue and an ensure.
write_program() {
	cat > nest.rb << 'END'
def spin(n)
  while n > 0
    n -= 1
  end
end
class K
  def self.key(x)
    spin(900)
    x
  end
  def b(n)
    [1, 2, 0].sort { |x, y| K.key(x) <=> K.key(y) }
    n.times do |i|
      K.key(i)
    end
    begin
      raise ArgumentError if n > 1
    rescue ArgumentError
      spin(300)
    ensure
      spin(200)
    end
    items(n) { |x| spin(x) }
  end
  def items(n)
    [n].each_with_index { |x, i| yield x + i + 300 }
  end
end
def a(k)
  k.b(2)
  spin(500)
  sleep 0.000001
end
k = K.new
$stdout.puts "ready"
$stdout.flush
loop do
  a(k)
end
END
}

# Where each function can be, from the outermost on: native frames and methods of C may stand between and behind.
between='([^;(]*( \(<internal:[a-z_]+>:[0-9]+\))?;)*'
behind='(;[^;(]*( \(<internal:[a-z_]+>:[0-9]+\))?)*'
in_spin='spin \(nest.rb:[1-5]\)'
in_key="key \(nest.rb:([789]|10)\)(;$in_spin)?"
in_blocks="block in b \(nest.rb:(12|13|14|15)\)(;$between$in_key)?"
in_rescue="rescue in b \(nest.rb:1[6789]\)(;$in_spin)?"
in_block="block in b \(nest.rb:23\)(;$in_spin)?"
in_items="items \(nest.rb:2[567]\)(;${between}block in items \(nest.rb:26\)(;$between$in_block)?)?"
in_b="b \(nest.rb:(1[1-9]|2[0-4])\)(;($between$in_blocks|$between$in_rescue|$between$in_items|$in_spin))?"
in_a="a \(nest.rb:(29|3[0-3])\)(;($in_b|$in_spin))?"
in_main="<main> \(nest.rb:3[4-9]\)(;${between}block in <main> \(nest.rb:3[789]\)(;$in_a)?)?"

samples() {
	profile
	expect_true ruby "^ruby[^;]*;$between$in_main$behind [0-9]+$" '^$' 100 \
		'^(spin|key|b|items|a|block in (b|items|<main>)|(rescue|ensure) in b|<main>) \(nest\.rb'
	# The loop is not there yet when C code has made a frame: then functions stand at the place of another loop.
	grep 'ruby_run_node;[^(]*;<main>' all | awk '{ n += $NF } END { print n + 0 }' > n_placed
	echo "  $(cat n_placed) are in their place"
	[ $(($(cat n_placed) * 100)) -ge $(($(cat n_all) * 95)) ] || fail "functions are not in the loop's place"
}

# A process that says its own stack, as "<main> 5;f 3;map;sleep", and waits there: without the lock of the interpreter.
write_teller() {
	cat > own.rb << 'END'
C = %w[map inject instance_eval eval new catch each sort_by loop tap]
$told = 0
def tell
  $told += 1
  if $told < 200
    frames = caller_locations(1).reverse.map do |l|
      label = l.label.sub(/\b[A-Z]\w*(::\w+)*[#.](?=\w)/, "") # 3.4 names the class, too
      C.include?(label) ? label : "#{label} #{l.lineno}"
    end
    $stderr.puts((frames + ["sleep"]).join(";"))
  end
end
class Deep
  def method_missing(name, *args)
    down(args[0])
  end
  def down(n)
    return n.odd? ? down(n - 1) : send(:down, n - 1) if n > 0
    twice do |x|
      [x].map { |y| self.class.rest(y) }
    end
  end
  def twice
    tell; sleep 0.0003
    yield 1
  ensure
    tell; sleep 0.0003
  end
  def self.rest(x)
    later = lambda { |y| eval("\n\nouter(y)", binding, "text.erb", 70) }
    [1, 2].inject(0) { |sum, one| later.call(one); sum }
  end
  define_method(:defined) { |x| tell; sleep 0.0003 }
end
def outer(x)
  tell; sleep 0.0003
  x
end
def long(a)
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  tell; sleep 0.0003
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  a = (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) * (a + 8) * (a + 9) % 7
  tell; sleep 0.0003
  a
end
$stdout.puts "ready"
$stdout.flush
loop do
  deep = Deep.new
  deep.unknown(5)
  deep.defined(1)
  long(1)
  fiber = Fiber.new { tell; sleep 0.0003; Fiber.yield 1; outer(2) }
  2.times { fiber.resume }
  [3, 1].sort_by { |x| outer(x) }
  Struct.new(:a).new(1).instance_eval { outer(a) }
  begin
    Integer("z")
  rescue ArgumentError
    tell; sleep 0.0003
  end
  Class.new { def initialize; outer(3); end }.new
  catch(:x) { outer(1); throw :x }
  class << deep
    tell; sleep 0.0003
  end
  Thread.new { outer(9) }.join
end
END
}

# has_told: whether the program has said all that it says.
has_told() {
	[ "$(wc -l < own)" -ge 199 ]
}

# has_slept N: whether the program has given up the processor so often.
has_slept() {
	[ "$(awk '/^voluntary/ { print $2 }' /proc/$program/status)" -ge "$1" ]
}

# Where the program sleeps, all stacks must be those that it said itself: in threads and fibers, too.
own() {
	wait_until 60 has_told || fail "the program does not say its stacks"
	start sonde stackcount -U -f -p $program t:sched:sched_switch
	wait_until 60 has_slept $(($(awk '/^voluntary/ { print $2 }' /proc/$program/status) + 400)) ||
		fail "the program does not sleep"
	stop INT
	expect_exit 0
	grep -E ';sleep[; ]' out | awk -F ';' '{
		line = ""
		for (i = 2; i <= NF && $i !~ /^sleep( [0-9]+)?$/; i++)
			if ($i ~ /\((own\.rb|text\.erb):[0-9]+\)/) {
				sub(/ \([a-z.]*:/, " ", $i)
				sub(/\)$/, "", $i)
				line = line $i ";"
			} else if ($i ~ /^(map|inject|instance_eval|eval|new|catch|each|sort_by|loop|tap|\[ruby\])( \(|$)/) {
				sub(/ .*/, "", $i)
				line = line $i ";"
			}
		print line "sleep"
	}' > stacks
	# evaluated text is freed when it has run
	grep -v '\[ruby\]' stacks | sort -u > seen
	# Ruby 3.4 shows no frames of what catches exceptions, but their lines in those of the functions
	grep -q 'rescue in' own || sed -i -E 's/(^|;)([^;]*) [0-9]+;rescue in \2 ([0-9]+)/\1\2 \3/' seen
	sort -u own > said
	[ "$(wc -l < said)" = 15 ] || fail "$(wc -l < said) stacks were said, not 15"
	diff said seen || fail "stacks are not the program's"
	[ $(($(grep -c '\[ruby\]' stacks) * 10)) -le "$(wc -l < stacks)" ] || fail "functions have no names"
}
