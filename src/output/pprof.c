// SPDX-License-Identifier: BSD-2-Clause
/*
 * pprof's format: the message Profile of https://github.com/google/pprof/blob/main/proto/profile.proto, in protobuf's
 * encoding, compressed by gzip. Texts are numbers of a table of strings.
 */
#include "base/gzip.h"
#include "base/protobuf.h"
#include "files.h"

#define GZIP_LEVEL 6

/* Numbers of fields, as profile.proto has them. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING_TABLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
};
enum {
	TYPE_TYPE = 1,
	TYPE_UNIT
};
enum {
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE,
	SAMPLE_LABEL
};
enum {
	LABEL_KEY = 1,
	LABEL_STR,
	LABEL_NUM
};
enum {
	MAPPING_ID = 1,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS
};
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID,
	LOCATION_ADDRESS,
	LOCATION_LINE
};
enum {
	LINE_FUNCTION_ID = 1
};
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME
};

/* A file, or the kernel: of texts. */
struct mapping {
	uint32_t file, build_id;
};

struct function {
	uint32_t name, symbol;
};

/* A profile while it is written. Members of the sets are numbered from 0, ids in the file from 1. */
struct pprof {
	const struct files *files;
	struct str out;
	struct set strings;   /* with their NUL; 0 is "" */
	struct set frames;    /* struct frame *: the locations */
	struct set mappings;  /* struct mapping */
	struct set functions; /* struct function */
	struct {
		struct {
			uint64_t limit;	  /* above the highest address */
			uint64_t samples; /* the sum over its frames */
		} * v;			  /* for each mapping */
		size_t n, cap;
	} seen;
	vec(uint32_t) mapping_ids; /* the id of each location's mapping */
};

static uint32_t string_of(struct pprof *pprof, const char *text)
{
	return text ? set_add(&pprof->strings, text, strlen(text) + 1) : 0;
}

static void add_type(struct pprof *pprof, unsigned int field, const char *type, const char *unit)
{
	__str struct str message = {};

	protobuf_add_number(&message, TYPE_TYPE, string_of(pprof, type));
	protobuf_add_number(&message, TYPE_UNIT, string_of(pprof, unit));
	protobuf_add_message(&pprof->out, field, &message);
}

static const char kernel_file[] = "[kernel.kallsyms]";

/* Returns the id of the mapping that the frame is in, 0: none. */
static uint32_t mapping_of(struct pprof *pprof, const struct frame *frame)
{
	const char *file = frame->file || frame->kind != FRAME_KERNEL ? frame->file : kernel_file;
	const struct mapping mapping = { string_of(pprof, file), string_of(pprof, frame->build_id) };
	uint32_t number;

	if (!file)
		return 0;
	number = set_add(&pprof->mappings, &mapping, sizeof(mapping));
	if (number == pprof->seen.n)
		vec_push(&pprof->seen);
	if (pprof->seen.v[number].limit <= frame->address)
		pprof->seen.v[number].limit = frame->address + 1;
	return number + 1;
}

static void add_location(struct pprof *pprof, uint32_t id, const struct frame *frame)
{
	const struct function function = { string_of(pprof, frame_name(frame)),
					   string_of(pprof, frame->symbol ? frame->symbol : frame_name(frame)) };
	uint32_t mapping = mapping_of(pprof, frame);
	__str struct str line = {}, location = {};

	*vec_push(&pprof->mapping_ids) = mapping;
	protobuf_add_number(&line, LINE_FUNCTION_ID, set_add(&pprof->functions, &function, sizeof(function)) + 1);
	protobuf_add_number(&location, LOCATION_ID, id);
	protobuf_add_number(&location, LOCATION_MAPPING_ID, mapping);
	protobuf_add_number(&location, LOCATION_ADDRESS, frame->address);
	protobuf_add_message(&location, LOCATION_LINE, &line);
	protobuf_add_message(&pprof->out, PROFILE_LOCATION, &location);
}

/* Returns the id of the frame's location, which is added if it is new. */
static uint32_t location_of(struct pprof *pprof, const struct frame *frame)
{
	size_t before = pprof->frames.n;
	uint32_t id = set_add(&pprof->frames, &frame, sizeof(frame)) + 1;

	if (id > before)
		add_location(pprof, id, frame);
	return id;
}

static void add_label(struct str *sample, const struct files_label *label)
{
	__str struct str message = {};

	protobuf_add_number(&message, LABEL_KEY, label->key);
	protobuf_add_number(&message, LABEL_STR, label->text);
	protobuf_add_number(&message, LABEL_NUM, label->number);
	protobuf_add_message(sample, SAMPLE_LABEL, &message);
}

