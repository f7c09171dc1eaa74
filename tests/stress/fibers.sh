# SPDX-License-Identifier: BSD-2-Clause
# Return probes on runtimes that switch stacks in their own ways (fibers, effects, continuations), on programs that
# sanitizers watch, and on one in a debugger. tests/stress/returns.sh has other programs.
# of file: kernels=one image=fibers timeout=3600 cpus=2-single

. /works.sh

has_program() {
	case $1 in
	boost) set -- "$root"/usr/lib/*/libboost_context.a ;;
	asan | tsan | ubsan) set -- "$root/usr/bin/gcc" ;;
	ocaml) set -- "$root/usr/bin/ocamlopt" ;;
	*) set -- "$root/usr/bin/$1"* ;;
	esac
	[ -e "$1" ]
}

# Each fiber suspends within calls, some are ended by exceptions, and some are never resumed.
make_php() {
	cat > php/work <<-'END'
		exec /usr/bin/php8.? -r '
		function numbers($n) { for ($i = 0; $i < $n; $i++) $got[] = yield $i * $i; return count($got); }
		$g = numbers(100);
		$sum = 0;
		foreach ($g as $v) $sum += $v;
		echo $sum, " ", $g->getReturn(), "\n";
		$fibers = [];
		for ($n = 0; $n < 50; $n++)
			$fibers[] = new Fiber(function (int $n): string {
				$sum = 0;
				for ($i = 0; $i < 21; $i++)
					try { $sum += array_sum(array_map(fn($x) => Fiber::suspend($x * $n), [$i])); }
					catch (Exception $e) { $sum += strlen($e->getMessage()); }
				return "fiber $n: $sum";
			});
		foreach ($fibers as $n => $f) $f->start($n);
		for ($i = 0; $i < 21; $i++)
			foreach ($fibers as $n => $f)
				$i % 7 == 6 ? $f->throw(new Exception(str_repeat("x", $n))) : $f->resume($i + $n);
		foreach ($fibers as $f) echo $f->getReturn(), "\n";
		function deep($n) {
			if ($n == 0) return 0;
			$f = new Fiber(fn() => deep($n - 1) + Fiber::suspend($n));
			$f->resume($f->start());
			return $f->getReturn();
		}
		echo deep(20), "\n";
		$f = new Fiber(function () { try { Fiber::suspend(1); } finally { echo "finally\n"; } });
		$f->start();
		unset($f);
		usort($numbers = range(1, 50), fn($a, $b) => $b <=> $a);
		exit(4);'
	END
}

make_ruby() {
	cat > ruby/work <<-'END'
		exec ruby --disable-gems -e '
		fibers = (0...50).map { |n| Fiber.new {
			sum = 0
			21.times { |i| sum += begin; [i].map { |x| Fiber.yield(x * n) }.sum; rescue => e; e.message.size; end }
			"fiber #{n}: #{sum}" } }
		fibers.each(&:resume)
		last = nil
		21.times { |i| last = fibers.each_with_index.map { |f, n| i % 7 == 6 ? f.raise("x" * n) : f.resume(i + n) } }
		puts last
		fibonacci = Enumerator.new { |y| a, b = 0, 1; loop { y << a; a, b = b, a + b } }
		p (0...20).map { fibonacci.next }
		p catch(:out) { 100.times { |i| throw :out, i if i == 42 } }
		def deep(n) = n == 0 ? 0 : 1 + Fiber.new { deep(n - 1) }.resume
		p deep(50)
		def without_end(n) = 1 + without_end(n + 1)
		begin; without_end(0); rescue SystemStackError => e; p e.class; end
		p (1..4).map { |n| Thread.new { (0...n * 100).sum } }.map(&:value)
		p [3, 1, 2].sort_by { |x| -x }, `echo of a shell`, $?.exitstatus
		at_exit { puts "at the end" }
		exit 5'
	END
}

# OCaml moves a stack when it grows, with the calls that are on it.
make_ocaml() {
	cat > ocaml/a.ml <<-'END'
		open Effect
		open Effect.Deep
		type _ Effect.t += Ask : int -> int Effect.t
		exception Odd of int
		let rec ask n i = if i = 0 then 0 else perform (Ask (i * n)) + ask n (i - 1)
		let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
		let answered n =
		  match_with (fun () -> ask n 50 + deep 5000) ()
		    { retc = (fun x -> x); exnc = raise;
		      effc = fun (type a) (e : a Effect.t) ->
		        match e with
		        | Ask x -> Some (fun (k : (a, _) continuation) ->
		            if x mod 113 = 112 then discontinue k (Odd x) else continue k (x + 1))
		        | _ -> None }
		let () =
		  for n = 1 to 30 do
		    try Printf.printf "%d: %d\n" n (answered n) with Odd x -> Printf.printf "%d: odd %d\n" n x
		  done;
		  Printf.printf "%d\n" (deep 1_000_000);
		  let rec without_end n = 1 + without_end (n + 1) in
		  (try Printf.printf "%d\n" (without_end 0) with Stack_overflow -> print_endline "overflow");
		  let d = Array.init 2 (fun n -> Domain.spawn (fun () -> deep (1000 * (n + 1)))) in
		  Array.iter (fun d -> Printf.printf "%d\n" (Domain.join d)) d;
		  exit 6
	END
	cat > ocaml/work <<-'END'
		[ -e a ] || ocamlopt -w -a -o a a.ml || exit
		exec env OCAMLRUNPARAM=l=4M ./a
	END
}

# A fiber of boost, as folly uses it, too: its three functions have C's way of calling.
make_boost() {
	cat > boost/a.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		struct transfer { void *from, *data; };
		extern struct transfer jump_fcontext(void *to, void *data);
		extern void *make_fcontext(void *top, size_t size, void (*f)(struct transfer));
		extern struct transfer ontop_fcontext(void *to, void *data, struct transfer (*f)(struct transfer));
		struct fiber { void *context, *main; long sum, n; };
		static long add(struct fiber *f, long x)
		{
			struct transfer t = jump_fcontext(f->main, f);
			f->main = t.from;
			return f->sum += x * f->n;
		}
		static struct transfer on_top(struct transfer t)
		{
			((struct fiber *)t.data)->sum += 1000;
			return t;
		}
		static void run(struct transfer t)
		{
			struct fiber *f = t.data;
			f->main = t.from;
			for (long i = 0; i < 30; i++)
				add(f, i);
			f->n = -1;
			jump_fcontext(f->main, f);
		}
		int main(void)
		{
			static struct fiber fibers[40];
			for (int i = 0; i < 40; i++) {
				char *stack = malloc(65536);
				fibers[i].n = i;
				fibers[i].context = make_fcontext(stack + 65536, 65536, run);
			}
			for (int turn = 0; turn < 31; turn++)
				for (int i = 0; i < 40; i++)
					fibers[i].context = turn % 5 == 4 ?
						ontop_fcontext(fibers[i].context, &fibers[i], on_top).from :
						jump_fcontext(fibers[i].context, &fibers[i]).from;
			for (int i = 0; i < 40; i++)
				printf("fiber %d: %ld %ld\n", i, fibers[i].sum, fibers[i].n);
			return 7;
		}
	END
	cat > boost/work <<-'END'
		[ -e a ] || gcc -O2 -fno-inline -o a a.c -l:libboost_context.a || exit
		exec ./a
	END
}

# Programs with a fault, of which a sanitizer prints the stack, and that leave functions in all ways before.
make_sanitized() {
	cat > asan/a.c <<-'END'
		#include <pthread.h>
		#include <setjmp.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <ucontext.h>
		static jmp_buf landing;
		static ucontext_t home, other;
		static int shared;
		static int jumps(int n) { char b[64]; sprintf(b, "%d", n); if (n > 20) longjmp(landing, n); return jumps(n + 1) + b[0]; }
		static int yields(int n) { swapcontext(&other, &home); return n + 1; }
		static void body(void) { for (int i = 0; i < 2000; i++) shared += yields(i); }
		static void *races(void *x) { for (int i = 0; i < 1000; i++) shared++; return x; }
		static int inner(int *p, int n) { return p[n] + (n << (n + 20)); }
		static int middle(int *p, int n) { return inner(p, n) + 1; }
		int main(void)
		{
			static char stack[1 << 18];
			pthread_t t;
			setvbuf(stdout, NULL, _IONBF, 0);
			if (!setjmp(landing))
				jumps(0);
			puts("landed");
			getcontext(&other);
			other.uc_stack.ss_sp = stack, other.uc_stack.ss_size = sizeof stack, other.uc_link = &home;
			makecontext(&other, body, 0);
			for (int i = 0; i < 2001; i++)
				swapcontext(&home, &other);
			printf("%d\n", shared);
			pthread_create(&t, NULL, races, NULL);
			races(NULL);
			pthread_join(t, NULL);
			int *p = calloc(12, sizeof *p);
			printf("%d\n", middle(p, 12));
			return 0;
		}
	END
	cp asan/a.c tsan
	cp asan/a.c ubsan
	cat > asan/work <<-'END'
		[ -e a ] || gcc -g -O1 -fno-inline -fno-omit-frame-pointer -fsanitize=address -o a a.c || exit
		setarch -R ./a 2>&1 | grep -oE '^[a-z0-9-]+$|ERROR: .* on| in [a-z]+ .*a[.]c:[0-9]+|^SUMMARY.*'
	END
	cat > ubsan/work <<-'END'
		[ -e a ] || gcc -g -O1 -fno-inline -fsanitize=undefined -o a a.c || exit
		UBSAN_OPTIONS=print_stacktrace=1 setarch -R ./a 2>&1 | sed 's/0x[0-9a-f]*/X/; /^[0-9]*$/{3d}'
	END
	cat > tsan/work <<-'END'
		[ -e a ] || gcc -g -O1 -fno-inline -fsanitize=thread -o a a.c || exit
		setarch -R ./a 2>&1 | grep -E '^landed|^SUMMARY' | sort -u
	END
}

