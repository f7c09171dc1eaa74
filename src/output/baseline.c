// SPDX-License-Identifier: BSD-2-Clause
/* Reads folded stacks, within limits since the file is foreign, and finds what is the same in two profiles. */
#include <fcntl.h>

#include "baseline.h"
#include "folded.h"

#define LINE_BYTES (256u << 10)
#define FILE_BYTES (1ull << 30)
#define MAX_NODES  (4u << 20)

struct baseline {
	struct tree *tree;
	const char *name;
	struct err *err;
	size_t line;
	uint64_t total;
};

/* Removes "_[k]" at the end of a name: k for the kernel, j for JIT code, i for inlined, w for a waker. */
static enum frame_kind cut_annotation(const char *name, size_t *n)
{
	const char *end = name + *n - 4;

	if (*n > 4 && end[0] == '_' && end[1] == '[' && end[3] == ']' && strchr("kijw", end[2])) {
		*n -= 4;
		return end[2] == 'k' ? FRAME_KERNEL : end[2] == 'j' ? FRAME_JIT
								    : FRAME_USER;
	}
	return *name == '[' ? FRAME_MARK : FRAME_USER;
}

static bool is_separator(const char *name, size_t n)
{
	return !n || (n <= 2 && !strncmp(name, "--", n));
}

/* Returns the node of a stack: its innermost frame. The first name is the task's. */
static uint32_t add_stack(struct tree *tree, const char *stack, const char *end)
{
	uint32_t node = 0;
	size_t depth = 0;

	for (const char *next; stack < end && depth < TREE_DEPTH; stack = next + 1) {
		const char *found = memchr(stack, ';', end - stack);
		enum frame_kind kind;
		size_t n;

		next = found ? found : end;
		n = next - stack;
		if (is_separator(stack, n))
			continue;
		kind = cut_annotation(stack, &n);
		node = tree_add(tree, node, tree_named(tree, depth++ ? kind : FRAME_MARK, stack, n));
	}
	return node;
}

/* Reads the number at the end of a line. Returns where it begins, or NULL. */
static const char *read_count(const char *line, const char *end, uint64_t *count)
{
	const char *start = memrchr(line, ' ', end - line), *p;

	*count = 0;
	if (!start || start == line || start + 1 == end)
		return NULL;
	for (p = start + 1; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*count, 10, count) || __builtin_add_overflow(*count, *p - '0', count))
			return NULL;
	if (p < end && p > start + 1 && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9';)
			p++;
	return p == end ? start : NULL;
}

static int add_line(struct baseline *base, const char *line, size_t len)
{
	const char *at, *end = line + len;
	uint64_t count;
	uint32_t node;

	base->line++;
	while (end > line && strchr("\r\t ", end[-1]))
		end--;
	if (end == line || *line == '#')
		return 0;
	at = read_count(line, end, &count);
	if (!at)
		return err_set(base->err, -EINVAL, "%s, line %zu: not a folded stack, such as \"main;read 12\"",
			       base->name,
			       base->line);
	if (count > INT64_MAX - base->total)
		return err_set(base->err, -E2BIG, "%s, line %zu: the sum of the counts is too large",
			       base->name, base->line);
	base->total += count;
	node = add_stack(base->tree, line, at);
	base->tree->v[node].self.count += count;
	if (base->tree->n > MAX_NODES)
		return err_set(base->err, -E2BIG, "%s: more than 4 million different calls", base->name);
	return 0;
}

/* Adds the lines in buf, of which *n bytes are filled, and moves the rest, a line without an end, to its start. */
static int add_lines(struct baseline *base, char *buf, size_t *n)
{
	char *line = buf, *end;
	int ret = 0;

	while (!ret && (end = memchr(line, '\n', buf + *n - line))) {
		ret = add_line(base, line, end - line);
		line = end + 1;
	}
	*n -= line - buf;
	memmove(buf, line, *n);
	if (!ret && *n == LINE_BYTES)
		return err_set(base->err, -E2BIG, "%s, line %zu: longer than %u KB", base->name,
			       base->line + 1, LINE_BYTES >> 10);
	return ret;
}

static int read_lines(struct baseline *base, int fd, char *buf)
{
	uint64_t total = 0;
	size_t n = 0;
	int ret = 0;

	while (!ret) {
		ssize_t more = read(fd, buf + n, LINE_BYTES - n);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return err_set(base->err, -errno, "cannot read %s: %s", base->name, strerror(errno));
		if (!more)
			return n ? add_line(base, buf, n) : 0;
		total += more;
		if (total > FILE_BYTES)
			return err_set(base->err, -E2BIG, "%s is larger than 1 GB", base->name);
		n += more;
		ret = add_lines(base, buf, &n);
	}
	return ret;
}

int baseline_read(struct tree *tree, int fd, const char *name, struct err *err)
{
	struct baseline base = { .tree = tree, .name = name, .err = err };
	char *buf __free = base_alloc(LINE_BYTES);
	int ret;

	/* makes the root */
	tree_finish(tree);
	ret = read_lines(&base, fd, buf);
	tree_finish(tree);
	return ret;
}

int baseline_open(struct files *files, const char *name, struct err *err)
{
	int fd __close = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_set(err, -errno, "cannot read %s: %s", name, strerror(errno));
	files->compared = name;
	return baseline_read(&files->old, fd, name, err);
}

/* --- what is the same --- */

/* The children of a node, in the order of their names in folded files. Kinds decide between equal names. */
struct children {
	struct child {
		char *name;
		uint32_t node;
		enum frame_kind kind;
	} * v;
	size_t n, cap;
};

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (int)x->kind - (int)y->kind;
}

static void release_children(struct children *children)
{
	vec_each(child, children)
		free(child->name);
	free(children->v);
}

/* Foreign names are as they are; ours are written as a folded file has them. */
static struct children list_children(const struct tree *tree, uint32_t node, bool foreign)
{
	struct children children = {};

	for (uint32_t i = tree->v[node].child; i; i = tree->v[i].next) {
		const struct frame *frame = tree->v[i].frame;
		struct child *child = vec_push(&children);
		struct str name = {};

		if (foreign)
			str_add(&name, frame->name);
		else
			folded_add_name(&name, frame, false);
		child->name = name.data;
		child->node = i;
		child->kind = frame->kind;
	}
	if (children.n)
		qsort(children.v, children.n, sizeof(*children.v), compare_children);
	return children;
}

/* Matches the children of a node with those of its counterpart. */
static void match_children(const struct tree *old, uint32_t old_node, const struct tree *tree, uint32_t node,
			   uint32_t *match)
{
	struct children ours = list_children(tree, node, false), theirs = list_children(old, old_node, true);
	size_t i = 0, j = 0;

	while (i < ours.n && j < theirs.n) {
		int order = strcmp(ours.v[i].name, theirs.v[j].name);

		if (!order)
			match[ours.v[i].node] = theirs.v[j].node;
		i += order <= 0;
		j += order >= 0;
	}
	release_children(&ours);
	release_children(&theirs);
}

uint32_t *baseline_match(const struct tree *old, const struct tree *tree)
{
	uint32_t *match = base_alloc(tree->n * sizeof(*match)), node = 0;

	do {
		if (!node || match[node])
			match_children(old, match[node], tree, node, match);
		node = tree_next(tree, node);
	} while (node);
	return match;
}
