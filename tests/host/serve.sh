# SPDX-License-Identifier: BSD-2-Clause
# The server of sonde export with real clients: curl, and others that are slow, deaf, greedy or wrong. What is exported
# are plain counts.

[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"

# start WHERE [COMMAND...]: starts the exporter (by a command), and sets $pid and $url.
start() {
	where=$1 && shift
	rm -f said && mkfifo said
	[ -e conf ] || echo 'funccount t:syscalls:*  max 1000' > conf
	"$@" sonde export --listen "$where" "$PWD/conf" 2> said &
	pid=$!
	exec 4< said
	read -r line <&4 || fail "the exporter has ended"
	url=$(expr "$line" : 'Exporting 1 line at \([^ ]*\)\. ') || fail "it says: $line"
}

# finish: ends the exporter, which must have nothing more to say.
finish() {
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	cat <&4 > err
	exec 4<&-
	[ "$status" = 0 ] || fail "exit status $status: $(cat err)"
	[ ! -s err ] || fail "it says: $(cat err)"
}

clients() {
	dfl /usr/bin/python3 "$0/tests/export/clients.py" "$url" "$@" || fail "$*"
}

rss() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status"
}

# expect_code CODE CURL-ARGUMENTS...
expect_code() {
	code=$1 && shift
	got=$(curl -s -o body -w '%{http_code}' "$@") || fail "curl: $?"
	[ "$got" = "$code" ] || fail "$*: $got, not $code"
}

test_curl() {
	start 127.0.0.1:0
	base=${url%/metrics}
	expect_code 200 "$url"
	grep -q '^sonde_funccount.*openat' body || fail "the page: $(head -n 5 body)"
	expect_code 200 --compressed -D head "$url"
	grep -qi '^Content-Encoding: gzip' head || fail "not compressed"
	grep -q '^sonde_funccount.*openat' body || fail "the compressed page: $(head -c 100 body)"
	expect_code 200 -D head -H 'Accept: application/openmetrics-text;version=1.0.0' "$url"
	grep -qi '^Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8' head || fail "$(cat head)"
	[ "$(tail -n 1 body)" = '# EOF' ] || fail "the page ends with $(tail -n 1 body)"
	expect_code 200 -I "$url"
	expect_code 200 "$base/"
	grep -q 'href="/metrics"' body || fail "no link"
	expect_code 200 "$base/-/healthy"
	expect_code 404 "$base/nothing"
	expect_code 405 -d x=y "$url"
	expect_code 406 -H 'Accept: image/png' "$url"
	expect_code 414 "$base/$(printf '%05000d' 0)"
	expect_code 431 -H "X: $(printf '%05000d' 0)" "$url"
	expect_code 200 -0 "$url"
	# One connection for all, as long as it stays open.
	[ "$(curl -s -w '%{num_connects} ' -o one -o two -o three "$url" "$url" "$base/nothing")" = '1 0 0 ' ] ||
		fail "connections are not used again"
	finish
}

# timeout=240
test_bad_clients() {
	start 127.0.0.1:0
	clients keeping
	before=$(rss)
	clients half silent deaf greedy resetting lying pipelining dripping keeping
	after=$(rss)
	echo "resident: $before kB, then $after kB"
	[ "$after" -lt $((before + 2000)) ] || fail "grew from $before kB to $after kB"
	finish
}

# timeout=240
test_bad_clients_of_a_unix_socket() {
	start "unix:$PWD/s"
	[ "$url" = "unix:$PWD/s" ] || fail "$url"
	clients half silent deaf resetting lying pipelining dripping keeping
	expect_code 200 --unix-socket s http://sonde/metrics
	finish
}

