/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of arguments that the table of calls is made of. What each prints is in types_*.c. */
#ifndef SONDE_STRACE_TYPES_H
#define SONDE_STRACE_TYPES_H

#include "type.h"

#define TYPE(NAME)	    extern const struct strace_type NAME
#define FLAGS(NAME, FAMILY) const struct strace_type NAME = { strace_print_flags, .data = &(FAMILY) }
/* of 64 bits */
#define FLAGS_LONG(NAME, FAMILY) const struct strace_type NAME = { strace_print_flags_long, .data = &(FAMILY) }
#define CHOICE(NAME, FAMILY)	 const struct strace_type NAME = { strace_print_choice, .data = &(FAMILY) }
void strace_print_flags(struct strace_line *line, unsigned int arg);
void strace_print_flags_long(struct strace_line *line, unsigned int arg);
void strace_print_choice(struct strace_line *line, unsigned int arg);
/* The same of names in one text. */
#define WORDS(NAME, PREFIX, NAMES) \
	const struct strace_type NAME = { strace_print_word, .data = &(const struct strace_words){ PREFIX, NAMES } }
#define BITS(NAME, PREFIX, NAMES) \
	const struct strace_type NAME = { strace_print_bits, .data = &(const struct strace_words){ PREFIX, NAMES } }
#define BITS_LONG(NAME, PREFIX, NAMES) \
	const struct strace_type NAME = { strace_print_bits_long, .data = &(const struct strace_words){ PREFIX, NAMES } }
/* Of several prefixes; UNKNOWN stands for what has no name. */
#define WORDS_MIXED(NAME, UNKNOWN, NAMES) \
	const struct strace_type NAME = { strace_print_word, .data = &(const struct strace_words){ "", NAMES, UNKNOWN } }
#define BITS_MIXED(NAME, UNKNOWN, NAMES) \
	const struct strace_type NAME = { strace_print_bits, .data = &(const struct strace_words){ "", NAMES, UNKNOWN } }
void strace_print_word(struct strace_line *line, unsigned int arg);
void strace_print_bits_long(struct strace_line *line, unsigned int arg);
void strace_print_bits(struct strace_line *line, unsigned int arg);

