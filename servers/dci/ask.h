// SPDX-License-Identifier: MIT
// Questions to the libraries of processes (orrery/monitor.h). A process may take its time, up to a
// second; meanwhile the server goes on.
#ifndef DCI_ASK_H
#define DCI_ASK_H

#include <orrery/process.h>

struct answer {
    u64 results[2];
    const u8 *bytes; // what came in the buffer; until the next question
};

// Besides those of orrery/monitor.h, which go to the library itself: sys_trace_read_process.
#define ASK_TRACE_READ 0x10000 // cpu, flush

// Asks for `asker` (any address of its own, the same at each call), or looks whether the answer is there.
// Returns E_AGAIN while it is not: the same question is then to be asked again. Else what the
// process answered: a count of bytes or an error; E_TIMEOUT: it is stuck. One question is under way
// at a time, others' wait for it.
s64 ask(const void *asker, u32 pid, u32 operation, const u64 arguments[4], struct answer *answer);
// The asker has gone, or wants no answer any more.
void ask_forget(const void *asker);

// When to look for the answer to the question under way; UINT64_MAX: there is none.
u64 ask_work(u64 now);

// Asks and waits; buffer: MONITOR_BYTES.
s64 ask_and_wait(u32 pid, u32 operation, const u64 arguments[4], void *buffer,
                 struct answer *answer);

#endif
