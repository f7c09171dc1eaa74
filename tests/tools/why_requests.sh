# SPDX-License-Identifier: BSD-2-Clause
# Requests of a server in sonde why: as many as the client (tests/programs/serve.c) has sent, the parts of each one sum to
# its time, and what holds them up is among them.
# of file: kernels=ends

. /exporter.sh

# expect_requests: of file out, which is JSON with all requests. What the kernel has skipped, and says so, may be missing:
# then two requests may be one, which lasts as long as both.
expect_requests() {
	missed=$(sed -n 's/.* \([0-9]*\) hits* missed by the kernel.*/\1/p' err)
	expect_exit 0
	grep '^{' out > json
	mv out all && cp json out
	expect_json kind where cause number requests connections ns mean_ns p50_ns p99_ns max_ns client_p99_ns there
	sed -n 's/^did \([a-z]* [0-9]*\)$/\1/p' all > did
	awk -F '\t' -v missed="${missed:-0}" '
		FILENAME == "did" { split($0, word, " "); did[word[1]] = word[2]; next }
		$1 == "total" && ($5 > did["requests"] || $5 + missed < did["requests"] ||
			$6 > did["connections"] || $6 + missed < did["connections"]) {
			print $5, "requests on", $6, "connections" }
		$1 == "total" { found = $5 }
		$1 == "total" && !($11 > 0 && $12 > 0 && (missed || ($11 <= did["longest"] && $12 <= did["longest"]))) {
			print "longest", $11, $12 }
		$1 == "request" { n++; ns[$4] = $7 }
		$1 == "request part" { sum[$4] += $7 }
		$1 == "part" { mean += $8 }
		END {
			if (n != found) print n " of them with parts"
			for (i in ns) if (ns[i] != sum[i]) print "request", i, ns[i], "is not", sum[i]
		}' did rows > wrong
	# who forked then may be somebody else: nothing need be missing
	[ ! -s wrong ] || ! grep -q 'forks* missed by the kernel' err || skip "the kernel skipped a fork"
	[ ! -s wrong ] || fail "$(cat wrong)"
	! grep '"kind":"request part"' json | sed 's/"ns":[0-9]*//' | sort | uniq -d | grep . || fail "parts that look alike"
	! grep -E 'lost|missing|not split' err | grep -v 'forks* missed by the kernel' || fail "a loss"
}

# exact: what follows counts requests one by one, which is of no use where the kernel has skipped a hit, and says so.
exact() {
	! grep -q 'missed by the kernel' err || skip "the kernel skipped hits"
}

# slept HOW: six requests have slept themselves.
slept() {
	n=$(slow_parts own sleep)
	[ "$n" -le 6 ] && [ $((n + ${missed:-0})) -ge 6 ] || fail "$1: $n slept"
}

# slow_parts WHERE CAUSE: prints how many requests have such a part of half of the sleep of 100 ms and more.
slow_parts() {
	awk -F '\t' -v where="$1" -v cause="$2" '
		$1 == "request part" && $2 == where && $3 == cause && $7 > 50000000 { n++ }
		END { print n + 0 }' rows
}

# Whoever sleeps does so in its own time, and nobody else.
test_threads() {
	run sonde why --requests --json -n 1000 -- serve -s 100 -e 50 threads 300
	expect_requests
	slept here
	[ "$(slow_parts queue sleep)" = 0 ] || fail "a thread of its own, and a queue"
}

# Those that come behind a slow one wait for it.
# kernels=one
test_loop() {
	run sonde why --requests --json -n 1000 -- serve -s 100 -e 50 loop 300
	expect_requests
	slept here
	[ "$(slow_parts queue sleep)" -gt 6 ] || fail "nobody was behind"
}

# The thread that reads is not the one that sleeps.
# kernels=one
test_pool() {
	run sonde why --requests --json -n 1000 -- serve -s 100 -e 50 pool 300
	expect_requests
	slept here
}

