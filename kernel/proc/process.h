// SPDX-License-Identifier: MIT
// The Process object: one process's kernel side, root and representatives (S000 §2.4.3).
#ifndef KERNEL_PROC_PROCESS_H
#define KERNEL_PROC_PROCESS_H

#include <co/object.h>
#include <kernel/frame.h>
#include <kernel/ipc.h>
#include <kernel/process.h>
#include <kernel/refs.h>
#include <kernel/spinlock.h>

#include "inspect.h"
#include "placement.h"

#define KIND_PROCESS REFS_KIND('P', 'R', 'O', 'C')
#define FIRST_PID 1                      // when it ends, the machine does
#define STATUS_ORPHANED STATUS_KILLED(0) // of a process that nobody can start any more

struct monitor_tracks;
struct process_rep;

// What user code makes the kernel do runs in these methods, so that samples find the process. Each
// is called on the CPU of the dispatcher that caused it.
struct process_ops {
    struct co_ops base;
    // Plain system calls: exception/user_entry.S, not to be called from C.
    s64 (*system_call)(struct process_rep *self);
    // An exception of user code that is no interrupt: special system call, fault, … Called with EE
    // off, on meanwhile: what became pending in the entry code is sampled in here.
    s64 (*exception)(struct process_rep *self, struct frame *frame);
    s64 (*attach)(struct process_rep *self, struct dispatcher *dispatcher);
    // Exceptions taken, of all CPUs: the one count that both implementations keep, each in its way.
    s64 (*exceptions)(struct process_rep *self);
};

struct process_rep {
    CO_REP(struct process_ops);
    u64 exceptions; // shared: of all CPUs, under the lock; replicated: of one
};

struct process {
    struct co_root root;
    struct process_rep rep; // of the shared implementation
    u32 pid;
    u32 parent;                               // with the next three: under the ProcessAnnex's lock
    struct process *first_child, *next_child; // of its children; of its parent's
    struct process **child_link;              // what points at it; NULL: the parent is gone
    struct family *family;                    // NULL: it has rights
    u32 rights;
    u32 priority; // enum process_priority
    char name[PROCESS_NAME_MAX];
    struct refs refs;
    struct address_space *space;
    struct capability_table *capabilities;
    struct ipc_process ipc;
    u64 start_time;
    u32 domain;                     // that the logs account it to; under its lock
    u32 described;                  // events of its own that are new: observe/trace/describe.c
    void *windows[ORRERY_MAX_CPUS]; // dispatcher page and message buffer, once there
    struct spinlock lock;           // RANK_OBJECT; guards the next ones
    u32 state;                      // enum process_state
    s32 status;                     // PROCESS_ENDING
    u32 running;                    // dispatchers that have not ended
    u32 loaders;                    // who prepares it and must not find it running
    u32 making;                     // CPUs whose dispatcher is being made
    bool untraced;                  // the trace leaves it out: observe/trace/left_out.c
    s64 overflow_session;           // whose overflows it is told, 0: none (overflow.h)
    struct dispatcher *dispatchers[ORRERY_MAX_CPUS];
    struct sys_process_image image; // upcall_entry 0: not known
    struct inspection monitor;
    struct placement place;        // under its lock; loads without it are hints
    struct posted_event ended;     // to the parent
    struct monitor_tracks *tracks; // for its dispatchers to come: observe/monitors/tracking.c
};

// Makes the object of a process: with one representative, or with one a CPU. The implementation is
// chosen when the process is created.
s64 process_object_create(struct process *process, bool replicated);

// Handles the exception in frame, for process_ops.exception (process_exception.c).
void process_exception(struct process *process, struct frame *frame);
// Notes that a dispatcher has run its last instruction of user code. The last one ends the process.
// Its own thread.
void process_dispatcher_ended(struct process *process, struct dispatcher *dispatcher);
// Ends the process for good: no dispatcher runs any more, or has ever run. Thread context.
void process_finish(struct process *process);
// Frees a process that nothing refers to any more. The reaper's thread.
void process_free(struct process *process);
// Lists children for the scan: writes at most max COIDs, counts all.
u32 process_coids(struct process *process, coid_t *out, u32 max);
void process_info(struct process *process, struct sys_process_info *info);
// Makes one with a reference for the caller and one for the ProcessAnnex, in state NEW. Its parent
// is the creator, NULL: the kernel. Returns NULL with the reason in *error.
struct process *process_create(const struct sys_process_new *new, const struct process *creator,
                               s64 *error);
// Starts its first dispatcher. 0, E_INVAL, E_BUSY: not NEW, E_NOMEM.
s64 process_start(struct process *process, const struct sys_process_start *start);
// Adds a dispatcher that begins with EVENT_START. 0, E_INVAL, E_EXIST, E_BUSY: not LIVE, E_NOMEM.
s64 process_add_dispatcher(struct process *process, u32 cpu, u64 upcall_stack);
// Returns a dispatcher that takes events, or NULL.
struct dispatcher *process_any_dispatcher(struct process *process);

#endif
