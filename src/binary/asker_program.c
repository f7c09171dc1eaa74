// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes an ELF file with two loaded segments: one is read and executed, the other holds the table of addresses and the
 * dynamic section. Formats: the System V ABI; for symbol versions the LSB.
 */
#include <elf.h>

#include "asker_program.h"

#if defined(__x86_64__)
#define MACHINE	 EM_X86_64
#define GLOB_DAT R_X86_64_GLOB_DAT
#else
#define MACHINE	 EM_AARCH64
#define GLOB_DAT R_AARCH64_GLOB_DAT
#endif

/* ALIGN: the largest page size. TEXT and DATA: addresses of the segments, far enough apart for any number of names. */
#define ALIGN 65536
#define TEXT  0x400000
#define DATA  0x20000000

enum {
	PHDR_INTERP,
	PHDR_TEXT,
	PHDR_DATA,
	PHDR_DYNAMIC,
	PHDR_STACK,
	PHDR_COUNT
};

/*
 * write(1, TEXT, 1); for (;;) ppoll(NULL, 0, NULL, NULL);
 * Hidden: else the compiler for arm64 loads both addresses from the GOT, where local symbols of one section get one
 * entry.
 */
extern const char __attribute__((visibility("hidden"))) asker_code[], asker_code_end[];
__asm__(".pushsection .rodata\n"
	"asker_code:\n"
#if defined(__x86_64__)
	"	mov $1, %eax\n"
	"	mov $1, %edi\n"
	"	mov $0x400000, %esi\n"
	"	mov $1, %edx\n"
	"	syscall\n"
	"1:	mov $271, %eax\n"
	"	xor %edi, %edi\n"
	"	xor %esi, %esi\n"
	"	xor %edx, %edx\n"
	"	xor %r10d, %r10d\n"
	"	syscall\n"
	"	jmp 1b\n"
#else
	"	mov x8, #64\n"
	"	mov x0, #1\n"
	"	mov x1, #0x400000\n"
	"	mov x2, #1\n"
	"	svc #0\n"
	"1:	mov x8, #73\n"
	"	mov x0, #0\n"
	"	mov x1, #0\n"
	"	mov x2, #0\n"
	"	mov x3, #0\n"
	"	svc #0\n"
	"	b 1b\n"
#endif
	"asker_code_end:\n"
	".popsection\n");

/* Parts of the first segment to which each name adds. */
struct parts {
	struct str strings, symbols, relocations, numbers, versions;
	unsigned int n_versions;
};

static void parts_release(struct parts *p)
{
	str_release(&p->strings);
	str_release(&p->symbols);
	str_release(&p->relocations);
	str_release(&p->numbers);
	str_release(&p->versions);
}

static void put(struct str *s, const void *data, size_t n)
{
	str_addn(s, data, n);
}

/* Appends data to a segment that begins at address base, aligned to 8 bytes. Returns the address of the data. */
static uint64_t place(struct str *segment, uint64_t base, const void *data, size_t n)
{
	str_add_fill(segment, 0, -segment->len & 7);
	put(segment, data, n);
	return base + segment->len - n;
}

static uint32_t add_string(struct parts *p, const char *text)
{
	uint32_t at = (uint32_t)p->strings.len;

	put(&p->strings, text, strlen(text) + 1);
	return at;
}

/* The hash function of the System V ABI. */
static uint32_t hash(const char *name)
{
	uint32_t h = 0;

	for (; *name; name++) {
		h = (h << 4) + (uint8_t)*name;
		h ^= (h & 0xf0000000) >> 24;
		h &= 0x0fffffff;
	}
	return h;
}

/*
 * The number of a symbol version that the program needs; added if it is new. Numbers begin with 2. Searches all
 * versions: names of one version are rarely neighbours.
 */
static uint16_t add_version(struct parts *p, const char *version)
{
	Elf64_Vernaux *known = (Elf64_Vernaux *)p->versions.data, new = { .vna_hash = hash(version) };

	if (!*version)
		return VER_NDX_GLOBAL;
	for (unsigned int i = 0; i < p->n_versions; i++)
		if (!strcmp(p->strings.data + known[i].vna_name, version))
			return known[i].vna_other;
	new.vna_other = (uint16_t)(2 + p->n_versions++);
	new.vna_name = add_string(p, version);
	new.vna_next = sizeof(new);
	put(&p->versions, &new, sizeof(new));
	return new.vna_other;
}

