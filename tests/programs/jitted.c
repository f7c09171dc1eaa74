// SPDX-License-Identifier: BSD-2-Clause
/*
 * jitted [-m] MS
 *
 * Makes code in memory of no file, as JIT compilers do, and has it call a function of its own for so many milliseconds
 * of processor time. -m writes a perf map, in which the code is made_code. Prints "did pid PID", since the map stays.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A function with a frame pointer that calls its argument. */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0xff, 0xd7,	  /* call *%rdi */
	0x5d,		  /* pop %rbp */
	0xc3,		  /* ret */
};
#elif defined(__aarch64__)
static const unsigned int code[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0xd63f0000, /* blr x0 */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#endif

__attribute__((noinline, noclone, used)) void called(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static void write_map(const void *memory)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "we");
	if (!map || fprintf(map, "%lx %zx made_code\n", (unsigned long)memory, sizeof(code)) < 0 || fclose(map))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int has_map = argc == 3 && !strcmp(argv[1], "-m");
	clock_t end;

	if (argc != 2 + has_map)
		errx(2, "usage: jitted [-m] MS");
	if (memory == MAP_FAILED)
		err(1, "mmap");
	memcpy(memory, code, sizeof(code));
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		err(1, "mprotect");
	__builtin___clear_cache(memory, (char *)memory + sizeof(code));
	if (has_map)
		write_map(memory);
	printf("did pid %d\n", getpid());
	fflush(stdout);
	end = atoi(argv[1 + has_map]) * (CLOCKS_PER_SEC / 1000) + clock();
	while (clock() < end)
		((void (*)(void (*)(void)))memory)(called);
	return 0;
}
