// SPDX-License-Identifier: BSD-2-Clause
/* Vectors and messages, one or several, at a page's edge: what is behind it cannot be read. */
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static char *edge;

static void vectors(int fds[2])
{
	for (int cut = 0; cut < 20; cut += 4)
		for (int n = 0; n < 4; n++) {
			struct iovec *iov = (void *)(edge - 32 - cut);
			struct msghdr m = { .msg_iov = iov, .msg_iovlen = n };
			iov[0] = (struct iovec){ "abc", 3 };
			iov[1] = (struct iovec){ "defg", 4 };
			syscall(SYS_writev, -1, iov, n);
			syscall(SYS_readv, -1, iov, n);
			syscall(SYS_vmsplice, -1, iov, n, 0);
			syscall(SYS_process_vm_readv, 1 << 30, iov, n, iov, n, 0);
			syscall(SYS_sendmsg, fds[0], &m, MSG_DONTWAIT);
			syscall(SYS_recvmsg, fds[1], &m, MSG_DONTWAIT);
			syscall(SYS_sendmsg, -1, &m, 0);
		}
}

static void messages(int fds[2])
{
	for (int cut = 0; cut < 80; cut += 8)
		for (int n = 0; n < 4; n++) {
			struct mmsghdr *v = (void *)(edge - 128 - cut);
			static struct iovec iov[2] = { { "abc", 3 }, { "defg", 4 } };
			memset(v, 0, 128);
			v[0].msg_hdr.msg_iov = iov, v[0].msg_hdr.msg_iovlen = 2;
			v[1].msg_hdr.msg_iov = iov, v[1].msg_hdr.msg_iovlen = 1;
			syscall(SYS_sendmmsg, fds[0], v, n, MSG_DONTWAIT);
			syscall(SYS_sendmmsg, -1, v, n, 0);
			syscall(SYS_recvmmsg, fds[1], v, n, MSG_DONTWAIT, 0);
		}
}

static void parts(void)
{
	for (int cut = 0; cut < 20; cut += 8) {
		struct mmsghdr v = {};
		struct iovec *iov = (void *)(edge - 32 - cut);
		v.msg_hdr.msg_iov = iov, v.msg_hdr.msg_iovlen = 3;
		iov[0] = (struct iovec){ "abc", 3 };
		syscall(SYS_sendmmsg, -1, &v, 1, 0);
		v.msg_hdr.msg_name = edge - cut, v.msg_hdr.msg_namelen = 9;
		v.msg_hdr.msg_control = edge - cut, v.msg_hdr.msg_controllen = 16;
		syscall(SYS_sendmmsg, -1, &v, 1, 0);
		syscall(SYS_sendmsg, -1, &v, 0);
	}
}

/* Control messages of several messages. */
static void rights(int fds[2])
{
	struct {
		struct cmsghdr head;
		int fd, unused;
	} control[2] = { { { 20, SOL_SOCKET, SCM_RIGHTS }, 0 }, { { 20, SOL_SOCKET, SCM_RIGHTS }, 1 } }, room[2];
	struct iovec iov = { "abc", 3 };
	struct mmsghdr v[2] = {};

	for (int i = 0; i < 2; i++)
		v[i].msg_hdr = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control[i], .msg_controllen = 20 };
	syscall(SYS_sendmmsg, fds[0], v, 2, 0);
	for (int i = 0; i < 2; i++)
		v[i].msg_hdr.msg_control = &room[i], v[i].msg_hdr.msg_controllen = 24;
	syscall(SYS_recvmmsg, fds[1], v, 2, MSG_DONTWAIT, NULL);
	syscall(SYS_recvmmsg, fds[1], v, 2, MSG_DONTWAIT, NULL);
}

int main(void)
{
	int fds[2];

	edge = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	edge += 8192;
	munmap(edge, 4096);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
	vectors(fds);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
	messages(fds);
	parts();
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
	rights(fds);
	return 0;
}
