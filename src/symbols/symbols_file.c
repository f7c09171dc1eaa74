// SPDX-License-Identifier: BSD-2-Clause
/* Names the frames of one file: by symbols, stubs of the PLT, and where .eh_frame says that functions begin. */
#include <sys/mman.h>

#include "base/str.h"
#include "binary/binary.h"
#include "binary/demangle.h"
#include "symbols_part.h"

struct naming {
	struct symbols *symbols;
	const struct unwind_module *module;
	struct str base;       /* the last component of the path */
	struct binary *binary; /* NULL: it cannot be read */
	struct str text;
	struct named *before; /* has the name of a symbol */
};

static void naming_release(struct naming *naming)
{
	binary_close(naming->binary);
	str_release(&naming->base);
	str_release(&naming->text);
}

static void set_base(struct naming *naming)
{
	static const char deleted[] = " (deleted)";
	const char *path = str_or_empty(naming->module->path), *slash = strrchr(path, '/');
	size_t n;

	str_add(&naming->base, slash && slash[1] ? slash + 1 : path);
	n = naming->base.len;
	if (n >= sizeof(deleted) && !strcmp(naming->base.data + n - (sizeof(deleted) - 1), deleted))
		naming->base.data[naming->base.len = n - (sizeof(deleted) - 1)] = 0;
}

/* The vDSO is no file: it is copied into one that has no name. */
static int open_image(const struct unwind_module *module, struct binary **binary, struct err *err)
{
	int fd __close = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0 || write(fd, module->image, module->size) != (ssize_t)module->size)
		return err_set(err, -EIO, "%s: cannot be copied", module->path);
	return binary_open_fd(NULL, module->path, fd, binary, err);
}

static void open_module(struct naming *naming)
{
	const struct unwind_module *module = naming->module;
	char *path __free = module->root ? base_printf("%s%s", module->root, module->path) : base_strdup(module->path);
	struct err err = { .text = "" };
	int ret;

	if (module->image)
		ret = open_image(module, &naming->binary, &err);
	else if (module->fd >= 0)
		ret = binary_open_fd(module->root, path, module->fd, &naming->binary, &err);
	else
		ret = err_set(&err, -ENOENT, "%s: could not be opened while its process lived", path);
	if (ret)
		symbols_note(naming->symbols, "no names: %s", err.text);
}

static const char *keep(struct naming *naming)
{
	return pool_add(&naming->symbols->strings, naming->text.data);
}

static uint64_t address_of(struct naming *naming, uint64_t offset)
{
	uint64_t vaddr;

	return naming->binary && !binary_vaddr_of(naming->binary, offset, &vaddr) ? vaddr : offset;
}

static void name_by_address(struct naming *naming, struct named *named)
{
	str_reset(&naming->text);
	str_addf(&naming->text, "%s+0x%llx", naming->base.data, (unsigned long long)named->frame.address);
	named->frame.name = keep(naming);
}

/* The name for people, from the linker's. */
static const char *show(struct naming *naming, const char *symbol, const char *suffix)
{
	str_reset(&naming->text);
	if (naming->symbols->options.mangled || !demangle_is_mangled(symbol) ||
	    !demangle(symbol, DEMANGLE_PATH, &naming->text))
		str_add(&naming->text, symbol);
	str_add(&naming->text, suffix);
	return keep(naming);
}

static void name_by_symbol(struct naming *naming, struct named *named, const struct binary_symbol *function)
{
	const struct frame *before = naming->before ? &naming->before->frame : NULL;

	named->frame.start = function->vaddr;
	naming->before = named;
	if (before && before->start == function->vaddr) {
		named->frame.name = before->name;
		named->frame.symbol = before->symbol;
		return;
	}
	named->frame.name = show(naming, function->name, function->ifunc ? "@resolver" : "");
	if (strcmp(named->frame.name, function->name))
		named->frame.symbol = pool_add(&naming->symbols->strings, function->name);
}

/* A function without size ends where .eh_frame says. */
static bool is_inside(const struct binary_symbol *function, uint64_t offset, uint64_t start, uint64_t size)
{
	return function->name && (function->size || (function->offset - start < size && offset - start < size));
}

/* A function that .eh_frame describes and no symbol names. */
static void name_by_start(struct naming *naming, struct named *named, uint64_t start)
{
	named->frame.start = address_of(naming, start);
	named->frame.name = symbols_implementation_at(naming->symbols, naming->binary, naming->module->number, start);
	if (named->frame.name)
		return;
	str_reset(&naming->text);
	str_addf(&naming->text, "%s+fn@0x%llx", naming->base.data, (unsigned long long)named->frame.start);
	named->frame.name = keep(naming);
}

static void name_place(struct naming *naming, struct named *named, const struct binary_place *place)
{
	struct symbols_source *source = &naming->symbols->source;
	uint64_t start = 0, size = 0;
	struct binary_symbol go;
	const char *stub;

	if (!place->function.name || !place->function.size)
		source->function_at(source->ctx, naming->module->number, place->offset, &start, &size);
	if (is_inside(&place->function, place->offset, start, size)) {
		name_by_symbol(naming, named, &place->function);
		return;
	}
	if (binary_go_function_at(naming->binary, named->frame.address, &go)) {
		name_by_symbol(naming, named, &go);
		return;
	}
	naming->before = NULL;
	if (binary_stub_at(naming->binary, place->offset, &stub)) {
		str_reset(&naming->text);
		str_addf(&naming->text, "%s+plt", naming->base.data);
		named->frame.name = stub ? show(naming, stub, "@plt") : keep(naming);
	} else if (size) {
		name_by_start(naming, named, start);
	} else {
		name_by_address(naming, named);
	}
}

/* False: there are no places, since it is stopped or has no memory. */
static bool find_places(struct naming *naming, struct named **v, size_t n, struct binary_place *places)
{
	int ret;

	for (size_t i = 0; i < n; i++)
		places[i].offset = v[i]->key & STACK_OFFSET_MASK;
	ret = binary_find_places(naming->binary, places, n, symbols_should_stop, naming->symbols);
	if (ret && ret != -ENODATA && ret != -EINTR)
		symbols_note(naming->symbols, "no names: the symbols of %s: %s", naming->module->path, strerror(-ret));
	if (binary_refused(naming->binary))
		symbols_note(naming->symbols, "%s", binary_refused(naming->binary));
	return !naming->symbols->stopped;
}

static void name_unknown(struct named **v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		v[i]->frame.name = "[unknown]";
		v[i]->done = true;
	}
}

void symbols_name_file(struct symbols *symbols, uint16_t number, struct named **v, size_t n)
{
	struct naming naming __cleanup(naming_release) = { .symbols = symbols };
	struct binary_place *places __free = NULL;
	bool found = false;

	naming.module = symbols->source.module(symbols->source.ctx, number);
	if (!naming.module) {
		name_unknown(v, n);
		return;
	}
	set_base(&naming);
	open_module(&naming);
	if (naming.binary && !symbols->options.raw && !symbols->stopped) {
		places = calloc(n, sizeof(*places));
		found = places && find_places(&naming, v, n, places);
	}
	for (size_t i = 0; i < n; i++) {
		struct frame *frame = &v[i]->frame;

		frame->file = naming.module->path;
		frame->build_id = naming.module->build_id;
		frame->address = address_of(&naming, v[i]->key & STACK_OFFSET_MASK);
		if (found && !symbols_should_stop(symbols))
			name_place(&naming, v[i], &places[i]);
		else
			name_by_address(&naming, v[i]);
		v[i]->done = true;
	}
}
