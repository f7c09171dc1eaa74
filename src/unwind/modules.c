// SPDX-License-Identifier: BSD-2-Clause
/*
 * A module is found by device and inode as the kernel shows mappings, without a look at the file. Where that device is
 * not the one of stat(2) (overlayfs, btrfs), different files can have the same numbers: there the kernel is asked for
 * the mapping's file each time. A descriptor is held of each file, so that its inode number is not used again, and
 * that its name and symbols can be read when no process has it any more.
 */
#include <sys/auxv.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/file_limit.h"
#include "base/hash.h"
#include "binary/binary.h"
#include "bpf/stack.h"
#include "interp/thread_keys.h"
#include "modules.h"

/*
 * A module by the numbers of its file, as the kernel shows them for mappings or as stat(2) has them. module NULL: the
 * file is not ELF; then path is the only way to see that the same numbers stand for another file later.
 */
struct modules_key {
	struct file_id id;
	bool by_stat;
	struct module *module;
	char *path;
};

void modules_init(struct modules *modules, struct blocks *blocks, struct shares *shares, bool want_tables)
{
	*modules = (struct modules){
		.tables = { .blocks = blocks, .shares = shares, .rules_fd = -1 },
		.plans_fd = -1,
		.want_tables = want_tables,
		.held_max = file_limit_raise() / 2,
	};
}

static void module_free(struct module *module)
{
	module_table_release(&module->table);
	functions_release(&module->functions);
	if (module->shown.fd >= 0)
		close(module->shown.fd);
	free((void *)module->shown.path);
	free((void *)module->shown.root);
	free((void *)module->shown.build_id);
	free((void *)module->shown.runtime);
	free(module);
}

void modules_release(struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		module_free(modules->v[i]);
	vec_each(key, &modules->keys)
		free(key->path);
	free(modules->v);
	free(modules->keys.v);
	lookup_release(&modules->keys.lookup);
	module_tables_release(&modules->tables);
	free(modules->plans.v);
	if (modules->plans_fd >= 0)
		close(modules->plans_fd);
	*modules = (struct modules){ .tables.rules_fd = -1, .plans_fd = -1 };
}

void modules_begin_round(struct modules *modules)
{
	modules->round++;
}

static uint32_t hash_of(const struct file_id *id, bool by_stat)
{
	return hash_pair(id->inode, id->dev << 1 | by_stat);
}

static struct modules_key *find_key(const struct modules *modules, const struct file_id *id, bool by_stat)
{
	uint32_t hash = hash_of(id, by_stat);

	lookup_each(it, &modules->keys.lookup, hash) {
		struct modules_key *key = &modules->keys.v[it.number];

		if (key->by_stat == by_stat && file_id_same(&key->id, id))
			return key;
	}
	return NULL;
}

/* Adds a key or changes what it stands for. module NULL: no module, for mappings of this path. */
static void set_key(struct modules *modules, const struct file_id *id, bool by_stat, struct module *module, const char *path)
{
	struct modules_key *key = find_key(modules, id, by_stat);

	if (!key) {
		lookup_add(&modules->keys.lookup, hash_of(id, by_stat), modules->keys.n);
		key = vec_push(&modules->keys);
	}
	free(key->path);
	*key = (struct modules_key){
		.id = *id,
		.by_stat = by_stat,
		.module = module,
		.path = module ? NULL : base_strdup(path),
	};
}

/* The kernel adds a word to the path of a file that was removed. */
static char *copy_path(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path);

	if (n > strlen(deleted) && !strcmp(path + n - strlen(deleted), deleted))
		n -= strlen(deleted);
	return base_strndup(path, n);
}

/* NULL: all numbers are in use. */
static struct module *add_module(struct modules *modules, enum unwind_module_kind kind, const char *path)
{
	struct module *module;

	if (modules->n == STACK_MODULES_MAX) {
		modules->refused++;
		return NULL;
	}
	module = base_alloc(sizeof(*module));
	*vec_push(modules) = module;
	module->shown = (struct unwind_module){
		.number = modules->n,
		.kind = kind,
		.path = copy_path(path),
		.fd = -1,
	};
	return module;
}

