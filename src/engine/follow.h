/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows a command through its forks (bpf/follow.bpf.c). */
#ifndef SONDE_ENGINE_FOLLOW_H
#define SONDE_ENGINE_FOLLOW_H

#include <sys/types.h>

#include "base/base.h"
#include "engine.h"
#include "service.h"

struct follow;

/*
 * Makes the held command, a child of ours, a member in the map `members_fd` of another object. From now on the children
 * of members become members too. Returns 0, or -errno with err.
 */
int follow_start(struct follow **follow, pid_t command, int members_fd, struct err *err);
/* Likewise for the processes of a service, which run already. */
int follow_start_service(struct follow **follow, const struct service *service, int members_fd, struct err *err);
/* Likewise for the processes of ctx->pids; with their children, if ctx->pids.children. */
int follow_start_processes(struct follow **follow, const struct engine_context *ctx, int members_fd, struct err *err);
/* Whether a member lives. Where one does, the next call asks /proc for this one first. */
bool follow_has_living(struct follow *follow);
/* Reports forks that the kernel did not show to the program, of any process: children may be missing. */
void follow_losses(const struct follow *follow);
void follow_free(struct follow *follow);

#endif
