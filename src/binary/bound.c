// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads slots of the global offset tables of running processes. IRELATIVE slots of the file itself name the
 * resolver; slots of any file in the process name the symbol. A lazy slot that is not bound yet points into the
 * PLT, where no function begins.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file_id.h"
#include "base/search.h"
#include "bound.h"
#include "binary_part.h"
#include "maps.h"

/* Bounds on the work that other processes cause. */
#define MAX_IMAGES    512 /* files that a process has mapped as code */
#define MAX_PROCESSES 32  /* that have mapped the file and were read */

/* /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst): one word for each page. */
#define PAGE_PRESENT (1ULL << 63)
#define PAGE_SWAPPED (1ULL << 62)
#define PAGE_OF_FILE (1ULL << 61) /* or shared memory */

const char bound_unknown[] =
	"a program chooses an implementation when it starts, and no readable running program shows which: "
	"start one that calls it and use -p PID, or count an implementation by its own name";
static const char in_vdso[] = "the kernel's vDSO serves it, where no uprobe can be";

/* The first IFUNC with that resolver; its aliases follow it. */
static struct binary_ifunc *find_resolver(const struct bound *b, uint64_t vaddr)
{
	uint64_t offset;
	size_t at;

	if (binary_offset_of(b->binary, vaddr, true, &offset))
		return NULL;
	at = search_first(i, b->n_ifuncs, b->ifuncs[i].symbol->offset >= offset);
	return at < b->n_ifuncs && b->ifuncs[at].symbol->offset == offset ? &b->ifuncs[at] : NULL;
}

static int compare_names(const void *pa, const void *pb)
{
	const struct bound_name *a = pa, *b = pb;
	int ret = strcmp(a->name, b->name);

	return ret ? ret : strcmp(a->version, b->version);
}

static struct binary_ifunc *find_name(const struct bound *b, const struct binary_slot *slot)
{
	const struct bound_name key = { .name = slot->name, .version = slot->version };
	const struct bound_name *found = b->n ? bsearch(&key, b->v, b->n, sizeof(key), compare_names) : NULL;

	return found ? found->ifunc : NULL;
}

static int add_name(void *ctx, const struct binary_slot *slot)
{
	struct bound *b = ctx;
	struct binary_ifunc *ifunc = find_resolver(b, slot->resolver);

	if (ifunc)
		*vec_push(b) = (struct bound_name){ ifunc, slot->name, slot->version };
	return 0;
}

void bound_init(struct bound *bound, struct binary *binary, struct binary_ifunc *ifuncs, size_t n)
{
	*bound = (struct bound){ .binary = binary, .ifuncs = ifuncs, .n_ifuncs = n };
	for (size_t i = 0; i < n; i++) {
		ifuncs[i].failed = bound_unknown;
		bound->unknown += !i || ifuncs[i].symbol->offset != ifuncs[i - 1].symbol->offset;
	}
	binary_each_ifunc(binary, add_name, bound);
	if (bound->n)
		qsort(bound->v, bound->n, sizeof(*bound->v), compare_names);
}

void bound_release(struct bound *bound)
{
	free(bound->v);
}

struct place {
	uint64_t start, end; /* addresses in the process */
	uint64_t offset;     /* in the file */
};

/* A file of which the process has mapped code. */
struct image {
	struct place place; /* its first executable mapping */
	uint64_t inode;
	dev_t dev;
	bool ours;  /* the file with the IFUNCs */
	char *path; /* in the mount namespace of the process */
};

struct process {
	pid_t pid;
	int memory, pagemap;
	struct bound *bound;
	struct stat file; /* the file with the IFUNCs */
	const char *name; /* the last component of path */
	char path[PATH_MAX];
	struct place vdso;
	vec(struct place) ours;
	vec(struct image) images;
};

