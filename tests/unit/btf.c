// SPDX-License-Identifier: BSD-2-Clause
/* Reads names and ids from BTF that the test makes. */
#include <linux/btf.h>

#include "kernel_fixture.h"

TestSuite(btf, .init = fixture_init, .fini = fixture_fini);

struct image {
	uint8_t types[1024];
	char strings[256];
	uint32_t n_types, n_strings;
};

static uint32_t add_string(struct image *image, const char *text)
{
	uint32_t at = image->n_strings;

	strcpy(image->strings + at, text);
	image->n_strings += strlen(text) + 1;
	return at;
}

/* Adds a type followed by so many bytes, all ones: a reader that takes these for a type fails. */
static void add_type(struct image *image, unsigned int kind, const char *name, unsigned int vlen, size_t more)
{
	struct btf_type *t = (void *)(image->types + image->n_types);

	t->name_off = name ? add_string(image, name) : 0;
	t->info = kind << 24 | vlen;
	memset(t + 1, 0xff, more);
	image->n_types += sizeof(*t) + more;
}

static void write_image_to(const char *path, const struct image *image, struct btf_header h)
{
	uint8_t file[sizeof(h) + sizeof(image->types) + sizeof(image->strings)] = {};

	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), image->types, image->n_types);
	memcpy(file + sizeof(h) + image->n_types, image->strings, image->n_strings);
	fixture_bytes(path, file, sizeof(h) + image->n_types + image->n_strings);
}

static void write_image(const struct image *image, struct btf_header h)
{
	write_image_to(BTF, image, h);
}

static struct btf_header header_of(const struct image *image)
{
	return (struct btf_header){
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(struct btf_header),
		.type_len = image->n_types,
		.str_off = image->n_types,
		.str_len = image->n_strings,
	};
}

/* One type of every kind, with functions between and after them. */
static void fill(struct image *image)
{
	add_string(image, "");
	add_type(image, BTF_KIND_INT, "int", 0, 4);
	add_type(image, BTF_KIND_PTR, NULL, 0, 0);
	add_type(image, BTF_KIND_ARRAY, NULL, 0, 12);
	add_type(image, BTF_KIND_STRUCT, "s", 2, 2 * 12);
	add_type(image, BTF_KIND_UNION, "u", 1, 12);
	add_type(image, BTF_KIND_ENUM, "e", 3, 3 * 8);
	add_type(image, BTF_KIND_FUNC_PROTO, NULL, 2, 2 * 8);
	add_type(image, BTF_KIND_FUNC, "first", 1, 0); /* 8 */
	add_type(image, BTF_KIND_FWD, "fwd", 0, 0);
	add_type(image, BTF_KIND_TYPEDEF, "btf_trace_x", 0, 0); /* 10 */
	add_type(image, BTF_KIND_VOLATILE, NULL, 0, 0);
	add_type(image, BTF_KIND_CONST, NULL, 0, 0);
	add_type(image, BTF_KIND_RESTRICT, NULL, 0, 0);
	add_type(image, BTF_KIND_VAR, "v", 0, 4);
	add_type(image, BTF_KIND_DATASEC, ".data", 2, 2 * 12);
	add_type(image, BTF_KIND_FLOAT, "float", 0, 0);
	add_type(image, BTF_KIND_DECL_TAG, "tag", 0, 4);
	add_type(image, BTF_KIND_TYPE_TAG, "tag", 0, 0);
	add_type(image, BTF_KIND_ENUM64, "e64", 2, 2 * 12);
	add_type(image, BTF_KIND_FUNC, "last", 0, 0); /* 20 */
}

struct seen {
	char text[128];
	int stop_at;
};

static int see(const char *name, uint32_t id, void *ctx)
{
	struct seen *seen = ctx;
	size_t len = strlen(seen->text);

	snprintf(seen->text + len, sizeof(seen->text) - len, "%s=%u ", name, id);
	return (int)id == seen->stop_at ? 77 : 0;
}

Test(btf, functions_and_typedefs)
{
	struct image image = {};
	struct seen seen = {};
	struct err err = {};

	fill(&image);
	write_image(&image, header_of(&image));
	cr_expect_eq(kernel_each_btf_func(see, &seen, &err), 0, "%s", err.text);
	cr_expect_str_eq(seen.text, "first=8 last=20 ");
	seen.text[0] = 0;
	cr_expect_eq(kernel_each_btf_typedef(see, &seen, &err), 0);
	cr_expect_str_eq(seen.text, "btf_trace_x=10 ");
	seen = (struct seen){ .stop_at = 8 };
	cr_expect_eq(kernel_each_btf_func(see, &seen, &err), 77);
	cr_expect_str_eq(seen.text, "first=8 ");
}

