/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For engines: the sampling word of an object whose programs fill histograms (bpf/sampling.bpf.h). Programs obey it
 * only if the instance is exported by a caller that changes it (engine_metrics.sampling); for all others its patch site
 * is 0, and the verifier removes the code.
 */
#ifndef SONDE_ENGINE_SAMPLING_H
#define SONDE_ENGINE_SAMPLING_H

#include "attach/image.h"
#include "engine.h"
#include "object.h"

/* Before the object is prepared: leaves the word out if it is not used. */
int sampling_size(const struct engine_instance *instance, struct object *object, struct err *err);
/* Fills an image's patch site, if it has one. */
void sampling_patch(const struct engine_instance *instance, struct image *image);
/* After the object is prepared: sets instance->sampling. */
void sampling_map(struct engine_instance *instance, const struct object *object);

#endif
