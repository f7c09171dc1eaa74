// SPDX-License-Identifier: BSD-2-Clause
/* Names and numbers of syscalls, from the headers of the build. */
#include <asm/unistd.h>

#include "base/base.h"
#include "syscalls.h"

static const struct {
	const char *name;
	int number;
} syscalls[] = {
#define SYSCALL(NAME) { #NAME, __NR_##NAME },
#include "syscalls.inc"
#undef SYSCALL
};

/* Syscalls that headers of the build may lack. From 424 on, numbers are the same on all architectures; the other one is x86-64's own. */
static const struct {
	const char *name;
	int number;
} newer[] = {
#ifdef __x86_64__
	{ "uretprobe", 335 },
#endif
	{ "cachestat", 451 },
	{ "fchmodat2", 452 },
	{ "map_shadow_stack", 453 },
	{ "futex_wake", 454 },
	{ "futex_wait", 455 },
	{ "futex_requeue", 456 },
	{ "statmount", 457 },
	{ "listmount", 458 },
	{ "lsm_get_self_attr", 459 },
	{ "lsm_set_self_attr", 460 },
	{ "lsm_list_modules", 461 },
	{ "mseal", 462 },
	{ "setxattrat", 463 },
	{ "getxattrat", 464 },
	{ "listxattrat", 465 },
	{ "removexattrat", 466 },
	{ "open_tree_attr", 467 },
	{ "file_getattr", 468 },
	{ "file_setattr", 469 },
	{ "listns", 470 },
};

/* Syscalls whose function in the kernel, after which the tracepoint is named, has another name. */
static const char *const renamed[][2] = {
	{ "newstat", "stat" },
	{ "newfstat", "fstat" },
	{ "newlstat", "lstat" },
	{ "newuname", "uname" },
	{ "umount", "umount2" },
	{ "sendfile64", "sendfile" },
	{ "newfstatat", "fstatat" },
};

static int find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (!strcmp(syscalls[i].name, name))
			return syscalls[i].number;
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		if (!strcmp(newer[i].name, name))
			return newer[i].number;
	return -ENOENT;
}

/*
 * Some headers also define __NR_ constants that are no syscalls: where those of an architecture begin, and their
 * number.
 */
static bool is_call(const char *name)
{
	return strcmp(name, "arch_specific_syscall") && strcmp(name, "syscalls");
}

const char *syscall_name(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (syscalls[i].number == number && is_call(syscalls[i].name))
			return syscalls[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		if (newer[i].number == number)
			return newer[i].name;
	return NULL;
}

int syscall_number(const char *name)
{
	int number = find(name);

	for (size_t i = 0; number < 0 && i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(renamed[i][0], name))
			number = find(renamed[i][1]);
	return number;
}