static int open_binary(int fd, struct binary **binary)
{
	char *path __free = base_printf("/proc/self/fd/%d", fd);

	return binary_open(NULL, path, binary, NULL);
}

static int make_table(struct modules *modules, struct module *module, struct binary *binary)
{
	uint64_t refused = modules->tables.rules.refused;
	int ret;

	ret = module_table_make(&module->table, &modules->tables, binary, module->id.uid);
	if (ret == -ENOSPC || ret == -ENOMEM || ret == -EFBIG)
		shares_refuse(modules->tables.shares, module->id.uid, USERS_NO_TABLE, module->shown.path);
	else if (!ret && modules->tables.rules.refused > refused)
		shares_refuse(modules->tables.shares, module->id.uid, USERS_FEWER_RULES, module->shown.path);
	return ret;
}

/*
 * The number of a plan: files of one version share it. INTERP_UNKNOWN: there is none, or no number is left. The map
 * takes it at once, for no process has the number yet.
 */
static uint32_t plan_number(struct modules *modules, const struct runtime *runtime)
{
	struct modules_plans *plans = &modules->plans;
	uint32_t number;

	if (runtime->why)
		return INTERP_UNKNOWN;
	vec_each(plan, plans)
		if (!memcmp(plan, &runtime->plan, sizeof(*plan)))
			return (uint32_t)(plan - plans->v) + 1;
	number = plans->n + 1;
	if (number == INTERP_PLANS || bpf_map_update_elem(modules->plans_fd, &number, &runtime->plan, BPF_ANY))
		return INTERP_UNKNOWN;
	*vec_push(plans) = runtime->plan;
	return number;
}

static void read_binary(struct modules *modules, struct module *module, struct binary *binary)
{
	module->shown.build_id = binary_build_id(binary);
	module->keys = thread_keys_read(binary);
	module->shown.runtime = runtime_read(binary);
	if (module->shown.runtime)
		module->plan = plan_number(modules, module->shown.runtime);
	if (modules->want_tables)
		module->shown.has_table = !make_table(modules, module, binary);
}

/* Reads what the file says. A damaged file, or one of another architecture, has a name only. */
static void read_file(struct modules *modules, struct module *module, int fd)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	uint64_t began = clock_monotonic_ns();

	module->opened = true;
	if (open_binary(fd, &binary))
		return;
	if (modules->long_work)
		modules->long_work(modules->ctx, true);
	read_binary(modules, module, binary);
	if (modules->long_work)
		modules->long_work(modules->ctx, false);
	modules->reading += clock_monotonic_ns() - began;
}

/* Keeps a descriptor with its module, if there is room for it. */
static void hold(struct modules *modules, struct module *module, int *fd)
{
	if (modules->held == modules->held_max)
		return;
	modules->held++;
	module->shown.fd = take_fd(*fd);
}

/* Takes over what file holds. */
static void take_file(struct modules *modules, struct module *module, struct module_file *file)
{
	module->id = file->id;
	module->checked = modules->round;
	module->shown.id = file->id.id;
	module->shown.root = take_ptr(file->root);
	read_file(modules, module, file->fd);
	hold(modules, module, &file->fd);
	set_key(modules, &file->id.id, true, module, NULL);
}

static void file_release(struct module_file *file)
{
	free(file->root);
	if (file->fd >= 0)
		close(file->fd);
}

/*
 * Returns the module of a file that was opened, and takes over what file holds. known: a module that is known by its
 * name only, or NULL.
 */
static struct module *identify(struct modules *modules, struct module_file *opened, const char *path, struct module *known)
{
	struct module_file file __cleanup(file_release) = *opened;
	const struct modules_key *key = find_key(modules, &file.id.id, true);

	if (key && module_file_same(&key->module->id, &file.id))
		return key->module;
	if (!known)
		known = add_module(modules, UNWIND_FILE, path);
	if (known)
		take_file(modules, known, &file);
	return known;
}

