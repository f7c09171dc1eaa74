// SPDX-License-Identifier: BSD-2-Clause
/* Families of flags and choices. The order of names is that in which they are printed. */
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/fadvise.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "strace_part.h"
#include "types.h"

/* the kernel's own, which the C library defines as 0 for 64-bit programs */
#if defined(__x86_64__)
#define LARGEFILE 0100000
#else
#define LARGEFILE 0400000
#endif

STRACE_FAMILY(strace_open_flags, "O_???", N(O_CREAT), N(O_EXCL), N(O_NOCTTY), N(O_TRUNC), N(O_APPEND),
	      N(O_NONBLOCK), N(O_SYNC), N(O_DSYNC), { "__O_SYNC", 04000000 }, N(O_DIRECT),
	      { "O_LARGEFILE", LARGEFILE }, N(O_NOFOLLOW),
	      N(O_NOATIME), N(O_CLOEXEC), N(O_PATH), N(O_TMPFILE), { "__O_TMPFILE", 020000000 }, N(O_DIRECTORY),
	      { "O_EMPTYPATH", 0x4000000 },
	      { "FASYNC", O_ASYNC }, { "OPENAT2_REGULAR", 1ULL << 32 });

static void print_open_flags(struct strace_line *line, unsigned int arg)
{
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };
	unsigned int flags = strace_arg(line, arg);

	str_add(line->out, modes[flags & O_ACCMODE]);
	strace_flags_more(line->out, &strace_open_flags, flags & ~O_ACCMODE);
}

const struct strace_type t_open_flags = { print_open_flags };

static STRACE_FAMILY(prot, "PROT_???", N(PROT_NONE), N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), { "PROT_SEM", 8 },
		     N(PROT_GROWSDOWN), N(PROT_GROWSUP));
FLAGS_LONG(t_prot, prot);

/* MAP_SHARED_VALIDATE has the bits of both others */
#ifndef MAP_32BIT
#define MAP_32BIT 0x40
#endif
#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE 0x08
#endif
static STRACE_FAMILY(map_kinds, "MAP_???", N(MAP_SHARED), N(MAP_PRIVATE), N(MAP_SHARED_VALIDATE),
		     N(MAP_DROPPABLE));
static STRACE_FAMILY(map_flags, "MAP_???", N(MAP_FIXED), N(MAP_ANONYMOUS),
		     N(MAP_32BIT), { "MAP_ABOVE4G", 0x80 },
		     N(MAP_NORESERVE), N(MAP_POPULATE), N(MAP_NONBLOCK), N(MAP_GROWSDOWN), N(MAP_DENYWRITE),
		     N(MAP_EXECUTABLE), N(MAP_LOCKED), N(MAP_STACK), N(MAP_HUGETLB), N(MAP_SYNC),
		     N(MAP_FIXED_NOREPLACE));

/* The size of huge pages, as a power of two. */
#define HUGE_SHIFT 26
#define HUGE_MASK  0x3fU

static void print_map_flags(struct strace_line *line, unsigned int arg)
{
	unsigned int flags = strace_arg(line, arg);

	unsigned int shift = flags >> HUGE_SHIFT & HUGE_MASK;

	if (flags & MAP_TYPE)
		strace_choice(line->out, &map_kinds, flags & MAP_TYPE);
	else
		str_add(line->out, "MAP_FILE");
	strace_flags_more(line->out, &map_flags, flags & ~(HUGE_MASK << HUGE_SHIFT) & ~MAP_TYPE);
	if (shift)
		str_addf(line->out, "|%u<<MAP_HUGE_SHIFT", shift);
}
const struct strace_type t_map_flags = { print_map_flags };

static STRACE_FAMILY(access_modes, "?_OK", { "F_OK", 0 }, N(R_OK), N(W_OK), N(X_OK));
FLAGS(t_access, access_modes);
/* the same bit has another name in two calls */
static STRACE_FAMILY(at_flags, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_REMOVEDIR), N(AT_SYMLINK_FOLLOW),
		     N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH), { "AT_RECURSIVE", 0x8000 });
FLAGS(t_at_flags, at_flags);
static STRACE_FAMILY(follow_flags, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_EMPTY_PATH));
FLAGS(t_follow_flags, follow_flags);
static STRACE_FAMILY(attr_flags, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH),
		     { "AT_RECURSIVE", 0x8000 });