# A connection for each request. The server is there before.
test_port() {
	mkfifo gate
	serve -p 1234 -d -w gate threads 100 > did_it &
	client=$!
	start sonde why --requests --json -n 1000 --port 1234
	echo > gate
	wait $client
	stop INT
	cat did_it >> out
	expect_requests
}

# The same by its process, whose ports are found.
test_process() {
	mkfifo gate
	serve -c 1 -w gate loop 50 > did_it &
	client=$!
	until server=$(grep -lx server /proc/[0-9]*/comm 2> /dev/null | head -n 1) && [ "$server" ]; do :; done
	server=${server#/proc/}
	start sonde why --requests --json -n 1000 -p "${server%/comm}"
	echo > gate
	wait $client
	stop INT
	cat did_it >> out
	expect_requests
}

# The same by the process that has started the server.
test_family() {
	mkfifo gate
	serve -c 1 -w gate loop 50 > did_it &
	client=$!
	until grep -qx server /proc/[0-9]*/comm 2> /dev/null; do :; done
	start sonde why --requests --json -n 1000 -p $client
	echo > gate
	wait $client
	stop INT
	cat did_it >> out
	expect_requests
}

# Until the answer begins: as many, of which the client knows nothing.
# kernels=one
test_first_byte() {
	run sonde why --requests --first-byte -- serve threads 100
	expect_exit 0
	exact
	grep -q '^100 requests on 4 connections' out || fail "not 100"
	grep -q "^server's view until the answer begins: p50" out || fail "no server's view"
	! grep "^client's view" out || fail "a client's view"
}

# A server that asks another one, which is the slow one: without going into that one, it is named by its address.
test_behind() {
	run sonde why --requests --json -n 1000 --port 1234 --chain 0 -- serve -p 1234 -b -s 100 -e 50 loop 300
	expect_requests
	[ "$(slow_parts behind network)" -ge 6 ] || fail "$(slow_parts behind network) waited for the slow one"
	[ "$(slow_parts own poll)" = 0 ] || fail "a wait for the other server is none"
	grep -q '"kind":"object","where":"behind","there":null,"server":null,"cause":"network","via":null,"lock":null,"object":"127.0.0.1:[0-9]*"' json || fail "no address"
}

# The same over unix sockets, with a name in the file system and without one.
# kernels=turns
test_unix() {
	for how in threads loop pool; do
		run sonde why --requests --json -n 1000 -- serve -u sock -s 100 -e 50 $how 300
		expect_requests
		slept $how
	done
	run sonde why --requests --json -n 1000 -- serve -u @sock -d threads 200
	expect_requests
	grep -q '"client":"serve [0-9]*"' json || fail "no client"
}

# said TEXT: prints the sum of the numbers before a text on stderr.
said() {
	sed -n "s/.*[: ]\([0-9][0-9]*\) $1.*/\1/p" err | awk '{ n += $1 } END { print n + 0 }'
}

# all_known N MOST: of N requests, no more than MOST are not measured, and no one is missing without a word, or measured and
# said to be left out. found: those that are measured.
all_known() {
	expect_exit 0
	exact
	found=$(sed -n 's/.*"kind":"total".*"requests":\([0-9]*\),.*/\1/p' out)
	unsure=$(($(said 'requests* not measured') + $(said 'requests* left out')))
	[ $((found + unsure)) = "$1" ] && [ "$unsure" -le "$2" ] ||
		fail "$found of $1, and $unsure"
}

# Clients at a unix socket that close without reading: what they have sent is read later.
test_unix_one_way() {
	run sonde why --requests --json --no-stacks -n 0 -- serve -u @serve -o loop 200
	all_known 200 200
}

# preempts: second programs at the tracepoints of arrivals and of reads, which come first, take their time there. Newer
# kernels preempt them: so what was sent is read, and often answered, before its arrival is noted; or the arrival is noted
# between a read and its end.
preempts() {
	grep -q '(full)\|(lazy)' /sys/kernel/debug/sched/preempt 2> /dev/null || skip "no program is preempted"
	sonde trace -q -e 'rawtracepoint:sk_data_ready /comm == "serve" || comm == "server"/ {
		for ($i : 0..3000) { @ = sum($i); } }
		rawtracepoint:sock_recv_length /comm == "server"/ { for ($i : 0..3000) { @ = sum($i); } }
		interval:ms:100 { printf("armed\n"); }' > slow &
	slow=$!
	wait_until 60 grep -q armed slow || fail "not armed"
}

