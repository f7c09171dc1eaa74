/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a unit test may take that would not end if sonde had the fault that it looks for. One time for all: where
 * times differ, Criterion 2.4's own list of them can leak 48 bytes, which fails the run.
 */
#ifndef SONDE_TESTS_UNIT_TIMEOUT_H
#define SONDE_TESTS_UNIT_TIMEOUT_H

#define TIMEOUT_SECONDS 60

#endif
