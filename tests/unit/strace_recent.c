// SPDX-License-Identifier: BSD-2-Clause
/* Lines of calls that Linux has since 6.5, and of flags that calls have got since: of records that are made up. */
#include <criterion/criterion.h>

#include "kernel/syscalls.h"
#include "strace/lines_part.h"
#include "strace/strace_part.h"

#define MOST 512 /* bytes of all blobs */

static struct strace_settings settings = { .size = 32 };

/* A record of a call's end, without blobs yet. */
struct made {
	struct strace_record record;
	char blobs[MOST];
};

static void add_blob(struct made *made, unsigned int arg, unsigned int step, enum strace_status status, const void *bytes,
		     size_t n)
{
	struct strace_blob *blob = (void *)(made->blobs + made->record.size);

	blob->tag = arg * STRACE_TYPE_STEPS + step;
	blob->status = status;
	blob->n = n;
	memcpy(blob + 1, bytes, n);
	made->record.size += (sizeof(*blob) + n + 7) & ~7UL;
}

static void expect(const char *name, const struct made *made, unsigned int arg, const char *want)
{
	const struct strace_call *call = strace_call_of(syscall_number(name));
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings, .call = call, .exit = &made->record };

	cr_assert(call);
	call->args[arg]->print(&line, arg);
	cr_assert_str_eq(str_or_empty(out.data), want, "%s: %s\nand not\n%s", name, str_or_empty(out.data), want);
}

/* The same of a record of a call's begin. */
static void expect_begin(const char *name, const struct made *made, unsigned int arg, const char *want)
{
	const struct strace_call *call = strace_call_of(syscall_number(name));
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings, .call = call, .enter = &made->record };

	call->args[arg]->print(&line, arg);
	cr_assert_str_eq(str_or_empty(out.data), want, "%s: %s", name, str_or_empty(out.data));
}

/* A number without memory. */
static void expect_number(const char *name, unsigned int arg, uint64_t value, const char *want)
{
	struct made made = {};

	made.record.args[arg] = value;
	expect(name, &made, arg, want);
}

Test(strace_recent, flags)
{
	expect_number("fchmodat2", 3, 0x300, "AT_SYMLINK_NOFOLLOW|0x200");
	expect_number("execveat", 4, 0x10200, "AT_EXECVE_CHECK|0x200");
	expect_number("mount_setattr", 2, 0x8a00, "AT_NO_AUTOMOUNT|AT_RECURSIVE|0x200");
	expect_number("unshare", 0, 0x100000200, "CLONE_FS|0x100000000");
	expect_number("pidfd_open", 1, 0x881, "PIDFD_NONBLOCK|PIDFD_THREAD|0x1");
	expect_number("fanotify_init", 0, 0x8000, "FAN_CLASS_NOTIF|0x8000 /* FAN_??? */");
	expect_number("fanotify_mark", 1, 0x190, "FAN_MARK_FLUSH|FAN_MARK_MNTNS");
	expect_number("fanotify_mark", 2, 0x100000001, "FAN_ACCESS|0x100000000");
	expect_number("fsmount", 2, 0x100070, "MOUNT_ATTR__ATIME|0x100000");
	expect_number("move_pages", 5, 9, "0x9 /* MPOL_MF_??? */");
	expect_number("renameat2", 4, 8, "0x8 /* RENAME_??? */");
	expect_number("sched_getattr", 3, 1, "SCHED_GETATTR_FLAG_DL_DYNAMIC");
	expect_number("kexec_load", 3, 0x100003e0001, "KEXEC_ARCH_X86_64|KEXEC_ON_CRASH|0x10000000000");
	expect_number("kexec_load", 3, 0x10, "KEXEC_ARCH_DEFAULT|0x10 /* KEXEC_??? */");
	expect_number("futex_wake", 3, 0x187, "FUTEX2_SIZE_U64|FUTEX2_NUMA|FUTEX2_PRIVATE|0x100");
	expect_number("io_uring_register", 1, 0x80000001, "IORING_UNREGISTER_BUFFERS|IORING_REGISTER_USE_REGISTERED_RING");
	expect_number("io_uring_register", 1, 99, "0x63 /* IORING_REGISTER_??? */");
	expect_number("memfd_secret", 0, 0x80001, "O_CLOEXEC|0x1");
	expect_number("memfd_secret", 0, 0, "0");
}

/* A struct whose size the next argument says. */
static void expect_sized(const char *name, unsigned int arg, uint64_t size, enum strace_status status, const void *bytes,
			 size_t n, const char *want)
{
	struct made made = {};

	made.record.args[arg] = 0x10;
	made.record.args[arg + 1] = size;
	add_blob(&made, arg, 0, status, bytes, n);
	expect(name, &made, arg, want);
}

