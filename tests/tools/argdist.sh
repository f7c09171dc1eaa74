# SPDX-License-Identifier: BSD-2-Clause
# sonde argdist: values of arguments and results beside what the workload did.
# of file: kernels=one

# expect_text: stdout without the times of tables must be these lines, from stdin.
expect_text() {
	cat > expected
	grep -vE '^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\]$' out > text || :
	diff expected text || fail "stdout is another"
}

tab=$(printf '\t')

# kernels=ends
test_counts() {
	run sonde argdist -C 'p::do_sys_openat2(int dfd, const char __user *name):int:dfd:STRCMP("/no/such", name)' \
		-- calls 40 openat 7 read
	expect_exit 0
	grep -v '^did' out > rest && mv rest out
	expect_text << END
p::do_sys_openat2(int dfd, const char __user *name):int:dfd:STRCMP("/no/such", name)
${tab}COUNT      EVENT
${tab}40         dfd = -100
END
	[ ! -s err ] || fail "something on stderr"
}

# kernels=ends arch=yes
test_several_specs() {
	run sonde argdist -C 'r::do_sys_openat2(int dfd):s32,int:$retval,$entry(dfd):(int)$retval == -2#failed opens' \
		-C 'p::vfs_read(struct file *file, char *buf, size_t count):size_t:count:count == 1' \
		-C 'p::vfs_read:char*:$COMM:arg3 == 1' \
		-C 'p::vfs_read()' --comm calls -- calls 40 openat 7 read
	expect_exit 0
	expect_line '^failed opens$'
	expect_line "^${tab}4[0-9] +\\\$retval = -2, dfd = -100$"
	expect_line "^${tab}7 +count = 1$"
	expect_line "^${tab}7 +\\\$COMM = calls$"
	expect_line "^${tab}[0-9]+ +total calls$"
}

test_histograms() {
	run sonde argdist -H 'r::vfs_read(struct file *file, char *buf, size_t count):int:$retval:$entry(count) == 1' \
		-H 'p::vfs_read:u64:arg3 * 3:arg3 == 1#thrice' \
		--comm calls -- calls 7 read
	expect_exit 0
	grep -v '^did' out > rest && mv rest out
	expect_text << 'END'
     $retval             : count     distribution
         0 -> 1          : 7        |****************************************|
     thrice              : count     distribution
         0 -> 1          : 0        |                                        |
         2 -> 3          : 7        |****************************************|
END
	run sonde argdist -H 'r::vfs_read()' -H 'r::vfs_read():u64:$latency' --comm calls -- calls 7 read
	expect_exit 0
	expect_line '^     retval              : count     distribution$'
	expect_line '^     \$latency            : count     distribution$'
}

# kernels=ends
test_structs() {
	values='char*,size_t:file->f_path.dentry->d_name.name,count'
	run sonde argdist -C "p::vfs_read(struct file *file, char *buf, size_t count):$values:count == 1" \
		-C 't:sched:sched_process_exit():char*,int:args->comm,args->pid == $tgid' --comm calls -- calls 7 read
	expect_exit 0
	expect_line "^${tab}7 +file->f_path.dentry->d_name.name = zero, count = 1$"
	expect_line "^${tab}1 +args->comm = calls, args->pid == \\\$tgid = 1$"
}

# kernels=ends arch=yes
test_user() {
	run sonde argdist -C "p:$(command -v ufuncs):f_one(int x):int:x >= 0" \
		-H "r:$(command -v ufuncs):f_two(int x):int:\$retval - \$entry(x)" -- ufuncs 5
	expect_exit 0
	expect_line "^${tab}5 +x >= 0 = 1$"
	expect_line '^         2 -> 3          : 10 '
}

# Without values a return probe counts its results; a histogram of nothing is not drawn.
test_defaults() {
	run sonde argdist -C 'r::do_sys_openat2()' \
		-H 'r::vfs_read(struct file *file):u64:$entry(file):$retval == -12345' \
		-H 'r::vfs_read(struct file *file, char *buf, size_t n):u64:$latency*0+$entry(n):$entry(n) == 1' \
		--comm calls -- calls 40 openat 7 read
	expect_exit 0
	expect_line "^${tab}4[0-9] +retval = -2$"
	expect_line '^     \$latency\*0\+n        : count     distribution$'
	expect_line '^         0 -> 1          : 7 '
	expect_no_line '    file '
	expect_no_line '^r::vfs_read'
}