FLAGS(t_attr_flags, attr_flags);
static STRACE_FAMILY(exec_flags, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_EMPTY_PATH), { "AT_EXECVE_CHECK", 0x10000 });
FLAGS(t_exec_flags, exec_flags);
static STRACE_FAMILY(faccess_flags, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_EACCESS), N(AT_EMPTY_PATH));
FLAGS(t_faccess_flags, faccess_flags);
static STRACE_FAMILY(handle_flags, "AT_???", { "AT_HANDLE_MNT_ID_UNIQUE", 1 }, { "AT_HANDLE_CONNECTABLE", 2 },
		     { "AT_HANDLE_FID", 0x200 }, N(AT_SYMLINK_FOLLOW), N(AT_EMPTY_PATH));
FLAGS(t_handle_flags, handle_flags);
static STRACE_FAMILY(whences, "SEEK_???", N(SEEK_SET), N(SEEK_CUR), N(SEEK_END), N(SEEK_DATA), N(SEEK_HOLE));
CHOICE(t_whence, whences);
static STRACE_FAMILY(advices, "MADV_???", N(MADV_NORMAL), N(MADV_RANDOM), N(MADV_SEQUENTIAL), N(MADV_WILLNEED),
		     N(MADV_DONTNEED), N(MADV_FREE), N(MADV_REMOVE), N(MADV_DONTFORK), N(MADV_DOFORK),
		     N(MADV_HWPOISON), N(MADV_MERGEABLE), N(MADV_UNMERGEABLE), N(MADV_HUGEPAGE),
		     N(MADV_NOHUGEPAGE), N(MADV_DONTDUMP), N(MADV_DODUMP), N(MADV_WIPEONFORK), N(MADV_KEEPONFORK),
		     N(MADV_COLD), N(MADV_PAGEOUT), N(MADV_POPULATE_READ), N(MADV_POPULATE_WRITE),
		     { "MADV_DONTNEED_LOCKED", 24 }, { "MADV_COLLAPSE", 25 }, { "MADV_SOFT_OFFLINE", 101 },
		     { "MADV_GUARD_INSTALL", 102 }, { "MADV_GUARD_REMOVE", 103 });