static void add_name(struct parts *p, const struct bound_name *name, size_t i)
{
	Elf64_Sym symbol = { .st_name = add_string(p, name->name), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	Elf64_Rela relocation = { DATA + i * sizeof(uint64_t), ELF64_R_INFO(i + 1, GLOB_DAT), 0 };
	uint16_t number = add_version(p, name->version);

	put(&p->symbols, &symbol, sizeof(symbol));
	put(&p->relocations, &relocation, sizeof(relocation));
	put(&p->numbers, &number, sizeof(number));
}

static void add_names(struct parts *p, const struct bound *bound)
{
	const Elf64_Sym none = {};
	const uint16_t local = VER_NDX_LOCAL;

	put(&p->strings, "", 1);
	put(&p->symbols, &none, sizeof(none));
	put(&p->numbers, &local, sizeof(local));
	for (size_t i = 0; i < bound->n; i++)
		add_name(p, bound->v + i, i);
	if (p->n_versions)
		((Elf64_Vernaux *)p->versions.data)[p->n_versions - 1].vna_next = 0;
}

/* Adds the parts to the first segment, and the dynamic section that points to them to the second. */
static void add_dynamic(struct str *text, struct str *data, struct parts *p, const char *path)
{
	uint32_t library = add_string(p, path);
	const Elf64_Verneed need = { VER_NEED_CURRENT, (uint16_t)p->n_versions, library, sizeof(need), 0 };
	__str struct str needs = {};

	put(&needs, &need, sizeof(need));
	put(&needs, p->versions.data, p->versions.len);
	const Elf64_Dyn dynamic[] = {
		{ DT_NEEDED, { library } },
		{ DT_STRTAB, { place(text, TEXT, p->strings.data, p->strings.len) } },
		{ DT_STRSZ, { p->strings.len } },
		{ DT_SYMTAB, { place(text, TEXT, p->symbols.data, p->symbols.len) } },
		{ DT_SYMENT, { sizeof(Elf64_Sym) } },
		{ DT_RELA, { place(text, TEXT, p->relocations.data, p->relocations.len) } },
		{ DT_RELASZ, { p->relocations.len } },
		{ DT_RELAENT, { sizeof(Elf64_Rela) } },
		/* without versions the list ends here */
		{ p->n_versions ? DT_VERSYM : DT_NULL, { place(text, TEXT, p->numbers.data, p->numbers.len) } },
		{ DT_VERNEED, { place(text, TEXT, needs.data, needs.len) } },
		{ DT_VERNEEDNUM, { 1 } },
		{ DT_NULL, { 0 } },
	};

	put(data, dynamic, sizeof(dynamic));
}

static Elf64_Phdr segment(uint32_t type, uint32_t flags, uint64_t offset, uint64_t vaddr, uint64_t size)
{
	return (Elf64_Phdr){ type, flags, offset, vaddr, vaddr, size, size, type == PT_LOAD ? ALIGN : 8 };
}

void asker_program(struct str *file, uint64_t *table, const char *path, const struct bound *bound)
{
	static const char interp[] = ASKER_LOADER;
	struct parts parts __cleanup(parts_release) = {};
	Elf64_Phdr phdrs[PHDR_COUNT];
	__str struct str data = {};
	uint64_t interp_at, dynamic_at, data_offset;
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(phdrs[0]),
		.e_phnum = PHDR_COUNT,
	};

	*table = DATA;
	str_add_fill(&data, 0, bound->n * sizeof(uint64_t));
	dynamic_at = data.len;
	str_add_fill(file, 0, sizeof(ehdr) + sizeof(phdrs));
	interp_at = place(file, TEXT, interp, sizeof(interp));
	ehdr.e_entry = place(file, TEXT, asker_code, (size_t)(asker_code_end - asker_code));
	add_names(&parts, bound);
	add_dynamic(file, &data, &parts, path);
	data_offset = (file->len + ALIGN - 1) / ALIGN * ALIGN;
	phdrs[PHDR_INTERP] = segment(PT_INTERP, PF_R, interp_at - TEXT, interp_at, sizeof(interp));
	phdrs[PHDR_TEXT] = segment(PT_LOAD, PF_R | PF_X, 0, TEXT, file->len);
	phdrs[PHDR_DATA] = segment(PT_LOAD, PF_R | PF_W, data_offset, DATA, data.len);
	phdrs[PHDR_DYNAMIC] = segment(PT_DYNAMIC, PF_R | PF_W, data_offset + dynamic_at, DATA + dynamic_at,
				      data.len - dynamic_at);
	phdrs[PHDR_STACK] = segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0);
	memcpy(file->data, &ehdr, sizeof(ehdr));
	memcpy(file->data + sizeof(ehdr), phdrs, sizeof(phdrs));
	str_add_fill(file, 0, data_offset - file->len);
	put(file, data.data, data.len);
}