# read_early HOW: all requests are known, and none seems to last longer than for its client.
read_early() {
	for _ in 1 2 3; do
		# shellcheck disable=SC2086
		run sonde why --requests --json --no-stacks -n 0 -- serve -u @serve $1 200
		grep -q 'missed by the kernel' err || break
	done
	all_known 200 10
	longest=$(sed -n 's/.*"kind":"total".*"max_ns":\([0-9]*\),.*/\1/p' out)
	[ "$longest" -le "$(sed -n 's/^did longest //p' out)" ] || fail "$1: $longest ns"
}

# Each answer is that of its request, whether the arrival was noted before or not.
# kernels=one
test_unix_read_early() {
	preempts
	read_early '-c 8 loop'
	kill -INT $slow
}

# The same if each request has a connection of its own, if others answer, and if nobody reads the answer.
# timeout=240 kernels=turns
test_unix_read_early_all() {
	preempts
	read_early '-d loop'
	read_early '-c 8 pool'
	run sonde why --requests --json --no-stacks -n 0 -- serve -u @serve -o loop 100
	all_known 100 100
	kill -INT $slow
}

# Arrivals that are noted between a read and its end, on another processor: each request is measured, or left out.
# cpus=2 kernels=one
test_unix_read_between() {
	preempts
	read_early '-c 1 -d loop'
	kill -INT $slow
}

# Connections that the server closes unread show no end, and the next one has the address of the last: a request of it is
# none of that one's.
# kernels=all
test_unix_unread() {
	run sonde why --requests --json --no-stacks -n 0 -- serve -u @serve -x loop 40
	all_known 20 0
	longest=$(sed -n 's/.*"kind":"total".*"max_ns":\([0-9]*\),.*/\1/p' out)
	[ "$longest" -le "$(sed -n 's/^did longest //p' out)" ] || fail "$longest ns"
}

# Ever new connections at a unix socket: both ends, of which the client is measured, too, are forgotten when it closes.
# timeout=600 kernels=turns
test_unix_ends() {
	run sonde why --requests --no-stacks -- serve -u "$PWD/sock" -c 1 -d loop 17000
	expect_exit 0
	! grep 'connections at a time' err || fail "connections of unix sockets stay"
}

