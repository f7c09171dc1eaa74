// SPDX-License-Identifier: BSD-2-Clause
/*
 * What failures of functions mean. A function that is not here is named, and that is all. The first entry whose
 * name and
 * error fit counts. Names are those of 5.10 to 7.2; underscores before them do not count.
 */
#include <sys/resource.h>

#include "output/words.h"
#include "whynot_part.h"

#define FEW   DECIDER_FEW
#define ASIDE DECIDER_ASIDE
#define LAST  DECIDER_LAST
#define BEGIN DECIDER_BEGIN
#define MAY   DECIDER_MAY
#define WIDE  DECIDER_WIDE
#define ZERO  WHYNOT_ZERO
#define SET   WHYNOT_NONZERO

#define LIMIT(NAME, ERROR, RLIMIT, FAILS, MORE) \
	{ \
		NAME, ERROR, .fails = FAILS, .flags = MORE, .what = WHAT_LIMIT, .number = RLIMIT \
	}
#define OVER(NAME, ERROR, RLIMIT, ARGUMENT, MORE, WORDS) \
	{ \
		NAME, ERROR, .flags = MORE, .what = WHAT_OVER, .number = RLIMIT, .argument = ARGUMENT, .text = WORDS \
	}
#define SAYS(NAME, ERROR, FAILS, MORE, WORDS) \
	{ \
		NAME, ERROR, .fails = FAILS, .flags = MORE, .text = WORDS \
	}
#define CGROUP(NAME, ERROR, FAILS, MORE, FILE) \
	{ \
		NAME, ERROR, .fails = FAILS, .flags = MORE, .what = WHAT_CGROUP, .text = FILE \
	}
#define SYSCTL(NAME, ERROR, FAILS, MORE, FILE) \
	{ \
		NAME, ERROR, .fails = FAILS, .flags = MORE, .what = WHAT_SYSCTL, .text = FILE \
	}
#define LSM(NAME, WHICH, MORE) \
	{ \
		NAME, .flags = BEGIN | (MORE), .what = WHAT_LSM, .text = WHICH \
	}
#define PERMISSION(NAME, MORE) \
	{ \
		NAME, "EACCES", .flags = MORE, .what = WHAT_PERMISSION \
	}

