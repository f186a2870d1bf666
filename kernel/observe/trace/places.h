// SPDX-License-Identifier: MIT
// Where the kernel keeps what readers of memory dumps want to know.
#ifndef KERNEL_TRACE_PLACES_H
#define KERNEL_TRACE_PLACES_H

// Puts the places into the descriptor of dumps. Once, after the first CPU has its buffers.
void trace_places_tell(void);

#endif
