// SPDX-License-Identifier: BSD-2-Clause
/* Creates and maps the sampling word of an object. Chooses no ratio. */
#include "sampling.h"

#define SECTION ".data.sampling"

static bool is_used(const struct engine_instance *instance)
{
	return instance->ctx->metrics && instance->ctx->metrics->sampling;
}

int sampling_size(const struct engine_instance *instance, struct object *object, struct err *err)
{
	return object_size_map(object, SECTION, is_used(instance), err);
}

void sampling_patch(const struct engine_instance *instance, struct image *image)
{
	image_patch_optional(image, PATCH_SAMPLING, is_used(instance));
}

void sampling_map(struct engine_instance *instance, const struct object *object)
{
	if (is_used(instance))
		instance->sampling = object_memory(object, SECTION, sizeof(*instance->sampling));
}
