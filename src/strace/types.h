/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of arguments that the table of calls is made of. What each prints is in types_*.c. */
#ifndef SONDE_STRACE_TYPES_H
#define SONDE_STRACE_TYPES_H

#include "type.h"

#define TYPE(NAME)	     extern const struct strace_type NAME
#define FLAGS(NAME, FAMILY)  const struct strace_type NAME = { strace_print_flags, .data = &(FAMILY) }
#define CHOICE(NAME, FAMILY) const struct strace_type NAME = { strace_print_choice, .data = &(FAMILY) }
void strace_print_flags(struct strace_line *line, unsigned int arg);
void strace_print_choice(struct strace_line *line, unsigned int arg);

/* numbers */
TYPE(t_int);
TYPE(t_uint);
TYPE(t_long);
TYPE(t_size);
TYPE(t_hex);
TYPE(t_hex_short); /* of 32 bits */
TYPE(t_pointer);
TYPE(t_fd);
TYPE(t_dir);
TYPE(t_id); /* of a user or group, of which -1 is "leave it" */
TYPE(t_mode);
TYPE(t_mode_kind); /* with S_IFREG and its like */
TYPE(t_open_mode); /* only with O_CREAT in the argument before */
TYPE(t_signal);
TYPE(t_clock);
/* texts */
TYPE(t_path);
TYPE(t_name); /* a text that is never cut, and no path */
TYPE(t_text);
TYPE(t_in);	/* as many bytes as the next argument says */
TYPE(t_out);	/* as many bytes as the result says */
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
TYPE(t_unlink_flags);
TYPE(t_link_flags);
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
TYPE(t_rlimit);
TYPE(t_rlimit_out);
TYPE(t_rusage);
TYPE(t_sysinfo);
TYPE(t_uname);
TYPE(t_pollfds);
TYPE(t_fd_set);
TYPE(t_timeval);
TYPE(t_sigset_pair); /* of pselect6 */
TYPE(t_pipe);
TYPE(t_pipe_pair); /* socketpair */
TYPE(t_vectors_in);
TYPE(t_vectors_out);
TYPE(t_dirents);
TYPE(t_wait_status);
TYPE(t_offset); /* of sendfile */
TYPE(t_cpus);
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
TYPE(t_option);
TYPE(t_option_in);
TYPE(t_option_out);
TYPE(t_option_len);
TYPE(t_msg_in);
TYPE(t_msg_out);
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
TYPE(t_epoll_op);
TYPE(t_epoll_event);
TYPE(t_epoll_events);

/* results */
void strace_ret_address(struct strace_line *line);
void strace_ret_mode(struct strace_line *line);
void strace_ret_prctl(struct strace_line *line);
void strace_ret_fcntl(struct strace_line *line);
void strace_ret_select(struct strace_line *line);
void strace_ret_poll(struct strace_line *line);

#endif
