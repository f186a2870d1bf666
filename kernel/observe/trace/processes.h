// SPDX-License-Identifier: MIT
// The kernel's part in tracing processes: keeps what they leave behind, and reads it.
#ifndef KERNEL_TRACE_PROCESSES_H
#define KERNEL_TRACE_PROCESSES_H

#include <orrery/sys.h>

// Returns the majors that processes enable as they start. Any context.
u64 trace_process_mask(void);

#endif
