// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes compressed sections of ELF files: xz in .gnu_debugdata, zlib or zstd in .debug_str. The file around them
 * is valid, so that libFuzzer need not find one; the input is both sections.
 */
#include "fuzz.h"
#include "binary/binary.h"

#define ROOM 65536

enum {
	NONE,
	NAMES,
	DEBUGDATA,
	DEBUG_STR,
	SECTIONS
};

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr code;
	Elf64_Shdr sections[SECTIONS];
	char names[40];
	uint8_t input[ROOM];
};

static const char names[40] = "\0.shstrtab\0.gnu_debugdata\0.debug_str";
static struct file file;

static Elf64_Shdr section(const char *name, size_t at, size_t size)
{
	return (Elf64_Shdr){
		.sh_name = (Elf64_Word)((char *)memmem(names, sizeof(names), name, strlen(name) + 1) - names),
		.sh_type = SHT_PROGBITS,
		.sh_offset = at,
		.sh_size = size,
		.sh_addralign = 1,
	};
}

static void make(const uint8_t *data, size_t size)
{
	file.header = (Elf64_Ehdr)
	{
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
#if defined(__x86_64__)
		.e_machine = EM_X86_64,
#else
		.e_machine = EM_AARCH64,
#endif
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = offsetof(struct file, code),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES,
	};
	file.code = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 64, .p_memsz = 64 };
	memcpy(file.names, names, sizeof(names));
	memcpy(file.input, data, size);
	file.sections[NAMES] = section(".shstrtab", offsetof(struct file, names), sizeof(names));
	file.sections[NAMES].sh_type = SHT_STRTAB;
	file.sections[DEBUGDATA] = section(".gnu_debugdata", offsetof(struct file, input), size);
	file.sections[DEBUG_STR] = section(".debug_str", offsetof(struct file, input), size);
	file.sections[DEBUG_STR].sh_flags = SHF_COMPRESSED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	static struct fuzz_file opened;
	const struct binary_symbol *symbols;
	struct err err;
	size_t n;

	if (size > ROOM)
		return -1;
	make(data, size);
	fuzz_write(&opened, &file, offsetof(struct file, input) + size);
	if (binary_open(NULL, opened.path, &binary, &err))
		abort();
	binary_functions(binary, &symbols, &n, &err);
	binary_is_named(binary, "main");
	fuzz_look(binary_refused(binary));
	return 0;
}
