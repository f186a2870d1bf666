// SPDX-License-Identifier: MIT
// Arrows from one thread to another: from a wake-up to where the woken thread runs, and from a call
// to its reply. An arrow is told once its second end has come. Memory: by the number of threads and
// of open calls, or as the caller limits it.
#ifndef KOV_ARROWS_H
#define KOV_ARROWS_H

#include "trace/activity.h"

enum arrow_kind { ARROW_WAKE, ARROW_CALL };

struct arrow_end {
    u64 time; // time base
    u32 cpu;
    u64 thread, pid; // as in struct activity_interval: who is there; pid 0: the kernel
    u64 user;        // the thread of the process's library; 0: none, or not known
    bool interrupt;  // of a wake-up's begin: an interrupt's code woke it, not the thread
};
struct arrow {
    enum arrow_kind kind;
    struct arrow_end from, to;
};

// What has begun, by number: of the woken thread, or of the call.
struct arrow_mark {
    u64 id;
    struct arrow_end from;
};
struct arrow_marks {
    struct arrow_mark *marks; // sorted, since they are few
    size_t count, capacity;
    size_t most;   // 0: there is no limit; else the earliest one is forgotten for one more
    u64 forgotten; // of these
};

struct arrows {
    struct activity_interval running[ORRERY_MAX_CPUS]; // the thread on each CPU, and since when
    struct arrow_marks users;                          // pid << 8 | CPU: the user thread on it
    struct arrow_marks woken, calls;
    void (*draw)(void *context, const struct arrow *arrow); // NULL: not wanted
    void *context;
};

// Begins with who runs as the activity has it. The caller has set draw, context and limits, all
// else zero.
void arrows_begin(struct arrows *arrows, const struct activity_machine *machine);
// Takes an event, or a loss, that the activity has already taken.
void arrows_event(struct arrows *arrows, const struct activity_machine *machine,
                  const struct trace_event *event);
void arrows_loss(struct arrows *arrows, const struct activity_machine *machine,
                 const struct trace_loss *loss);
// Copies what has begun by now. Free the copy.
void arrows_copy(struct arrows *to, const struct arrows *from);
size_t arrows_bytes(const struct arrows *arrows);
void arrows_free(struct arrows *arrows);

// ---- for visitors that follow runs themselves --------------------------------------------------

// Takes what an event says of wake-ups, calls and replies, which the activity has already taken.
void arrows_note(struct arrows *arrows, const struct activity_machine *machine,
                 const struct trace_event *event);
// Notes which user thread a process has on a CPU from there on; 0: none.
void arrows_set_user(struct arrows *arrows, u64 pid, u32 cpu, u64 user);
// Returns it. 0: none, or not known.
u64 arrows_user(const struct arrows *arrows, u64 pid, u32 cpu);
// Returns who is there, when an event of such a process's stream (0: the kernel's) comes.
struct arrow_end arrows_end_at(const struct arrows *arrows, u32 pid, u32 cpu, u64 time);
// Returns whether something woke the thread, which now runs: `from` is where, and is forgotten.
bool arrows_take_wake(struct arrows *arrows, u64 thread, struct arrow_end *from);

#endif
