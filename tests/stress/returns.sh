# SPDX-License-Identifier: BSD-2-Clause
# Return probes on programs as Debian has them (tests/guest/images/programs), while these work: they print and end as
# they do without sonde. Not a part of `make test`, since it takes long: `make stress`.
# of file: kernels=one image=programs timeout=7200 cpus=2-single

. /works.sh

# The libraries and programs whose functions are chosen. Python's are in its program.
files() {
	for file in "$root"/usr/lib/*/libc.so.6 "$root"/usr/lib/*/libstdc++.so.6 "$root"/usr/bin/python3.[0-9]* \
		"$root"/usr/lib/*/libcrypto.so.3; do
		[ ! -e "$file" ] || echo "$file"
	done
}

make_works() {
	mkdir -p works
	cd works || return
	while read -r name; do
		mkdir -p "$name"
	done <<-END
		bash
		gcc
		git
		java
		node
		openssl
		perl
		postgres
		python
		qemu
		redis
	END
	cat > bash/work <<-'END'
		exec bash -c 'for i in 1 2 3 4 5; do (exit $i); echo "ended with $?"; done
			x=$( (echo inner; exit 4) ); echo "$x $?"
			f() { local n=$1; [ $n -le 1 ] && echo 1 && return; echo $((n * $(f $((n - 1))))); }
			f 6
			trap "echo trapped" USR1; kill -USR1 $$
			printf "%s\n" z y x | sort | while read -r line; do echo "got $line"; done
			for ((i = 0; i < 300; i++)); do a[i]=$((i * i)); done; echo "${a[299]} ${#a[@]}"
			echo "${PATH//[a-z]/x}"; exit 6'
	END
	cat > perl/work <<-'END'
		exec perl -e '
			$| = 1;
			for my $i (1 .. 20) { eval { die "n$i\n" if $i % 2; print "even $i\n"; 1 } or print "died $@"; }
			$SIG{ALRM} = sub { die "alarm\n" };
			eval { alarm 1; select undef, undef, undef, 20; };
			print "woken by $@";
			my %h = map { $_ => $_ ** 2 } 1 .. 500;
			print join(",", (sort { $h{$a} <=> $h{$b} } keys %h)[0 .. 5]), "\n";
			my $pid = fork;
			if (!$pid) { eval { die { code => 5 } }; exit $@->{code}; }
			waitpid $pid, 0;
			print $? >> 8, "\n";
			(my $s = "a-b-c" x 50) =~ s/(\w)-(\w)/$2.$1/g;
			print length $s, "\n", `echo of a shell`;
			exit 7'
	END
	cat > python/work <<-'END'
		exec python3 -c '
		import hashlib, json, re, signal, subprocess, sys, threading
		def odd(n):
		    if n % 2: raise ValueError(n)
		    return n
		for i in range(10):
		    try: print(odd(i))
		    except ValueError as e: print("odd", e)
		def gen(n):
		    for i in range(n):
		        got = yield i * i
		print(sum(gen(1000)), json.dumps(sorted({str(i): [i] * 3 for i in range(20)}.items())[:2]))
		print(hashlib.sha256(b"x" * 100000).hexdigest(), re.sub(r"(\w+) (\w+)", r"\2 \1", "one two " * 3))
		done = []
		threads = [threading.Thread(target=lambda n=n: done.append(sum(range(n)))) for n in range(1000, 1020)]
		[t.start() for t in threads]; [t.join() for t in threads]; print(sorted(done)[0], len(done))
		print(subprocess.run(["sh", "-c", "echo from a child; exit 3"], capture_output=True))
		def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
		print(deep(500)); sys.exit(8)'
	END
	sed -i 's/^\t\t//' python/work
	cat > git/work <<-'END'
		export HOME=/nonexistent GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000' \
			GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b \
			GIT_PAGER=cat
		rm -rf tree && git init -q -b main tree && cd tree || exit
		for i in 1 2 3 4; do
			seq $i 100 > numbers && git add numbers && git commit -q -m "number $i" || exit
		done
		git log --stat --format='%H %s' && git diff HEAD~2 && git gc -q && git fsck --strict 2>&1
		git blame -s numbers | tail -3
		git rev-parse nothing 2>&1
	END
	cat > gcc/work <<-'END'
		printf '%s\n' '#include <stdio.h>' '#include <setjmp.h>' 'static jmp_buf b;' 'static int f(int n)' \
			'{ if (n > 5) longjmp(b, n); return n ? n + f(n - 1) : 0; }' 'int main(void)' \
			'{ if (!setjmp(b)) { printf("%d\n", f(5)); f(9); } puts("landed"); return 9; }' > a.c
		gcc -O2 -Wall -o a a.c && ./a
		echo "ended with $?"; gcc -c -x c - 2>&1 < /dev/null <<-'BAD'
			int f(void) { return x; }
		BAD
		echo "ended with $?"
	END
	cat > node/work <<-'END'
		exec node -e '
			const crypto = require("crypto");
			let n = 0;
			for (let i = 0; i < 20000; i++)
				try { if (i % 3 == 0) throw new Error("e" + i); n += i; }
				catch (e) { n -= e.message.length; }
			console.log(n, crypto.createHash("sha256").update("x".repeat(1e5)).digest("hex"));
			const m = new Map();
			for (let i = 0; i < 50000; i++) m.set("k" + i % 997, i);
			console.log(m.size, m.get("k5"));
			console.log(JSON.stringify([..."abc"].map(x => ({ x }))), /(\d+)-(\d+)/.exec("12-34").slice(1));
			const later = x => new Promise(r => setTimeout(() => r(x * x), 10));
			Promise.all([1, 2, 3].map(later)).then(v => {
				console.log(v);
				require("child_process").exec("echo child; exit 3", (e, out) => {
					console.log(e.code, out.trim());
					process.exitCode = 5;
				});
			});'
	END
	# Each openssl calls 100,000 functions only to begin.
	cat > openssl/work <<-'END'
		seq 500 > numbers
		openssl dgst -sha3-256 numbers || exit
		openssl enc -aes-128-cbc -K 00112233445566778899aabbccddeeff \
			-iv 00112233445566778899aabbccddeeff -in numbers | cksum
		openssl prime 1000003
		openssl x509 -in numbers 2>&1 | head -1 | cut -d : -f 2
	END
	cat > java/work <<-'END'
		bin=$(readlink -f /usr/lib/jvm/default-java)/bin
		rm -f k
		tool() { $bin/keytool -J-Xmx96m -J-XX:TieredStopAtLevel=1 "$@" -storepass secret -keystore k 2>&1; }
		tool -genkeypair -alias a -keyalg EC -dname CN=a | sed '/^Generating/s/[0-9][0-9,]*/N/g'
		tool -list -alias a | sed -n 's/^a, .*, /a /p'
		tool -list -alias none
		echo "ended with $?"
		$bin/java -Xmx96m -XshowSettings:properties -version 2>&1 | grep -E ' (java.version|os.arch) '
	END
	cat > postgres/work <<-'END'
		# It refuses to be run by root, and wants to know the name of the other user. Only this process sees the list.
		[ "${1:-}" ] || exec unshare -m sh ./work again
		printf '%s\n' 'root:x:0:0::/:/bin/sh' 'nobody:x:65534:65534::/:/bin/sh' > passwd
		mount --bind passwd /etc/passwd || exit
		chown 65534 . || exit
		bin=$(echo /usr/lib/postgresql/*/bin) PGDATA=$PWD/data
		export PGDATA
		nobody() { setpriv --reuid=65534 --clear-groups "$@"; }
		# Only the first time, since this takes longer than all that follows.
		[ -d data ] || nobody $bin/initdb -N -A trust -U me --locale=C > log 2>&1 || { tail -3 log; exit 1; }
		how="-k $PWD -c listen_addresses= -c shared_buffers=16MB -c fsync=off"
		nobody $bin/pg_ctl -w -t 900 -l data/log \
			-o "$how" start > log || { tail -3 log; exit 1; }
		$bin/psql -h "$PWD" -U me -d postgres -Atq 2>&1 <<-'SQL'
			create table t as select i, i * i as s from generate_series(1, 2000) i;
			create index on t (i);
			select sum(s), count(*) from t;
			select 1 / 0;
			do $$ begin perform 1 / 0;
				exception when division_by_zero then raise notice 'caught'; end $$;
			select s from t where i = 77;
			begin; delete from t where i > 10; savepoint a; select no_such(); rollback to a;
			select count(*) from t;
			commit;
			with recursive f(n, v) as (select 1, 1::numeric
				union all select n + 1, v * n from f where n < 30) select max(v) from f;
			select md5(string_agg(s::text, ',' order by s)) from t;
			drop table t;
		SQL
		nobody $bin/pg_ctl -w -t 900 stop > log
		echo "ended with $?"
	END
	cat > qemu/work <<-'END'
		rm -f a.qcow2 b.raw
		qemu-img create -q -f qcow2 a.qcow2 16M
		qemu-io -c 'write -P 7 0 1M' -c 'write -P 9 5M 64k' -c 'read -P 7 0 1M' -c 'read -P 1 5M 64k' \
			-c 'aio_write -P 3 9M 64k' -c aio_flush -c 'discard 0 64k' a.qcow2 2>&1 | sed 's/ops; .*//'
		qemu-img snapshot -c one a.qcow2
		qemu-img convert -O raw a.qcow2 b.raw && cksum b.raw
		qemu-img check a.qcow2 && qemu-img compare a.qcow2 b.raw
		qemu-img info nothing
		echo "ended with $?"
	END
	cat > redis/work <<-'END'
		rm -f socket
		redis-server --port 0 --unixsocket "$PWD/socket" --save '' --daemonize no > log 2>&1 &
		until redis-cli -s socket ping > /dev/null 2>&1; do kill -0 $! || exit; sleep 0.1; done
		for i in 1 2 3 4 5; do redis-cli -s socket set k$i v$i; redis-cli -s socket lpush l $i; done
		redis-cli -s socket eval 'local s = 0 for i = 1, 10000 do s = s + i end return s' 0
		redis-cli -s socket eval 'return redis.pcall("nothing")' 0 2>&1
		redis-cli -s socket lrange l 0 -1; redis-cli -s socket shutdown nosave; wait $!; echo "ended with $?"
	END
	cd ..
}

# Whether the image has the program of a work.
has_program() {
	case $1 in
	java) set -- "$root"/usr/lib/jvm/*/bin/java ;;
	postgres) set -- "$root"/usr/lib/postgresql/*/bin/postgres ;;
	*) set -- "$root/usr/bin/$1"* ;;
	esac
	[ -e "$1" ]
}

