// SPDX-License-Identifier: MIT
// The CTF 1.8 metadata text: a preamble made at start-up, the generated event declarations, then
// those of programs (described.h). It only grows.
#ifndef TRACE_METADATA_H
#define TRACE_METADATA_H

#include <orrery/types.h>

extern u8 trace_uuid[16]; // of this run; in the metadata and in every packet

// Makes the uuid and the preamble. Once, all CPUs up, before any event is enabled.
void trace_metadata_init(void);
const char *trace_metadata_preamble(void);
// Copies text from offset. Returns bytes copied, 0 at the end.
s64 trace_metadata_read(u64 offset, char *buffer, u64 bytes);

#endif