test_socket_file() {
	umask 0
	start "unix:$PWD/s"
	[ "$(stat -c %a s)" = 660 ] || fail "mode $(stat -c %a s)"
	umask 77
	run sonde export --listen "unix:$PWD/s" 'funccount t:syscalls:sys_enter_openat'
	expect_exit 1
	expect_one_err "cannot listen on unix:.*/s: another program does"
	kill -KILL "$pid"
	wait "$pid" || :
	exec 4<&-
	[ -S s ] || fail "nothing is left to be replaced"
	start "unix:$PWD/s"
	[ "$(stat -c %a s)" = 660 ] || fail "mode $(stat -c %a s)"
	expect_code 200 --unix-socket s http://sonde/metrics
	finish
	[ ! -e s ] || fail "the socket file stays"
	: > s
	run sonde export --listen "unix:$PWD/s" 'funccount t:syscalls:sys_enter_openat'
	expect_exit 1
	expect_one_err "the file exists and is not a socket"
}

test_port_taken() {
	start 127.0.0.1:0
	port=$(expr "$url" : '.*:\([0-9]*\)/')
	run sonde export --listen "127.0.0.1:$port" 'funccount t:syscalls:sys_enter_openat'
	expect_exit 1
	expect_one_err "cannot listen on 127.0.0.1:$port: another program does"
	run sonde export --listen somewhere:1 'funccount t:syscalls:sys_enter_openat'
	expect_exit 2
	expect_one_err '"somewhere:1" is not an address to listen on'
	finish
}

# A service manager: it passes a socket that listens, and a pipe as from its store, and reads what we say. It waits so
# many microseconds for a sign of life.
manager() {
	cat > manager.py <<- 'END'
		import os, socket, sys
		listener = socket.socket()
		listener.bind(("127.0.0.1", 0))
		listener.listen(5)
		kept, _ = os.pipe()
		os.dup2(listener.fileno(), 3)
		os.dup2(kept, 4)
		os.set_inheritable(3, True)
		os.set_inheritable(4, True)
		os.environ.update(LISTEN_FDS="2", LISTEN_FDNAMES="web:kept.m1", LISTEN_PID=str(os.getpid()),
		                  NOTIFY_SOCKET="@" + sys.argv[1], WATCHDOG_USEC=sys.argv[2])
		os.execvp(sys.argv[3], sys.argv[3:])
	END
	cat > told.py <<- 'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind("\0" + sys.argv[1])
		print("bound", flush=True)
		while True:
		    text = s.recv(4096).decode()
		    print(text.replace("\n", " "), flush=True)
		    if "STOPPING=1" in text:
		        break
	END
}

# serve_managed MICROSECONDS: starts the exporter by a manager that waits so long for a sign of life. Descriptor 5 has
# what it hears.
serve_managed() {
	manager
	mkfifo told
	dfl /usr/bin/python3 told.py "sonde-serve-$$" > told &
	exec 5< told
	read -r line <&5
	start fd:web /usr/bin/python3 manager.py "sonde-serve-$$" "$1"
}

test_service_manager() {
	serve_managed 200000
	expect_code 200 "$url"
	# Signs of life come as long as it lives: three of them, with no request between.
	signs=0
	while [ $signs -lt 3 ] && read -r line <&5; do
		echo "$line" >> lines
		[ "$line" != WATCHDOG=1 ] || signs=$((signs + 1))
	done
	finish
	cat <&5 >> lines
	exec 5<&-
	# A start that is over has stored its line: the description, which is the last of it, comes before.
	sed '/^READY=1$/q' lines | tail -n 2 | head -n 1 | grep -q '^FDSTORE=1 FDNAME=[0-9a-f]\{16\}_d[0-9]* ' ||
		fail "before it was ready: $(sed '/^READY=1$/q' lines)"
	first=$(grep -v '^FDSTORE=1 ' lines | head -n 1)
	[ "$first" = READY=1 ] || fail "first: $first"
	[ "$(tail -n 1 lines)" = STOPPING=1 ] || fail "last: $(tail -n 1 lines)"
	grep -qx 'STATUS=1 of 1 lines are up' lines || fail "no status: $(cat lines)"
	run sonde export --listen fd: 'funccount t:syscalls:sys_enter_openat'
	expect_exit 1
	expect_one_err 'cannot listen on fd: no service manager passed'
}