# kernels=ends arch=yes
test_usdt() {
	run sonde argdist -C 'u:/bin/usdt:all():u64:arg1:arg1 > 0' -C 'u:/bin/usdt:all()' \
		-H 'u:/bin/usdt:all():u64:arg2' -- usdt 3
	expect_exit 0
	expect_line "^${tab}1 +arg1 = 2$"
	expect_no_line 'arg1 = 0'
	expect_line "^${tab}3 +total calls$"
	expect_line '^   1048576 -> 2097151    : 1 '
}

# A table each second, also with -d.
test_duration() {
	run sonde argdist -d 60 -n 2 -C 'p::do_sys_openat2()' --comm nobody
	expect_exit 0
	[ "$(grep -c COUNT out)" = 2 ] || fail "not two tables"
}

# What has no room is reported with the spec.
test_full() {
	run sonde argdist -C 'p::'"$getppid"'():u64:rand' -- calls 20000 getppid
	expect_err "updates? lost of p::$getppid\(\):u64:rand, which has 10240 keys"
}

# Each table has what is new, unless -c asks for totals.
test_tables() {
	run sonde argdist -i 0.5 -n 3 -C 'p::do_sys_openat2()' --comm nobody
	expect_exit 0
	[ "$(grep -c COUNT out)" = 3 ] || fail "not three tables"
	run sonde argdist -i 0.3 -C "p::${getppid}()" -- spin 1
	expect_exit 0
	[ "$(awk '/total calls/ { n += $1 } /^did getppid/ { did = $3 } END { print n == did }' out)" = 1 ] ||
		fail "tables do not add up"
	run sonde argdist -c -i 0.3 -C "p::${getppid}()" -- spin 1
	[ "$(awk '/total calls/ { n = $1 } /^did getppid/ { did = $3 } END { print n == did }' out)" = 1 ] ||
		fail "the last table is no total"
	run sonde argdist -T 1 -C 'p::vfs_read(struct file *f, char *b, size_t n):size_t:n' --comm calls \
		-- calls 100 read
	expect_exit 0
	[ "$(grep -c ' n = ' out)" = 1 ] || fail "not one value"
	expect_line "^${tab}100 +n = 1$"
}

# Strings are cut at 80 bytes, or those of -z.
test_string_size() {
	run sonde argdist -z 5 \
		-C 'p::do_sys_openat2(int dfd, const char __user *name):char*:name:STRCMP("/no/such", name)' \
		-- calls 3 openat
	expect_exit 0
	expect_line "^${tab}3 +name = /no/s"
	expect_no_line 'name = /no/su'
}

test_json() {
	run sonde argdist -j -C 'p::vfs_read(struct file *f, char *b, size_t n):size_t:n:n == 1' \
		-H 'p::vfs_read:u64:arg3:arg3 == 1' --comm calls -- calls 7 read
	expect_exit 0
	expect_line '"event":"n = 1","count":7}$'
	expect_line '"value":"arg3","count":7,"buckets":\[{"min":0,"max":1,"count":7}\]}$'
}

test_errors() {
	run sonde argdist -C 'p::no_such_function()'
	expect_exit 2
	expect_err "no_such_function"
	run sonde argdist -H 'p::vfs_read(struct file *file):char*:file'
	expect_exit 2
	expect_err "a histogram is of numbers: -C counts texts"
	run sonde argdist -C 'p::vfs_read(struct file *file):int:file->no_member'
	expect_exit 2
	expect_err "no_member"
	run sonde argdist -C 'p::vfs_read(size_t n, gfp_t flags):size_t:n:flags & GFP_ATOMIC'
	expect_exit 2
	expect_err 'HINT: macros of headers are not known: write the value'
	run sonde argdist -H 't:irq:irq_handler_entry():int:irq'
	expect_exit 2
	expect_err 'HINT: a field of a tracepoint is args->NAME'
	run sonde argdist -C 'p::vfs_read:int:$retval'
	expect_exit 2
	expect_err "exists in return probes only"
	run sonde argdist 'p::vfs_read()'
	expect_exit 2
	expect_err "each spec needs a -H or -C"
	run sonde argdist
	expect_exit 2
}
