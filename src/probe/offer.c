// SPDX-License-Identifier: BSD-2-Clause
/* Completes probe specs: what precedes the last colon decides what may follow. */
#include "binary/binary.h"
#include "kernel/kernel.h"
#include "binary/library.h"
#include "offer.h"

#define LEAST_LETTERS 2

struct offer {
	const char *word;   /* as typed */
	const char *prefix; /* the begin of the wanted name, inside word */
	void (*fn)(const char *spec, void *ctx);
	void *ctx;
};

/* Offers the word with a name in the place of the prefix, if the name begins with that. */
static void offer_name(const struct offer *offer, const char *name)
{
	__free char *spec = NULL;

	if (strncmp(name, offer->prefix, strlen(offer->prefix)))
		return;
	spec = base_printf("%.*s%s", (int)(offer->prefix - offer->word), offer->word, name);
	offer->fn(spec, offer->ctx);
}

static int offer_symbol(const struct ksym *sym, void *ctx)
{
	if (!sym->module)
		offer_name(ctx, sym->name);
	return 0;
}

/*
 * Offers each system once (tracefs lists the tracepoints of a system together), and tracepoints once their system
 * was typed.
 */
struct offer_tracepoints {
	struct offer offer;
	char *last;
	bool in_system;
};

static int offer_tracepoint(const struct ktracepoint *tp, void *ctx)
{
	struct offer_tracepoints *o = ctx;
	__free char *name = NULL;

	if (!tp->system)
		return 0;
	name = base_printf("%s:%s", tp->system, o->in_system ? tp->name : "");
	if (o->last && !strcmp(o->last, name))
		return 0;
	offer_name(&o->offer, name);
	free(o->last);
	o->last = take_ptr(name);
	return 0;
}

static void offer_functions(const struct offer *offer, const char *object)
{
	__cleanup(library_release) struct library library = {};
	__cleanup(binary_closep) struct binary *binary = NULL;
	const struct binary_symbol *symbols;
	size_t n;

	if (library_find(object, 0, &library, NULL) || binary_open(library.root, library.path, &binary, NULL) ||
	    binary_functions(binary, &symbols, &n, NULL))
		return;
	for (size_t i = 0; i < n; i++)
		offer_name(offer, symbols[i].name);
}

static void offer_usdt(const struct offer *offer, const char *object)
{
	__cleanup(library_release) struct library library = {};
	__cleanup(binary_closep) struct binary *binary = NULL;
	const struct binary_usdt *probes;
	size_t n;

	if (library_find(object, 0, &library, NULL) || binary_open(library.root, library.path, &binary, NULL) ||
	    binary_usdt_probes(binary, &probes, &n, NULL))
		return;
	for (size_t i = 0; i < n; i++) {
		__free char *name = base_printf("%s:%s", probes[i].provider, probes[i].name);

		offer_name(offer, name);
	}
}

/* Whether the word before a colon is one of these kinds. */
static bool is_kind(const char *word, size_t len, const char *const *kinds)
{
	for (; *kinds; kinds++)
		if (strlen(*kinds) == len && !memcmp(*kinds, word, len))
			return true;
	return false;
}

static void offer_object(struct offer *offer, bool usdt)
{
	const char *colon = strchr(offer->prefix, ':');
	__free char *object = colon ? base_strndup(offer->prefix, colon - offer->prefix) : NULL;

	if (!object)
		return;
	offer->prefix = colon + 1;
	if (usdt)
		offer_usdt(offer, object);
	else
		offer_functions(offer, object);
}

static void offer_kernel(const struct offer *offer)
{
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();

	if (strlen(offer->prefix) >= LEAST_LETTERS)
		kernel_each_symbol(kernel, offer_symbol, (void *)offer, NULL);
}

void spec_offer(const char *word, void (*fn)(const char *spec, void *ctx), void *ctx)
{
	static const char *const tracepoints[] = { "t", "tracepoint", NULL }, *const usdt[] = { "usdt", "U", NULL };
	static const char *const user[] = { "u", "ur", "uprobe", "uretprobe", NULL }, *const either[] = { "p", "r", NULL };
	static const char *const kernel[] = { "k", "kr", "kprobe", "kretprobe", "f", "fr", "fentry", "fexit", NULL };
	struct offer offer = { .word = word, .prefix = word, .fn = fn, .ctx = ctx };
	size_t len = strcspn(word, ":");

	if (!word[len]) {
		offer_kernel(&offer);
		return;
	}
	offer.prefix = word + len + 1;
	if (is_kind(word, len, tracepoints)) {
		struct offer_tracepoints o = { offer, .in_system = strchr(offer.prefix, ':') };

		kernel_each_tracepoint(offer_tracepoint, &o, NULL);
		free(o.last);
	} else if (is_kind(word, len, usdt)) {
		offer_object(&offer, true);
	} else if (is_kind(word, len, user) || (is_kind(word, len, either) && strchr(offer.prefix, ':'))) {
		offer_object(&offer, false);
	} else if (is_kind(word, len, kernel) || is_kind(word, len, either)) {
		offer_kernel(&offer);
	} else {
		offer.prefix = word;
		offer_object(&offer, false);
	}
}