CHOICE(t_madvise, advices);
static STRACE_FAMILY(mremap_flags, "MREMAP_???", N(MREMAP_MAYMOVE), N(MREMAP_FIXED), N(MREMAP_DONTUNMAP));
FLAGS_LONG(t_mremap_flags, mremap_flags);
static void print_mremap_new(struct strace_line *line, unsigned int arg)
{
	unsigned int flags = strace_arg(line, arg - 1);

	/* neither is taken without MREMAP_MAYMOVE */
	if (flags & MREMAP_MAYMOVE && flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_mremap_new = { print_mremap_new };

FLAGS(t_pipe_flags, strace_open_flags);
FLAGS(t_dup_flags, strace_open_flags);
static STRACE_FAMILY(fd_flags, "FD_???", N(FD_CLOEXEC));
FLAGS(t_fd_flags, fd_flags);
static STRACE_FAMILY(event_flags, "EFD_???", N(EFD_SEMAPHORE), N(EFD_CLOEXEC), N(EFD_NONBLOCK));
FLAGS(t_event_flags, event_flags);
static STRACE_FAMILY(epoll_flags, "EPOLL_???", N(EPOLL_CLOEXEC));
FLAGS(t_epoll_flags, epoll_flags);
static STRACE_FAMILY(memfd_flags, "MFD_???", N(MFD_CLOEXEC), N(MFD_ALLOW_SEALING), N(MFD_HUGETLB),
		     { "MFD_NOEXEC_SEAL", 8 }, { "MFD_EXEC", 16 });

static void print_memfd_flags(struct strace_line *line, unsigned int arg)
{
	unsigned int flags = strace_arg(line, arg), shift = flags >> HUGE_SHIFT & HUGE_MASK;

	flags &= ~(HUGE_MASK << HUGE_SHIFT);
	if (flags || !shift)
		strace_flags(line->out, &memfd_flags, flags);
	if (shift)
		str_addf(line->out, "%s%u<<MFD_HUGE_SHIFT", flags ? "|" : "", shift);
}
const struct strace_type t_memfd_flags = { print_memfd_flags };

/* Other bits have no names at all. */
static void print_secret_flags(struct strace_line *line, unsigned int arg)
{
	unsigned int flags = strace_arg(line, arg);

	if (flags & O_CLOEXEC)
		strace_flags(line->out, &strace_open_flags, flags & O_CLOEXEC);
	if (flags & ~O_CLOEXEC || !flags)
		str_addf(line->out, flags & O_CLOEXEC ? "|%#x" : "%#x", flags & ~O_CLOEXEC);
}
const struct strace_type t_secret_flags = { print_secret_flags };
static STRACE_FAMILY(random_flags, "GRND_???", N(GRND_NONBLOCK), N(GRND_RANDOM), { "GRND_INSECURE", 4 });
FLAGS(t_random_flags, random_flags);
static STRACE_FAMILY(rename_flags, "RENAME_???", N(RENAME_NOREPLACE), N(RENAME_EXCHANGE), N(RENAME_WHITEOUT));
FLAGS(t_rename_flags, rename_flags);
static STRACE_FAMILY(statx_flags, "AT_???", N(AT_SYMLINK_NOFOLLOW), N(AT_REMOVEDIR), N(AT_SYMLINK_FOLLOW),
		     N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH), { "AT_RECURSIVE", 0x8000 });

/* How to synchronize is two bits, of which 0 has a name. */
static void print_statx_flags(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = {
		"AT_STATX_", "SYNC_AS_STAT =0x2000 FORCE_SYNC =0x4000 DONT_SYNC =0x6000 FORCE_SYNC|AT_STATX_DONT_SYNC"
	};
	unsigned int flags = strace_arg(line, arg), kind = AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC;

	/* as a number, 0 is left out */
	if (flags & kind || strace_style() != STRACE_NUMBERS)
		strace_word(line->out, &kinds, flags & kind);
	strace_flags_more(line->out, &statx_flags, flags & ~kind);
}
const struct strace_type t_statx_flags = { print_statx_flags };

static STRACE_FAMILY(statx_mask, "STATX_???", N(STATX_ALL), N(STATX_BASIC_STATS), N(STATX_TYPE), N(STATX_MODE),
		     N(STATX_NLINK), N(STATX_UID), N(STATX_GID), N(STATX_ATIME), N(STATX_MTIME), N(STATX_CTIME),
		     N(STATX_INO), N(STATX_SIZE), N(STATX_BLOCKS), N(STATX_BTIME), { "STATX_MNT_ID", 0x1000 },
		     { "STATX_DIOALIGN", 0x2000 }, { "STATX_MNT_ID_UNIQUE", 0x4000 }, { "STATX_SUBVOL", 0x8000 },
		     { "STATX_WRITE_ATOMIC", 0x10000 }, { "STATX_DIO_READ_ALIGN", 0x20000 });
FLAGS(t_statx_mask, statx_mask);
STRACE_FAMILY(strace_msg_flags, "MSG_???", N(MSG_OOB), N(MSG_PEEK), N(MSG_DONTROUTE), N(MSG_CTRUNC), { "MSG_PROBE", 0x10 },
	      N(MSG_TRUNC), N(MSG_DONTWAIT), N(MSG_EOR), N(MSG_WAITALL), N(MSG_FIN), N(MSG_SYN), N(MSG_CONFIRM),
	      N(MSG_RST), N(MSG_ERRQUEUE), N(MSG_NOSIGNAL), N(MSG_MORE), N(MSG_WAITFORONE), { "MSG_SENDPAGE_NOTLAST", 0x20000 }, { "MSG_BATCH", 0x40000 }, { "MSG_NO_SHARED_FRAGS", 0x80000 },
	      { "MSG_SOCK_DEVMEM", 0x2000000 }, N(MSG_ZEROCOPY), N(MSG_FASTOPEN), N(MSG_CMSG_CLOEXEC), { "MSG_CMSG_COMPAT", 0x80000000 });
FLAGS(t_msg_flags, strace_msg_flags);
static STRACE_FAMILY(shutdowns, "SHUT_???", N(SHUT_RD), N(SHUT_WR), N(SHUT_RDWR));
CHOICE(t_shutdown, shutdowns);
#ifndef __WALL
#define __WALL 0x40000000
#endif
static STRACE_FAMILY(wait_options, "W???", N(WNOHANG), N(WEXITED), N(WSTOPPED), N(WCONTINUED), N(WNOWAIT),
		     { "__WCLONE", 0x80000000 }, N(__WALL), { "__WNOTHREAD", 0x20000000 });
FLAGS(t_wait_options, wait_options);
static STRACE_FAMILY(flocks, "LOCK_???", N(LOCK_SH), N(LOCK_EX), N(LOCK_NB), N(LOCK_UN), { "LOCK_MAND", 32 },
		     { "LOCK_RW", 192 }, { "LOCK_READ", 64 }, { "LOCK_WRITE", 128 });
FLAGS(t_flock, flocks);
static STRACE_FAMILY(close_ranges, "CLOSE_RANGE_???", N(CLOSE_RANGE_UNSHARE), N(CLOSE_RANGE_CLOEXEC));
FLAGS(t_close_range_flags, close_ranges);
static STRACE_FAMILY(resources, "RLIMIT_???", N(RLIMIT_CPU), N(RLIMIT_FSIZE), N(RLIMIT_DATA), N(RLIMIT_STACK),
		     N(RLIMIT_CORE), N(RLIMIT_RSS), N(RLIMIT_NPROC), N(RLIMIT_NOFILE), N(RLIMIT_MEMLOCK),
		     N(RLIMIT_AS), N(RLIMIT_LOCKS), N(RLIMIT_SIGPENDING), N(RLIMIT_MSGQUEUE), N(RLIMIT_NICE),
		     N(RLIMIT_RTPRIO), N(RLIMIT_RTTIME));
CHOICE(t_resource, resources);
static STRACE_FAMILY(rusages, "RUSAGE_???", N(RUSAGE_SELF), { "RUSAGE_CHILDREN", 0xffffffff }, N(RUSAGE_THREAD));
CHOICE(t_rusage_who, rusages);
static STRACE_FAMILY(priorities, "PRIO_???", N(PRIO_PROCESS), N(PRIO_PGRP), N(PRIO_USER));
CHOICE(t_priority, priorities);
static STRACE_FAMILY(timer_flags, "TIMER_???", { "TIMER_ABSTIME", 1 });
FLAGS(t_timer_flags, timer_flags);
static STRACE_FAMILY(fadvises, "POSIX_FADV_???", N(POSIX_FADV_NORMAL), N(POSIX_FADV_RANDOM),
		     N(POSIX_FADV_SEQUENTIAL),
		     N(POSIX_FADV_WILLNEED), N(POSIX_FADV_DONTNEED), N(POSIX_FADV_NOREUSE));
CHOICE(t_fadvise, fadvises);

/* clone's flags, with the signal of the end in the lowest byte */
static STRACE_FAMILY(clone_flags, "CLONE_???", N(CLONE_VM), N(CLONE_FS), N(CLONE_FILES), N(CLONE_SIGHAND),
		     N(CLONE_PIDFD), N(CLONE_PTRACE), N(CLONE_VFORK), N(CLONE_PARENT), N(CLONE_THREAD),
		     N(CLONE_NEWNS), N(CLONE_SYSVSEM), N(CLONE_SETTLS), N(CLONE_PARENT_SETTID),
		     N(CLONE_CHILD_CLEARTID), N(CLONE_DETACHED), N(CLONE_UNTRACED), N(CLONE_CHILD_SETTID),
		     N(CLONE_NEWCGROUP), N(CLONE_NEWUTS), N(CLONE_NEWIPC), N(CLONE_NEWUSER), N(CLONE_NEWPID),
		     N(CLONE_NEWNET), N(CLONE_IO), { "CLONE_CLEAR_SIGHAND", 1ULL << 32 },
		     { "CLONE_INTO_CGROUP", 1ULL << 33 });
FLAGS(t_clone_flags, clone_flags);

/* What a process can leave: its own parts, and namespaces. */
static STRACE_FAMILY(unshare_flags, "CLONE_???", { "CLONE_NEWTIME", 0x80 }, N(CLONE_VM), N(CLONE_FS), N(CLONE_FILES),
		     N(CLONE_SIGHAND), N(CLONE_THREAD), N(CLONE_NEWNS), N(CLONE_SYSVSEM), N(CLONE_NEWCGROUP),
		     N(CLONE_NEWUTS), N(CLONE_NEWIPC), N(CLONE_NEWUSER), N(CLONE_NEWPID), N(CLONE_NEWNET));

static void print_unshare_flags(struct strace_line *line, unsigned int arg)
{
	strace_flags(line->out, &unshare_flags, strace_arg(line, arg));
}
const struct strace_type t_unshare_flags = { print_unshare_flags };
static STRACE_FAMILY(setns_kinds, "CLONE_NEW???", { "CLONE_NEWTIME", 0x80 }, N(CLONE_NEWNS), N(CLONE_NEWCGROUP), N(CLONE_NEWUTS), N(CLONE_NEWIPC),
		     N(CLONE_NEWUSER), N(CLONE_NEWPID), N(CLONE_NEWNET));
FLAGS(t_setns_kind, setns_kinds);
