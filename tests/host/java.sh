# SPDX-License-Identifier: BSD-2-Clause
# Stacks of HotSpot, if it is in the path.
# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
. "$0/tests/guest/interp.sh"

# Says each of its stacks once, as "Own.f 3;Own.g 5", and makes a system call there.
write_teller() {
	cat > Own.java << 'END'
import java.io.*;
import java.nio.channels.FileChannel;
import java.util.*;
import java.util.function.*;

public class Own {
	static final StackWalker walker = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);
	static final Set<String> told = Collections.synchronizedSet(new HashSet<>());
	static FileChannel file;
	static volatile boolean on;
	static long sum;

	static int tell() {
		if (!on) return 1;
		try { said(); file.force(false); } catch (IOException e) { throw new RuntimeException(e); }
		return 1;
	}
	static void said() {
		StringBuilder text = new StringBuilder();
		walker.forEach(f -> {
			if (!f.getMethodName().equals("said"))
				text.insert(0, ";" + f.getClassName() + "." + f.getMethodName() + " " + f.getLineNumber());
		});
		if (told.add(text.toString()))
			System.err.println(text);
	}
	interface Shape { int area(int x); }
	static class Square implements Shape { public int area(int x) { return x * x + tell(); } }
	static class Circle implements Shape {
		public int area(int x) { return inner(x); }
		int inner(int x) {
			return 3 * x + tell();
		}
	}
	static int deep(int n) { return n == 0 ? tell() : deep(n - 1) + 1; }
	static int thrown(int n) {
		try { thrower(n); } catch (IllegalStateException e) { return tell(); }
		return 0;
	}
	static void thrower(int n) { if (n == 0) throw new IllegalStateException("x"); thrower(n - 1); }
	static synchronized int locked() { return tell(); }
	static int sorted() {
		Integer[] numbers = { 3, 1, 2 };
		Arrays.sort(numbers, (a, b) -> { tell(); return a - b; });
		return Arrays.stream(numbers).mapToInt(v -> v + tell()).sum();
	}
	static int round(int n) throws Exception {
		Supplier<Integer> supplier = () -> tell() + 1;
		int s = supplier.get() + deep(30) + thrown(3) + locked() + sorted();
		for (Shape shape : new Shape[] { new Square(), new Circle() })
			s += shape.area(n);
		return s;
	}
	public static void main(String[] args) throws Exception {
		int warm = Integer.parseInt(args[0]);
		file = new RandomAccessFile("file", "rw").getChannel();
		for (int i = 0; i < warm; i++) sum += round(i);
		on = true;
		System.out.println("ready");
		new Thread(() -> {
			try {
				for (;;) { sum += round(1); Thread.sleep(1); }
			} catch (Exception e) { throw new RuntimeException(e); }
		}).start();
		for (int i = 0;; i++) sum += round(i);
	}
}
END
}

known_java() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	case $(java -version 2>&1) in
	*'build 11.'* | *'build 17.'* | *'build 21.'* | *'build 2'[5-7][.+]*) ;;
	*) skip "there is no java 11, 17, 21 or 25 to 27" ;;
	esac
}

# own WARM OPTION...: all stacks at the system call must be those that the program says itself. It runs WARM rounds before.
own() {
	known_java
	write_teller
	javac Own.java || skip "there is no javac"
	warm=$1
	shift
	java "$@" Own "$warm" > ready 2> own &
	program=$!
	wait_until 120 grep -q ready ready || fail "java does not run: $(cat own)"
	start sonde stackcount -U -f -p $program t:syscalls:sys_enter_fdatasync
	wait_until 60 has_run $(($(awk '{ print $14 + $15 }' /proc/$program/stat) + 100)) || fail "the program does not run"
	stop INT
	kill $program
	wait $program || :
	expect_exit 0
	# methods are a class, a dot and a name, with a file and a line if they are not hidden
	sed 's/ [0-9]*$//' out | awk -F';' '{
		s = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^[A-Za-z0-9_$.]+\.[A-Za-z0-9_$<>]+( \(.*\))?$/) {
				sub(/ \([^:]*:/, " ", $i)
				sub(/ \(.*| -.*|\)$/, "", $i)
				s = s ";" $i
			}
		sub(/;Own\.tell.*/, ";Own.tell", s)
		print s }' | sort -u > seen
	sed 's/ -[0-9]*//g; s/[+\/]0x[0-9a-f]*//g; s/;Own\.tell.*/;Own.tell/' own | sort -u > said
	[ "$(wc -l < said)" -ge 18 ] || fail "$(wc -l < said) stacks were said"
	grep -c 'Own\.tell$' seen > /dev/null || fail "no stack was seen"
	# what was seen was said; most of what was said was seen
	comm -23 seen said > wrong
	[ ! -s wrong ] || fail "stacks are not the program's: $(cat wrong)"
	[ "$(wc -l < seen)" -ge 18 ] || fail "$(wc -l < seen) stacks were seen, of $(wc -l < said)"
}

# With methods that were inlined.
test_java_own() {
	own 20000
}

test_java_own_interpreted() {
	own 0 -Xint
}

# slow=yes
test_java_own_client() {
	own 5000 -XX:TieredStopAtLevel=1
}

# A file that claims to be HotSpot, and has no version: its stacks are as any other, and one line says why.
test_java_that_is_none() {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
	LD_PRELOAD=$(dirname "$(command -v calls)")/libjavas.so sh -c 'while :; do :; done' &
	program=$!
	run sonde profile -p $program -f 1
	kill $program
	expect_exit 0
	expect_line '^sh;'
	expect_err 'stacks of HotSpot \(.*libjavas\.so\) show .*: it does not say its version$'
}

# Who has held a monitor, and in which function, whether it slept or ran there.
test_java_monitor() {
	known_java
	cat > Locks.java << 'END'
public class Locks {
	static void sleeps() throws Exception {
		synchronized (Locks.class) { Thread.sleep(50); }
	}
	static void runs() {
		synchronized (Locks.class) { for (long end = System.nanoTime() + 50000000; System.nanoTime() < end;); }
	}
	public static void main(String[] args) throws Exception {
		Thread waiter = new Thread(() -> { while (true) synchronized (Locks.class) { Thread.onSpinWait(); } });
		waiter.setDaemon(true);
		waiter.start();
		for (int i = 0; i < 5; i++) {
			sleeps();
			Thread.sleep(1);
			runs();
			Thread.sleep(1);
		}
	}
}
END
	javac Locks.java || skip "there is no javac"
	run sonde why --json -n 200 -- java Locks
	expect_exit 0
	grep '"kind":"wait".*"lock":"monitor (Java)"' out > waits || fail "nobody waited"
	for name in sleeps runs; do
		grep -qE "\"waker_function\":\"Locks\\.$name \\(Locks\\.java(:[3-6])?\\)\"" waits || fail "not in $name"
	done
}