# 1,000 functions of libc, libstdc++, Python and libcrypto, all at once.
test_random_functions() {
	# another choice each day; a failure says which
	seed=$(date +%Y%j)
	echo "seed $seed"
	set --
	for file in $(files); do
		set -- "$@" $(specs "$file" 250)
	done
	[ "$(files | wc -l)" = 4 ] || fail "not four files: $(files)"
	compare sonde funclatency -j -r "$@"
}

# The kernel runs copies of probed instructions, each thread's beside those of the others.
# timeout=600
test_copies() {
	run sonde funclatency 'u:/bin/copies:copy_*' -- copies 60 6
	expect_exit 0
	expect_line '^[0-9]+ calls, 0 wrong$'
}

test_bash() {
	only=bash
	whole "$root/usr/bin/bash"
}

test_perl() {
	only=perl
	whole "$root/usr/bin/perl"
}

test_python() {
	only=python
	whole "$(echo "$root"/usr/bin/python3.[0-9]*)"
}

test_git() {
	only=git
	whole "$root/usr/bin/git"
}

# Of the compiler itself.
test_gcc() {
	only=gcc
	part "$(echo "$root"/usr/lib*/gcc/*/*/cc1)"
}

test_redis() {
	only=redis
	whole "$(readlink -f "$root/usr/bin/redis-server")"
}

test_openssl() {
	only=openssl
	part "$(echo "$root"/usr/lib/*/libcrypto.so.3)"
}

test_node() {
	only=node
	part "$(echo "$root"/usr/lib/*/libnode.so.*)"
}

# Of the virtual machine.
test_java() {
	only=java
	part "$(echo "$root"/usr/lib/jvm/java-*-openjdk-*/lib/server/libjvm.so | cut -d ' ' -f 1)"
}

test_qemu() {
	only=qemu
	whole "$root/usr/bin/qemu-img" "$root/usr/bin/qemu-io"
}

test_postgres() {
	only=postgres
	whole "$(echo "$root"/usr/lib/postgresql/*/bin/postgres)"
}
