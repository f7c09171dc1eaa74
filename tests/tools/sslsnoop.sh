# SPDX-License-Identifier: BSD-2-Clause
# sonde sslsnoop: its rows must be what tests/programs/talks.dyn.c sends and receives.
# of file: kernels=one

# The library is where its loader would find it.
talks_is_ready() {
	ln -sf /bin/libssl.so /lib/libssl.so
}

# expect_talk LINE...: without times and the process.
expect_talk() {
	printf '%s\n' "$@" > dids
	sed -e '/^did/d' -e 1d -e 's/^\([A-Z]*\/[A-Z]*\) *[0-9.]* talks *[0-9]* */\1 /; s/ *$//' out > seen
	expect_dids
}

# kernels=ends
test_sslsnoop() {
	talks_is_ready
	run sonde sslsnoop -c 'talks hello world'
	expect_exit 0
	expect_heading 'FUNC         TIME(s)            COMM             PID     LEN'
	expect_talk 'WRITE/SEND 5' '----- DATA -----' hello '----- END DATA -----' \
		'WRITE/SEND 5' '----- DATA -----' world '----- END DATA -----' \
		'READ/RECV 10' '----- DATA -----' helloworld '----- END DATA -----'
	run sonde sslsnoop --hexdump --max-buffer-size 3 -x -c 'talks hello world'
	expect_exit 0
	expect_heading 'FUNC         TIME(s)            COMM             PID     LEN    UID     TID'
	expect_line '^WRITE/SEND +[0-9]+\.[0-9]{6} talks +([0-9]+) +5 +0 +\1 *$'
	expect_line '^68 65 6c$'
	expect_line '^----- END DATA \(TRUNCATED\) -----$'
	start sonde sslsnoop -p 1
	talks hello world > did
	stop INT
	expect_exit 0
	expect_no_line '^WRITE|^READ'
}

test_sslsnoop_latency() {
	talks_is_ready
	run sonde sslsnoop -l -x -c 'talks hello'
	expect_exit 0
	expect_heading 'FUNC         TIME(s)            COMM             PID     LEN    UID     TID     LAT(ms)'
	expect_line '^WRITE/SEND +[0-9]+\.[0-9]{6} talks +([0-9]+) +5 +0 +\1 +[0-9]+\.[0-9]{3}$'
	expect_no_line '^HANDSHAKE'
	run sonde sslsnoop -l --handshake -c 'talks hello'
	expect_exit 0
	expect_heading 'FUNC         TIME(s)            COMM             PID     LEN    LAT(ms)'
	expect_line '^HANDSHAKE +[0-9]+\.[0-9]{6} talks +[0-9]+ +0 +[0-9]+\.[0-9]{3}$'
	run sonde sslsnoop --extra-lib openssl:/lib/libssl.so
	expect_exit 2
	expect_err 'no option --extra-lib: the arguments name other libraries'
	# a library of another name, which is not where the loader looks; its own is not traced
	cp /bin/libssl.so other.so
	run sonde sslsnoop "$PWD/other.so" -c 'talks hello'
	expect_exit 0
	expect_no_line '^WRITE|^READ'
	rm /lib/libssl.so
	run sonde sslsnoop /bin/libssl.so -c 'talks hello'
	expect_exit 0
	expect_line '^WRITE/SEND'
}

# A library that the user names must be there; the others need not.
test_sslsnoop_no_library() {
	talks_is_ready
	for library in /no/such/libssl.so.3 libnosuch; do
		run sonde sslsnoop $library -c 'talks hello'
		expect_exit 1
		expect_err "$library"
		run sonde sslsnoop libssl $library -c 'talks hello'
		expect_exit 1
		expect_err "$library"
		expect_no_line '^WRITE|^READ'
	done
	run sonde sslsnoop libssl -c 'talks hello'
	expect_exit 0
	expect_line '^WRITE/SEND'
}

# The other libraries: the file is one for all. What they call there of libssl is not to be seen.
test_sslsnoop_others() {
	for library in gnutls nspr4; do
		ln -sf /bin/libssl.so /lib/lib$library.so
	done
	rm -f /lib/libssl.so
	for letter in g n; do
		run sonde sslsnoop -c "talks $letter hello"
		expect_exit 0
		expect_talk 'WRITE/SEND 5' '----- DATA -----' hello '----- END DATA -----' \
			'READ/RECV 5' '----- DATA -----' hello '----- END DATA -----'
		# options of libraries that are not there are known
		run sonde sslsnoop -o --handshake -c "talks $letter hello"
		expect_exit 0
		run sonde sslsnoop -$letter -c "talks $letter hello"
		expect_exit 0
		expect_no_line '^WRITE|^READ'
	done
	rm -f /lib/libgnutls.so /lib/libnspr4.so
}
