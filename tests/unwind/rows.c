// SPDX-License-Identifier: BSD-2-Clause
/*
 * unwind-rows FILE: prints the rules of each function of FILE's .eh_frame, as src/unwind/ computes them, for
 * tests/unwind/golden to compare with readelf's. FILE may be of the other architecture.
 *
 *	START..END ADDRESS rsp+16 c-16 c-8	from ADDRESS on: the CFA, where the frame pointer and where the return address are
 *						(s: in the register; ?: said in another form)
 *	START..END ADDRESS root			there is no caller; of arm64's, "sp+0 s s", for readelf shows no difference
 *	START..END ADDRESS ?			the CFA or the return address is said in another form than register + offset
 */
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>

#include "unwind/eh_frame.h"

struct printer {
	const struct cfi_machine *machine;
	const struct cfi_fde *fde;
	char printed[64]; /* the last row's */
};

/* readelf knows only the distance to the CFA. A rule gives that to the SP if the former is too large for it. */
static const char *saved(char to[32], const struct unwind_rule *rule, enum unwind_saved how, int offset)
{
	if (how == UNWIND_AT_SP && rule->cfa == UNWIND_CFA_SP && offset * 8 - rule->offset < 8 * SHRT_MIN) {
		snprintf(to, 32, "c%+d", offset * 8 - rule->offset);
		return to;
	}
	snprintf(to, 32, how == UNWIND_AT_CFA ? "c%+d" : how == UNWIND_SAME ? "s"
									    : "?",
		 8 * offset);
	return to;
}

static void print_row(void *ctx, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct printer *printer = ctx;
	bool arm = printer->machine->has_lr, fp_based = rule->cfa == UNWIND_CFA_FP;
	char text[sizeof(printer->printed)], fp[32], ra[32];

	if (rule->cfa == UNWIND_CFA_SP || rule->cfa == UNWIND_CFA_FP)
		snprintf(text, sizeof(text), "%s%+d %s %s", fp_based ? (arm ? "x29" : "rbp") : (arm ? "sp" : "rsp"),
			 rule->offset, saved(fp, rule, rule->fp, rule->fp_offset), saved(ra, rule, rule->ra, rule->ra_offset));
	else
		snprintf(text, sizeof(text), "%s", rule->cfa != UNWIND_CFA_ROOT ? "?" : arm ? "sp+0 s s"
											    : "root");
	if (!strcmp(text, printer->printed))
		return;
	strcpy(printer->printed, text);
	printf("%llx..%llx %llx %s\n", (unsigned long long)printer->fde->start, (unsigned long long)printer->fde->end,
	       (unsigned long long)vaddr, text);
}

static int print_section(const struct cfi_machine *machine, const struct eh_frame_source *source)
{
	struct eh_frame frame = {};
	int damaged = !!eh_frame_read(&frame, source);
	struct cfi_fde fde;

	while (eh_frame_next(&frame, &fde)) {
		struct printer printer = { .machine = machine, .fde = &fde };

		damaged |= !!cfi_run(machine, &fde, print_row, &printer);
	}
	damaged |= !!frame.damaged;
	eh_frame_release(&frame);
	return damaged;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1, damaged = 0;
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names)) {
		fprintf(stderr, "usage: unwind-rows ELFFILE\n");
		return 2;
	}
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || strcmp(elf_strptr(elf, names, shdr.sh_name), ".eh_frame") ||
		    shdr.sh_type == SHT_NOBITS || !(data = elf_rawdata(scn, NULL)))
			continue;
		damaged |= print_section(ehdr.e_machine == EM_AARCH64 ? &cfi_aarch64 : &cfi_x86_64,
					 &(struct eh_frame_source){
						 .data = data->d_buf,
						 .part = { .size = data->d_size, .vaddr = shdr.sh_addr, .exact = true },
					 });
	}
	if (damaged)
		fprintf(stderr, "unwind-rows: %s: some of it is damaged\n", argv[1]);
	return damaged;
}