/* The BTF of a module goes on with the ids and the strings of the kernel's. */
Test(btf, functions_of_a_module)
{
	static const char house[] = "/sys/kernel/btf/house";
	struct image image = {}, module = {};
	struct seen seen = {};
	struct err err = {};

	cr_expect_eq(kernel_each_btf_func_of("house", see, &seen, &err), -ENOENT);
	cr_expect(strstr(err.text, "/sys/kernel/btf/vmlinux"), "%s", err.text);
	fill(&image);
	write_image(&image, header_of(&image));
	cr_expect_eq(kernel_each_btf_func_of("house", see, &seen, &err), -ENOENT);
	cr_expect_str_eq(err.text, "the kernel offers no BTF of the module house: cannot open /sys/kernel/btf/house: "
				   "No such file or directory");
	add_type(&module, BTF_KIND_PTR, NULL, 0, 0);
	add_type(&module, BTF_KIND_FUNC, "inside", 0, 0);
	((struct btf_type *)(module.types + sizeof(struct btf_type)))->name_off += image.n_strings;
	write_image_to(house, &module, header_of(&module));
	cr_expect_eq(kernel_each_btf_func_of("house", see, &seen, &err), 0, "%s", err.text);
	cr_expect_str_eq(seen.text, "inside=22 ");
	cr_expect(kernel_btf_has_func("last"));
	cr_expect(!kernel_btf_has_func("inside"));
	cr_expect(!kernel_btf_has_func("s"));
}

/* Without tracefs, tracepoints come from typedefs and have no system. */
static int see_tracepoint(const struct ktracepoint *tp, void *ctx)
{
	cr_expect_null(tp->system);
	cr_expect_str_eq(tp->name, "x");
	++*(int *)ctx;
	return 0;
}

Test(btf, tracepoints)
{
	struct image image = {};
	int n = 0;

	fill(&image);
	write_image(&image, header_of(&image));
	cr_expect_eq(kernel_each_tracepoint(see_tracepoint, &n, NULL), 0);
	cr_expect_eq(n, 1);
}

static void expect_error(int want, const char *text)
{
	struct seen seen = {};
	struct err err = {};

	cr_expect_eq(kernel_each_btf_func(see, &seen, &err), want, "%s", err.text);
	cr_expect(strstr(err.text, text), "%s", err.text);
}

Test(btf, a_kind_of_tomorrow)
{
	struct image image = {};

	fill(&image);
	add_type(&image, 25, "new", 0, 0);
	write_image(&image, header_of(&image));
	expect_error(-ENOTSUP, "a type of a kind that is not known here (25)");
}

Test(btf, what_is_no_btf)
{
	struct image image = {};
	struct btf_header h;

	expect_error(-ENOENT, "the kernel offers no BTF");
	fixture_bytes(BTF, "", 0);
	expect_error(-EINVAL, "not BTF");
	fill(&image);
	h = header_of(&image);
	h.magic = 0x1234;
	write_image(&image, h);
	expect_error(-EINVAL, "not BTF");
	h = header_of(&image);
	h.str_len++;
	write_image(&image, h);
	expect_error(-EINVAL, "not BTF");
	h = header_of(&image);
	h.type_off = 0xfffffff0;
	write_image(&image, h);
	expect_error(-EINVAL, "not BTF");
	h = header_of(&image);
	h.str_len = 0;
	write_image(&image, h);
	expect_error(-EINVAL, "not BTF");
	/* the last string has no end */
	h = header_of(&image);
	h.str_len--;
	write_image(&image, h);
	expect_error(-EINVAL, "not BTF");
}

/* The last type is cut off: nothing beyond the image is read. */
Test(btf, a_cut_type)
{
	struct image image = {};
	struct seen seen = {};

	add_string(&image, "");
	add_type(&image, BTF_KIND_FUNC, "f", 0, 0);
	add_type(&image, BTF_KIND_STRUCT, "s", 0xffff, 12);
	write_image(&image, header_of(&image));
	cr_expect_eq(kernel_each_btf_func(see, &seen, NULL), 0);
	cr_expect_str_eq(seen.text, "f=1 ");
}