const struct decider whynot_deciders[] = {
	/* capabilities: cap_capable is asked for all of them, with (cred, user namespace, capability, options) */
	{ "cap_capable", .flags = FEW | ASIDE, .what = WHAT_CAPABILITY, .number = 2 },
	{ "cap_capable_helper", .flags = ASIDE, .what = WHAT_CAPABILITY, .number = 3 },
	{ "security_capable", .flags = ASIDE, .what = WHAT_CAPABILITY, .number = 2 },
	SAYS("ns_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("ns_capable_noaudit", NULL, ZERO, ASIDE, NULL),
	SAYS("ns_capable_setid", NULL, ZERO, ASIDE, NULL),
	SAYS("capable", NULL, ZERO, ASIDE, NULL),
	SAYS("capable_wrt_inode_uidgid", NULL, ZERO, ASIDE, NULL),
	SAYS("file_ns_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("ptracer_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("sk_ns_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("sk_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("sk_net_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("netlink_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("netlink_net_capable", NULL, ZERO, ASIDE, NULL),
	SAYS("inode_owner_or_capable", NULL, ZERO, ASIDE, "the process does not own the file"),
	SAYS("may_mount", NULL, ZERO, ASIDE,
	     "only who has CAP_SYS_ADMIN in the mount namespace's user namespace may mount"),
	SAYS("bpf_token_capable", NULL, ZERO, ASIDE, NULL),

	/* seccomp runs before the call's own function */
	{ "seccomp_filter", .fails = 0, .flags = FEW | LAST, .what = WHAT_SECCOMP },
	{ "secure_computing", .fails = 0, .flags = FEW | LAST, .what = WHAT_SECCOMP },

	/* limits of the process */
	LIMIT("alloc_fd", "EMFILE", RLIMIT_NOFILE, 0, LAST),
	LIMIT("get_unused_fd_flags", "EMFILE", RLIMIT_NOFILE, 0, 0),
	LIMIT("expand_files", "EMFILE", RLIMIT_NOFILE, 0, 0),
	OVER("ksys_dup3", "EBADF", RLIMIT_NOFILE, 1, 0, "the descriptor is not open"),
	SYSCTL("alloc_empty_file", "ENFILE", 0, LAST, "fs/file-max"),
	LIMIT("is_rlimit_overlimit", NULL, RLIMIT_NPROC, SET, ASIDE),
	LIMIT("is_ucounts_overlimit", NULL, RLIMIT_NPROC, SET, ASIDE),
	LIMIT("copy_process", "EAGAIN", RLIMIT_NPROC, 0, MAY),
	LIMIT("copy_creds", "EAGAIN", RLIMIT_NPROC, 0, MAY),
	LIMIT("set_user", "EAGAIN", RLIMIT_NPROC, 0, MAY),
	LIMIT("may_expand_vm", NULL, RLIMIT_AS, ZERO, ASIDE | FEW),
	LIMIT("acct_stack_growth", NULL, RLIMIT_STACK, 0, MAY),
	LIMIT("bprm_stack_limits", "E2BIG", RLIMIT_STACK, 0, 0),
	LIMIT("copy_strings", "E2BIG", RLIMIT_STACK, 0, MAY),
	SAYS("copy_strings", "EFAULT", 0, 0, "a pointer of the arguments or the environment points to no memory"),
	LIMIT("get_arg_page", NULL, RLIMIT_STACK, ZERO, ASIDE | MAY | WIDE),
	LIMIT("generic_write_check_limits", "EFBIG", RLIMIT_FSIZE, 0, MAY),
	LIMIT("generic_write_checks", "EFBIG", RLIMIT_FSIZE, 0, MAY),
	LIMIT("generic_write_checks_count", "EFBIG", RLIMIT_FSIZE, 0, MAY),
	LIMIT("inode_newsize_ok", "EFBIG", RLIMIT_FSIZE, 0, MAY),
	LIMIT("mlock_future_check", "EAGAIN", RLIMIT_MEMLOCK, 0, FEW),
	LIMIT("mlock_future_ok", NULL, RLIMIT_MEMLOCK, ZERO, ASIDE),
	OVER("do_mlock", "ENOMEM", RLIMIT_MEMLOCK, 1, FEW,
	     "RLIMIT_MEMLOCK may be reached, or nothing is mapped in a part of the range"),
	LIMIT("do_mlock", "EPERM", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("can_do_mlock", NULL, RLIMIT_MEMLOCK, ZERO, ASIDE),
	LIMIT("user_shm_lock", NULL, RLIMIT_MEMLOCK, ZERO, ASIDE),
	LIMIT("account_locked_vm", "ENOMEM", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("io_account_mem", "ENOMEM", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("bpf_map_charge_init", "EPERM", RLIMIT_MEMLOCK, 0, FEW),
	LIMIT("bpf_map_charge_memlock", "EPERM", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("bpf_charge_memlock", "EPERM", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("bpf_prog_charge", "EPERM", RLIMIT_MEMLOCK, 0, FEW),
	LIMIT("bpf_prog_charge_memlock", "EPERM", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("do_brk_flags", "EAGAIN", RLIMIT_MEMLOCK, 0, 0),
	LIMIT("perf_mmap", "EPERM", RLIMIT_MEMLOCK, 0, MAY),
	LIMIT("sigqueue_alloc", NULL, RLIMIT_SIGPENDING, ZERO, ASIDE),
	LIMIT("send_signal_locked", "EAGAIN", RLIMIT_SIGPENDING, 0, 0),
	LIMIT("send_signal", "EAGAIN", RLIMIT_SIGPENDING, 0, 0),
	LIMIT("mqueue_get_inode", "EMFILE", RLIMIT_MSGQUEUE, 0, 0),
	LIMIT("can_nice", NULL, RLIMIT_NICE, ZERO, ASIDE),
	LIMIT("is_nice_reduction", NULL, RLIMIT_NICE, ZERO, ASIDE),
	LIMIT("set_one_prio", "EACCES", RLIMIT_NICE, 0, MAY),
	LIMIT("user_check_sched_setscheduler", "EPERM", RLIMIT_RTPRIO, 0, MAY),
	LIMIT("sched_setscheduler", "EPERM", RLIMIT_RTPRIO, 0, MAY),
	SAYS("do_prlimit", "EPERM", 0, 0, "a hard limit can be raised only with CAP_SYS_RESOURCE"),
	SAYS("check_prlimit_permission", "EPERM", 0, 0,
	     "the other process has another user, and CAP_SYS_RESOURCE is missing"),

	/* what a user may have in a user namespace */
	{ "inc_ucount", .fails = ZERO, .flags = FEW | ASIDE | WIDE, .what = WHAT_COUNT, .number = 2 },
	{ "inc_rlimit_get_ucounts", .fails = ZERO, .flags = ASIDE | WIDE, .what = WHAT_TEXT,
	  .text = "a limit of the user is reached" },
	SAYS("create_user_ns", "EUSERS", 0, FEW, "user namespaces are in each other 33 deep"),
	SAYS("create_user_ns", "EPERM", 0, 0,
	     "no user namespace for a process in a chroot, whose ids have no mapping, or against the LSM's rules"),
	SAYS("create_user_ns", "ENOSPC", 0, 0,
	     "user namespaces are in each other 33 deep, or user.max_user_namespaces is reached"),
	SAYS("new_idmap_permitted", NULL, ZERO, ASIDE | FEW,
	     "a map of ids without privilege may only map the process's own id, and gids only after \"deny\" in "
	     "setgroups"),
	SAYS("map_write", "EPERM", 0, 0, "the map of ids was written already, or the process may not map these ids"),
	SAYS("userns_may_setgroups", NULL, ZERO, ASIDE,
	     "setgroups is denied in this user namespace, or its gids have no map yet"),
	SAYS("inotify_new_watch", "ENOSPC", 0, 0, "fs.inotify.max_user_watches is reached"),
	SAYS("inotify_add_watch", "ENOSPC", 0, 0, "fs.inotify.max_user_watches is reached"),
	SAYS("inotify_update_watch", "ENOSPC", 0, 0, "fs.inotify.max_user_watches is reached"),
	SYSCTL("inotify_new_group", "EMFILE", 0, 0, "fs/inotify/max_user_instances"),
	SYSCTL("do_inotify_init", "EMFILE", 0, 0, "fs/inotify/max_user_instances"),
	SYSCTL("alloc_pid", "EAGAIN", 0, 0, "kernel/pid_max"),
	SAYS("alloc_pid", "ENOMEM", 0, 0, "the pid namespace takes no more processes: its first one has ended"),

	/* cgroups */
	CGROUP("pids_can_fork", "EAGAIN", 0, FEW | LAST, "pids.max"),
	CGROUP("try_charge_memcg", "ENOMEM", 0, LAST, "memory.max"),
	CGROUP("try_charge", "ENOMEM", 0, LAST, "memory.max"),
	CGROUP("mem_cgroup_charge", "ENOMEM", 0, LAST, "memory.max"),
	CGROUP("misc_cg_try_charge", "EBUSY", 0, LAST, "misc.max"),
	CGROUP("hugetlb_cgroup_charge_cgroup", "ENOMEM", 0, BEGIN, "hugetlb.2MB.max"),
	SAYS("cgroup_bpf_check_dev_permission", NULL, 0, LAST, "a BPF program of the cgroup refuses this device"),
	SAYS("devcgroup_check_permission", NULL, 0, FEW | LAST,
	     "the cgroup does not permit this device: its list, or a BPF program of it"),
	SAYS("cgroup_bpf_run_filter_", NULL, 0, BEGIN | LAST, "a BPF program of the cgroup refused it"),
	SAYS("cgroup_attach_permissions", NULL, 0, 0, "the process may not move others into this cgroup"),
	SAYS("cgroup_migrate_vet_dst", "EBUSY", 0, 0,
	     "the cgroup has controllers for its children, so it takes no processes itself"),
	SAYS("cgroup_procs_write_permission", "EACCES", 0, 0,
	     "the process may not write to cgroup.procs of the common ancestor"),
	SAYS("cgroup_vet_subtree_control_enable", "EBUSY", 0, 0,
	     "the cgroup has processes itself, so its children get no controllers"),
	SAYS("cgroup_mkdir", "EAGAIN", 0, 0, "cgroup.max.depth or cgroup.max.descendants is reached"),
	SAYS("cgroup_destroy_locked", "EBUSY", 0, 0, "the cgroup has processes or children"),

	/* mounts */
	SAYS("path_noexec", "EACCES", SET, ASIDE | FEW, "the mount is noexec, or the file system allows no programs"),
	SAYS("path_noexec", "EPERM", SET, ASIDE, "the mount is noexec, or the file system allows no programs"),
	SAYS("sb_permission", "EROFS", 0, 0, "the file system is read-only"),
	SAYS("mnt_want_write", "EROFS", 0, 0, "the mount or the file system is read-only"),
	SAYS("mnt_want_write_file", "EROFS", 0, 0, "the mount or the file system is read-only"),
	SAYS("may_open_dev", NULL, ZERO, ASIDE, "the mount is nodev, so no device can be opened there"),
	SAYS("mnt_may_suid", NULL, 0, ASIDE, NULL),
	{ "get_fs_type", .fails = ZERO, .flags = FEW | WIDE, .what = WHAT_TEXT,
	  .text = "the kernel has no file system of this name" },
	SAYS("lookup_bdev", "ENOTBLK", 0, 0, "it is no block device"),
	SAYS("propagate_mount_busy", NULL, SET, ASIDE | FEW,
	     "something in the mount is open, or another mount is on it"),
	SAYS("do_umount", "EBUSY", 0, 0, "something in the mount is open, or another mount is on it"),
	SAYS("path_umount", "EINVAL", 0, 0, "it is no mount point, or not of this mount namespace"),
	SAYS("can_umount", "EINVAL", 0, 0, "it is no mount point, or not of this mount namespace"),
	SAYS("can_umount", "EPERM", 0, 0, "CAP_SYS_ADMIN is missing"),
	SAYS("do_umount", "EINVAL", 0, 0,
	     "it is no mount point of this mount namespace, or locked by a parent namespace"),
	SAYS("fs_parse", "EINVAL", 0, BEGIN, "an option of the mount has a bad value, or is unknown"),
	SAYS("vfs_parse_fs_param", "EINVAL", 0, FEW, "the file system does not know this option, or its value is bad"),
	SAYS("generic_parse_monolithic", NULL, 0, 0, "an option of the mount is unknown or bad"),
	SAYS("mount_capable", NULL, ZERO, ASIDE, "this file system can be mounted only with CAP_SYS_ADMIN"),
	SAYS("mount_too_revealing", NULL, SET, ASIDE,
	     "in this user namespace parts of the file system are hidden, and a new mount would show them"),
	SAYS("graft_tree", "ENOTDIR", 0, 0, "a directory can be mounted only on a directory, and a file on a file"),
	SAYS("do_loopback", "EINVAL", 0, 0,
	     "the source is no mount of this namespace, unbindable, or has locked mounts in it"),
	SAYS("bd_prepare_to_claim", "EBUSY", 0, 0, "the block device is in use by another one"),
	SAYS("do_add_mount", "EBUSY", 0, 0, "the same file system is mounted there already"),
	SAYS("reconfigure_super", "EBUSY", 0, FEW, "files are open for writing, so it cannot become read-only"),
	SAYS("sb_prepare_remount_readonly", "EBUSY", 0, 0, "files are open for writing, so it cannot become read-only"),

	/* paths and files */
	SAYS("inode_permission", "EROFS", 0, FEW, "the file system is read-only"),
	SAYS("inode_permission", "EPERM", 0, 0, NULL),
	PERMISSION("generic_permission", FEW),
	SAYS("inode_permission", "EACCES", 0, 0,
	     "the file system's own rules may forbid it, or an id has no mapping there"),
	PERMISSION("posix_acl_permission", 0),
	SAYS("may_open", "EACCES", 0, 0, NULL),
	SAYS("may_open", "EISDIR", 0, FEW, "it is a directory, and cannot be opened for writing"),
	SAYS("may_open", "ELOOP", 0, 0, "the last part of the path is a symbolic link, and O_NOFOLLOW forbids it"),
	SAYS("may_open", "EPERM", 0, 0,
	     "the file may only be appended to, or O_NOATIME is not permitted: it is not ours"),
	SAYS("may_open", "ENXIO", 0, 0, "it is a socket"),
	SAYS("may_delete", "EPERM", 0, FEW,
	     "the directory is sticky and the file not ours, or one is append-only or immutable"),
	SAYS("may_delete_dentry", "EPERM", 0, 0,
	     "the directory is sticky and the file not ours, or one is append-only or immutable"),
	SAYS("may_delete", "ENOTDIR", 0, BEGIN, "it is no directory"),
	SAYS("may_delete", "EISDIR", 0, BEGIN, "it is a directory"),
	SAYS("may_delete", "EBUSY", 0, BEGIN, "it is a root directory"),
	SAYS("check_sticky", NULL, SET, ASIDE | BEGIN, "the directory is sticky, and the file is not ours"),
	SAYS("may_follow_link", "EACCES", 0, FEW,
	     "fs.protected_symlinks: a link in a sticky directory of another user"),
	SYSCTL("may_linkat", "EPERM", 0, FEW, "fs/protected_hardlinks"),
	SYSCTL("may_create_in_sticky", "EACCES", 0, FEW, "fs/protected_regular"),
	SAYS("may_setattr", "EPERM", 0, 0, "the inode is immutable or append-only"),
	SAYS("setattr_prepare", "EPERM", 0, FEW,
	     "only the owner, or who has CAP_CHOWN, CAP_FOWNER or CAP_FSETID, may change this"),
	SAYS("notify_change", "EPERM", 0, FEW, "the inode is immutable or append-only, or it is not ours"),
	SAYS("notify_change", "EOVERFLOW", 0, 0, "an id has no mapping in the file system's user namespace"),
	SAYS("vfs_fileattr_set", "EPERM", 0, 0,
	     "only the owner may change flags, and immutable only with CAP_LINUX_IMMUTABLE"),
	SAYS("fileattr_set_prepare", "EPERM", 0, 0, "flags such as immutable need CAP_LINUX_IMMUTABLE"),
	SAYS("vfs_ioc_setflags_prepare", "EPERM", 0, 0, "flags such as immutable need CAP_LINUX_IMMUTABLE"),
	SAYS("xattr_permission", "EPERM", 0, FEW,
	     "the inode is immutable, trusted. needs CAP_SYS_ADMIN, or user. is only for files and directories"),
	SAYS("getname_flags", "ENAMETOOLONG", 0, 0, "the path is longer than PATH_MAX (4096)"),
	SAYS("getname_flags", "EFAULT", 0, 0, "the pointer to the path points to no memory"),
	SAYS("getname_flags", "ENOENT", 0, 0, "the path is empty"),
	SAYS("strncpy_from_user", "EFAULT", 0, 0, "a pointer points to no memory"),
	SAYS("simple_lookup", "ENAMETOOLONG", 0, 0, "a part of the path is longer than NAME_MAX (255)"),
	SAYS("shmem_lookup", "ENAMETOOLONG", 0, 0, "a part of the path is longer than NAME_MAX (255)"),
	SAYS("ext4_lookup", "ENAMETOOLONG", 0, 0, "a part of the path is longer than NAME_MAX (255)"),
	SAYS("lookup_one_len_common", "EACCES", 0, 0, "the name is empty, or has a /"),
	SAYS("pick_link", "ELOOP", 0, 0,
	     "too many symbolic links, or a link where O_NOFOLLOW, RESOLVE_NO_SYMLINKS or nosymfollow "
	     "forbids it"),
	SAYS("step_into", "ELOOP", 0, BEGIN, "too many symbolic links, or a link where it is forbidden"),
	SAYS("link_path_walk", "ENOTDIR", 0, 0, "a part of the path is no directory"),
	SAYS("link_path_walk", "ELOOP", 0, 0, "too many symbolic links (40)"),
	SAYS("walk_component", "ENOENT", 0, 0, "a part of the path does not exist"),
	SAYS("link_path_walk", "ENOENT", 0, 0, "a part of the path does not exist"),
	SAYS("path_openat", "ENOENT", 0, 0, "the file does not exist"),
	SAYS("path_lookupat", "ENOENT", 0, 0, "the file does not exist"),
	SAYS("path_lookupat", "ENOTDIR", 0, 0, "it is no directory"),
	SAYS("path_openat", "EISDIR", 0, 0, "it is a directory"),
	SAYS("path_openat", "EEXIST", 0, 0, "it exists, and O_EXCL was given"),
	SAYS("filename_create", "EEXIST", 0, 0, "it exists"),
	SAYS("path_init", "EBADF", 0, 0, "the directory's descriptor is not open"),
	SAYS("path_init", "ENOTDIR", 0, 0, "the directory's descriptor is open on something else"),
	SAYS("do_open", "ENOTDIR", 0, 0, "it is no directory, and O_DIRECTORY was given"),
	SAYS("do_open", "ELOOP", 0, 0, "it is a symbolic link, and O_NOFOLLOW was given"),
	SAYS("build_open_flags", "EINVAL", 0, 0, "the open flags do not go together"),
	SAYS("lookup_open", "EROFS", 0, 0, "the mount or the file system is read-only"),
	SAYS("do_dentry_open", "ETXTBSY", 0, 0, "the file is a program that runs, so it cannot be written to"),
	SAYS("get_write_access", "ETXTBSY", 0, 0, "the file is a program that runs, so it cannot be written to"),
	SAYS("do_open_execat", "ETXTBSY", 0, 0, "the file is open for writing, so it cannot be executed"),
	SAYS("do_open_execat", "EACCES", 0, 0, "it is no regular file, or on a noexec mount"),
	SAYS("do_dentry_open", "ENXIO", 0, 0, "nobody has the other end open, or there is no such device"),
	SAYS("do_dentry_open", "EINVAL", 0, 0, "the file system does not take these flags, such as O_DIRECT"),
	SAYS("open_check_o_direct", "EINVAL", 0, 0, "the file system has no O_DIRECT"),
	SAYS("chrdev_open", "ENXIO", 0, 0, "the kernel has no driver for this device number"),
	SAYS("fifo_open", "ENXIO", 0, 0, "nobody has the FIFO open for reading"),
	SAYS("simple_empty", NULL, ZERO, ASIDE, "the directory is not empty"),
	SAYS("simple_rmdir", "ENOTEMPTY", 0, 0, "the directory is not empty"),
	SAYS("shmem_rmdir", "ENOTEMPTY", 0, 0, "the directory is not empty"),
	SAYS("ext4_rmdir", "ENOTEMPTY", 0, 0, "the directory is not empty"),
	SAYS("do_renameat2", "EXDEV", 0, 0, "the two paths are on different mounts"),
	SAYS("filename_renameat2", "EXDEV", 0, 0, "the two paths are on different mounts"),
	SAYS("do_linkat", "EXDEV", 0, 0, "the two paths are on different mounts"),
	SAYS("filename_linkat", "EXDEV", 0, 0, "the two paths are on different mounts"),
	SAYS("vfs_link", "EXDEV", 0, 0, "the two paths are on different file systems"),
	SAYS("vfs_link", "EPERM", 0, 0, "directories and immutable files take no hard links"),
	SAYS("vfs_link", "EMLINK", 0, 0, "the file has as many links as its file system can count"),
	SAYS("lock_rename", "EXDEV", 0, 0, "the two paths are on different file systems"),
	SAYS("vfs_fallocate", "EOPNOTSUPP", 0, 0, "the file system has no fallocate of this mode"),
	SAYS("vfs_fallocate", "EPERM", 0, 0, "the file is immutable or append-only, or holds swap"),
	SAYS("do_iter_", "EINVAL", 0, BEGIN, "the file takes no such reads or writes"),
	SAYS("vfs_write", "EINVAL", 0, 0, "the file takes no writes of this kind"),
	SAYS("vfs_read", "EBADF", 0, 0, "the descriptor is not open for reading"),
	SAYS("vfs_write", "EBADF", 0, 0, "the descriptor is not open for writing"),
	SAYS("vfs_read", "EINVAL", 0, 0, "the file cannot be read"),
	SAYS("vfs_ioctl", "ENOTTY", 0, 0, "the file does not know this request"),
	SAYS("rw_verify_area", "EINVAL", 0, 0, "the offset is negative, or offset and length too large"),
	SAYS("generic_setlease", "EAGAIN", 0, BEGIN, "the file is open elsewhere in a way that the lease forbids"),
	SAYS("posix_lock_inode", "EAGAIN", 0, 0, "another process has a lock there"),
	SAYS("flock_lock_inode", "EAGAIN", 0, 0, "another open file has the lock"),
	SAYS("generic_file_open", "EOVERFLOW", 0, 0, "the file is larger than 2 GB, and O_LARGEFILE was not given"),
	SAYS("pipe_write", "EPIPE", 0, 0, "nobody has the pipe open for reading"),
	SAYS("anon_pipe_write", "EPIPE", 0, 0, "nobody has the pipe open for reading"),
	SAYS("pipe_read", "EAGAIN", 0, BEGIN, "the pipe is empty, and O_NONBLOCK is set"),
	SAYS("anon_pipe_read", "EAGAIN", 0, 0, "the pipe is empty, and O_NONBLOCK is set"),
	SAYS("pipe_write", "EAGAIN", 0, 0, "the pipe is full, and O_NONBLOCK is set"),
	SAYS("anon_pipe_write", "EAGAIN", 0, 0, "the pipe is full, and O_NONBLOCK is set"),
	SYSCTL("pipe_set_size", "EPERM", 0, 0, "fs/pipe-max-size"),
	SYSCTL("pipe_fcntl", "EPERM", 0, 0, "fs/pipe-max-size"),
	SYSCTL("pipe_set_size", "EBUSY", 0, 0, "fs/pipe-max-size"),
	SYSCTL("aio_setup_ring", "EAGAIN", 0, 0, "fs/aio-max-nr"),
	SYSCTL("ioctx_alloc", "EAGAIN", 0, 0, "fs/aio-max-nr"),
	SAYS("ep_loop_check", "ELOOP", 0, BEGIN, "epoll descriptors would watch each other"),
	SAYS("ep_insert", "ENOSPC", 0, 0, "fs.epoll.max_user_watches is reached"),
	SAYS("ep_insert", "EPERM", 0, 0, "the file cannot be polled"),

	/* space */
	SAYS("shmem_inode_acct_block", NULL, ZERO, ASIDE, "the tmpfs is full: its option size"),
	SAYS("shmem_inode_acct_blocks", "ENOSPC", 0, 0, "the tmpfs is full: its option size"),
	SAYS("shmem_reserve_inode", "ENOSPC", 0, FEW, "the tmpfs has no more inodes: its option nr_inodes"),
	SAYS("shmem_get_inode", "ENOSPC", 0, BEGIN, "the tmpfs has no more inodes: its option nr_inodes"),
	SAYS("shmem_get_folio_gfp", "ENOSPC", 0, 0, "the tmpfs is full: its option size"),
	SAYS("write_full", "ENOSPC", 0, 0, "it is /dev/full, which takes nothing"),
	SAYS("ext4_claim_free_clusters", "ENOSPC", 0, 0, "the file system is full, but for what is reserved for root"),
	SAYS("ext4_mb_new_blocks", "ENOSPC", 0, 0, "the file system is full"),
	SAYS("ext4_new_inode", "ENOSPC", 0, BEGIN, "the file system has no more inodes"),
	SAYS("dquot_alloc_space", "EDQUOT", 0, BEGIN, "the quota of blocks is used up"),
	SAYS("dquot_alloc_inode", "EDQUOT", 0, BEGIN, "the quota of files is used up"),
	SAYS("dquot_transfer", "EDQUOT", 0, BEGIN, "the new owner's quota is used up"),
	SAYS("hugetlb_acct_memory", "ENOMEM", 0, 0, "no huge pages are free: vm.nr_hugepages"),
	SAYS("hugetlb_reserve_pages", NULL, ZERO, ASIDE | WIDE, "no huge pages are free: vm.nr_hugepages"),

	/* memory */
	SYSCTL("cap_mmap_addr", "EPERM", 0, FEW, "vm/mmap_min_addr"),
	SAYS("vm_enough_memory", "ENOMEM", 0, FEW, "vm.overcommit_memory and vm.overcommit_ratio leave no more memory"),
	SAYS("security_vm_enough_memory_mm", "ENOMEM", 0, FEW,
	     "vm.overcommit_memory and vm.overcommit_ratio leave no more memory"),
	SAYS("do_mprotect_pkey", "EACCES", 0, 0, "the mapped file is not open for writing, or its mount is noexec"),
	SAYS("mprotect_fixup", "EACCES", 0, 0, "the memory may not have this access"),
	SAYS("do_mprotect_pkey", "ENOMEM", 0, 0, "nothing is mapped in a part of the range"),
	SAYS("do_mmap", "EACCES", 0, FEW,
	     "the file is not open for reading, or for writing where a shared mapping writes"),
	SAYS("do_mmap", "EPERM", 0, 0, "the file's mount is noexec, or a seal forbids it"),
	SAYS("do_mmap", "ENODEV", 0, 0, "the file cannot be mapped"),
	SAYS("do_mmap", "EOVERFLOW", 0, 0, "offset and length are more than a file can have"),
	SYSCTL("do_mmap", "ENOMEM", 0, 0, "vm/max_map_count"),
	SYSCTL("mmap_region", "ENOMEM", 0, 0, "vm/max_map_count"),
	SYSCTL("split_vma", "ENOMEM", 0, 0, "vm/max_map_count"),
	SAYS("do_mmap", "EEXIST", 0, 0, "something is mapped there, and MAP_FIXED_NOREPLACE was given"),
	SAYS("get_unmapped_area", "ENOMEM", 0, 0, "no free range of addresses is so long"),
	SAYS("get_unmapped_area", "EINVAL", 0, 0, "the address is not a multiple of a page"),
	SAYS("vma_to_resize", "EFAULT", 0, 0, "nothing is mapped there, or several mappings"),
	SAYS("memfd_add_seals", "EPERM", 0, 0, "the memfd has F_SEAL_SEAL, or was made without MFD_ALLOW_SEALING"),
	SAYS("shmem_write_begin", "ENOSPC", 0, FEW, "the tmpfs is full: its option size"),
	SAYS("shmem_write_begin", "EPERM", 0, 0, "a seal of the memfd forbids it"),
	SAYS("shmem_setattr", "EPERM", 0, 0, "a seal of the memfd forbids it"),
	SAYS("shmem_fallocate", "EPERM", 0, 0, "a seal of the memfd forbids it"),
	SYSCTL("userfaultfd_syscall_allowed", NULL, ZERO, ASIDE, "vm/unprivileged_userfaultfd"),

	/* programs */
	SAYS("search_binary_handler", "ENOEXEC", 0, LAST, "no format of programs knows this file: no ELF, no #!"),
	SAYS("load_elf_binary", "ELIBBAD", 0, 0, "the ELF file or its interpreter is bad"),
	SAYS("load_elf_binary", "ENOEXEC", 0, 0, "it is no ELF file for this processor"),
	SAYS("load_elf_binary", "ENOENT", 0, 0, "the program's interpreter (PT_INTERP) does not exist"),
	SAYS("load_script", "ENOENT", 0, 0, "the interpreter in the line #! does not exist"),
	SAYS("exec_binprm", "ELOOP", 0, 0, "scripts are the interpreters of each other, more than 5 deep"),
	SAYS("open_exec", "ENOENT", 0, 0, "the interpreter of the program does not exist"),
	SAYS("open_exec", "EACCES", 0, 0, "the interpreter of the program is not executable"),

	/* processes */
	SAYS("check_kill_permission", "EPERM", 0, 0, "the process to signal has another user, and CAP_KILL is missing"),
	SAYS("kill_something_info", "ESRCH", 0, 0, "there is no such process"),
	SAYS("kill_pid_info", "ESRCH", 0, BEGIN, "there is no such process"),
	SAYS("kill_proc_info", "ESRCH", 0, 0, "there is no such process"),
	SAYS("do_send_specific", "ESRCH", 0, 0, "there is no such thread"),
	SAYS("do_wait", "ECHILD", 0, LAST, "the process has no such child"),
	SAYS("kernel_wait4", "ECHILD", 0, 0, "the process has no such child"),
	SAYS("ptrace_may_access", "EPERM", 0, FEW,
	     "the process has another user or is not dumpable, and CAP_SYS_PTRACE is missing"),
	SAYS("ptrace_attach", "EPERM", 0, 0,
	     "the process is traced already, is a kernel thread, or may not be accessed"),
	SAYS("ptrace_check_attach", "ESRCH", 0, 0, "the process is not traced by us, or not stopped"),
	SAYS("ptrace_traceme", "EPERM", 0, 0, "the process is traced already"),
	SAYS("mm_access", "EACCES", 0, 0, "the memory of that process may not be accessed"),
	SAYS("sched_setaffinity", "EINVAL", 0, BEGIN, "none of these processors is one that the process may use"),
	SAYS("sched_setaffinity", "EPERM", 0, BEGIN, "the process has another user, and CAP_SYS_NICE is missing"),
	SAYS("set_cpus_allowed_ptr", "EINVAL", 0, BEGIN,
	     "none of these processors is online and allowed by the cpuset"),
	SAYS("sched_setscheduler", "EINVAL", 0, 0, "the policy and the priority do not go together"),
	SAYS("ksys_setsid", "EPERM", 0, 0, "the process leads a process group already"),
	SAYS("prctl_set_seccomp", "EACCES", 0, 0, "seccomp needs PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN"),
	SAYS("do_seccomp", "EACCES", 0, 0, "seccomp needs PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN"),
	SAYS("seccomp_prepare_filter", "EACCES", 0, 0, "seccomp needs PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN"),
	SAYS("seccomp_set_mode_filter", "EACCES", 0, 0, "seccomp needs PR_SET_NO_NEW_PRIVS, or CAP_SYS_ADMIN"),
	SAYS("cap_task_prctl", "EPERM", 0, 0, "CAP_SETPCAP is missing, or securebits lock it"),
	SAYS("cap_capset", "EPERM", 0, 0, "a capability that the process does not have permitted cannot be gained"),
	SAYS("cap_settime", "EPERM", 0, 0, "only who has CAP_SYS_TIME may set the clock"),
	SAYS("cap_task_setnice", "EPERM", 0, 0, "CAP_SYS_NICE is missing"),
	SAYS("cap_task_setscheduler", "EPERM", 0, 0, "CAP_SYS_NICE is missing"),
	SAYS("cap_ptrace_access_check", "EPERM", 0, 0,
	     "the other process has more capabilities, and CAP_SYS_PTRACE is missing"),
	SAYS("cap_inode_setxattr", "EPERM", 0, 0, "security. attributes need CAP_SYS_ADMIN"),
	SAYS("unshare_userns", "EINVAL", 0, 0, "a process with several threads cannot unshare its user namespace"),
	SAYS("check_unshare_flags", "EINVAL", 0, 0, "unknown flags, or the process has several threads"),
	SAYS("userns_install", "EINVAL", 0, 0,
	     "the user namespace is the process's own, or the process has several threads"),
	SAYS("mntns_install", "EINVAL", 0, 0, "the process shares its root and directories with others (CLONE_FS)"),
	SAYS("pidns_install", "EINVAL", 0, 0, "the pid namespace is no descendant of the present one"),
	SAYS("acct_on", "EACCES", 0, 0, "the file of the account is no regular file"),
	SAYS("do_timer_create", "EINVAL", 0, 0, "there is no such clock, or it has no timers"),

	/* modules, kexec, lockdown, BPF, perf */
	{ "lockdown_is_locked_down", "EPERM", .flags = FEW | LAST, .what = WHAT_TEXT,
	  .text = "the kernel is locked down: /sys/kernel/security/lockdown" },
	SAYS("security_locked_down", "EPERM", 0, 0, "the kernel is locked down: /sys/kernel/security/lockdown"),
	SAYS("may_init_module", "EPERM", 0, 0, "CAP_SYS_MODULE is missing, or kernel.modules_disabled is 1"),
	SAYS("load_module", "ENOEXEC", 0, 0, "it is no module for this kernel"),
	SAYS("elf_validity", "ENOEXEC", 0, BEGIN, "it is no module for this kernel"),
	SAYS("check_modinfo", "ENOEXEC", 0, BEGIN, "the module was built for another kernel (vermagic)"),
	SAYS("module_sig_check", NULL, 0, 0, "the module has no valid signature"),
	SAYS("bpf_check", "EACCES", 0, LAST, "the verifier refuses the program: its log says why"),
	SAYS("bpf_check", "EINVAL", 0, FEW | LAST, "the verifier refuses the program: its log says why"),
	SYSCTL("sys_bpf", "EPERM", 0, 0, "kernel/unprivileged_bpf_disabled"),
	SYSCTL("bpf_prog_load", "EPERM", 0, FEW, "kernel/unprivileged_bpf_disabled"),
	SAYS("map_create", "EPERM", 0, 0, "this map needs CAP_BPF, or kernel.unprivileged_bpf_disabled forbids it"),
	SAYS("map_create", "EINVAL", 0, 0, "the map's attributes do not go together"),
	SYSCTL("perf_event_open", "EACCES", 0, 0, "kernel/perf_event_paranoid"),
	SYSCTL("perf_allow_kernel", "EACCES", 0, 0, "kernel/perf_event_paranoid"),
	SYSCTL("security_perf_event_open", "EACCES", 0, 0, "kernel/perf_event_paranoid"),
	SYSCTL("check_syslog_permissions", "EPERM", 0, FEW, "kernel/dmesg_restrict"),
	SYSCTL("do_syslog", "EPERM", 0, 0, "kernel/dmesg_restrict"),
	SAYS("perf_init_event", "ENOENT", 0, 0, "no counter of this machine knows this event"),

	/* keys */
	SAYS("key_task_permission", "EACCES", 0, FEW, "the key's permissions forbid it"),
	SAYS("lookup_user_key", "ENOKEY", 0, 0, "there is no such key"),
	SAYS("search_process_keyrings_rcu", "ENOKEY", 0, 0, "no keyring of the process has such a key"),
	SAYS("request_key_and_link", "ENOKEY", 0, 0, "no keyring of the process has such a key, and nobody made one"),
	SAYS("key_validate", "EKEYREVOKED", 0, 0, "the key is revoked"),
	SAYS("key_validate", "EKEYEXPIRED", 0, 0, "the key has expired"),
	SYSCTL("key_alloc", "EDQUOT", 0, 0, "kernel/keys/maxkeys"),
	SYSCTL("key_payload_reserve", "EDQUOT", 0, 0, "kernel/keys/maxbytes"),
	SAYS("key_create_or_update", "ENODEV", 0, BEGIN, "the kernel has no type of keys of this name"),

	/* IPC */
	SAYS("ipcperms", NULL, SET, ASIDE | FEW, "the object's mode does not permit it"),
	SAYS("ipc_addid", "ENOSPC", 0, 0,
	     "the namespace has no more room for objects: kernel.msgmni, kernel.shmmni, kernel.sem"),
	SYSCTL("newseg", "EINVAL", 0, FEW, "kernel/shmmax"),
	SYSCTL("newseg", "ENOSPC", 0, 0, "kernel/shmmni"),
	SYSCTL("newary", "ENOSPC", 0, FEW, "kernel/sem"),
	SYSCTL("newary", "EINVAL", 0, 0, "kernel/sem"),
	SYSCTL("newque", "ENOSPC", 0, 0, "kernel/msgmni"),
	SYSCTL("do_msgsnd", "EINVAL", 0, FEW, "kernel/msgmax"),
	SAYS("do_msgsnd", "EAGAIN", 0, 0, "the queue is full"),
	SAYS("do_msgrcv", "ENOMSG", 0, 0, "the queue has no such message"),
	SAYS("ipcget", "EEXIST", 0, BEGIN, "the key has an object already, and IPC_EXCL was given"),
	SAYS("ipcget", "ENOENT", 0, BEGIN, "no object has this key"),
	SAYS("ipc_obtain_object", "EINVAL", 0, BEGIN, "there is no object of this id"),
	SAYS("ipcctl_obtain_check", "EPERM", 0, 0, "only the owner, or who has CAP_SYS_ADMIN, may do this"),
	SAYS("sem_lock", "EAGAIN", 0, BEGIN, NULL),
	SYSCTL("mqueue_create_attr", "ENOSPC", 0, 0, "fs/mqueue/queues_max"),
	SAYS("mq_attr_ok", NULL, 0, 0, "the queue would be larger than fs.mqueue.msg_max or msgsize_max allow"),

	/* the network */
	SAYS("inet_bind", "EACCES", 0, FEW,
	     "ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE"),
	SAYS("inet6_bind", "EACCES", 0, 0, "ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE"),
	SAYS("inet_csk_get_port", NULL, SET, ASIDE, "another socket has this port"),
	SAYS("udp_lib_get_port", NULL, SET, ASIDE, "another socket has this port"),
	SAYS("inet_bind", "EADDRINUSE", 0, 0, "another socket has this address and port"),
	SAYS("inet6_bind", "EADDRINUSE", 0, 0, "another socket has this address and port"),
	SAYS("inet_bind", "EADDRNOTAVAIL", 0, 0, "no interface has this address"),
	SAYS("inet6_bind", "EADDRNOTAVAIL", 0, 0, "no interface has this address"),
	SAYS("inet_bind", "EINVAL", 0, 0, "the socket has an address already, or the length is wrong"),
	SAYS("unix_bind", "EADDRINUSE", 0, BEGIN, "the path exists already"),
	SAYS("unix_find", "ECONNREFUSED", 0, BEGIN, "no socket is bound to this path or name"),
	SAYS("unix_stream_connect", "ECONNREFUSED", 0, 0, "no socket listens at this path"),
	SAYS("unix_stream_connect", "EAGAIN", 0, 0, "the queue of the listening socket is full"),
	SAYS("inet_stream_connect", "ECONNREFUSED", 0, 0,
	     "the other side refused: nothing listens on this port, or a firewall rejects it"),
	SAYS("inet_stream_connect", "ETIMEDOUT", 0, 0, "the other side did not answer"),
	SAYS("inet_stream_connect", "EHOSTUNREACH", 0, 0,
	     "a router or the neighbour table says that the host cannot be reached"),
	SAYS("inet_stream_connect", "EISCONN", 0, 0, "the socket is connected already"),
	SAYS("inet_stream_connect", "EALREADY", 0, 0, "the socket is being connected already"),
	SAYS("inet_stream_connect", "EINPROGRESS", 0, 0,
	     "the socket does not wait: the connection is still being made"),
	SAYS("ip_route_output_key_hash_rcu", "ENETUNREACH", 0, 0, "no route leads there"),
	SAYS("ip_route_output_flow", "ENETUNREACH", 0, 0, "no route leads there"),
	SAYS("ip_route_output_key_hash", "ENETUNREACH", 0, 0, "no route leads there"),
	SAYS("tcp_v4_connect", "ENETUNREACH", 0, 0, "no route leads there"),
	SAYS("tcp_v6_connect", "ENETUNREACH", 0, 0, "no route leads there"),
	SAYS("ip4_datagram_connect", "ENETUNREACH", 0, BEGIN, "no route leads there"),
	SAYS("ip4_datagram_connect", "EACCES", 0, BEGIN, "a broadcast address needs SO_BROADCAST"),
	SAYS("ip_route_output", "EACCES", 0, BEGIN, "a route of the type prohibit leads there"),
	SAYS("ip_route_output", "EHOSTUNREACH", 0, BEGIN, "a route of the type unreachable leads there"),
	SAYS("ip_route_output", "EINVAL", 0, BEGIN,
	     "a route of the type blackhole leads there, or the source address is bad"),
	SAYS("ip_route_output", "ENETUNREACH", 0, BEGIN, "no route leads there"),
	SAYS("udp_sendmsg", "EACCES", 0, FEW, "a broadcast address needs SO_BROADCAST"),
	SAYS("udp_sendmsg", "EMSGSIZE", 0, 0, "the datagram is longer than 65507 bytes"),
	SAYS("udp_sendmsg", "EDESTADDRREQ", 0, 0, "the socket is not connected, and no address was given"),
	SAYS("sock_create", "ESOCKTNOSUPPORT", 0, 0, "the family has no such type of socket"),
	SAYS("sock_create", "EAFNOSUPPORT", 0, 0, "the kernel has no such family of addresses"),
	SAYS("inet_create", "EPROTONOSUPPORT", 0, 0, "the family has no such protocol for this type of socket"),
	SAYS("inet_create", "ESOCKTNOSUPPORT", 0, 0, "the family has no such type of socket"),
	SAYS("inet6_create", "EPROTONOSUPPORT", 0, 0, "the family has no such protocol for this type of socket"),
	SAYS("inet_create", "EPERM", 0, 0, "raw sockets need CAP_NET_RAW"),
	SAYS("packet_create", "EPERM", 0, 0, "packet sockets need CAP_NET_RAW"),
	SAYS("nf_hook_slow", "EPERM", 0, FEW | LAST, "a rule of the packet filter (nftables, iptables) drops it"),
	SAYS("sk_stream_error", "EPIPE", 0, 0, "the connection is shut down for writing"),
	SAYS("unix_stream_sendmsg", "EPIPE", 0, 0, "the other side has closed the socket"),
	SAYS("tcp_sendmsg_locked", "EPIPE", 0, 0, "the connection is closed or shut down"),
	SAYS("sock_setsockopt", "EPERM", 0, 0, "this option needs CAP_NET_ADMIN or CAP_NET_RAW"),
	SAYS("sk_setsockopt", "EPERM", 0, 0, "this option needs CAP_NET_ADMIN or CAP_NET_RAW"),
	SAYS("sk_setsockopt", "ENOPROTOOPT", 0, 0, "the socket has no such option"),
	SAYS("sock_setsockopt", "ENOPROTOOPT", 0, 0, "the socket has no such option"),
	SAYS("inet_listen", "EINVAL", 0, 0, "the socket is connected, or of no type that listens"),
	SAYS("inet_getname", "ENOTCONN", 0, 0, "the socket is not connected"),
	SAYS("inet_shutdown", "ENOTCONN", 0, 0, "the socket is not connected"),
	SAYS("netlink_bind", "EPERM", 0, 0, "this group of netlink needs CAP_NET_ADMIN"),
	SAYS("dev_ioctl", "ENODEV", 0, BEGIN, "there is no such interface"),
	SAYS("dev_ifsioc", "ENODEV", 0, BEGIN, "there is no such interface"),

	/* terminals, time */
	SAYS("tty_check_change", "EIO", 0, BEGIN, "the process is in the background, in an orphaned process group"),
	SAYS("tiocsctty", "EPERM", 0, 0, "the process leads no session, or the terminal is another session's"),

	/* LSMs, at the end: names that begin so */
	SYSCTL("yama_ptrace_access_check", "EPERM", 0, FEW, "kernel/yama/ptrace_scope"),
	SYSCTL("yama_ptrace_traceme", "EPERM", 0, 0, "kernel/yama/ptrace_scope"),
	LSM("yama_", "yama", 0),
	LSM("apparmor_", "apparmor", 0),
	LSM("aa_", "apparmor", 0),
	LSM("selinux_", "selinux", 0),
	LSM("smack_", "smack", 0),
	LSM("tomoyo_", "tomoyo", 0),
	LSM("hook_", "landlock", 0),
	LSM("loadpin_", "loadpin", 0),
	LSM("safesetid_", "safesetid", 0),
	LSM("ima_", "integrity (IMA)", 0),
	LSM("evm_", "integrity (EVM)", 0),
	LSM("ipe_", "ipe", 0),
	LSM("security_inode_permission", "", FEW),
	LSM("security_", "", 0),
	{},
};

static bool is_named(const struct decider *decider, const char *name)
{
	if (decider->flags & BEGIN)
		return !strncmp(name, decider->name, strlen(decider->name));
	return !strcmp(name, decider->name);
}

static const char *bare(const char *name)
{
	while (*name == '_')
		name++;
	return name;
}

const struct decider *whynot_known(const char *name)
{
	name = bare(name);
	for (const struct decider *one = whynot_deciders; one->name; one++)
		if (is_named(one, name))
			return one;
	return NULL;
}

const struct decider *whynot_known_error(const char *name, int error)
{
	const char *wanted = words_error_name(-error);

	name = bare(name);
	for (const struct decider *one = whynot_deciders; one->name; one++)
		if (is_named(one, name) && (!one->error || (wanted && !strcmp(one->error, wanted))))
			return one;
	return NULL;
}