/* Whether the module, known by the numbers that the mapping shows, is that of the mapping's file as it is now. */
static bool is_current(struct modules *modules, struct module *module, pid_t pid, const struct mapping *mapping)
{
	struct module_file_id now;

	if (!module->opened)
		return false;
	if (module->id.id.dev != mapping->dev && !module_file_is(&module->id.id, pid, mapping))
		return false;
	if (module->shown.fd < 0 || module->checked == modules->round)
		return true;
	module->checked = modules->round;
	return module_file_identify(module->shown.fd, &now) || module_file_same(&module->id, &now);
}

/* The vDSO's text is the same in all 64-bit processes: it is read from our own memory. */
static void read_vdso(struct modules *modules, struct module *module, const void *image, size_t size)
{
	int fd __close = memfd_create("vdso", MFD_CLOEXEC);

	module->shown.image = image;
	module->shown.size = size;
	if (fd < 0 || write(fd, image, size) != (ssize_t)size)
		return;
	read_file(modules, module, fd);
	hold(modules, module, &fd);
}

static int match_vdso(const struct mapping *mapping, void *size)
{
	if (strcmp(mapping->path, "[vdso]"))
		return 0;
	*(size_t *)size = mapping->end - mapping->start;
	return 1;
}

static struct module *find_vdso(struct modules *modules)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;

	if (modules->vdso || !image || maps_each(0, match_vdso, &size) != 1)
		return modules->vdso;
	modules->vdso = add_module(modules, UNWIND_VDSO, "[vdso]");
	if (modules->vdso)
		read_vdso(modules, modules->vdso, image, size);
	return modules->vdso;
}

/* A 32-bit process has another vDSO, in the lowest 4 GB. */
static bool is_vdso(const struct mapping *mapping)
{
	return !strcmp(mapping->path, "[vdso]") && mapping->start > UINT32_MAX;
}

/* Who asks for one process alone may wait for its files. */
static bool is_served(struct modules *modules, pid_t pid, dev_t dev)
{
	struct modules_served *served = &modules->served;

	if (modules->tables.shares->off)
		return false;
	if (served->dev != dev || served->round != modules->round)
		*served = (struct modules_served){ dev, modules->round, module_file_is_served(pid, dev) };
	return served->is;
}

struct module *modules_find(struct modules *modules, pid_t pid, const struct mapping *mapping)
{
	struct file_id shown = { mapping->dev, mapping->inode };
	const struct modules_key *key;
	struct module *module = NULL;
	struct module_file file = { .fd = -1 };
	int ret;

	if (!mapping->inode)
		return is_vdso(mapping) ? find_vdso(modules) : NULL;
	key = find_key(modules, &shown, false);
	if (key && !key->module && !strcmp(key->path, mapping->path))
		return NULL;
	if (key)
		module = key->module;
	if (module && is_current(modules, module, pid, mapping))
		return module;
	ret = is_served(modules, pid, mapping->dev) ? -EAGAIN : module_file_open(&file, pid, mapping);
	if (!ret)
		module = identify(modules, &file, mapping->path, module && !module->opened ? module : NULL);
	else if (ret != -ENOEXEC && !module)
		module = add_module(modules, UNWIND_FILE, mapping->path);
	else if (ret == -ENOEXEC)
		module = NULL;
	if (module || ret == -ENOEXEC)
		set_key(modules, &shown, false, module, mapping->path);
	return module;
}

struct module *modules_find_path(struct modules *modules, const char *path)
{
	struct module_file file = { .fd = -1 };
	char *real __free = realpath(path, NULL); /* as the kernel will show it */

	return !real || module_file_open_path(&file, real) ? NULL : identify(modules, &file, real, NULL);
}

struct module *modules_get(const struct modules *modules, uint16_t number)
{
	return number && number <= modules->n ? modules->v[number - 1] : NULL;
}

const struct functions_one *modules_function(struct module *module, uint64_t offset)
{
	struct binary *binary __cleanup(binary_closep) = NULL;

	if (!module->functions_read && module->shown.fd >= 0 && !open_binary(module->shown.fd, &binary))
		functions_read(&module->functions, binary);
	module->functions_read = true;
	return functions_at(&module->functions, offset);
}