Test(strace_recent, structs_that_grow)
{
	static const uint64_t zeros[8], words[8] = { 1, 2, 0x40000, 3, 0, 5 };

#define ATTR "{attr_set=MOUNT_ATTR_RDONLY, attr_clr=MOUNT_ATTR_NOSUID, propagation=MS_PRIVATE, userns_fd=3"
	expect_sized("mount_setattr", 3, 40, STRACE_WHOLE, words, 40, ATTR "}");
	expect_sized("mount_setattr", 3, 48, STRACE_EDGE, words, 40, ATTR ", ???}");
	expect_sized("open_tree_attr", 3, 48, STRACE_WHOLE, words, 48,
		     ATTR ", /* bytes 32..47 */ \"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
			  "\\x05\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
	expect_sized("mount_setattr", 3, 24, STRACE_WHOLE, words, 24, "0x10");
	expect_sized("mount_setattr", 3, 32, STRACE_EDGE, words, 24, "0x10");
	expect_sized("landlock_create_ruleset", 0, 12, STRACE_WHOLE, words, 12,
		     "{handled_access_fs=LANDLOCK_ACCESS_FS_EXECUTE, handled_access_net=LANDLOCK_ACCESS_NET_CONNECT_TCP}");
	expect_sized("landlock_create_ruleset", 0, 56, STRACE_WHOLE, zeros, 48,
		     "{handled_access_fs=0, handled_access_net=0, scoped=0, quiet_access_fs=0, quiet_access_net=0, "
		     "quiet_scoped=0, ...}");
	expect_sized("file_setattr", 2, 24, STRACE_WHOLE, words, 24,
		     "{fa_xflags=FS_XFLAG_REALTIME, fa_extsize=2, fa_projid=0x40000, fa_cowextsize=0}");
	expect_sized("file_setattr", 2, 5000, STRACE_SHORT, words, 64, "0x10");
	expect_sized("lsm_set_self_attr", 1, 34, STRACE_WHOLE, ((const uint64_t[]){ 101, 0, 34, 9, 0x4241 }), 34,
		     "{id=LSM_ID_SELINUX, flags=0, len=34, ctx_len=9, ctx=\"\\x41\\x42\"}");
	expect_sized("setxattrat", 4, 16, STRACE_WHOLE, ((const uint32_t[]){ 0x20, 0, 5, 1 }), 16,
		     "{value=0x20, size=5, flags=XATTR_CREATE}");
}

/* A struct that begins with its size. */
static void expect_request(const char *name, uint32_t size, size_t n, const char *want)
{
	uint64_t words[6] = { size, -1, 2, 7, 9 };
	struct made made = {};

	made.record.args[0] = 0x10;
	add_blob(&made, 0, 0, STRACE_WHOLE, words, 4);
	add_blob(&made, 0, 1, STRACE_WHOLE, words, n);
	expect(name, &made, 0, want);
}

Test(strace_recent, structs_that_say_their_size)
{
	expect_request("listmount", 24, 24, "{size=24, mnt_ns_fd=0, mnt_id=LSMT_ROOT, param=0x2}");
	expect_request("listmount", 32, 32, "{size=32, mnt_ns_fd=0, mnt_id=LSMT_ROOT, param=0x2, mnt_ns_id=0x7}");
	expect_request("listmount", 32, 24, "{size=32, ???}");
	expect_request("listmount", 23, 23, "{size=23}");
	expect_request("statmount", 40, 32,
		       "{size=40, mnt_ns_fd=0, mnt_id=0xffffffffffffffff, param=STATMOUNT_MNT_BASIC, mnt_ns_id=0x7, ???}");
	expect_request("listns", 32, 32, "{size=32, ns_id=0xffffffffffffffff, ns_type=0x2 /* ???_NS */, user_ns_id=0x7}");
	expect_request("listns", 24, 24, "{size=24}");
}

/* What a call is told to keep is not looked at. */
Test(strace_recent, scheduling_that_is_kept)
{
	const uint32_t words[12] = { 48, 2, 0x10, 0, 1, 2 };
	struct made made = { .record.args = { 0, 0x10 } };

	add_blob(&made, 1, 0, STRACE_WHOLE, words, sizeof(words));
	made.record.kind = STRACE_ENTER;
	expect_begin("sched_setattr", &made, 1, "{size=48, sched_flags=SCHED_FLAG_KEEP_PARAMS}");
}

Test(strace_recent, sets_of_nodes)
{
	const uint64_t words[2] = { 1, 2 };
	struct made made = { .record.args = { 0, 66, 0x1000, 0x10 } };

	add_blob(&made, 2, 0, STRACE_EDGE, words, 8);
	expect("migrate_pages", &made, 2, "[0x00000000000001, ... /* 0x1008 */]");
	made.record.args[1] = 1;
	expect("migrate_pages", &made, 2, "0x1000");
	made.record.args[1] = 0;
	expect("migrate_pages", &made, 2, "[]");
}

/* What a result stands for. */
Test(strace_recent, results)
{
	struct made made = { .record.ret = 17 };
	const struct strace_call *call = strace_call_of(syscall_number("rt_sigtimedwait"));
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings, .call = call, .exit = &made.record };

	call->ret(&line);
	cr_expect_str_eq(out.data, "17 (SIGCHLD)");
}

/* What a file says of its blobs is not believed. */
Test(strace_recent, capabilities_that_are_not_there)
{
	static const uint32_t head[2] = { 0x20080522 /* version 3 */ }, none[3];
	static struct made made;
	char ones[32];

	memset(ones, 0xff, sizeof(ones));
	add_blob(&made, 0, 0, STRACE_WHOLE, head, sizeof(head));
	add_blob(&made, 1, 1, STRACE_WHOLE, none, sizeof(none));
	add_blob(&made, 1, 0, STRACE_WHOLE, "", 0);
	add_blob(&made, 2, 0, STRACE_WHOLE, ones, sizeof(ones));
	expect_begin("capset", &made, 1, "{effective=0, permitted=0, inheritable=0}");
}
