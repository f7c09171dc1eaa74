// SPDX-License-Identifier: BSD-2-Clause
/*
 * Serves a file system (FUSE) with one file, "file", and stops to answer: unanswered DIR REQUEST [BLOCK].
 * BLOCK is a block device to which the file system belongs (fuseblk, as of NTFS). REQUEST is the first that it reads and never answers: lookup, open or read. Prints "serves" once DIR is mounted, and
 * "silent" when it has read that request. Ends by a signal; the kernel then ends the requests that wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE 2
#define FILE_SIZE 65536

static int fuse;

static void answer(const struct fuse_in_header *to, int error, const void *body, size_t n)
{
	struct fuse_out_header head = { .len = sizeof(head) + n, .error = -error, .unique = to->unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)body, n } };

	if (writev(fuse, parts, 2) < 0)
		perror("answer");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755,
		.size = node == FILE_NODE ? FILE_SIZE : 0,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void serve(const struct fuse_in_header *in)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	const struct fuse_entry_out entry = { .nodeid = FILE_NODE, .attr = attributes(FILE_NODE) };
	const struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
	const struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		return answer(in, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		return answer(in, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
		return answer(in, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return answer(in, 0, &opened, sizeof(opened));
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return; /* have no answer */
	default:
		return answer(in, ENOSYS, NULL, 0);
	}
}

static uint32_t opcode_of(const char *name)
{
	return !strcmp(name, "lookup") ? FUSE_LOOKUP : !strcmp(name, "open") ? FUSE_OPEN
									     : FUSE_READ;
}

int main(int argc, char **argv)
{
	static union {
		struct fuse_in_header in;
		char bytes[FUSE_MIN_READ_BUFFER + 8192];
	} request;
	const char *block = argc == 4 ? argv[3] : NULL;
	char options[100];
	bool silent = false;

	if (argc != 3 && !block)
		return 2;
	fuse = open("/dev/fuse", O_RDWR);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || mount(block ?: "unanswered", argv[1], block ? "fuseblk" : "fuse", 0, options)) {
		perror("fuse");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("serves");
	while (read(fuse, &request, sizeof(request)) > 0 || errno == EINTR || errno == ENOENT) {
		if (request.in.opcode != opcode_of(argv[2])) {
			serve(&request.in);
			continue;
		}
		if (!silent)
			puts("silent");
		silent = true;
	}
	return 1;
}