# Each tool says when its probes are armed, and when it ends. What a command says to the manager is its own.
test_ready_of_a_tool() {
	manager
	mkfifo told
	dfl /usr/bin/python3 told.py "sonde-ready-$$" > told &
	exec 5< told
	read -r line <&5
	NOTIFY_SOCKET=@sonde-ready-$$ sonde syscount -p $$ > out 2> err &
	pid=$!
	read -r line <&5
	[ "$line" = READY=1 ] || fail "not ready: $line"
	kill -INT $pid
	wait $pid || fail "exit status $?"
	[ "$(cat <&5)" = STOPPING=1 ] || fail "no end"
	exec 5<&-
	export NOTIFY_SOCKET=/nowhere
	run sonde syscount -c 'printenv NOTIFY_SOCKET'
	expect_line '^/nowhere$'
}

# A reload takes longer than the manager waits: signs of life come meanwhile. Each program takes more than the 1 ms
# after which a sign is due.
test_watchdog_while_reloading() {
	serve_managed 2000
	echo 'syscount -L' > conf
	kill -HUP "$pid"
	until case "$line" in RELOADING=1*) true ;; *) false ;; esac; do read -r line <&5 || fail 'no reload'; done
	signs=0
	while read -r line <&5 && [ "$line" != READY=1 ]; do
		[ "$line" != WATCHDOG=1 ] || signs=$((signs + 1))
	done
	[ $signs -gt 0 ] || fail 'no sign of life'
	read -r line <&4
	[ "$line" = 'read the configuration again: 1 of 1 lines are up' ] || fail "it says: $line"
	cat <&5 > /dev/null &
	finish
	exec 5<&-
}

test_textfile() {
	mkdir dir
	rm -f said && mkfifo said
	sonde export --textfile dir/sonde.prom --every 50ms 'funccount t:syscalls:sys_enter_openat' 2> said &
	pid=$!
	exec 4< said
	read -r line <&4
	[ "$line" = 'Exporting 1 line at dir/sonde.prom. Hit Ctrl-C to end.' ] || fail "it says: $line"
	# The first page is there by now. Others replace it.
	grep -qx 'sonde_config_reload_success 1' dir/sonde.prom || fail "$(cat dir/sonde.prom)"
	grep -q '^sonde_funccount_total{func="syscalls:sys_enter_openat"' dir/sonde.prom || fail "$(cat dir/sonde.prom)"
	first=$(stat -c %y dir/sonde.prom)
	while [ "$(stat -c %y dir/sonde.prom)" = "$first" ]; do usleep 10000; done
	# A directory that is gone is reported once, and again when it is there.
	mv dir gone
	read -r line <&4
	[ "$line" = "sonde export: cannot write dir/sonde.prom: No such file or directory: the page before stays" ] ||
		fail "it says: $line"
	mv gone dir
	read -r line <&4
	[ "$line" = "dir/sonde.prom is written again" ] || fail "it says: $line"
	finish
	[ -z "$(ls -A dir)" ] || fail "left behind: $(ls -A dir)"
	run sonde export --textfile dir/sonde.txt 'funccount t:syscalls:sys_enter_openat'
	expect_exit 2
	expect_one_err '"dir/sonde.txt" is not the name of a text file: it must end with .prom'
	run sonde export --every 1s 'funccount t:syscalls:sys_enter_openat'
	expect_exit 2
	expect_one_err '--every needs --textfile'
}

