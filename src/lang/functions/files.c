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

/*
 * Where the last `size` bytes of a text begin, that has n bytes with the NUL. Without a text: at the last byte of all,
 * which is a NUL.
 */
static struct ir_value begin_of_end(struct lower *l, struct ir_value n, uint32_t size)
{
	uint32_t begin = ir_new_reg(&l->b), whole = ir_new_block(&l->b), done = ir_new_block(&l->b);

	/* of an error it is below 0, which is large */
	ir_move(&l->b, begin, ir_binary(&l->b, IR_SUB, n, ir_imm(size)));
	ir_branch(&l->b, IR_LT, ir_binary(&l->b, IR_SUB, n, ir_imm(1)), ir_imm(size), whole, done);
	lower_at(l, whole);
	ir_move(&l->b, begin, ir_imm(0));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_bounded(l, ir_reg(begin), 0, PATH_MAX - 1);
}

/* The kernel gives nothing where there is no room for all, so it gets room for the longest path. */
static void lower_end_of_path(struct lower *l, const struct low_memory *to, struct ir_value from, uint32_t size)
{
	struct low_mark mark = lower_mark(l);
	struct low_memory room = lower_scratch(l, PATH_MAX), last = lower_behind(room, PATH_MAX - 1);
	struct ir_value address = lower_address(l, &room), end;

	lower_store(l, &last, 8, ir_imm(0));
	end = begin_of_end(l, lower_helper(l, BPF_FUNC_d_path, 3, from, address, ir_imm(PATH_MAX)), size);
	end = ir_binary(&l->b, IR_ADD, address, end);
	lower_library(l, LANG_FN_str, 4, lower_address(l, to), ir_imm(size), end, ir_imm(LANG_SPACE_KERNEL));
	lower_release(l, mark);
}

/* path(p): the kernel wants a pointer whose type it knows, straight from the arguments. */
static struct low_value lower_path(struct lower *l, struct ast *call)
{
	uint32_t size = call->type->size;
	struct low_memory to = lower_temp(l, size);
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
	if (size < PATH_MAX) {
		lower_end_of_path(l, &to, from, size);
		return lower_at_memory(to, call->type);
	}
	lower_zero(l, &to, size);
	lower_helper(l, BPF_FUNC_d_path, 3, from, lower_address(l, &to), ir_imm(size));
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