static void add_sample(struct pprof *pprof, const struct files_sample *sample)
{
	const struct tree *tree = &pprof->files->exact;
	const struct set_member *labels = &pprof->files->label_set.v[sample->labels];
	__str struct str message = {}, locations = {}, values = {};

	for (uint32_t node = sample->node; node; node = tree->v[node].parent) {
		uint32_t id = location_of(pprof, tree->v[node].frame), mapping = pprof->mapping_ids.v[id - 1];

		protobuf_add_varint(&locations, id);
		if (mapping)
			pprof->seen.v[mapping - 1].samples += sample->sum.count;
	}
	protobuf_add_varint(&values, sample->sum.count);
	if (pprof->files->about.times)
		protobuf_add_varint(&values, files_time(pprof->files, &sample->sum));
	protobuf_add_message(&message, SAMPLE_LOCATION_ID, &locations);
	protobuf_add_message(&message, SAMPLE_VALUE, &values);
	for (size_t i = 0; i < labels->len / sizeof(struct files_label); i++)
		add_label(&message, (const struct files_label *)labels->bytes + i);
	protobuf_add_message(&pprof->out, PROFILE_SAMPLE, &message);
}

/* Tools need not look for symbols themselves: the functions are here. */
static void add_mapping(struct pprof *pprof, uint32_t number)
{
	const struct mapping *mapping = pprof->mappings.v[number].bytes;
	__str struct str message = {};

	protobuf_add_number(&message, MAPPING_ID, number + 1);
	protobuf_add_number(&message, MAPPING_MEMORY_LIMIT, pprof->seen.v[number].limit);
	protobuf_add_number(&message, MAPPING_FILENAME, mapping->file);
	protobuf_add_number(&message, MAPPING_BUILD_ID, mapping->build_id);
	protobuf_add_number(&message, MAPPING_HAS_FUNCTIONS, 1);
	protobuf_add_message(&pprof->out, PROFILE_MAPPING, &message);
}

/* Programs first, then libraries, then the kernel. */
static int rank_of(struct pprof *pprof, uint32_t number)
{
	const struct mapping *mapping = pprof->mappings.v[number].bytes;

	if (mapping->file == string_of(pprof, kernel_file))
		return 2;
	return strstr(pprof->strings.v[mapping->file].bytes, ".so") ? 1 : 0;
}

/*
 * Viewers take the first mapping for the program's. Of several programs, that is the one with the most samples: a
 * command's first samples can be of sonde itself, which starts the command.
 */
static void add_mappings(struct pprof *pprof)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < pprof->mappings.n; i++) {
		int rank = rank_of(pprof, i), least = rank_of(pprof, first);

		if (rank < least || (rank == least && pprof->seen.v[i].samples > pprof->seen.v[first].samples))
			first = i;
	}
	if (pprof->mappings.n)
		add_mapping(pprof, first);
	for (int rank = 0; rank < 3; rank++)
		for (uint32_t i = 0; i < pprof->mappings.n; i++)
			if (i != first && rank_of(pprof, i) == rank)
				add_mapping(pprof, i);
}

/* What locations refer to. */
static void add_tables(struct pprof *pprof)
{
	add_mappings(pprof);
	for (size_t i = 0; i < pprof->functions.n; i++) {
		const struct function *function = pprof->functions.v[i].bytes;
		__str struct str message = {};

		protobuf_add_number(&message, FUNCTION_ID, i + 1);
		protobuf_add_number(&message, FUNCTION_NAME, function->name);
		protobuf_add_number(&message, FUNCTION_SYSTEM_NAME, function->symbol);
		protobuf_add_message(&pprof->out, PROFILE_FUNCTION, &message);
	}
}

/* Texts of protobuf are UTF-8. */
static void add_strings(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->strings.n; i++) {
		const struct set_member *string = &pprof->strings.v[i];
		__str struct str shown = {};

		str_add_shown(&shown, string->bytes, string->len - 1);
		protobuf_add_message(&pprof->out, PROFILE_STRING_TABLE, &shown);
	}
}

static void add_profile(struct pprof *pprof)
{
	const struct files_about *about = &pprof->files->about;

	/* labels refer to these by their numbers */
	string_of(pprof, "");
	for (size_t i = 0; i < pprof->files->strings.n; i++)
		string_of(pprof, pprof->files->strings.v[i].bytes);
	add_type(pprof, PROFILE_SAMPLE_TYPE, about->counts, "count");
	if (about->times)
		add_type(pprof, PROFILE_SAMPLE_TYPE, about->times, "nanoseconds");
	vec_each(sample, &pprof->files->samples)
		add_sample(pprof, sample);
	if (about->period_ns && about->times) {
		add_type(pprof, PROFILE_PERIOD_TYPE, about->times, "nanoseconds");
		protobuf_add_number(&pprof->out, PROFILE_PERIOD, about->period_ns);
	}
	protobuf_add_number(&pprof->out, PROFILE_TIME_NANOS, about->began_ns);
	protobuf_add_number(&pprof->out, PROFILE_DURATION_NANOS, about->lasted_ns);
	protobuf_add_number(&pprof->out, PROFILE_COMMENT, string_of(pprof, about->title));
	add_tables(pprof);
	add_strings(pprof);
}

static void pprof_add(struct str *s, const struct files *files)
{
	struct pprof pprof = { .files = files };

	add_profile(&pprof);
	gzip_add(s, &pprof.out, GZIP_LEVEL);
	str_release(&pprof.out);
	set_release(&pprof.strings);
	set_release(&pprof.frames);
	set_release(&pprof.mappings);
	set_release(&pprof.functions);
	free(pprof.seen.v);
	free(pprof.mapping_ids.v);
}

const struct file_format file_pprof = { .name = "pprof", .binary = true, .samples = true, .add = pprof_add };
