// SPDX-License-Identifier: MIT
// Ways to look at processes. Each looks once, at whatever it likes.
#ifndef FUZZ_MONITOR_H
#define FUZZ_MONITOR_H

#include <orrery/types.h>

u64 next_random(void);
u32 some_pid(void);
void *some_buffer(void); // of the calling thread, BUFFER_BYTES
#define BUFFER_BYTES 65536

// questions.c: through libraries, and what the kernel knows.
void ask_library(void);
void list_regions(void);
void scan_objects(void);
void read_drefs(void);
void read_traces(void);
void change_masks(void);

// sessions.c: sampling and counting.
void sample(void);
void count(void);
void leave_out(void);

#endif
