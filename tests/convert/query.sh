# SPDX-License-Identifier: BSD-2-Clause
# For tests that ask Perfetto's trace processor about a file. They read this file with `.`, from the source's directory
# $0.

# Skips the test where there is no trace processor. A test says this first: what is skipped in the middle of a pipe goes
# on behind it.
needs_trace_processor() {
	processor=${TRACE_PROCESSOR:-$("$0/scripts/fetch-trace-processor" --where)}
	[ -e "$processor/trace_processor.wasm" ] || skip "there is no trace processor: scripts/fetch-trace-processor gets it"
	command -v node > /dev/null || skip "there is no node"
}

# What its importer complains of.
# shellcheck disable=SC2034 # tests use it
complaints="SELECT 'complaint', name, idx, value FROM stats WHERE severity NOT IN ('info') AND value != 0"

# query FILE SQL...: a line for each row, its cells apart by "|"
query() {
	node "$0/tests/convert/query.mjs" "$processor" "$@" || fail "the trace processor: $?"
}
