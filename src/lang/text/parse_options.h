/* SPDX-License-Identifier: BSD-2-Clause */
/* What a parse is given besides the text: preprocess.h reads files by it, parse.h parameters. */
#ifndef SONDE_LANG_TEXT_PARSE_OPTIONS_H
#define SONDE_LANG_TEXT_PARSE_OPTIONS_H

#include "base/base.h"

struct parse_options {
	/* $1, $2 ...: for attach points, which take them as text. */
	const char *const *positional;
	size_t n_positional;
	const char *const *include_dirs; /* -I: for import and #include "..." */
	size_t n_include_dirs;
	const char *const *includes; /* --include: files, as if the program began with #include */
	size_t n_includes;
	bool has_btf; /* the kernel has BTF: BPFTRACE_HAVE_BTF is defined */
};

#endif
