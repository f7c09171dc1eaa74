// SPDX-License-Identifier: BSD-2-Clause
/* Files and cgroups. */
#include <limits.h>
#include <linux/bpf.h>
#include <sys/stat.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static const struct type *check_path(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);
	uint32_t size = c->program->config.max_strlen;
	const struct type *of = type->kind == TYPE_POINTER ? type->of : type;
	int64_t limit;

	if (type->kind != TYPE_NONE && (of->kind != TYPE_STRUCT || strcmp(str_or_empty(of->name), "path")))
		check_error(c, arg->at, "path() only supports 'struct path' argument (%s provided)",
			    check_show(c, type));
	if (call->call.n > 1 && check_constant_argument(c, call, 1, &limit)) {
		if (limit < 1)
			check_error(c, check_argument(call, 1)->at, "path() size must be positive");
		else if (limit < size)
			size = limit;
	}
	return type_string(c->pool, size);
}

/* The kernel lets programs call its d_path() in these functions only. */
static bool allows_path(const struct lower *l, uint32_t place)
{
	static const char *const functions[] = { "vfs_truncate",
						 "vfs_fallocate",
						 "vfs_getattr",
						 "dentry_open",
						 "filp_close",
						 "security_file_permission",
						 "security_inode_getattr",
						 "security_file_open",
						 "security_path_truncate" };
	const char *name = str_or_empty(l->program->places.v[place].function);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i], name))
			return true;
	return false;
}

/* path(p): the kernel wants a pointer whose type it knows, straight from the arguments. */
static struct low_value lower_path(struct lower *l, struct ast *call)
{
	/* the kernel gives nothing where there is no room for all; it writes a text to the end and moves it */
	uint32_t size = call->type->size, room = size < PATH_MAX ? PATH_MAX : size;
	struct low_memory to = lower_temp(l, room), end = lower_behind(to, size - 1);
	struct ir_value from = lower_trusted(l, call->call.args);

	for (uint32_t i = 0; l->probe->kind != PROBE_ITER && i < l->probe->n_places; i++)
		if (!allows_path(l, l->probe->first_place + i)) {
			lower_error(
				l, call->at,
				"the kernel allows path() only in a few functions such as filp_close, vfs_getattr and "
				"security_file_open; elsewhere str(p.dentry->d_name.name) is the file's name");
			break;
		}
	if (l->probe->kind == PROBE_ITER && !l->options->features.fetching_atomics) /* of the same kernel */
		lower_error(l, call->at, "this kernel does not let iterators call path() (Linux 5.12 does)");
	lower_zero(l, &to, size);
	lower_helper(l, BPF_FUNC_d_path, 3, from, lower_address(l, &to), ir_imm(room));
	if (room > size)
		lower_store(l, &end, 8, ir_imm(0));
	return lower_at_memory(to, call->type);
}

FUNCTION(path, 1, 2, check_path, lower_path, .probes = IN(FENTRY) | IN(FEXIT) | IN(ITER));

static const struct type *check_cgroup_path(struct checker *c, struct ast *call)
{
	const char *filter = call->call.n > 1 ? check_text_argument(c, call, 1) : "";

	check_integer(c, call->call.args, "the id of a cgroup");
	return filter ? check_with_text(c, TYPE_CGROUP_PATH, filter) : type_none();
}

FUNCTION(cgroup_path, 1, 2, check_cgroup_path, lower_number_call);

/* The id of a cgroup is the number of its inode. */
static const struct type *check_cgroupid(struct checker *c, struct ast *call)
{
	const char *path = check_text_argument(c, call, 0);
	struct stat st = {};

	if (path && stat(path, &st))
		check_error(c, call->at, "cgroupid(): %s: %s", path, strerror(errno));
	check_set_integer(call, st.st_ino, type_integer(8, false));
	return call->type;
}

FUNCTION(cgroupid, 1, 1, check_cgroupid, lower_nothing);
