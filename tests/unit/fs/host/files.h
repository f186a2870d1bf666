// SPDX-License-Identifier: MIT
// What tests see of the host in host.c.
#ifndef FILES_H
#define FILES_H

#include <ipc/packet.h>

#define HOST_ANSWERS 256
#define HOST_PID 5         // a process with a right; the next two are its children
#define HOST_NO_PID 999999 // none

// Answers that came later.
struct answer {
    u64 call;
    s64 status;
    u64 written, bytes;
    u8 data[12288];
};
extern struct answer host_answers[HOST_ANSWERS];
extern u32 host_answer_count;
extern bool host_callers_gone; // answers fail from now on
extern u32 host_ended;         // a process that has ended

// What the "kernel" was told of the one mapped file, and what it has to give.
struct supplied {
    u64 offset, length;
    s64 status;
    u32 count, invalidations;
    u8 page[4096], dirty[4096];
};
extern struct supplied host_supplied;
void host_kernel_asks(u64 what, u64 offset);

// Memory objects that the server has made: they go with their region.
#define HOST_MEMORIES 200
#define HOST_READABLE 0x10000u // in a capability: it gives reading alone
void *host_memory(cap_t cap);
u32 host_memories_mapped(void);
extern bool host_memory_is_out; // none gets pages any more
bool host_memory_sealed(cap_t cap);
extern bool host_memory_is_held; // by clients, when the server lets go of it
u64 host_memory_watcher(cap_t cap);
void host_memory_gone(u64 watcher); // now nobody holds it

#endif
