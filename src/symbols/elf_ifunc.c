// SPDX-License-Identifier: BSD-2-Clause
/*
 * What IFUNC symbols are on this machine, by asking the file's own resolvers. Knows how glibc's
 * loader and static programs start, and that addresses in the process are offsets in files by
 * /proc/PID/maps. How a process is traced, tracee.c knows.
 *
 * Not done in our own process by dlopen(): we are static, and the file is foreign. Not
 * by reading its GOT in a process that runs: that has only what was called.
 */
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

#include "elf_file.h"
#include "maps.h"
#include "tracee.h"

#if defined(__x86_64__)
#define GLIBC_LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define GLIBC_LOADER "/lib/ld-linux-aarch64.so.1"
#endif

#define NOBODY 65534

/* A loader tells its debugger of few steps before the program begins. */
#define MAX_STOPS 16

/* How the file is started, and where it has been relocated but nothing of it has run. */
struct start {
	char loader[256];  /* PT_INTERP; a library: glibc's; static: "" */
	char *path;	   /* below the root; with a slash, or the loader searches for it */
	const char *stop;  /* function of the program that is executed, called at that moment */
	const char *state; /* its struct r_debug, which says that it is that moment, or NULL */
};

struct place {
	uint64_t start, end, offset;
	bool ours;
	bool vdso;
};

/* The executable mappings of the process. */
struct places {
	struct place *v;
	size_t n, cap;
	struct stat file;
	char path[PATH_MAX]; /* of the file, without links */
	const char *name;    /* its last component */
};

static void start_release(struct start *start)
{
	free(start->path);
}

static void places_release(struct places *places)
{
	free(places->v);
}

static int read_interp(const struct elf *elf, char *interp, size_t size)
{
	GElf_Phdr phdr;
	size_t count;

	if (elf_getphdrnum(elf->file.elf, &count))
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf->file.elf, (int)i, &phdr) || phdr.p_type != PT_INTERP)
			continue;
		if (phdr.p_filesz < 2 || phdr.p_filesz > size ||
		    pread(elf->file.fd, interp, phdr.p_filesz, (off_t)phdr.p_offset) !=
			    (ssize_t)phdr.p_filesz ||
		    interp[phdr.p_filesz - 1] || interp[0] != '/')
			return -EBADMSG;
		return 0;
	}
	return -ENOENT;
}

/*
 * glibc's loader calls _dl_debug_state() for debuggers: with r_state RT_ADD before it maps files
 * (how often differs), with RT_CONSISTENT when all is relocated, before constructors. A static
 * program calls __libc_setup_tls() after it has applied its own IRELATIVE relocations.
 */
static int plan_start(struct elf *elf, struct start *start, struct err *err)
{
	const char *path = elf_path_in_root(elf);
	GElf_Ehdr ehdr;
	uint64_t vaddr;
	int ret = read_interp(elf, start->loader, sizeof(start->loader));

	start->path = base_printf("%s%s", strchr(path, '/') ? "" : "./", path);
	start->stop = "_dl_debug_state";
	start->state = "_r_debug";
	if (ret == -EBADMSG)
		return err_set(err, ret, "%s: the name of its loader is damaged", elf->path);
	if (!ret)
		return 0;
	if (!elf_find_symbol(elf, "__libc_setup_tls", &vaddr)) {
		start->loader[0] = 0;
		start->stop = "__libc_setup_tls";
		start->state = NULL;
		return 0;
	}
	if (!gelf_getehdr(elf->file.elf, &ehdr) || ehdr.e_type != ET_DYN)
		return err_set(err, -ENOTSUP,
			       "%s: a static program that is not glibc's: its "
			       "indirect functions cannot be resolved",
			       elf->path);
	snprintf(start->loader, sizeof(start->loader), "%s", GLIBC_LOADER);
	return 0;
}

/* Foreign code runs as who could have written it; in a container root's files are foreign, too. */
static void choose_user(const struct elf *elf, struct tracee_options *options)
{
	struct stat st = { .st_uid = NOBODY, .st_gid = NOBODY };

	if (geteuid())
		return;
	fstat(elf->file.fd, &st);
	options->change_user = st.st_uid || elf->root;
	options->uid = st.st_uid ? st.st_uid : NOBODY;
	options->gid = st.st_uid ? st.st_gid : NOBODY;
}

static bool is_ours(const struct places *places, const struct mapping *m)
{
	const char *name = strrchr(m->path, '/');

	/* the device differs on overlayfs and btrfs; then the name must do */
	return m->inode && m->inode == places->file.st_ino &&
	       (m->dev == places->file.st_dev || (name && !strcmp(name + 1, places->name)));
}

static int add_place(const struct mapping *m, void *ctx)
{
	struct places *places = ctx;

	if (m->exec)
		*vec_push(places) = (struct place){
			.start = m->start,
			.end = m->end,
			.offset = m->offset,
			.ours = is_ours(places, m),
			.vdso = !strcmp(m->path, "[vdso]"),
		};
	return 0;
}

