// SPDX-License-Identifier: BSD-2-Clause
/*
 * Walks every bpffs. A file system that is mounted several times is walked once. Directories are opened without
 * following links, and pins through the descriptor of their directory: thus a file that is mounted over them or
 * renamed in the meantime is not mistaken for them.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "mounts.h"
#include "pins.h"

const char *bpf_object_kind_name(enum bpf_object_kind kind)
{
	static const char *const names[] = { "program", "map", "link" };

	return names[kind];
}

/* A directory that waits to be walked, or is being walked. */
struct directory {
	const char *path;   /* as the user sees it */
	const char *inside; /* from the root of its file system: "", "/sonde" */
};

struct walk {
	struct trace_pins *pins;
	const char *mount;
	vec(struct directory) todo;
};

/* The kernel makes files in the root of each bpffs: iterators, which print debugging information when read. */
static bool is_kernels_own(const struct directory *dir, const char *name)
{
	return !*dir->inside && (!strcmp(name, "maps.debug") || !strcmp(name, "progs.debug"));
}

/* Its link in /proc says so: "anon_inode:bpf-map". */
int pins_kind(int fd, enum bpf_object_kind *kind)
{
	__free char *link = base_printf("/proc/self/fd/%d", fd);
	char text[64] = "";

	if (readlink(link, text, sizeof(text) - 1) < 0)
		return -errno;
	if (strstr(text, "bpf-prog"))
		*kind = BPF_OBJECT_PROGRAM;
	else if (strstr(text, "bpf-map"))
		*kind = BPF_OBJECT_MAP;
	else if (strstr(text, "bpf_link") || strstr(text, "bpf-link"))
		*kind = BPF_OBJECT_LINK;
	else
		return -EINVAL;
	return 0;
}

static int describe_program(struct trace_pin *pin, int fd, struct pool *strings)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	int ret = bpf_prog_get_info_by_fd(fd, &info, &len);

	pin->id = info.id;
	pin->name = pool_add(strings, info.name);
	pin->type = libbpf_bpf_prog_type_str(info.type);
	return ret;
}

static int describe_map(struct trace_pin *pin, int fd, struct pool *strings)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);
	int ret = bpf_map_get_info_by_fd(fd, &info, &len);

	pin->id = info.id;
	pin->name = pool_add(strings, info.name);
	pin->type = libbpf_bpf_map_type_str(info.type);
	return ret;
}

static int describe_link(struct trace_pin *pin, int fd)
{
	struct bpf_link_info info = {};
	uint32_t len = sizeof(info);
	int ret = bpf_link_get_info_by_fd(fd, &info, &len);

	pin->id = info.id;
	pin->type = libbpf_bpf_link_type_str(info.type);
	return ret;
}

static int describe(struct trace_pin *pin, int dir, const char *name, struct pool *strings)
{
	__free char *path = base_printf("/proc/self/fd/%d/%s", dir, name);
	__close int fd = bpf_obj_get(path);
	int ret;

	if (fd < 0)
		return fd;
	ret = pins_kind(fd, &pin->kind);
	if (ret)
		return ret;
	if (pin->kind == BPF_OBJECT_PROGRAM)
		return describe_program(pin, fd, strings);
	return pin->kind == BPF_OBJECT_MAP ? describe_map(pin, fd, strings) : describe_link(pin, fd);
}

static struct trace_pin *add_pin(struct walk *walk, const char *path, const char *inside)
{
	struct trace_pin *pin = vec_push(walk->pins);

	pin->path = path;
	pin->mount = walk->mount;
	pin->name = "";
	pin->owner = owner_of_pin(inside, &walk->pins->strings);
	return pin;
}

static void read_entry(struct walk *walk, const struct directory *at, int dir, const struct stat *parent, const char *name)
{
	struct pool *strings = &walk->pins->strings;
	struct directory entry;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || is_kernels_own(at, name))
		return;
	if (!S_ISREG(st.st_mode) && (!S_ISDIR(st.st_mode) || st.st_dev != parent->st_dev))
		return;
	entry = (struct directory){ pool_addf(strings, "%s/%s", at->path, name), pool_addf(strings, "%s/%s", at->inside, name) };
	if (S_ISDIR(st.st_mode)) {
		*vec_push(&walk->todo) = entry;
	} else {
		struct trace_pin *pin = add_pin(walk, entry.path, entry.inside);

		pin->error = describe(pin, dir, name, strings);
	}
}

/*
 * Reads one directory. If it cannot be opened, a pin with the error stands for its contents. root: a descriptor
 * or -errno; below: the path from there.
 */
static void read_directory(struct walk *walk, const struct directory *at, int root, const char *below)
{
	int fd = root < 0 ? -1 : openat(root, below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = root < 0 ? root : -errno;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st = {};

	if (!dir) {
		add_pin(walk, at->path, at->inside)->error = error;
		return;
	}
	fstat(fd, &st);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			read_entry(walk, at, fd, &st, entry->d_name);
	closedir(dir);
}

static void read_mount(struct walk *walk, const struct mount *mount)
{
	/* "/" is the whole file system; paths inside begin with the '/' that follows */
	const char *inside = strcmp(mount->root, "/") ? mount->root : "";
	__close int root = mount_open(mount);

	if (root == -ENOENT)
		return;
	walk->mount = mount->path;
	walk->todo.n = 0;
	*vec_push(&walk->todo) = (struct directory){ mount->path, inside };
	for (size_t i = 0; i < walk->todo.n; i++) {
		struct directory at = walk->todo.v[i];
		__free char *below = base_printf(".%s", at.path + strlen(mount->path));

		read_directory(walk, &at, root, below);
	}
}

static int by_path(const void *pa, const void *pb)
{
	const struct trace_pin *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

void pins_read(struct trace_pins *pins)
{
	struct mounts mounts __cleanup(mounts_release) = {};
	struct walk walk = { .pins = pins };

	*pins = (struct trace_pins){};
	mounts_read(&mounts, "bpf", &pins->strings);
	vec_each(mount, &mounts)
		read_mount(&walk, mount);
	free(walk.todo.v);
	if (pins->n)
		qsort(pins->v, pins->n, sizeof(*pins->v), by_path);
}

void pins_release(struct trace_pins *pins)
{
	free(pins->v);
	pool_release(&pins->strings);
	*pins = (struct trace_pins){};
}