static void process_release(struct process *p)
{
	vec_each(image, &p->images)
		free(image->path);
	free(p->images.v);
	free(p->ours.v);
	base_closep(&p->memory);
	base_closep(&p->pagemap);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Whether a mapping is of the file with the IFUNCs. Compares the file behind the link in map_files: on overlayfs
 * and btrfs maps shows other numbers than stat(2). file_id() does not ask the file system, which may be a hostile
 * FUSE.
 */
static bool is_ours(const struct process *p, const struct mapping *m)
{
	char link[96];
	struct file_id id;

	if (m->inode != p->file.st_ino && strcmp(last_component(m->path), p->name))
		return false;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", (int)p->pid, (unsigned long long)m->start,
		 (unsigned long long)m->end);
	if (!file_id(AT_FDCWD, link, &id))
		return id.inode == p->file.st_ino && id.dev == p->file.st_dev;
	return m->inode == p->file.st_ino && m->dev == p->file.st_dev;
}

static int add_mapping(const struct mapping *m, void *ctx)
{
	struct process *p = ctx;
	struct place place = { m->start, m->end, m->offset };
	bool ours;

	if (!strcmp(m->path, "[vdso]"))
		p->vdso = place;
	if (!m->exec || !m->inode || p->images.n == MAX_IMAGES)
		return 0;
	ours = is_ours(p, m);
	if (ours)
		*vec_push(&p->ours) = place;
	vec_each(image, &p->images)
		if (image->inode == m->inode && image->dev == m->dev)
			return 0;
	*vec_push(&p->images) = (struct image){ place, m->inode, m->dev, ours, base_strdup(m->path) };
	return 0;
}

static int process_open(struct process *p)
{
	__free char *file = base_printf("/proc/self/fd/%d", p->bound->binary->file.fd);
	__free char *memory = base_printf("/proc/%d/mem", (int)p->pid);
	__free char *pagemap = base_printf("/proc/%d/pagemap", (int)p->pid);
	int ret;

	if (fstat(p->bound->binary->file.fd, &p->file) || readlink(file, p->path, sizeof(p->path) - 1) < 0)
		return -errno;
	p->name = last_component(p->path);
	ret = maps_each(p->pid, add_mapping, p);
	if (ret || !p->ours.n)
		return ret ? ret : -ENOENT;
	p->memory = open(memory, O_RDONLY | O_CLOEXEC);
	p->pagemap = open(pagemap, O_RDONLY | O_CLOEXEC);
	return p->memory < 0 || p->pagemap < 0 ? -errno : 0;
}

/*
 * Reads a word only from an anonymous page: a slot that the loader has written is on one. Pages of the file hold no
 * bound slot, and reading an absent page may block forever, as FUSE or userfaultfd of the process decides.
 */
static bool read_word(const struct process *p, uint64_t addr, uint64_t *word)
{
	uint64_t page, size = (uint64_t)sysconf(_SC_PAGESIZE);

	if (addr % sizeof(*word) ||
	    pread(p->pagemap, &page, sizeof(page), (off_t)(addr / size * sizeof(page))) != sizeof(page))
		return false;
	if (!(page & (PAGE_PRESENT | PAGE_SWAPPED)) || page & PAGE_OF_FILE)
		return false;
	return pread(p->memory, word, sizeof(*word), (off_t)addr) == sizeof(*word);
}

/* The index of the first symbol at or after an offset. */
static size_t symbol_at(const struct binary_symbol *symbols, size_t n, uint64_t offset)
{
	return search_first(i, n, symbols[i].offset >= offset);
}

/* Whether a function other than a resolver begins there: a symbol says so or, if there is none, .eh_frame_hdr. */
static bool is_function(struct binary *binary, uint64_t offset)
{
	const struct binary_symbol *symbols;
	uint64_t vaddr;
	size_t n, i;

	if (binary_functions(binary, &symbols, &n, NULL) || binary_vaddr_of(binary, offset, &vaddr))
		return false;
	i = symbol_at(symbols, n, offset);
	if (i == n || symbols[i].offset != offset)
		return binary_unwinds_from(binary, vaddr);
	return !symbols[i].ifunc;
}

static bool is_within(const struct place *place, uint64_t addr)
{
	return addr >= place->start && addr < place->end;
}

static void set_known(struct process *p, struct binary_ifunc *ifunc, uint64_t addr)
{
	if (is_within(&p->vdso, addr)) {
		ifunc->failed = in_vdso;
		p->bound->unknown--;
		return;
	}
	vec_each(place, &p->ours) {
		uint64_t offset = addr - place->start + place->offset;

		if (!is_within(place, addr) || !is_function(p->bound->binary, offset))
			continue;
		ifunc->offset = offset;
		ifunc->failed = NULL;
		p->bound->unknown--;
		return;
	}
}

