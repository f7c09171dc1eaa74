// SPDX-License-Identifier: BSD-2-Clause
/*
 * swaps PAGES: writes to so many pages, and reads them again. It needs a cgroup with less memory than that, and swap.
 * Prints "did swaps N", N: how many of its page faults had to wait for a disk.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "workload.h"

static long major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? atoi(argv[1]) : 100, size = sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tell *tell;
	long before;

	if (memory == MAP_FAILED || madvise((void *)memory, pages * size, MADV_NOHUGEPAGE))
		err(1, "memory");
	for (size_t i = 0; i < pages; i++)
		memory[i * size] = i | 1; /* the kernel need not store pages of zeroes */
	before = major_faults();
	for (size_t i = 0; i < pages; i++)
		if (memory[i * size] != (char)(i | 1))
			errx(1, "another page");
	tell = tell_begin("swaps");
	tell_number(tell, major_faults() - before);
	tell_end(tell);
	return 0;
}
