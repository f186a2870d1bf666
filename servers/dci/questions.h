// SPDX-License-Identifier: MIT
// Questions to the libraries of processes that are under way (orrery/monitor.h). Any number are,
// one to each process; nobody waits for them. Whatever a process answers is data: what the kernel
// says of the question is told apart.
#ifndef DCI_QUESTIONS_H
#define DCI_QUESTIONS_H

#include <orrery/process.h>

enum question_outcome {
    QUESTION_OPEN,       // not answered yet
    QUESTION_ANSWERED,   // `answer` is what the process said
    QUESTION_SILENT,     // it said nothing in its time
    QUESTION_ENDED,      // the process has ended, or there is none
    QUESTION_UNHEARD,    // it has no library that could answer
    QUESTION_BUSY,       // somebody else's questions were in the way for all of its time
    QUESTION_IMPOSSIBLE, // the machine, not the process, is short of what it takes: `error`
    QUESTION_FALSE,      // a trace packet that is none
};

// Made by question_ask and ended by question_drop; the fields may be read.
struct question {
    struct question *next;
    u32 pid;
    u32 operation; // MONITOR_*
    enum question_outcome outcome;
    s64 error;    // QUESTION_IMPOSSIBLE
    s64 number;   // the kernel's; 0: not asked yet, as another one to this process is under way
    u64 begin;    // time base: when it was first tried
    u64 spent;    // ticks that the process has taken to answer, or was waited for
    u64 patience; // ticks, in all
    struct sys_monitor_answer answer;
    u64 arguments[4];
    u32 room;      // bytes wanted at most
    u32 count;     // bytes that came
    u8 *bytes;     // they
    bool unwanted; // dropped, and the kernel's question is open still
};

// Asks; patience: ticks for the answer, at most a second's. room: bytes of the answer that are
// taken at most. NULL: out of memory.
struct question *question_ask(u32 pid, u32 operation, const u64 arguments[4], u32 room,
                              u64 patience);
// Nobody wants the answer any more. NULL: nothing.
void question_drop(struct question *question);
// Looks at all that are under way. Returns when to come again at the latest:
// UINT64_MAX while there are none.
u64 questions_work(u64 now);

// ---- by whoever runs the server -----------------------------------------------------------------

// Bits of EVENT_KICK that wake the server's loop; 0: there are none,
// and it looks every millisecond.
u64 kick_bits(void);
// Have they come since this was last asked?
bool kick_come(void);

#endif
