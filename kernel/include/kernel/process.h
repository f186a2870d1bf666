// SPDX-License-Identifier: MIT
// Processes and dispatchers, for the rest of the kernel. A Process is a clustered object under the
// ProcessAnnex. A dispatcher is a kernel thread whose bottom frame is user code.
#ifndef KERNEL_PROCESS_H
#define KERNEL_PROCESS_H

#include <orrery/process.h>
#include <orrery/user.h>

struct address_space; // kernel/address_space.h
struct capability_table;
struct dispatcher;
struct process;

// Returns the process on whose behalf this CPU runs: the current dispatcher's, NULL in kernel
// threads. Thread context; the process lives at least as long as the calling thread.
struct process *process_current(void);
struct dispatcher *dispatcher_current(void);

u32 process_pid(const struct process *process);
coid_t process_coid(const struct process *process);
// Returns what it registered, all 0 before. Any context, PMI included. It is user data: do not
// trust it.
const struct sys_process_image *process_image(const struct process *process);
u32 process_rights(const struct process *process);
struct address_space *process_space(struct process *process);
struct capability_table *process_capabilities(struct process *process);
// Returns a live process, with a reference to give back by process_put, or NULL. Thread context, no
// lock held.
struct process *process_get(u32 pid);
void process_hold(struct process *process); // one more reference; any context but PMI
void process_put(struct process *process);
static inline void process_put_held(struct process **process)
{
    if (*process != NULL)
        process_put(*process);
}
// Returns true if the process has not started. It then cannot start until process_end_loading, so
// its memory and capabilities can be prepared. False: it has started or ended. Thread context, no
// lock held.
bool process_begin_loading(struct process *process);
void process_end_loading(struct process *process);
// Returns its dispatcher on cpu, or NULL; lives as long as the process is held.
struct dispatcher *process_dispatcher(struct process *process, u32 cpu);
// Ends it as sys_process_kill does. Any thread.
void process_kill(struct process *process, s32 status);
// Sets whether the model unit leaves out what runs on behalf of a process, on all CPUs from now on.
// E_NOENT. Thread context, no lock held.
s64 process_set_excluded(u32 pid, bool excluded);
// Tells the mallocs of all processes whether they have to ask (sys_memory_heap), after that has
// changed (memory_heap_counted). A dispatcher that is made meanwhile is told, too. Thread context,
// no lock held, nor a mutex that hooks of ends take: a process that is let go may end here.
void processes_count_heap(void);
// Puts the dispatcher with this thread, or with thread 0 the process and all its dispatchers, into
// an accounting domain of the logs. A process begins in its creator's, a dispatcher in its
// process's. pid 0: this kernel thread, or with thread 0 all of them. E_NOENT. Thread context, no
// lock held.
s64 process_set_domain(u32 pid, u32 thread, u32 domain);
// Puts all into domain 0. One thread at a time.
void processes_clear_domains(void);
bool process_ending(const struct process *process); // then calls to it must fail with E_PEER
// Returns whether it no longer answers the monitor. After that its packets are taken over
// (observe/trace/processes.h). Any context.
bool inspection_ended(const struct process *process);

// Cleans up after a process. Each hook of the image is called once, when the process's last
// dispatcher has stopped and it no longer answers the monitor; its address space and capabilities
// still exist. In no particular order. Thread context, no lock held.
typedef void (*process_end_hook)(struct process *process);
#define PROCESS_END_HOOK(function)                                                                 \
    static const process_end_hook function##_hook                                                  \
        __attribute__((used, section(".process_end_hooks"))) = function

// ---- dispatchers -------------------------------------------------------------------------------

// An event on its way to a dispatcher. The poster owns the memory until taken(), which runs when
// the event was delivered (true) or its dispatcher has gone (false), on any CPU, no lock held.
struct posted_event {
    struct posted_event *next;
    void (*taken)(struct posted_event *event, bool delivered);
    struct event event;
    const void *bulk; // for the receiver's message buffer (info's bytes), or NULL
};

// Queues an event, in order; wakes or interrupts the dispatcher. Returns false, with nothing done,
// if it is ending. Any context but PMI, locks of rank <= RANK_OBJECT held.
bool dispatcher_post(struct dispatcher *dispatcher, struct posted_event *event);
// Merges bits into an EVENT_KICK. Same context.
void dispatcher_kick(struct dispatcher *dispatcher, u64 bits);
u32 dispatcher_cpu(const struct dispatcher *dispatcher);
struct process *dispatcher_process(struct dispatcher *dispatcher);
struct dispatcher_page *dispatcher_page(struct dispatcher *dispatcher); // kernel's view of it
void *dispatcher_message(struct dispatcher *dispatcher);       // its message buffer, MESSAGE_BYTES
u32 dispatcher_thread_id(const struct dispatcher *dispatcher); // also when its thread has ended
u32 dispatcher_domain(const struct dispatcher *dispatcher);    // 0: none. Any context

#endif
