// SPDX-License-Identifier: MIT
// Reports: each is a panic that tells more. The first one counts; errors within the panic itself
// are passed over. Any context, PMI included.
#ifndef KERNEL_SANITIZE_REPORT_H
#define KERNEL_SANITIZE_REPORT_H

#include <orrery/types.h>

// Begins a report. Returns true if it is the first: the caller goes on to panic. False: this CPU is
// within a report's panic. If another CPU reports at the same time, this one stops for good.
bool report_begin(void);
// Does this CPU report?
bool report_is_ours(void);

// Reports an access to bytes that may not be accessed, by the code that returns to pc.
void report_access(u64 address, u64 bytes, bool write, u64 pc);
// Reports that memory is given back that is not in use. why: a few words.
_Noreturn void report_free(const char *why, const void *memory, u64 pc);
// Return the first byte that is not good, and the code, of this CPU's report.
u64 report_subject(void);
u64 report_culprit(void);

#endif