static int read_places(struct places *places, pid_t pid, const struct elf *elf)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", elf->file.fd);
	if (fstat(elf->file.fd, &places->file) ||
	    readlink(link, places->path, sizeof(places->path) - 1) < 0)
		return -errno;
	places->name = strrchr(places->path, '/');
	places->name = places->name ? places->name + 1 : places->path;
	return maps_each(pid, add_place, places);
}

static uint64_t address_of(const struct places *places, uint64_t offset)
{
	for (const struct place *p = places->v; p < places->v + places->n; p++) {
		if (p->ours && offset >= p->offset && offset - p->offset < p->end - p->start)
			return p->start + (offset - p->offset);
	}
	return 0;
}

static const char *place_result(const struct places *places, uint64_t addr, uint64_t *offset)
{
	for (const struct place *p = places->v; p < places->v + places->n; p++) {
		if (addr < p->start || addr >= p->end)
			continue;
		if (p->vdso)
			return "the kernel's vDSO serves it, where no uprobe can be";
		if (!p->ours)
			return "its resolver chose a function of another file";
		*offset = addr - p->start + p->offset;
		return NULL;
	}
	return "its resolver returned no function";
}

/* Addresses in the process of what start names in the program that it executes. */
static int find_stop(struct tracee *t, const struct start *start, uint64_t *stop, uint64_t *state)
{
	struct places places __cleanup(places_release) = { 0 };
	struct elf *program __cleanup(elf_closep) = NULL;
	uint64_t vaddr, state_vaddr, offset;
	char exe[32];
	int ret;

	/* whatever links and roots are in the way: this is what is executed */
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)t->pid);
	ret = elf_open(NULL, exe, &program, NULL);
	if (!ret)
		ret = elf_find_symbol(program, start->stop, &vaddr);
	if (!ret)
		ret = elf_offset_of(program, vaddr, true, &offset);
	if (!ret && start->state)
		ret = elf_find_symbol(program, start->state, &state_vaddr);
	if (!ret)
		ret = read_places(&places, t->pid, program);
	if (ret)
		return ret;
	*stop = address_of(&places, offset);
	*state = start->state ? *stop - vaddr + state_vaddr : 0;
	return *stop ? 0 : -ENOENT;
}

/* Runs the freshly executed process to where the file is relocated. */
static int run_to_relocated(struct tracee *t, const struct start *start)
{
	uint64_t stop, state, word;
	int ret = find_stop(t, start, &stop, &state);

	if (!ret)
		ret = tracee_break_at(t, stop);
	for (int i = 0; !ret && i < MAX_STOPS; i++) {
		ret = tracee_run_to(t, stop);
		if (ret || !state)
			return ret;
		ret = tracee_peek(t, state + offsetof(struct r_debug, r_state), &word);
		if (!ret && (uint32_t)word == RT_CONSISTENT)
			return 0;
		if (!ret)
			ret = tracee_return(t);
	}
	return ret ? ret : -EFAULT;
}

static void resolve_each(struct tracee *t, const struct places *places, struct elf_ifunc *f,
			 size_t n)
{
	const char *broken = NULL;

	for (size_t i = 0; i < n; i++) {
		uint64_t addr = address_of(places, f[i].symbol->offset), result;
		int ret = 0;

		/* aliases are neighbours and share a resolver */
		if (i && f[i].symbol->offset == f[i - 1].symbol->offset) {
			f[i].offset = f[i - 1].offset;
			f[i].failed = f[i - 1].failed;
			continue;
		}
		f[i].failed = broken ? broken : addr ? NULL
						     : "its resolver is not mapped";
		if (!f[i].failed)
			ret = tracee_call_resolver(t, addr, &result);
		if (ret)
			f[i].failed = ret == -ETIMEDOUT ? "its resolver does not end"
							: "its resolver faulted";
		if (ret && ret != -EFAULT)
			broken = "not tried: another resolver of this file does not end";
		if (!f[i].failed)
			f[i].failed = place_result(places, result, &f[i].offset);
	}
}

int elf_resolve_ifuncs(struct elf *elf, struct elf_ifunc *ifuncs, size_t n, struct err *err)
{
	struct places places __cleanup(places_release) = { 0 };
	struct tracee tracee __cleanup(tracee_end) = { 0 };
	struct tracee_options options = { .root = elf->root };
	struct start start __cleanup(start_release) = { .path = NULL };
	const char *argv[3];
	int ret = 0;

	if (n)
		ret = plan_start(elf, &start, err);
	if (ret || !n)
		return ret;
	argv[0] = start.loader[0] ? start.loader : start.path;
	argv[1] = start.loader[0] ? start.path : NULL;
	argv[2] = NULL;
	options.argv = argv;
	choose_user(elf, &options);
	ret = tracee_start(&tracee, &options, err);
	if (ret)
		return ret;
	ret = run_to_relocated(&tracee, &start);
	if (!ret)
		ret = read_places(&places, tracee.pid, elf);
	if (ret)
		return err_set(err, -ENOTSUP,
			       "%s: its indirect functions cannot be resolved: %s does not load it",
			       elf->path, argv[0]);
	resolve_each(&tracee, &places, ifuncs, n);
	return 0;
}