# The same name stands for a count, and after a reload for a histogram. Two long lines that differ at the end have a
# label each.
test_reload() {
	filter="pid == $(seq -s ' || pid == ' 1 20)"
	echo "trace -e 't:syscalls:sys_enter_getpgid { @ = count(); }' as x" > conf
	start 127.0.0.1:0
	expect_code 200 "$url"
	grep -qx '# TYPE x_total counter' body || fail "$(cat body)"
	echo "trace -e 't:syscalls:sys_enter_getpgid { @ = lhist(1, 0, 10, 1); }' as x" > conf
	for name in y z; do
		echo "trace -e 't:syscalls:sys_enter_getpgid /$filter/ { @ = count(); }' as $name"
	done >> conf
	kill -HUP "$pid"
	read -r line <&4
	[ "$line" = 'read the configuration again: 3 of 3 lines are up' ] || fail "it says: $line"
	expect_code 200 "$url"
	grep -qx '# TYPE x histogram' body || fail "$(grep 'x_' body)"
	[ "$(grep -c '^sonde_line_up{.* 1$' body)" = 3 ] || fail "$(grep line_up body)"
	finish
}

# The number of a process that has ended may soon be another's: the line ends, and says so. The page at which this is
# seen still has all that the process did.
test_process_ends() {
	sleep 1000 &
	target=$!
	rm -f said && mkfifo said
	sonde export --listen 127.0.0.1:0 "funccount -p $target t:syscalls:sys_enter_close as closes" 2> said &
	pid=$!
	exec 4< said
	read -r line <&4
	url=$(expr "$line" : 'Exporting 1 line at \([^ ]*\)\. ') || fail "it says: $line"
	curl -s -o body "$url"
	grep -q '^closes_total' body || fail "no counter: $(cat body)"
	kill "$target"
	wait "$target" || :
	curl -s -o body "$url"
	grep -q '^closes_total' body || fail "no last total: $(cat body)"
	curl -s -o body "$url"
	! grep '^closes_total' body || fail 'it counts on'
	grep -q '^sonde_line_up.* 0$' body || fail "$(grep line_up body)"
	read -r line <&4
	case $line in
	"sonde export: funccount -p $target "*': its process has ended') ;;
	*) fail "it says: $line" ;;
	esac
	finish
}

# A reload reads what is there by then, and waits for nobody.
test_reload_refused() {
	start 127.0.0.1:0
	mv conf before && mkfifo conf
	kill -HUP "$pid"
	read -r line <&4
	[ "$line" = "sonde export: the configuration stays as it is: cannot read the configuration '$PWD/conf': \
it is a FIFO that no process has open for writing" ] || fail "it says: $line"
	expect_code 200 "$url"
	grep -qx 'sonde_config_reload_success 0' body || fail "$(grep reload body)"
	rm conf && mv before conf
	kill -HUP "$pid"
	read -r line <&4
	[ "$line" = 'read the configuration again: 1 of 1 lines are up' ] || fail "it says: $line"
	# a program that is none on any kernel
	echo "trace -e 't:sched:sched_process_exec { @ = count( }'" > conf
	kill -HUP "$pid"
	until case "$line" in *"the configuration stays as it is"*) true ;; *) false ;; esac; do read -r line <&4; done
	case $line in *"$PWD/conf:1: the program has errors") ;; *) fail "it says: $line" ;; esac
	expect_code 200 "$url"
	grep -q '^sonde_funccount' body || fail "what ran before has ended"
	finish
}

# What is wrong whatever the kernel is refused before anything is attached.
test_refused() {
	line='funccount t:sched:sched_process_exec'
	for format in -j --csv; do
		run sonde export $format --check "$line"
		expect_exit 2
		expect_err 'the scraper chooses the format'
	done
	for where in bogus unix: 1.2.3:70000; do
		run sonde export --check --listen $where "$line"
		expect_exit 2
		expect_one_err '" is not an address to listen on: '
	done
	run sonde export --check --listen "unix:$PWD/socket" "$line"
	expect_exit 0
	[ ! -e socket ] || fail 'a check listens'
	echo '# nothing' > empty
	: > none
	run sonde export empty none
	expect_exit 2
	expect_one_err 'empty, none: there is nothing to export: no line names a tool'
	run sonde export "$line" "trace -e 't:sched:sched_process_exec { @ = count( }'"
	expect_exit 2
	expect_err 'argument 2: the program has errors'
}
