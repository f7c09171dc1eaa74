// SPDX-License-Identifier: BSD-2-Clause
/* Names of what a program's values stand for, asked for when they are printed. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pwd.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "engine/stacks.h"
#include "script_names.h"

#define CGROUP_ROOT  "/sys/fs/cgroup"
#define CGROUP_DEPTH 64

void script_names_release(struct script_names *names)
{
	vec_each(user, &names->users)
		free(user->name);
	free(names->users.v);
	script_usyms_release(&names->usyms);
}

void script_names_add_foreign(struct str *to, const struct script_names *names, const char *text, size_t n)
{
	if (!names->for_terminal) {
		str_addn(to, text, n);
		return;
	}
	while (n) {
		size_t plain = 0;

		while (plain < n && text[plain] != '\n' && text[plain] != '\t')
			plain++;
		str_add_shown(to, text, plain);
		if (plain < n)
			str_addc(to, text[plain++]);
		text += plain;
		n -= plain;
	}
}

/* --- addresses --- */

/* bpftrace prints addresses without a name as %#lx does: 0 is "0". */
static void add_address(struct str *to, uint64_t addr)
{
	str_addf(to, "%#llx", (unsigned long long)addr);
}

void script_names_add_ksym(struct str *to, struct script_names *names, uint64_t addr)
{
	struct ksym_place place;

	if (addr && names->kernel && !kernel_symbol_at(names->kernel, addr, &place))
		str_add(to, place.name);
	else
		add_address(to, addr);
}

void script_names_add_usym(struct str *to, struct script_names *names, const struct lang_usym *usym)
{
	const char *name = script_usyms_name(&names->usyms, usym->pid, usym->addr);

	if (name)
		script_names_add_foreign(to, names, name, strlen(name));
	else
		add_address(to, usym->addr);
}

/* --- stacks --- */

/* The name with the offset in the function; an address where there is no name. inner: the innermost frame. */
static void add_frame_name(struct str *to, const struct script_names *names, const struct frame *frame, bool inner)
{
	/* a user frame that was entered by a call has the call's last byte; bpftrace shows where it returns to */
	uint64_t address = frame->address + (frame->kind != FRAME_KERNEL && frame->kind != FRAME_MARK && !inner);

	if (!*frame->name) {
		str_addf(to, "0x%llx", (unsigned long long)address);
		return;
	}
	script_names_add_foreign(to, names, frame->name, strlen(frame->name));
	if (!strcmp(frame->name, "[unknown]"))
		str_addf(to, " 0x%llx", (unsigned long long)address);
	if (frame->start && frame->start <= frame->address)
		str_addf(to, "+%llu", (unsigned long long)(address - frame->start));
}

static void add_frame(struct str *to, const struct script_names *names, const struct type *type,
		      const struct frame *frame, bool inner)
{
	switch (type->mode) {
	case STACK_PERF:
		str_addf(to, "\t%llx ", (unsigned long long)frame->address);
		add_frame_name(to, names, frame, inner);
		if (type->kind == TYPE_USTACK) {
			str_add(to, " (");
			script_names_add_foreign(to, names, frame->file ? frame->file : "[unknown]",
						 strlen(frame->file ? frame->file : "[unknown]"));
			str_addc(to, ')');
		}
		break;
	case STACK_RAW:
		str_addf(to, "%llx", (unsigned long long)frame->address);
		break;
	case STACK_BUILD_ID:
		str_addf(to, "%s 0x%llx", frame->build_id ? frame->build_id : "[unknown]",
			 (unsigned long long)frame->address);
		break;
	case STACK_BPFTRACE:
		str_add_fill(to, ' ', 8);
		add_frame_name(to, names, frame, inner);
		break;
	}
	str_addc(to, '\n');
}

void script_names_add_stack(struct str *to, struct script_names *names, const struct type *type, uint64_t id)
{
	struct stacks_named named = {};
	const struct frame_stack *part = type->kind == TYPE_KSTACK ? &named.kernel : &named.user;

	str_addc(to, '\n');
	if (!id || !names->stacks || !stacks_find(names->stacks, id, &named))
		return;
	for (size_t i = 0; i < part->n && (!type->limit || i < type->limit); i++)
		add_frame(to, names, type, part->frames[i], !i);
}

/* --- users, calls, places --- */

