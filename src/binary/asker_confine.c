// SPDX-License-Identifier: BSD-2-Clause
/*
 * A seccomp(2) filter that permits the system calls that glibc's loader needs. They reach no other process and no
 * network, and can only read files; namespaces would remove nothing more.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "asker_confine.h"
#include "base/base.h"

#define NOBODY	65534
#define SECONDS 5 /* of processor time; a loader needs milliseconds */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(member)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define PERMIT(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)

/* Other calls fail with EPERM and do not kill: a later loader may try calls that it can do without. */
static const struct sock_filter filter[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	PERMIT(execveat),
	PERMIT(mmap),
	PERMIT(munmap),
	PERMIT(mprotect),
	PERMIT(brk),
	PERMIT(read),
	PERMIT(pread64),
	PERMIT(close),
	PERMIT(fstat),
	PERMIT(newfstatat),
	PERMIT(set_tid_address),
	PERMIT(set_robust_list),
	PERMIT(prlimit64),
	PERMIT(getrandom),
	PERMIT(write),
	PERMIT(ppoll),
	PERMIT(exit_group),
#if defined(__x86_64__)
	PERMIT(arch_prctl),
#endif
	/* open files for reading only, never create one */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
	LOAD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC, 1, 0),
	RETURN(SECCOMP_RET_ALLOW),
	REFUSE,
};

static void limit(int resource, rlim_t value)
{
	const struct rlimit r = { value, value };

	setrlimit(resource, &r);
}

/* No capability survives the next exec. */
static bool drop_privileges(void)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL)
		return false;
	return geteuid() || (!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
			     !setresuid(NOBODY, NOBODY, NOBODY));
}

bool asker_confine(pid_t parent)
{
	const struct sock_fprog program = { ARRAY_SIZE(filter), (struct sock_filter *)filter };

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CPU, SECONDS);
	/* PR_SET_PDEATHSIG comes after the change of user: that clears it */
	return drop_privileges() && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) &&
	       getppid() == parent && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
