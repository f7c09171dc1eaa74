// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes requests of ioctl of many drivers, of a descriptor that is none, and calls of perf_event_open that fail, for the
 * comparison of `sonde strace` with strace: structs of zeros, of small numbers and of large ones, at the end of the
 * memory, and pointers to nothing. Then some that succeed anywhere and change nothing.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static const unsigned int requests[] = {
	// clang-format off
	0x301, 0x302, 0x304, 0x308, 0x309, 0x30a, 0x30b, 0x30e, 0x30f, 0x310, 0x31a, 0x125e, 0x1260, 0x1263, 0x1265,
	0x1267, 0x1269, 0x1278, 0x1279, 0x127a, 0x127b, 0x127c, 0x127e, 0x2203, 0x2205, 0x2270, 0x2272, 0x2276,
	0x227a, 0x227c, 0x227d, 0x227f, 0x2282, 0x2286, 0x2288, 0x2289, 0x4b31, 0x4b32, 0x4b33, 0x4b3b, 0x4b40,
	0x4b4c, 0x4b52, 0x4b62, 0x4b64, 0x4b65, 0x4b66, 0x4b69, 0x4b6b, 0x4b70, 0x4b71, 0x4c02, 0x4c03, 0x4c04,
	0x4c05, 0x4c0a, 0x5415, 0x5419, 0x8903, 0x8904, 0x8905, 0x8910, 0x8912, 0x8913, 0x8915, 0x8917, 0x8919,
	0x891b, 0x891d, 0x8921, 0x8924, 0x8925, 0x8927, 0x8929, 0x8931, 0x8932, 0x8933, 0x8937, 0x8942, 0x894b,
	0x8970, 0x89a0, 0x89a1, 0xab0a, 0xae41, 0xb704, 0x40044d0e, 0x40045612, 0x40045613, 0x40046911, 0x40046912,
	0x40063e00, 0x40084504, 0x40084f03, 0x400c4d0f, 0x400c6f02, 0x40103d02, 0x40103d0b, 0x40104f06, 0x4014563c,
	0x40186f40, 0x40187013, 0x40187014, 0x40284504, 0x40304580, 0x4030560b, 0x40309410, 0x40309439, 0x40383d0c,
	0x40489426, 0x4054561e, 0x40603d07, 0x40603d10, 0x4090ae82, 0x41009432, 0x4138ae84, 0x43403d05, 0x43403d0e,
	0x50009401, 0x50009403, 0x50009404, 0x50009405, 0x5000940a, 0x5000940b, 0x5000940e, 0x5000940f, 0x80041285,
	0x80044501, 0x80044584, 0x80044d07, 0x80044d0d, 0x80045200, 0x80045432, 0x80045440, 0x80045626, 0x80045701,
	0x80045702, 0x80045703, 0x80045707, 0x80045709, 0x8004570a, 0x80046601, 0x80046900, 0x80046901, 0x80046902,
	0x80046907, 0x80046908, 0x80046909, 0x8004690f, 0x80046924, 0x80047013, 0x80081270, 0x80081280, 0x80082407,
	0x80084502, 0x80084503, 0x80084504, 0x80085617, 0x8008700b, 0x8008700d, 0x80089418, 0x800ca400, 0x80104d12,
	0x8010a402, 0x8010a403, 0x8010a406, 0x8010a407, 0x80189439, 0x801c581f, 0x80207011, 0x80247008, 0x80247009,
	0x80284504, 0x80287010, 0x8030560a, 0x8030942b, 0x8040942d, 0x8044b401, 0x80489439, 0x80503d01, 0x80503d0a,
	0x80685600, 0x8090ae81, 0x80c84d0a, 0x81009431, 0x8138ae83, 0x81484d11, 0x90009427, 0xc0104d03, 0xc0104d04,
	0xc0104d08, 0xc0109428, 0xc010a401, 0xc010b40e, 0xc0145608, 0xc014563b, 0xc018a409, 0xc018aa3f, 0xc020aa00,
	0xc020aa04, 0xc028aa03, 0xc02c563a, 0xc0304d18, 0xc030b404, 0xc0403d08, 0xc0403d11, 0xc0405602, 0xc040b408,
	0xc040b409, 0xc0485619, 0xc048b402, 0xc048b40b, 0xc050561a, 0xc054561d, 0xc054b40a, 0xc0603d06, 0xc0603d0f,
	0xc0c89425, 0xc0cc5615, 0xc0d05604, 0xc400941d, 0xc4c03d09, 0xc4c03d12,
	// clang-format on
};

enum {
	PAGE = 4096,
	KINDS = 4,
};

static void fill(unsigned char *page, int kind)
{
	for (int i = 0; i < PAGE; i++)
		page[i] = kind == 3 ? 0xff : kind == 2 ? 0x80 + i % 96
						       : 0;
	for (int i = 0; kind == 1 && i < PAGE / 4; i++)
		((uint32_t *)page)[i] = i % 16 + 1;
}

static void succeed(void)
{
	static const unsigned int of_terminals[] = { TCGETS, TIOCGWINSZ, TIOCGPTN, FIONREAD, TIOCOUTQ, TIOCGPTLCK, TIOCGETD };
	static const unsigned int of_interfaces[] = { SIOCGIFINDEX, SIOCGIFFLAGS, SIOCGIFMTU, SIOCGIFADDR, SIOCGIFNETMASK,
						      SIOCGIFMETRIC, SIOCGIFMAP, SIOCGIFHWADDR, SIOCGIFTXQLEN };
	struct uffdio_api api = { .api = UFFD_API };
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int zero = 0, faults = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	char bytes[256];

	for (unsigned int i = 0; i < sizeof(of_terminals) / sizeof(*of_terminals); i++)
		ioctl(terminal, of_terminals[i], bytes);
	for (unsigned int i = 0; i < sizeof(of_interfaces) / sizeof(*of_interfaces); i++) {
		struct ifreq interface = { .ifr_name = "lo" };

		ioctl(socket_fd, of_interfaces[i], &interface);
	}
	ioctl(socket_fd, FIONREAD, &zero);
	ioctl(socket_fd, FIONBIO, &zero);
	ioctl(faults, UFFDIO_API, &api);
}

int main(void)
{
	unsigned char *pages = mmap(NULL, (KINDS + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + KINDS * PAGE, PAGE);
	for (int i = 0; i < KINDS; i++)
		fill(pages + i * PAGE, i);
	for (unsigned int i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		const unsigned int request = requests[i], size = request >> 16 & 0x3fff;

		for (int kind = 0; kind < KINDS; kind++)
			syscall(SYS_ioctl, -1, request, pages + kind * PAGE);
		syscall(SYS_ioctl, -1, request, pages + KINDS * PAGE - (size ? size : 1));
		syscall(SYS_ioctl, -1, request, pages + KINDS * PAGE - 1);
		syscall(SYS_ioctl, -1, request, NULL);
		syscall(SYS_ioctl, -1, request, (void *)-16);
	}
	/* struct perf_event_attr, with flags that are none */
	for (int kind = 0; kind < KINDS; kind++)
		for (unsigned int size = 56; size <= 132; size += 4) {
			((uint32_t *)(pages + kind * PAGE))[1] = size;
			syscall(SYS_perf_event_open, pages + kind * PAGE, -1, -1, -1, 63);
		}
	succeed();
	_exit(0);
}