static char *read_user_name(uint32_t uid)
{
	__fclose FILE *f = fopen("/etc/passwd", "re");
	struct passwd *entry;

	while (f && (entry = fgetpwent(f)))
		if (entry->pw_uid == uid)
			return base_strdup(entry->pw_name);
	return base_printf("%u", uid);
}

void script_names_add_user(struct str *to, struct script_names *names, uint32_t uid)
{
	struct script_user *found = NULL;

	vec_each(user, &names->users)
		if (user->id == uid)
			found = user;
	if (!found) {
		found = vec_push(&names->users);
		found->id = uid;
		found->name = read_user_name(uid);
	}
	script_names_add_foreign(to, names, found->name, strlen(found->name));
}

void script_names_add_place(struct str *to, const struct script_names *names, enum type_kind kind, uint32_t place)
{
	const struct lang_place *found = place < names->program->places.n ? &names->program->places.v[place] : NULL;

	if (found)
		str_add(to, str_or_empty(kind == TYPE_PROBE ? found->probe : found->function));
}

/* --- cgroups --- */

/* Finds the directory with this inode number below path, which it extends; false: there is none. */
static bool find_cgroup(struct str *path, uint64_t id, int depth)
{
	DIR *dir = depth ? opendir(path->data) : NULL;
	size_t len = path->len;
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		path->len = len;
		str_addf(path, "/%s", entry->d_name);
		found = entry->d_ino == id || find_cgroup(path, id, depth - 1);
	}
	if (!found)
		path->len = len;
	if (dir)
		closedir(dir);
	return found;
}

/* The mounts of version 1 have the names of their controllers; version 2 is called "unified". */
static void add_hierarchy(struct str *to, const char *name, const char *root, const char *filter, uint64_t id)
{
	__str struct str path = {};
	struct stat st;

	if (filter && *filter && fnmatch(filter, name, 0))
		return;
	str_add(&path, root);
	if (stat(root, &st) || (st.st_ino != id && !find_cgroup(&path, id, CGROUP_DEPTH)))
		return;
	str_addf(to, "%s%s:", to->len ? "," : "", name);
	str_add_shown(to, path.len > strlen(root) ? path.data + strlen(root) : "/",
		      path.len > strlen(root) ? path.len - strlen(root) : 1);
}

void script_names_add_cgroup(struct str *to, const char *filter, uint64_t id)
{
	__str struct str all = {};

	bool unified = !access(CGROUP_ROOT "/cgroup.controllers", F_OK);
	DIR *dir = unified ? NULL : opendir(CGROUP_ROOT);
	struct dirent *entry;

	if (unified)
		add_hierarchy(&all, "unified", CGROUP_ROOT, filter, id);
	while (dir && (entry = readdir(dir))) {
		__free char *root = base_printf(CGROUP_ROOT "/%s", entry->d_name);

		if (entry->d_name[0] != '.')
			add_hierarchy(&all, entry->d_name, root, filter, id);
	}
	if (dir)
		closedir(dir);
	str_addn(to, str_or_empty(all.data), all.len);
}

/* --- points in time --- */

static void add_formatted(struct str *to, const char *format, const struct tm *tm)
{
	char text[256];

	if (*format && strftime(text, sizeof(text), format, tm))
		str_add(to, text);
}

/* strftime(3) does not know %f. "%%" stands for itself, so it is skipped as a pair. */
void script_names_add_wall(struct str *to, const char *format, uint64_t wall_ns)
{
	time_t seconds = wall_ns / NS_PER_SEC;
	__str struct str known = {};
	struct tm tm;

	localtime_r(&seconds, &tm);
	for (const char *p = format; *p; p++) {
		if (p[0] == '%' && p[1] == 'f')
			str_addf(&known, "%06llu", (unsigned long long)(wall_ns % NS_PER_SEC / 1000));
		else if (p[0] == '%' && p[1])
			str_addn(&known, p, 2);
		else
			str_addc(&known, *p);
		p += p[0] == '%' && p[1];
	}
	add_formatted(to, known.len ? known.data : "", &tm);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

void script_names_add_time(struct str *to, const char *format, const struct lang_time *time)
{
	uint64_t wall = clock_wall_ns(), offset = clock_wall_offset();

	if (time->clock == LANG_CLOCK_MONOTONIC)
		offset = wall - clock_monotonic_ns();
	else if (time->clock != LANG_CLOCK_BOOT)
		offset = wall - now_ns(CLOCK_TAI);
	script_names_add_wall(to, format, time->ns + offset);
}
