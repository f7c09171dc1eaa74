/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SONDE_TOOLS_SOFTIRQS_H
#define SONDE_TOOLS_SOFTIRQS_H

#define SOFTIRQS 10 /* include/linux/interrupt.h: new ones need a very good reason */

#endif