# A debugger reads return addresses, and sets breakpoints at them. Its own stand on a line behind the function's begin:
# docs/SECURITY.md says why.
make_gdb() {
	cat > gdb/a.c <<-'END'
		#include <stdio.h>
		static int inner(int n)
		{
			printf("inner %d\n", n);
			return n * 2;
		}
		static int middle(int n)
		{
			return inner(n) + 1;
		}
		static int again(int n)
		{
			int sum = 0;
			if (n)
				sum = middle(n) + again(n - 1);
			return sum;
		}
		int main(void)
		{
			setvbuf(stdout, NULL, _IONBF, 0);
			printf("%d\n", again(300));
			return 3;
		}
	END
	cat > gdb/work <<-'END'
		[ -e a ] || gcc -g -O0 -o a a.c || exit
		exec gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set pagination off' -ex 'break a.c:5' -ex run -ex bt \
			-ex finish -ex finish -ex 'print $rax' -ex up -ex 'info frame' -ex 'tbreak a.c:14 if n == 290' \
			-ex 'delete 1' -ex continue -ex 'bt 3' -ex 'print middle(7)' -ex continue ./a 2>&1 |
			sed 's/0x[0-9a-f]*/X/g; s/process [0-9]*/process N/; /^\[/d; /^warning/d; /^Download/d'
	END
}

