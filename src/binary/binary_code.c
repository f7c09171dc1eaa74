// SPDX-License-Identifier: BSD-2-Clause
/* Checks whether an instruction begins at a place in an ELF file. instruction.c decodes the instructions. */
#include "base/search.h"
#include "binary_code.h"
#include "binary_part.h"
#include "instruction.h"

/* Longer functions are not decoded. None is that long, but a foreign symbol table may claim any size. */
#define FUNCTION_MAX (16 << 20)

/* To find the function that a place is in, so many symbols before the place are checked. */
#define NEIGHBOURS 32

/* A file with more executable sections is treated as if it had no section headers. */
#define SECTIONS_MAX 64

static int read_sections(struct binary *binary)
{
	struct binary_sections *sections = &binary->code;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	sections->known = true;
	while ((scn = elf_nextscn(binary->file.elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		sections->any = true;
		if (shdr.sh_flags & SHF_EXECINSTR && shdr.sh_type == SHT_PROGBITS)
			*vec_push(sections) = (struct binary_section){ shdr.sh_addr, shdr.sh_size };
		if (sections->n > SECTIONS_MAX)
			return -E2BIG;
	}
	return 0;
}

/* An executable segment may also hold data and the file's header. Sections, if there are any, tell them apart. */
static bool is_in_code(struct binary *binary, uint64_t vaddr)
{
	struct binary_sections *sections = &binary->code;

	if (!sections->known && read_sections(binary))
		sections->any = false;
	if (!sections->any)
		return binary_segment_of(binary, vaddr, true);
	vec_each(section, sections)
		if (vaddr - section->vaddr < section->size)
			return true;
	return false;
}

int binary_section_start(struct binary *binary, uint64_t vaddr, uint64_t *start)
{
	if (!is_in_code(binary, vaddr) || !binary->code.any)
		return -ENOENT;
	vec_each(section, &binary->code)
		if (vaddr - section->vaddr < section->size)
			*start = section->vaddr;
	return 0;
}

static int check_in_code(struct binary *binary, uint64_t vaddr, struct err *err)
{
	if (!is_in_code(binary, vaddr))
		return err_set(err, -EINVAL, "no code is there");
	if (vaddr % INSTRUCTION_ALIGN)
		return err_set(err, -EILSEQ, "the offset is inside an instruction");
	return 0;
}

uint8_t *binary_read_function(const struct binary *binary, const struct binary_symbol *function, struct err *err)
{
	__free uint8_t *code = NULL;

	if (function->size > FUNCTION_MAX) {
		err_set(err, -E2BIG, "'%s' is too long to be decoded", function->name);
		return NULL;
	}
	/* read, not mapped: the file is foreign and may be truncated meanwhile */
	code = malloc(function->size);
	if (code && pread(binary->file.fd, code, function->size, (off_t)function->offset) == (ssize_t)function->size)
		return take_ptr(code);
	err_set(err, -EIO, "'%s' cannot be read", function->name);
	return NULL;
}

int binary_decode_at(struct binary *binary, uint64_t offset, struct instruction *instruction)
{
	struct binary_window *window = &binary->window;

	if (offset < window->offset || offset + INSTRUCTION_MAX > window->offset + window->n) {
		ssize_t n = pread(binary->file.fd, window->bytes, sizeof(window->bytes), (off_t)offset);

		window->offset = offset;
		window->n = n > 0 ? (size_t)n : 0;
	}
	return instruction_decode(window->bytes + (offset - window->offset), window->n - (offset - window->offset),
				  instruction);
}

int binary_check_instruction(const struct instruction *instruction, struct err *err)
{
	static const char *const why[] = {
		[INSTRUCTION_SKIPPED] = "the kernel would skip the instruction there, which it mistakes for another",
		[INSTRUCTION_STRANDS] = "the program would die there, since the kernel mistakes the instruction for another",
		[INSTRUCTION_UNSEEN] = "the kernel sets no probe on the instruction there",
	};

	return instruction->uprobe == INSTRUCTION_RUNS ? 0 : err_set(err, -EOPNOTSUPP, "%s", why[instruction->uprobe]);
}

int binary_check_entry(struct binary *binary, const struct binary_symbol *function, struct err *err)
{
	struct instruction instruction;
	int ret = check_in_code(binary, function->vaddr, err);

	if (!ret && function->debug)
		ret = binary_confirm(binary, function->offset, err);
	if (ret)
		return ret;
	/* an invalid instruction, or a trap in a symbol without a size: probably no function */
	if (binary_decode_at(binary, function->offset, &instruction) || (!function->size && instruction.kind == INSTRUCTION_STOP))
		return err_set(err, -EILSEQ, "no known instruction starts there");
	return binary_check_instruction(&instruction, err);
}

/*
 * Decodes code from its begin: 0 if an instruction begins at offset. -EILSEQ: offset is inside one. -EBADMSG: code
 * on the way cannot be decoded. -EOPNOTSUPP: the program would not run on as it is, *err says why.
 */
static int walk_to(const uint8_t *code, size_t n, uint64_t offset, struct err *err)
{
	struct instruction instruction;
	bool claimed = false;
	uint64_t at = 0;

	while (at < offset) {
		if (instruction_decode(code + at, n - at, &instruction))
			return -EBADMSG;
		claimed = instruction.claims || (claimed && !instruction.releases);
		at += instruction.length;
	}
	if (at > offset)
		return -EILSEQ;
	if (instruction_decode(code + at, n - at, &instruction) || instruction.kind == INSTRUCTION_STOP)
		return -EBADMSG;
	if (claimed && instruction.uprobe == INSTRUCTION_RUNS)
		return err_set(err, -EOPNOTSUPP, "the program would never get beyond it, between an exclusive load and its store");
	return binary_check_instruction(&instruction, err);
}

int binary_check_offset(struct binary *binary, const struct binary_symbol *function, uint64_t offset, struct err *err)
{
	__free uint8_t *code = NULL;
	int ret;

	if (!offset)
		return binary_check_entry(binary, function, err);
	if (!function->size)
		return err_set(err, -EINVAL, "the length of '%s' is unknown", function->name);
	if (offset >= function->size)
		return err_set(err, -ERANGE, "'%s' ends before +0x%llx: it is 0x%llx bytes long", function->name,
			       (unsigned long long)offset, (unsigned long long)function->size);
	ret = check_in_code(binary, function->vaddr + offset, err);
	if (!ret && function->debug)
		ret = binary_confirm(binary, function->offset + offset, err);
	if (ret)
		return ret;
	code = binary_read_function(binary, function, err);
	if (!code)
		return -EIO;
	ret = walk_to(code, function->size, offset, err);
	if (ret == -EILSEQ)
		return err_set(err, ret, "the offset is inside an instruction");
	if (ret && ret != -EOPNOTSUPP)
		return err_set(err, ret, "there are unknown instructions between the start of '%s' and it",
			       function->name);
	return ret;
}

/*
 * The function that a place in the file is in; NULL if none is known. The nearest symbol before the place may be an
 * inner one that ends before it: so several are tried.
 */
static const struct binary_symbol *function_of(const struct binary_symbol *symbols, size_t n, uint64_t offset)
{
	size_t behind = search_first(i, n, symbols[i].offset > offset);

	for (size_t i = behind; i-- > 0 && behind - i <= NEIGHBOURS;)
		if (offset == symbols[i].offset || offset - symbols[i].offset < symbols[i].size)
			return &symbols[i];
	return NULL;
}

const struct binary_symbol *binary_function_around(struct binary *binary, uint64_t offset)
{
	const struct binary_symbol *symbols;
	size_t n;

	return binary_functions(binary, &symbols, &n, NULL) ? NULL : function_of(symbols, n, offset);
}

int binary_check_place(struct binary *binary, uint64_t offset, const struct binary_symbol **function, struct err *err)
{
	*function = binary_function_around(binary, offset);
	if (!*function)
		return err_set(err, -ENOENT, "it is not in a function whose start and end are known");
	return binary_check_offset(binary, *function, offset - (*function)->offset, err);
}

int binary_check_usdt(struct binary *binary, uint64_t offset, struct err *err)
{
	const struct binary_symbol *function;
	struct instruction instruction;
	uint64_t vaddr = 0;
	int ret;

	binary_vaddr_of(binary, offset, &vaddr);
	ret = check_in_code(binary, vaddr, err);
	if (!ret && !binary_decode_at(binary, offset, &instruction) && instruction.kind == INSTRUCTION_NOP)
		return 0;
	return ret ? ret : binary_check_place(binary, offset, &function, err);
}