/* numbers */
TYPE(t_int);
TYPE(t_pid);
TYPE(t_pid_if); /* if the argument before it says that it is one */
TYPE(t_uint);
TYPE(t_long);
TYPE(t_size);
TYPE(t_hex);
TYPE(t_hex_short); /* of 32 bits */
TYPE(t_pointer);
TYPE(t_interrupted); /* no argument: the call that goes on */
TYPE(t_fd);
TYPE(t_dir);
TYPE(t_id); /* of a user or group, of which -1 is "leave it" */
TYPE(t_mode);
TYPE(t_mode_kind);  /* with S_IFREG and its like */
TYPE(t_queue_mode); /* of mq_open */
TYPE(t_open_mode);  /* only with O_CREAT in the argument before */
TYPE(t_signal);
TYPE(t_clock);
/* texts */
TYPE(t_path);
TYPE(t_text);
TYPE(t_host_name);
TYPE(t_in);	   /* as many bytes as the next argument says */
TYPE(t_in_before); /* the same of the argument before it */
TYPE(t_out);	   /* as many bytes as the result says */
TYPE(t_sent);	   /* the same two, of messages on a socket */
TYPE(t_received);
TYPE(t_cwd);	/* getcwd: the result counts a NUL */
TYPE(t_random); /* bytes, always in hex */
TYPE(t_argv);
TYPE(t_envp);
TYPE(t_program); /* execve's path */
/* flags */
TYPE(t_open_flags);
TYPE(t_prot);
TYPE(t_map_flags);
TYPE(t_access);
TYPE(t_at_flags);
TYPE(t_follow_flags);
TYPE(t_attr_flags);
TYPE(t_exec_flags);
TYPE(t_faccess_flags);
TYPE(t_handle_flags);
TYPE(t_whence);
TYPE(t_madvise);
TYPE(t_mremap_flags);
TYPE(t_mremap_new); /* the new address, if the flags ask for one */
TYPE(t_pipe_flags);
TYPE(t_dup_flags);
TYPE(t_fd_flags);
TYPE(t_event_flags);
TYPE(t_epoll_flags);
TYPE(t_memfd_flags);
TYPE(t_secret_flags);
TYPE(t_random_flags);
TYPE(t_rename_flags);
TYPE(t_statx_flags);
TYPE(t_statx_mask);
TYPE(t_msg_flags);
TYPE(t_shutdown);
TYPE(t_wait_options);
TYPE(t_flock);
TYPE(t_close_range_flags);
TYPE(t_clone_flags);
TYPE(t_unshare_flags);
TYPE(t_setns_kind);
TYPE(t_resource);
TYPE(t_rusage_who);
TYPE(t_priority);
TYPE(t_timer_flags);
TYPE(t_fadvise);
/* structs */
TYPE(t_stat);
TYPE(t_statx);
TYPE(t_statfs);
TYPE(t_timespec);
TYPE(t_timespec_out);
TYPE(t_timespec_left); /* what is left of a sleep that a signal ended */
TYPE(t_times);	       /* two timespecs */
TYPE(t_timeval_out);
TYPE(t_timeval_in);
TYPE(t_timezone);
TYPE(t_timezone_in);
TYPE(t_time_out);
TYPE(t_rlimit);
TYPE(t_rlimit_out);
TYPE(t_rusage);
TYPE(t_sysinfo);
TYPE(t_uname);
TYPE(t_tms);
TYPE(t_pollfds);
TYPE(t_fd_set);
TYPE(t_timeval);
TYPE(t_sigset_pair); /* of pselect6 */
TYPE(t_pipe);
TYPE(t_pipe_pair); /* socketpair */
TYPE(t_vectors_in);
TYPE(t_vectors_in_32); /* the same of a 32-bit program */
TYPE(t_vectors_out);
TYPE(t_vectors_out_32); /* the same of a 32-bit program */
TYPE(t_dirents);
TYPE(t_wait_status);
TYPE(t_offset); /* of sendfile */
TYPE(t_cpus);
TYPE(t_cpus_in);
TYPE(t_ids_out);
TYPE(t_number_out); /* a pointer to an int */
TYPE(t_xattr_in);
TYPE(t_xattr_out);
TYPE(t_xattr_list);
TYPE(t_clone); /* all arguments of clone */
TYPE(t_clone_args);
TYPE(t_itimerspec);
TYPE(t_itimerspec_out);
/* signals */
TYPE(t_sigaction);
TYPE(t_sigaction_out);
TYPE(t_how);
TYPE(t_sigset);
TYPE(t_sigset_out);
TYPE(t_sigpending);
TYPE(t_restored);
TYPE(t_sigaltstack);
TYPE(t_sigaltstack_out);
/* sockets */
TYPE(t_domain);
TYPE(t_socket_type);
TYPE(t_protocol);
TYPE(t_sockaddr);
TYPE(t_sockaddr_out);
TYPE(t_socklen);
TYPE(t_accept_flags);
TYPE(t_level);
TYPE(t_option_set);
TYPE(t_option_get);
TYPE(t_option_in);
TYPE(t_option_out);
TYPE(t_msg_in);
TYPE(t_msg_in_32); /* the same of a 32-bit program */
TYPE(t_msg_out);
TYPE(t_msg_out_32); /* the same of a 32-bit program */
TYPE(t_mmsg_in);
TYPE(t_mmsg_out);
TYPE(t_mmsg_in_32); /* the same two of a 32-bit program */
TYPE(t_mmsg_out_32);
/* calls whose arguments depend on another one */
TYPE(t_ioctl);
TYPE(t_ioctl_arg);
TYPE(t_fcntl);
TYPE(t_fcntl_arg);
TYPE(t_futex);
TYPE(t_futex_op);
TYPE(t_prctl);
TYPE(t_prctl_arg);
TYPE(t_arch_prctl);
TYPE(t_arch_prctl_arg);
TYPE(t_epoll_op);
TYPE(t_epoll_event);
TYPE(t_epoll_events);
/* types_words.c */
TYPE(t_policy);
TYPE(t_ioprio_who);
TYPE(t_wait_kind);
TYPE(t_kcmp);
TYPE(t_membarrier_flags);
TYPE(t_mempolicy);
TYPE(t_mempolicy_long); /* of 64 bits */
TYPE(t_mempolicy_flags);
TYPE(t_mbind_flags);
TYPE(t_move_flags);
TYPE(t_msync_flags);
TYPE(t_mlock_flags);
TYPE(t_mlockall_flags);
TYPE(t_pkey_rights);
TYPE(t_pidfd_flags);
TYPE(t_uffd_flags);
TYPE(t_interval);
TYPE(t_timerfd_flags);
TYPE(t_signalfd_flags);
TYPE(t_xattr_flags);
TYPE(t_fallocate);
TYPE(t_sync_range);
TYPE(t_splice_flags);
TYPE(t_rw_flags);
TYPE(t_inotify_flags);
TYPE(t_inotify_mask);
TYPE(t_fanotify_mark);
TYPE(t_fanotify_mask);
TYPE(t_module_init);
TYPE(t_module_exit);
TYPE(t_mount_flags);
TYPE(t_umount_flags);
TYPE(t_open_tree);
TYPE(t_move_mount);
TYPE(t_fsopen);
TYPE(t_fsmount);
TYPE(t_mount_attr);
TYPE(t_mount_attr_new);
TYPE(t_fspick);
TYPE(t_fsconfig);
TYPE(t_membarrier);
TYPE(t_membarrier_cpu);
TYPE(t_fanotify);
TYPE(t_swap_flags);
TYPE(t_quota_command);
TYPE(t_quota_id);
TYPE(t_quota);
TYPE(t_mount_type);
TYPE(t_mount_data);
TYPE(t_mount_attr_in);
TYPE(t_page_list);
TYPE(t_page_nodes);
TYPE(t_page_status);
TYPE(t_user_desc);
TYPE(t_user_desc_out);
TYPE(t_ldt);
TYPE(t_sysctl);
TYPE(t_aio_request);
TYPE(t_aio_requests);
TYPE(t_aio_event);
TYPE(t_aio_events);
TYPE(t_kcmp_first);
TYPE(t_kcmp_second);
TYPE(t_landlock_what);
TYPE(t_fsconfig_key);
TYPE(t_fsconfig_value);
TYPE(t_fsconfig_aux);
TYPE(t_fanotify_dir);
TYPE(t_dev);
TYPE(t_personality);
TYPE(t_syslog);
TYPE(t_reboot_first);
TYPE(t_reboot_second);
TYPE(t_reboot);
TYPE(t_reboot_text);
/* types_process.c */
TYPE(t_int_in);
TYPE(t_unsigned_out);
TYPE(t_address_out);
TYPE(t_size_out);
TYPE(t_cap_head);
TYPE(t_cap_data);
TYPE(t_cap_data_out);
TYPE(t_ids_in);
TYPE(t_sched_attr);
TYPE(t_sched_attr_out);
TYPE(t_sched_attr_flags);
TYPE(t_ioprio);
TYPE(t_nodes);
TYPE(t_nodes_out);
TYPE(t_nodes_before);
TYPE(t_mempolicy_out);
TYPE(t_in_core);
TYPE(t_sigevent);
TYPE(t_itimerval);
TYPE(t_itimerval_out);
TYPE(t_timevals);
TYPE(t_utimbuf);
TYPE(t_timex);
TYPE(t_siginfo);
TYPE(t_siginfo_out);
TYPE(t_waitv);
/* types_file.c */
TYPE(t_open_how);
TYPE(t_nothing);
TYPE(t_handle);
TYPE(t_handle_out);
TYPE(t_device);
TYPE(t_offset_in);
TYPE(t_vectors_far);
/* types_recent.c */
TYPE(t_cache_range);
TYPE(t_cache_stat);
TYPE(t_file_attr_in);
TYPE(t_file_attr_out);
TYPE(t_xattr_args_in);
TYPE(t_xattr_args_out);
TYPE(t_kexec_segments);
TYPE(t_kexec_flags);
TYPE(t_kexec_file_flags);
TYPE(t_shadow_flags);
TYPE(t_futex_flags);
TYPE(t_futex_pair);
TYPE(t_mount_request);
TYPE(t_mount_list_request);
TYPE(t_space_request);
TYPE(t_mount_stat);
TYPE(t_mount_stat_flags);
TYPE(t_mount_list_flags);
TYPE(t_numbers_out); /* as many of 64 bits as the result says */
TYPE(t_lsm_attribute);
TYPE(t_lsm_context_in);
TYPE(t_lsm_context_out);
TYPE(t_lsm_flags);
TYPE(t_lsm_modules);
TYPE(t_size_both);
/* types_ipc.c */
TYPE(t_shm_at);
TYPE(t_msg_get);
TYPE(t_shm_command);
TYPE(t_msg_command);
TYPE(t_sem_command);
TYPE(t_ipc_key);
TYPE(t_ipc_get);
TYPE(t_shm_get);
TYPE(t_shm);
TYPE(t_sem_ops);
TYPE(t_message_in);
TYPE(t_message_out);
TYPE(t_key_id);
TYPE(t_keyctl);
TYPE(t_mq_attr);
TYPE(t_mq_attr_in);
TYPE(t_mq_attr_out);
TYPE(t_msg);
TYPE(t_sem);
/* types_control.c */
TYPE(t_bpf);
TYPE(t_perf_flags);
TYPE(t_uring_enter);
TYPE(t_uring_wait);
TYPE(t_uring_register);
TYPE(t_uring_registered);
TYPE(t_uring_ring);
TYPE(t_landlock_flags);
TYPE(t_landlock_rule_flags);
TYPE(t_landlock_rule);
TYPE(t_seccomp);
TYPE(t_bpf_attr);
TYPE(t_perf_attr);
TYPE(t_uring);
TYPE(t_landlock);
TYPE(t_seccomp_flags);
TYPE(t_seccomp_arg);
TYPE(t_ptrace); /* its request; the other arguments follow */
TYPE(t_ptrace_pid);
TYPE(t_ptrace_where);
TYPE(t_ptrace_data);

/* results */
void strace_ret_address(struct strace_line *line);
void strace_ret_mode(struct strace_line *line);
void strace_ret_prctl(struct strace_line *line);
void strace_ret_fcntl(struct strace_line *line);
void strace_ret_select(struct strace_line *line);
void strace_ret_left(struct strace_line *line);
void strace_ret_poll(struct strace_line *line);
void strace_ret_membarrier(struct strace_line *line);
void strace_ret_personality(struct strace_line *line);
void strace_ret_signal(struct strace_line *line);
void strace_ret_ioprio(struct strace_line *line);
void strace_ret_time(struct strace_line *line);
void strace_ret_timex(struct strace_line *line);
void strace_ret_modify_ldt(struct strace_line *line);

extern const struct strace_words strace_capabilities;
/* [{d_ino=...}, ...] of entries of a directory. */
void strace_dirents(struct strace_line *line, const struct strace_blob *blob);

#endif