make_works() {
	mkdir -p works/php works/ruby works/ocaml works/boost works/asan works/tsan works/ubsan works/gdb
	cd works || return
	make_php
	make_ruby
	make_ocaml
	make_boost
	make_sanitized
	make_gdb
	cd ..
}

# of_work NAME [SPEC]...: all functions of the program that the work builds, those of the specs, and libc's.
of_work() {
	of_program "$@" "$(all_of_libc)"
}

of_program() {
	only=$1 least=4
	shift
	has_program "$only" || skip "the image has no $only"
	make_works
	work "$only" built
	[ -e "works/$only/a" ] || fail "not built: $(cat "built.$only")"
	compare sonde funclatency -j "u:$PWD/works/$only/a:*" "$@"
}

# Its functions of fibers, calls and exceptions are called often; most others are of extensions.
test_php() {
	only=php
	file=$(echo "$root"/usr/bin/php8.*)
	has_program php || skip "the image has no php"
	compare sonde funclatency -j "u:$file:zend_*" "u:$file:*fcontext" "$(all_of_libc)"
}

test_ruby() {
	only=ruby
	part "$(echo "$root"/usr/lib/*/libruby-3.*.so.3.*.*)"
}

test_ocaml() {
	of_work ocaml
}

test_boost() {
	of_work boost
}

test_address_sanitizer() {
	of_work asan "u:$(echo "$root"/usr/lib/*/libasan.so.?):__asan_*"
}

# Without libc's functions: docs/SECURITY.md says why.
test_thread_sanitizer() {
	of_program tsan
}

test_undefined_sanitizer() {
	of_work ubsan
}

test_debugger() {
	of_work gdb
}
