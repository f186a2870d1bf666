// SPDX-License-Identifier: MIT
// Questions to the libraries of processes (orrery/inspect.h). Any number may be under way, one to
// each process. Nobody waits for them. The answer of a process is data only; the kernel's word
// about the question is kept apart from it.
#ifndef DCI_QUESTIONS_H
#define DCI_QUESTIONS_H

#include <orrery/process.h>

enum question_outcome {
    QUESTION_OPEN,       // not answered yet
    QUESTION_ANSWERED,   // `answer` holds the process's answer
    QUESTION_SILENT,     // the process did not answer in time
    QUESTION_ENDED,      // the process has ended, or does not exist
    QUESTION_UNHEARD,    // the process has no library that could answer
    QUESTION_BUSY,       // others' questions were in the way for the whole time
    QUESTION_IMPOSSIBLE, // the machine lacks something: `error`
    QUESTION_FALSE,      // the answer should be a trace packet, and is none
};

// Made by question_ask and ended by question_drop. Others may read the fields.
struct question {
    struct question *next;
    u32 pid;
    u32 operation; // INSPECT_*
    enum question_outcome outcome;
    s64 error;    // QUESTION_IMPOSSIBLE
    s64 number;   // the kernel's; 0: not asked yet, because another question to the process is open
    u64 begin;    // time base: when it was first tried
    u64 spent;    // ticks that the process has taken to answer, or was waited for
    u64 patience; // ticks that it may take in all
    struct sys_inspect_answer answer;
    u64 arguments[4];
    u32 room;      // bytes of the answer that are taken at most
    u32 count;     // bytes of the answer that came
    u8 *bytes;     // the bytes
    bool unwanted; // dropped, while the kernel's question is still open
};

// Asks a process. patience: ticks for the answer, at most a second's. room: the most bytes of the
// answer to take. Returns NULL if there is no memory.
struct question *question_ask(u32 pid, u32 operation, const u64 arguments[4], u32 room,
                              u64 patience);
// Drops a question whose answer nobody wants any more. Does nothing for NULL.
void question_drop(struct question *question);
// Looks at all questions that are under way. Returns the latest time for the next call, UINT64_MAX
// if there are none.
u64 questions_work(u64 now);

#endif
