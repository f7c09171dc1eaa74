// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names the successor of a kernel function that this kernel does not have: the compiler has renamed it (finish_task_switch
 * became finish_task_switch.isra.0), or the kernel's authors have. Runs only after an error, so that it may take some
 * time.
 */
#include "base/str.h"
#include "kernel/kernel.h"
#include "resolve.h"

/* Functions that scripts probe, and what has the same task in later kernels, the best first. "t:": a tracepoint. */
static const struct {
	const char *old, *successors[3];
} renames[] = {
	{ "__alloc_pages_nodemask", { "__alloc_pages", "__alloc_pages_noprof" } },	     /* 5.13, 6.10 */
	{ "__do_page_cache_readahead", { "do_page_cache_ra" } },			     /* 5.10 */
	{ "__page_cache_alloc", { "filemap_alloc_folio", "filemap_alloc_folio_noprof" } },   /* 5.16 */
	{ "__set_page_dirty_buffers", { "block_dirty_folio" } },			     /* 5.18 */
	{ "__vfs_read", { "vfs_read" } },						     /* 5.8 */
	{ "__vfs_write", { "vfs_write" } },						     /* 5.8 */
	{ "_do_fork", { "kernel_clone" } },						     /* 5.10 */
	{ "account_page_dirtied", { "folio_account_dirtied" } },			     /* 5.16 */
	{ "add_to_page_cache_lru", { "filemap_add_folio" } },				     /* 5.16 */
	{ "blk_account_io_completion", { "blk_account_io_done", "t:block:block_io_done" } }, /* 5.8 */
	{ "blk_account_io_done", { "__blk_account_io_done", "t:block:block_io_done", "t:block:block_rq_complete" } },
	{ "blk_account_io_start", { "__blk_account_io_start", "t:block:block_io_start", "t:block:block_rq_insert" } },
	{ "blk_start_request", { "blk_mq_start_request" } }, /* 5.0 */
	{ "del_timer", { "timer_delete" } },		     /* 6.2 */
	{ "del_timer_sync", { "timer_delete_sync" } },	     /* 6.2 */
	{ "delete_from_page_cache", { "filemap_remove_folio" } },
	{ "do_IRQ", { "common_interrupt" } }, /* 5.8 */
	{ "do_fork", { "_do_fork", "kernel_clone" } },
	{ "do_mmap_pgoff", { "do_mmap" } },						  /* 5.9 */
	{ "do_page_fault", { "exc_page_fault" } },					  /* 5.8, x86 */
	{ "do_sys_open", { "do_sys_openat2" } },					  /* 5.6 */
	{ "generic_make_request", { "submit_bio_noacct" } },				  /* 5.9 */
	{ "hrtimer_init", { "hrtimer_setup" } },					  /* 6.15 */
	{ "kfree_skb", { "kfree_skb_reason", "sk_skb_reason_drop", "t:skb:kfree_skb" } }, /* 5.17, 6.11 */
	{ "kfree_skb_reason", { "sk_skb_reason_drop", "t:skb:kfree_skb" } },
	{ "kmem_cache_alloc_trace", { "kmalloc_trace", "__kmalloc_cache_noprof", "t:kmem:kmalloc" } }, /* 6.1, 6.11 */
	{ "mark_page_accessed", { "folio_mark_accessed" } },					       /* 5.16 */
	{ "set_page_dirty", { "folio_mark_dirty" } },						       /* 5.16 */
	{ "smp_apic_timer_interrupt", { "sysvec_apic_timer_interrupt" } },			       /* 5.8 */
	{ "swap_readpage", { "swap_read_folio" } },						       /* 6.8 */
	{ "tcp_drop", { "tcp_drop_reason", "t:skb:kfree_skb" } },				       /* 5.18 */
	{ "ttwu_do_wakeup", { "ttwu_do_activate" } },						       /* 6.3 */
};

/* What compilers and the kernel's allocation profiling (6.10) append to a name, the nearest to the original first. */
static const char *const suffixes[] = { ".isra.", ".constprop.", ".llvm.", ".part.", "_noprof" };

struct wanted {
	const char *name;
	size_t len, rank; /* rank: the suffix of what was found; ARRAY_SIZE(suffixes): nothing yet */
	char *found;
};

static int offer_symbol(const struct ksym *sym, void *ctx)
{
	struct wanted *wanted = ctx;

	if (strncmp(sym->name, wanted->name, wanted->len))
		return 0;
	for (size_t i = 0; i < wanted->rank; i++) {
		if (strncmp(sym->name + wanted->len, suffixes[i], strlen(suffixes[i])))
			continue;
		wanted->rank = i;
		free(wanted->found);
		wanted->found = base_strdup(sym->name);
	}
	return 0;
}

static int stop_at(const struct ksym *sym, void *ctx)
{
	return 1;
}

static int is_wanted(const struct ktracepoint *tp, void *ctx)
{
	const char *name = ctx, *colon = strchr(name, ':');

	return tp->system && strlen(tp->system) == (size_t)(colon - name) &&
	       !strncmp(tp->system, name, colon - name) && !strcmp(tp->name, colon + 1);
}

/* Whether this kernel has the function, or the tracepoint "t:SYSTEM:NAME". */
static bool has(struct kernel *kernel, const char *what)
{
	if (!strncmp(what, "t:", 2))
		return kernel_each_tracepoint(is_wanted, (void *)(what + 2), NULL) > 0;
	return kernel_each_named(kernel, what, stop_at, NULL, NULL) > 0;
}

static bool is_cloned(struct kernel *kernel, const char *name, struct err *err)
{
	struct wanted wanted = { name, strlen(name), ARRAY_SIZE(suffixes), NULL };
	__free char *found = NULL;

	kernel_each_symbol(kernel, offer_symbol, &wanted, NULL);
	found = wanted.found;
	if (!found)
		return false;
	err_set(err, -ENOENT, "no kernel function matches '%s': in this kernel it is %s%s", name, found,
		strchr(found, '.') ? ", and its arguments may differ" : "");
	return true;
}

static bool is_in_table(struct kernel *kernel, const char *name, bool ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(renames); i++) {
		const char *const *successors = renames[i].successors;

		if (strcmp(renames[i].old, name))
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(renames[i].successors) && successors[j]; j++) {
			if ((ret && !strncmp(successors[j], "t:", 2)) || !has(kernel, successors[j]))
				continue;
			err_set(err, -ENOENT, "no kernel function matches '%s': this kernel has %s in its place", name,
				successors[j]);
			return true;
		}
	}
	return false;
}

/* sys_read and SyS_read of before Linux 4.17. */
static bool is_old_syscall(struct kernel *kernel, const char *name, bool ret, struct err *err)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_" };

	if (strncmp(name, "sys_", 4) && strncmp(name, "SyS_", 4))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		__free char *now = base_printf("%s%s", prefixes[i], name + 4);

		if (!has(kernel, now))
			continue;
		err_set(err, -ENOENT,
			"no kernel function matches '%s': it is %s since Linux 4.17, with a pointer to the arguments; "
			"t:syscalls:sys_%s_%s is the same on all kernels",
			name, now, ret ? "exit" : "enter", name + 4);
		return true;
	}
	return false;
}

bool resolve_renamed(const struct query *query, struct kernel *kernel, struct err *err)
{
	const char *name = match_literal(query->name);
	bool ret = query->spec.ret;

	return name && (is_in_table(kernel, name, ret, err) || is_cloned(kernel, name, err) ||
			is_old_syscall(kernel, name, ret, err));
}
