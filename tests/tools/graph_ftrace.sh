# SPDX-License-Identifier: BSD-2-Clause
# sonde graph beside ftrace's tracer function_graph, at the same time and of the same functions: the same tree.
# of file: kernels=ends

tracefs=/sys/kernel/tracing

# The functions of those named that this kernel has.
known() {
	printf '%s\n' "$@" > wanted_names
	cut -d ' ' -f 1 $tracefs/available_filter_functions | grep -xF -f wanted_names | sort -u
}

begin_ftrace() {
	grep -qw function_graph $tracefs/available_tracers || skip "the kernel has no function graph tracer"
	echo 4096 > $tracefs/buffer_size_kb
	cat functions > $tracefs/set_ftrace_filter
	echo 1 > $tracefs/options/funcgraph-proc
	echo 0 > $tracefs/options/funcgraph-irqs 2> /dev/null || :
	echo function_graph > $tracefs/current_tracer
}

end_ftrace() {
	echo 0 > $tracefs/tracing_on
	grep -v '^#' $tracefs/trace > traced
	echo nop > $tracefs/current_tracer
	echo > $tracefs/set_ftrace_filter
	echo 1 > $tracefs/tracing_on
}

# From ftrace's lines " 0)  cat-123  | 0.5 us  |    vfs_open();" to "TID DEPTH FUNC", in the order of begins.
ftrace_rows() {
	awk '/^ *[0-9]+\) .*\|.*\|/ {
			n = split($0, part, "|")
			text = part[n]
			depth = (match(text, /[^ ]/) - 3) / 2
			sub(/^ */, "", text)
			if (text !~ /\(\)( \{|;)/) next
			sub(/\(.*/, "", text)
			sub(/^ *[0-9]+\) */, "", part[1])
			tid = part[1]; sub(/.*-/, "", tid); sub(/ .*/, "", tid)
			print tid "\t" depth "\t" text
		}' traced
}

# Of each thread that sonde has seen, its last calls in ftrace's tree, as many as sonde has: ftrace began before.
same_tree() {
	ftrace_rows > theirs
	cut -f 1 rows | sort -u > tids
	[ -s tids ] || fail "sonde has no calls"
	while read -r tid; do
		grep "^$tid	" rows > ours_of
		grep "^$tid	" theirs | tail -n "$(wc -l < ours_of)" > theirs_of
		cmp -s ours_of theirs_of || fail "thread $tid: $(diff ours_of theirs_of | head -n 8)"
	done < tids
}

# On 5.10 a return probe follows one call at a time for each processor, and what it misses is said. Where it has missed
# some, the calls that are there must be ftrace's still.
all_theirs() {
	[ "$KERNEL" = 5.10 ] && grep -q 'returns* missed by the kernel' err || return 1
	expect_exit 1
	ftrace_rows > theirs
	[ -s rows ] || fail "sonde has no calls"
	awk -F '\t' 'NR == FNR { n[$1, $3]++; next } n[$1, $3]-- <= 0' theirs rows > others
	[ ! -s others ] || fail "ftrace has not seen $(head -n 3 others)"
}

# beside 'FUNCTION...' COMMAND...
beside() {
	# shellcheck disable=SC2086 # a list
	known $1 > functions
	shift
	[ -s functions ] || fail "this kernel has none of these functions"
	begin_ftrace
	# shellcheck disable=SC2046 # a list
	run sonde graph --json --fail-on-loss $(cat functions) -- "$@"
	end_ftrace
	# without what the command prints; and a name that is several functions' has its address
	grep '^{' out > rows_only
	mv rows_only out
	expect_json tid depth func
	sed 's/@.*//' rows > named
	mv named rows
	all_theirs && return 0
	expect_exit 0
	same_tree
}

# kernels=turns
test_files() {
	echo text > file
	beside 'do_sys_openat2 do_filp_open vfs_open vfs_read vfs_write' cat file
	beside 'do_sys_openat2 do_filp_open vfs_open path_openat' cat no-such-file
	beside 'vfs_statx vfs_getattr vfs_getattr_nosec filename_lookup path_lookupat' ls -l /
	beside 'iterate_dir vfs_getattr dcache_readdir' ls -R /etc
	beside 'vfs_mkdir vfs_rmdir shmem_mkdir shmem_rmdir simple_rmdir' sh -c 'mkdir d && rmdir d'
	beside 'do_renameat2 vfs_rename vfs_unlink vfs_link do_unlinkat' sh -c 'ln file a && mv a b && rm b'
	beside 'do_truncate notify_change vfs_write ksys_write' sh -c 'echo more > file'
	beside 'security_file_open security_inode_permission inode_permission' cat file
	beside 'ksys_sync sync_inodes_one_sb iterate_supers' sync
}

# kernels=turns
test_processes() {
	beside 'kernel_clone copy_process copy_creds' sh -c 'cat /dev/null; cat /dev/null'
	beside 'bprm_execve begin_new_exec load_elf_binary setup_new_exec' sh -c 'cat /dev/null'
	beside 'kernel_wait4 do_wait' sh -c 'cat /dev/null & wait'
	beside 'do_mmap mmap_region vm_mmap_pgoff __vm_munmap do_brk_flags' cat /dev/null
	beside 'handle_mm_fault __handle_mm_fault do_anonymous_page' cat /dev/null
	beside 'exit_mm exit_mmap exit_files exit_fs' cat /dev/null
}

# kernels=turns
test_talking() {
	beside 'vfs_read vfs_write pipe_read pipe_write anon_pipe_read anon_pipe_write' sh -c 'echo text | cat'
	beside 'do_sys_poll do_select core_sys_select do_pselect' waits 1 3 poll select
	beside 'sock_sendmsg sock_recvmsg unix_stream_sendmsg unix_stream_recvmsg' waits 2 5 socket
	beside 'hrtimer_nanosleep do_nanosleep' waits 1 3 sleep
	beside 'do_futex futex_wait futex_wake __futex_wait' waits 2 5 lock
	beside 'inet_stream_connect tcp_sendmsg tcp_sendmsg_locked tcp_recvmsg tcp_recvmsg_locked' tcp -n 2 client 4
}