/* The file of the process whose slots are read. */
struct reading {
	struct process *p;
	bool ours;
	uint64_t bias;
};

static int read_slot(void *ctx, const struct binary_slot *slot)
{
	struct reading *reading = ctx;
	struct process *p = reading->p;
	struct binary_ifunc *ifunc = NULL;
	uint64_t addr;

	if (slot->name)
		ifunc = find_name(p->bound, slot);
	else if (reading->ours)
		ifunc = find_resolver(p->bound, slot->resolver);
	if (ifunc && ifunc->failed == bound_unknown && read_word(p, slot->vaddr + reading->bias, &addr))
		set_known(p, ifunc, addr);
	return !p->bound->unknown;
}

static bool bias_of(const struct binary *binary, const struct place *place, uint64_t *bias)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	vec_each(s, binary) {
		if (!s->exec || place->offset < s->offset / size * size || place->offset >= s->offset + s->size)
			continue;
		*bias = place->start - place->offset + s->offset - s->vaddr;
		return true;
	}
	return false;
}

static void read_image(struct process *p, const struct image *image)
{
	__free char *mapped = base_printf("/proc/%d/map_files/%llx-%llx", (int)p->pid,
					  (unsigned long long)image->place.start, (unsigned long long)image->place.end);
	__free char *root = base_printf("/proc/%d/root", (int)p->pid);
	__free char *path = base_printf("%s%s", root, image->path);
	struct binary *opened __cleanup(binary_closep) = NULL, *binary = p->bound->binary;
	struct reading reading = { p, image->ours, 0 };

	if (!image->ours) {
		if (binary_open(NULL, mapped, &opened, NULL) && binary_open(root, path, &opened, NULL))
			return;
		binary = opened;
	}
	if (bias_of(binary, &image->place, &reading.bias))
		binary_each_slot(binary, read_slot, &reading);
}

/* Aliases share a resolver and are neighbours. Only the first was searched; the others get its result. */
static void share_with_aliases(struct bound *b)
{
	for (size_t i = 1; i < b->n_ifuncs; i++) {
		struct binary_ifunc *ifunc = b->ifuncs + i;

		if (ifunc->symbol->offset != ifunc[-1].symbol->offset)
			continue;
		ifunc->offset = ifunc[-1].offset;
		ifunc->failed = ifunc[-1].failed;
	}
}

static void read_table(struct process *p, uint64_t table)
{
	for (size_t i = 0; i < p->bound->n; i++) {
		struct binary_ifunc *ifunc = p->bound->v[i].ifunc;
		uint64_t addr;

		if (ifunc->failed == bound_unknown && read_word(p, table + i * sizeof(addr), &addr))
			set_known(p, ifunc, addr);
	}
}

int bound_read(struct bound *bound, pid_t pid, uint64_t table)
{
	struct process p __cleanup(process_release) = { .pid = pid, .memory = -1, .pagemap = -1, .bound = bound };
	int ret = process_open(&p);

	if (ret)
		return ret;
	if (table)
		read_table(&p, table);
	/* first the slots of the file itself: the loader binds IRELATIVE slots at once */
	for (int ours = 1; ours >= 0; ours--)
		vec_each(image, &p.images)
			if (image->ours == ours && bound->unknown)
				read_image(&p, image);
	share_with_aliases(bound);
	return 0;
}

/* Whether the slots of this process may decide where probes go: not those of another unprivileged user. */
static bool is_heard(const char *pid, const struct stat *file)
{
	__free char *path = base_printf("/proc/%s/status", pid);
	__fclose FILE *f = fopen(path, "re");
	unsigned int uid;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %*u %u", &uid) == 1)
			return !uid || uid == file->st_uid || uid == geteuid();
	return false;
}

void bound_read_others(struct bound *bound)
{
	DIR *dir = opendir("/proc");
	int left = MAX_PROCESSES;
	struct dirent *entry;
	struct stat file;

	if (!dir)
		return;
	while (!fstat(bound->binary->file.fd, &file) && bound->unknown && left && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_heard(entry->d_name, &file) &&
		    !bound_read(bound, (pid_t)strtol(entry->d_name, NULL, 10), 0))
			left--;
	closedir(dir);
}
