// SPDX-License-Identifier: BSD-2-Clause
/*
 * shm: makes, maps, unmaps and removes a segment of System V's shared memory, and fails to remove it once more. Prints
 * what sonde shmsnoop should show of each call, behind "did ".
 */
#include <errno.h>
#include <stdint.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include "workload.h"

int main(void)
{
	int pid = getpid(), id = syscall(SYS_shmget, 0x1234, 8192, IPC_CREAT | IPC_EXCL | 0640);
	unsigned long at;
	long ret;

	printf("did %-6d %-16s SHMGET %16lx key: 0x1234, size: 8192, shmflg: 0x7a0 (IPC_CREAT|IPC_EXCL|0640)\n", pid,
	       "shm", (long)id);
	at = syscall(SYS_shmat, id, NULL, SHM_RDONLY);
	printf("did %-6d %-16s  SHMAT %16lx shmid: 0x%x, shmaddr: 0x0, shmflg: 0x1000 (SHM_RDONLY)\n", pid, "shm", at,
	       id);
	ret = syscall(SYS_shmdt, at);
	printf("did %-6d %-16s  SHMDT %16lx shmaddr: 0x%lx\n", pid, "shm", ret, at);
	ret = syscall(SYS_shmctl, id, IPC_RMID, NULL);
	printf("did %-6d %-16s SHMCTL %16lx shmid: 0x%x, cmd: 0 (IPC_RMID), buf: 0x0\n", pid, "shm", ret, id);
	ret = syscall(SYS_shmctl, id, IPC_RMID, NULL) ? -(long)errno : 0;
	printf("did %-6d %-16s SHMCTL %16lx shmid: 0x%x, cmd: 0 (IPC_RMID), buf: 0x0\n", pid, "shm", ret, id);
	return 0;
}