# The same by its process, whose sockets are found.
test_unix_process() {
	mkfifo gate
	serve -u sock -w gate loop 50 > did_it &
	client=$!
	until server=$(grep -lx server /proc/[0-9]*/comm 2> /dev/null | head -n 1) && [ "$server" ]; do :; done
	server=${server#/proc/}
	start sonde why --requests --json -n 1000 -p "${server%/comm}"
	# elsewhere a read is noted before its bytes are gone, and the end of the stream is not
	! grep -q btf_trace_sock_recv_length /sys/kernel/btf/vmlinux ||
		sonde status | grep -qE ' takes +sock_recv_length ' || fail "reads are not seen where they end"
	echo > gate
	wait $client
	stop INT
	cat did_it >> out
	expect_requests
}

# expect_chain SLEEP SERVER: of file json: requests slept in SERVER, a server behind, as often as they were to.
expect_chain() {
	n=$(awk -F '\t' -v there=own '
		$1 == "request part" && $2 == "behind" && $13 == there && $3 == "sleep" && $7 > 50000000 { n++ }
		END { print n + 0 }' rows)
	[ "$n" -le "$1" ] && [ $((n + ${missed:-0})) -ge "$1" ] || fail "$n requests slept behind, not $1"
	grep -q '"kind":"request part","where":"behind","there":"own","server":"'"$2"'","cause":"sleep"' json ||
		fail "not at $2"
}

# inner N: of file json: so many requests were measured at a server behind.
inner() {
	n=$(sed -n 's/.*"kind":"total".*"inner":\([0-9]*\),.*/\1/p' json)
	[ "$n" -le "$1" ] && [ $((n + ${missed:-0})) -ge "$1" ] || fail "$n behind, not $1"
}

# Both servers are measured: the requests of the one behind are part of those of the other one.
# kernels=turns timeout=240
test_chain() {
	run sonde why --requests --json -n 1000 -- serve -b -s 100 -e 50 loop 300
	expect_requests
	inner 300
	expect_chain 6 '127.0.0.1:[0-9]*'
	run sonde why --requests --json -n 1000 -- serve -B "$PWD/sock" -s 100 -e 50 loop 300
	expect_requests
	inner 300
	expect_chain 6 "$PWD/sock"
	run sonde why --requests --json -n 1000 --chain 0 -- serve -b -s 100 -e 50 loop 300
	expect_exit 0
	exact
	grep '"kind":"total"' out | grep -q '"requests":600,"connections":8,.*"inner":0,' || fail "gone into"
}

# Only the first one of three servers is named: the others are found by what it asks. The first question is not known.
# Once they are found, they have stacks.
# kernels=turns timeout=240
test_chain_of_three() {
	for behind in "-b" "-B $PWD/sock"; do
		rm -f gate a.folded
		mkfifo gate
		# shellcheck disable=SC2086
		serve -p 1234 $behind -2 -w gate -s 100 -e 50 loop 300 > did_it &
		client=$!
		until server=$(grep -lx server /proc/[0-9]*/comm 2> /dev/null | head -n 1) && [ "$server" ]; do :; done
		server=${server#/proc/}
		start sonde why --requests --json -n 1000 --folded a.folded -p "${server%/comm}"
		echo > gate
		wait $client
		stop INT
		cat did_it >> out
		expect_requests
		grep -q ';last;.*;answer;.*\[sleep\] ' a.folded || fail "$behind: no stack behind: $(cat a.folded)"
		inner=$(sed -n 's/.*"kind":"total".*"inner":\([0-9]*\).*/\1/p' json)
		[ "$inner" -ge 560 ] && [ "$inner" -le 600 ] || fail "$behind: $inner behind"
		expect_chain 6 '[^"]*'
	done
}

# Only the processes of a control group are looked at: that of the server has a port, the other none.
test_cgroup() {
	mkdir /sys/fs/cgroup/full /sys/fs/cgroup/full/inner /sys/fs/cgroup/empty
	mkfifo gate
	serve -c 1 -w gate loop 50 > did_it &
	client=$!
	until server=$(grep -lx server /proc/[0-9]*/comm 2> /dev/null | head -n 1) && [ "$server" ]; do :; done
	server=${server#/proc/}
	echo "${server%/comm}" > /sys/fs/cgroup/full/inner/cgroup.procs
	run sonde why --requests -d 1 --cgroup empty
	expect_exit 0
	expect_err 'no measured process listens'
	start sonde why --requests --json -n 1000 --cgroup full
	echo > gate
	wait $client
	stop INT
	cat did_it >> out
	rmdir /sys/fs/cgroup/full/inner /sys/fs/cgroup/full /sys/fs/cgroup/empty
	expect_requests
}

# In a pid namespace, too.
test_pidns() {
	cat > inside <<- 'END'
		serve -p 1234 -c 2 -w gate threads 50 > did_it &
		client=$!
		until server=$(grep -lx server /proc/[0-9]*/comm 2> /dev/null | head -n 1) && [ "$server" ]; do :; done
		server=${server#/proc/}
		sonde why --requests --json -n 1000 -p "${server%/comm}" > found 2> said &
		sonde=$!
		until grep -q Tracing said; do :; done
		echo > gate
		wait $client
		kill -INT $sonde
		wait $sonde
	END
	mkfifo gate
	run unshare -m -p -f --mount-proc sh ./inside
	cat found did_it > out
	cat said > err
	expect_requests
}

# A table by thread, by port, by peer: its requests are all of them.
# kernels=one
test_by() {
	run sonde why --requests --json --by thread -n 0 -- serve -c 4 threads 100
	expect_exit 0
	exact
	[ "$(grep -c '"kind":"group",.*"object":"server [0-9]*",.*"requests":25,' out)" = 4 ] || fail "not 25 of 4 threads"
	run sonde why --requests --json --by port -n 0 -- serve -p 1234 -c 4 threads 100
	expect_exit 0
	exact
	[ "$(grep '"kind":"group"' out | grep -c '"object":"port 1234",.*"requests":100,')" = 1 ] || fail "not 100 of a port"
	run sonde why --requests --json --by port -n 0 -- serve -u @serve threads 100
	exact
	[ "$(grep '"kind":"group"' out | grep -c '"object":"@serve",.*"requests":100,')" = 1 ] || fail "not 100 of a name"
	run sonde why --requests --by peer -n 0 -- serve -a 5555 -c 4 threads 100
	expect_exit 0
	exact
	for peer in 1 2 3 4; do
		expect_line "^  127.0.0.$peer +25 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+   [a-z]"
	done
}

# Only those are split that last long; all are counted.
# kernels=one
test_slower() {
	run sonde why --requests --json --slower 90 -n 1000 -- serve -s 100 -e 50 threads 300
	expect_exit 0
	exact
	slow=$(sed -n 's/.*"kind":"total".*"requests":300,.*"slower":\([0-9]*\).*/\1/p' out)
	[ "$slow" -ge 6 ] || fail "$slow are slow"
	[ "$(grep -c '"kind":"request",' out)" = "$slow" ] || fail "others are among them"
	! grep '"kind":"request",' out | grep -vE '"ns":([0-9]{9,}|9[0-9]{7}),' || fail "one is not slow"
	run sonde why --requests --slower 90 -- serve -s 100 -e 50 threads 300
	expect_line '^[0-9]+ lasted for 90 ms and more: the following is of these$'
	expect_line '^  sleep +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ %$'
}

# The steps of the slowest requests, with the stack of the sleep.
# kernels=one
test_steps() {
	run sonde why --requests -n 1000 -- serve -s 120 -e 50 threads 300
	expect_exit 0
	expect_line '^ +[0-9.]+ +[1-9][0-9]{2,}\.[0-9]+  sleep$'
	expect_line 'serve_one > .*nanosleep'
	run sonde why --requests --no-stacks -n 1000 -- serve -s 120 -e 50 threads 300
	expect_line '^ +[0-9.]+ +[1-9][0-9]{2,}\.[0-9]+  sleep$'
	! grep 'serve_one' out || fail "a stack"
}

# Who waits for a lock, waits for what its holder does.
# kernels=one
test_lock() {
	run sonde why --requests --json -n 1000 -- serve -l -s 100 -e 50 threads 300
	expect_requests
	grep -q '"kind":"request part","where":"own",.*"cause":"sleep","via":"lock"' json || fail "not held up by a sleep"
	[ "$(slow_parts own lock)" = 0 ] || fail "nobody holds it"
}

# Who had the processor for longest has its process's id, and on the page of threads its name is the first one.
# kernels=one
test_hog() {
	run sonde why --requests --json -- sh -c 'hogs spin 600 > hogs & serve -e 50 threads 100; wait'
	expect_exit 0
	hog=$(sed -n 's/^did hog //p' hogs)
	grep '"kind":"object".*"cause":"processor"' out | grep -q "\"object\":\"hogs $hog\"" || fail "not behind $hog"
	grep '"kind":"request part".*"cause":"processor"' out | grep -q "\"holder_pid\":$hog,\"holder_tid\":$hog," ||
		fail "no part is behind $hog"
	run sonde why --json --no-stacks -- sh -c 'hogs spin 600 & serve -e 50 threads 100; wait'
	expect_exit 0
	first=$(sed -n 's/.*"kind":"object","cause":"processor","object":"\([^"]*\)".*/\1/p' out | head -n 1)
	[ "$first" = hogs ] || fail "behind $first"
}

# Clients of both versions of IP at one socket that listens.
test_versions() {
	run sonde why --requests --json -n 1000 -- serve -6 -c 4 threads 100
	expect_requests
	grep -q '"client":"127.0.0.1:' json || fail "not version 4"
	grep -q '"client":"\[::1\]:' json || fail "not version 6"
}

# Clients that have the same port at different addresses are told apart.
# kernels=one
test_same_port() {
	run sonde why --requests -- serve -a 5555 -c 4 threads 200
	expect_exit 0
	exact
	expect_line '^200 requests on 4 connections in '
	expect_line "^client's view: .*\(all local\)$"
}

# Requests that come in parts are counted apart. If they are many, nothing is said of the slowest.
# kernels=one
test_merged() {
	run sonde why --requests --json -- serve -h -c 1 threads 50
	expect_exit 0
	grep '"kind":"total"' out | grep '"requests":50,' | grep '"merged":50,' | grep -q '"p99_ns":null' || fail "not merged"
	run sonde why --requests -- serve -h -c 1 threads 50
	expect_exit 0
	expect_line '^server.s view: p50 [0-9.]+ ms; merged 100 %, so there is no p99$'
	expect_line '^  sum +[0-9.]+ +[0-9.]+ +- 100 %$'
}

# Waits for a disk have the name of the file.
# kernels=one
test_disk() {
	run sonde why --requests -- serve -e 1 -f "$(disk scratch)" threads 40
	expect_exit 0
	expect_line '^40 requests on 4 connections in [0-9.]+ s$'
	expect_line "^server's view: p50 [0-9.]+ ms, p99 [0-9.]+ ms, max [0-9.]+ ms$"
	expect_line "^client's view: .*\(all local\)$"
	expect_line '^  disk .*%  (.*, )?/dev/'
	expect_line '^  sum '
	awk '
		/^  sum/ { if (NF != 6 || n == 0) print; for (i = 2; i <= 4; i++) if ($i - all[i] > 0.02 || all[i] - $i > 0.02)
			print i, $i, all[i]; next }
		/^  [^ ].* %/ { n++; for (i = 1; i <= NF; i++) if ($i == "%") { for (k = 2; k <= 4; k++) all[k] += $(i - 6 + k) ; break } }
		' out > wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

# All that is drawn is the time of all requests, below where the server listens.
# kernels=turns
test_flame() {
	for how in "-p 1234 threads 100" "-u @serve pool 100" "-p 1234 -B $PWD/sock loop 100"; do
		rm -f a.folded sock
		# shellcheck disable=SC2086
		run sonde why --requests --json -n 1000 --folded a.folded -- serve -s 100 -e 20 $how
		expect_requests
		awk -F '\t' '$1 == "request" { ns += $7 } END { printf "%.0f\n", ns / 1000 }' rows > whole
		lines=$(wc -l < a.folded)
		drawn=$(awk '{ n += $NF } END { print n + 0 }' a.folded)
		[ "$drawn" -le "$(cat whole)" ] && [ $((drawn + lines + 1)) -ge "$(cat whole)" ] ||
			fail "$how: $drawn us are drawn, not $(cat whole)"
		root='port 1234'
		[ "${how#*@}" = "$how" ] || root=@serve
		! grep -v "^$root;" a.folded || fail "$how: another root"
		thread=server
		[ "${how#*-B}" = "$how" ] || thread="waits for $PWD/sock;behind"
		slept=$(grep -E "^$root;$thread;.*;answer;.*nanosleep;.*\\[sleep\\] [0-9]+\$" a.folded |
			awk '{ n += $NF } END { print n + 0 }')
		# less than the sleeps, where the server that asks has not rested yet
		[ "$slept" -ge $(((5 - ${missed:-0}) * 50000)) ] || fail "$how: $slept us slept: $(cat a.folded)"
	done
	run sonde why --requests --folded - -- serve -p 1234 threads 100
	expect_exit 0
	expect_line '^port 1234;server;'
	expect_no_line 'requests on'
}

# A file for Perfetto has threads, connections, and each sleep; tests/host/why_perfetto.sh asks the trace processor.
# kernels=one
test_perfetto() {
	run sonde why --requests --perfetto a.pftrace -n 0 -- serve -p 1234 -s 100 -e 20 loop 100
	expect_exit 0
	pftrace a.pftrace > picture || fail "pftrace: $?"
	grep -q '^name [0-9]* [0-9]* server$' picture || fail "no name: $(grep ^name picture)"
	[ "$(grep -cE '^state [0-9]+ S [0-9]{8,} sleep$' picture)" -ge $((5 - ${missed:-0})) ] ||
		fail "$(grep sleep picture)"
	for text in 'requests at port 1234' '127.0.0.1:' queue running; do
		grep -qaF "$text" a.pftrace || fail "no $text"
	done
	run sonde why --requests --perfetto nowhere/a -- true
	expect_exit 1
	expect_one_err 'cannot create nowhere/a'
}

# exported HOW: of a server at port 1234 whose client has ended, into file page.
exported() {
	mkfifo gate
	serve -p 1234 -w gate "$@" > did_it &
	client=$!
	# shellcheck disable=SC2086 # no word, or several
	export_start "why --requests --port 1234 $line_options"
	echo > gate
	wait $client
	rm gate
	wait_until 50 all_there
	export_stop
	! grep -q '^sonde_missed_hits_total{[^}]*} [1-9]' page || skip "the kernel skipped hits"
}

# The last requests are over when their connections end, and are counted a little later.
all_there() {
	scrape
	grep -qx "sonde_why_requests_total{server=\"port 1234\"} $(sed -n 's/^did requests //p' did_it)" page ||
		grep -q '^sonde_missed_hits_total{[^}]*} [1-9]' page
}

# of FAMILY LABELS: its value in file page.
of() {
	sed -n "s/^sonde_why_$1{server=\"port 1234\"${2:-}} //p" page
}

# An exporter counts the same requests, and their times by cause sum to those of the histogram.
test_export() {
	line_options='--slower 90'
	exported -s 100 -e 20 threads 100
	[ "$(of request_seconds_count)" = 100 ] || fail "not 100: $(cat page)"
	[ "$(of requests_slow_total)" -ge 5 ] || fail "not 5 slow ones"
	for family in cause slow_cause; do
		slept=$(of request_${family}_seconds_total ',cause="sleep"')
		echo "$slept" | awk '{ exit !($1 >= 0.45 && $1 < 5) }' || fail "$family: $slept s slept"
	done
	awk -F '[ }]+' '
		/^sonde_why_request_seconds_sum/ { whole = $NF }
		/^sonde_why_request_cause_seconds_total/ { sum += $NF }
		/^sonde_why_request_slow_cause_seconds_total/ { slow += $NF }
		END { d = whole - sum; exit !(d < 0.000001 && d > -0.000001 && slow <= whole && slow >= 0.45) }' page ||
		fail "parts do not sum: $(cat page)"
	[ "$(of requests_lost_total)" = 0 ] && [ "$(of requests_merged_total)" = 0 ] || fail "lost: $(cat page)"
	# by the requests before: of the first thousand less than 1 % have slept, so those of the second are slow
	line_options=
	exported -s 100 -e 200 threads 2000
	slow=$(of requests_slow_total)
	[ "$slow" -ge 5 ] && [ "$slow" -le 400 ] || fail "$slow of 2000 are slow"
	slept=$(of request_slow_cause_seconds_total ',cause="sleep"')
	echo "$slept" | awk '{ exit !($1 >= 0.45 && $1 < 1) }' || fail "$slept s of the slow ones slept"
	for line in 'why' 'why --over 1ms' 'why --requests --cpu 0' 'why --requests --by peer' 'why --requests --flame x' 'why --port 80'; do
		run sonde export --families "$line"
		expect_exit 2
		expect_one_err .
	done
}

# goes_on: after a pause, more requests are measured than before.
goes_on() {
	sleep 1
	scrape
	[ "$(value "sonde_line_up{$line}")" = 1 ] && [ "$(of request_seconds_count)" -gt "$measured" ]
}

# A line that costs too much is paused while a client asks on. No request lasts as long as the pause.
# timeout=400 kernels=turns
test_export_paused() {
	line='line="why --requests --port 1234"'
	mkfifo gate
	serve -p 1234 -c 1 -e 1 -s 20 -w gate threads 1000000 > did_it &
	client=$!
	start sonde export --budget 3% 'why --requests --port 1234'
	echo > gate
	# threads that switch are what it costs
	serve -p 4321 threads 100000000 > storm &
	storm=$!
	wait_until 60 has_value "sonde_line_up{$line}" 0 || fail "it is not paused: $(grep sonde_cost page)"
	measured=$(of request_seconds_count)
	kill $storm
	wait_until 3 goes_on || fail "it does not go on: $(cat err)"
	gap=$(value "sonde_gap_seconds_total{$line}")
	kill $client
	awk -F '[" ]' -v gap="$gap" '
		/^sonde_why_request_seconds_bucket/ && $5 + 0 > 0 && $5 < gap / 2 { below = $NF }
		/^sonde_why_request_seconds_count/ { n = $NF }
		END {
			print below + 0, "of", n, "are shorter than half of", gap
			exit !(n > 0 && below == n)
		}' page > got || fail "$(cat got)"
	rm gate
	export_stop
}

# asked N: the server @N has answered its 50 requests, and the page knows them.
asked() {
	scrape
	[ "$(awk '/^sonde_why_requests_total/ { n += $NF } END { print n + 0 }' page)" = $(($1 * 50)) ] ||
		grep -q '^sonde_missed_hits_total{[^}]*} [1-9]' page
}

# The first servers have rows, 16 for each, and all others together one more.
# kernels=turns
test_export_limits() {
	mkdir /sys/fs/cgroup/ours
	for n in 1 2 3 4; do
		mkfifo gate$n
		# shellcheck disable=SC2016 # the shell in the group expands it
		sh -c 'echo $$ > /sys/fs/cgroup/ours/cgroup.procs; exec "$@"' - serve -u @$n -w gate$n threads 50 \
			> did$n &
		servers="${servers:-} $!"
	done
	export_start 'why --requests --cgroup ours max 32'
	for n in 1 2 3 4; do
		echo > gate$n
		wait_until 50 asked $n
	done
	# shellcheck disable=SC2086 # several ids
	wait $servers
	rmdir /sys/fs/cgroup/ours
	! grep -q '^sonde_missed_hits_total{[^}]*} [1-9]' page || skip "the kernel skipped hits"
	expect_value 'sonde_why_requests_total{server="@1"}' 50
	expect_value 'sonde_why_requests_total{server="@2"}' 50
	expect_value 'sonde_why_requests_total{other="true"}' 100
	expect_value 'sonde_why_request_seconds_count{other="true"}' 100
	[ "$(grep -c '^sonde_why_requests_total' page)" = 3 ] || fail "not 2 rows and one of all others"
	grep -q '^sonde_other_values_total{.*} 100$' page || fail "$(grep other_values page)"
	awk '/^sonde_why_request_seconds_sum/ { d += $NF }
		/^sonde_why_request_cause_seconds_total/ { d -= $NF }
		END { exit !(d < 0.000001 && d > -0.000001) }' page || fail "parts do not sum: $(cat page)"
	export_stop
}

# kernels=one
test_refused() {
	for options in "--port 80" "--by peer" "--slower 5" "--first-byte" "--requests -t" "--requests --uid 0" \
		"--requests --no-stacks --flame x" "--requests --comm x"; do
		# shellcheck disable=SC2086
		run sonde why $options
		expect_exit 2
		expect_one_err .
	done
}
