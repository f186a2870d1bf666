// SPDX-License-Identifier: MIT
// Reports: each is a panic that tells more. The first one counts; what the panic itself stumbles
// over is passed over. Any context, PMI included.
#ifndef KERNEL_SANITIZE_REPORT_H
#define KERNEL_SANITIZE_REPORT_H

#include <orrery/types.h>

// True: this is the first report, and the caller goes on to panic. False: this CPU is within a
// report's panic. Another CPU's report, at the same time, stops this one for good.
bool report_begin(void);
// Whether this CPU reports.
bool report_is_ours(void);

// An access to bytes that may not be accessed, by the code that returns to pc.
void report_access(u64 address, u64 bytes, bool write, u64 pc);
// Memory is given back that is not in use. why: a few words.
_Noreturn void report_free(const char *why, const void *memory, u64 pc);
// Of the report of this CPU: the first byte that is not good, and the code.
u64 report_subject(void);
u64 report_culprit(void);

#endif
