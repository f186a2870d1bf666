// SPDX-License-Identifier: MIT
// One point, many observers. The kernel's core says what happens, and names nobody who looks. An
// observer (the trace, logs, monitors, counting by tasks) registers handlers for events, and says
// at run time which of them it wants.
//
// While nobody wants an event its point is a nop, or a branch that is there for something else. A
// fast path (ipc/fast_path.S) has points of its own: their handlers stand in assembly, one after
// the other, and each ends with an instruction that is patched to a branch to the next one. A fast
// path gives way while somebody wants an event which it performs, but has no handler there.
#ifndef KERNEL_POINTS_H
#define KERNEL_POINTS_H

// EVENT(name, parameters, arguments)
#define TOLD_EVENTS(EVENT)                                                                         \
    /* The CPU goes from a thread to another; now: of the time base. Soft-masked. */               \
    EVENT(switch, (struct thread * from, struct thread * to, u64 now), (from, to, now))            \
    /* A thread could have left, but was chosen again. Soft-masked. */                             \
    EVENT(stay, (struct thread * thread), (thread))                                                \
    /* A thread has become ready, and is in no run queue yet. Any context but PMI. */              \
    EVENT(ready, (struct thread * thread, u32 reason), (thread, reason))                           \
    /* A tick: the run queue's length, and the last switch. Soft-masked. */                        \
    EVENT(tick, (u32 length, u64 switched_at), (length, switched_at))                              \
    EVENT(idle, (void), ()) /* The CPU goes idle. Soft-masked. */                                  \
    /* Calls and answers; domains are those of the other side. */                                  \
    EVENT(call_made, (struct dispatcher * client, struct dispatcher * server, u64 call),           \
          (client, server, call))                                                                  \
    EVENT(call_taken, (struct dispatcher * server, u32 client, u64 call), (server, client, call))  \
    EVENT(answered, (struct dispatcher * server, u32 client, u64 call), (server, client, call))    \
    EVENT(answer_taken, (struct dispatcher * client, u32 server), (client, server))                \
    EVENT(message_sent, (u32 sender, struct dispatcher * receiver), (sender, receiver))            \
    EVENT(message_taken, (u32 sender), (sender))                                                   \
    /* A page frame was charged to a domain (1), or given back (-1). */                            \
    EVENT(page_charged, (u32 domain, s32 change), (domain, change))                                \
    EVENT(fault, (u64 address, u32 access), (address, access))                                     \
    EVENT(syscall, (u64 number, u64 result),                                                       \
          (number, result)) /* one that sees all registers has ended */                            \
    EVENT(block, (u64 request, u64 value), (request, value)) /* words of SYS_MONITOR_BLOCK */      \
    /* Lifetimes: thread context, no lock held, if nothing else is said. They have no points. */   \
    EVENT(services_begin, (void), ()) /* at boot, once */                                          \
    EVENT(thread_made, (const struct thread *thread, struct process *process), (thread, process))  \
    EVENT(thread_gone, (struct thread * thread), (thread))                                         \
    EVENT(dispatcher_ends, (void), ()) /* the running one; its page still exists. Soft-masked */   \
    /* A process's library has answered a question, *bytes of which are in buffer, or an error. */ \
    EVENT(process_answers,                                                                         \
          (struct process * process, u32 operation, const u64 arguments[2], s64 status,            \
           void *buffer, s64 *bytes),                                                              \
          (process, operation, arguments, status, buffer, bytes))
// Points of the fast paths, whose handlers are in assembly.
#define FAST_EVENTS(EVENT)                                                                         \
    EVENT(fast_call, (void), ())                                                                   \
    EVENT(fast_answer, (void), ())                                                                 \
    EVENT(fast_traced, (void), ()) /* behind the trace's event of a switch there */
#define EVENTS(EVENT) TOLD_EVENTS(EVENT) FAST_EVENTS(EVENT)

#ifndef __ASSEMBLER__
#include <orrery/types.h>
#include <stdbool.h>
#include <stddef.h>

struct dispatcher;
struct process;
struct thread;

#define EVENT_NUMBER(name, parameters, arguments) EVENT_##name,
enum event_number { EVENTS(EVENT_NUMBER) EVENT_NUMBERS };
#undef EVENT_NUMBER
_Static_assert(EVENT_NUMBERS <= 64, "bits of point.performs");

// What it wants now: bits that are the observer's own. Changed by observer_wants alone.
struct observer {
    u64 wants;
};

// Assembly makes them, too (kernel/points_asm.h).
struct handler {
    u64 event;
    u64 wants;                 // any of these bits of the observer
    struct observer *observer; // NULL: always wanted
    void (*tell)(void); // of a fast path's: the entry's address; NULL: there is no need to go
    u32 *exit;          // … which leads to the next one; NULL: that of the last one
};

#define EVENT_HANDLER(name, parameters, arguments)                                                 \
    typedef void name##_handler parameters;                                                        \
    void happens_##name parameters; // calls all handlers that are wanted (kernel/points/tell.S)
TOLD_EVENTS(EVENT_HANDLER)
#undef EVENT_HANDLER

// Registers a function for an event, while the observer wants any of these bits. order: a digit
// from 1 on; handlers of an event are called in that order. Handlers run in the event's context;
// those of events with points lock, allocate and change nothing of the core.
#define HANDLES(event_name, order, function, watcher, bits)                                        \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&(function)), event_name##_handler *),  \
                   "takes what the event has");                                                    \
    static const struct handler event_name##_##function##_handles                                  \
        __attribute__((used, section(".handlers." #event_name "." #order))) = {                    \
            EVENT_##event_name, bits, watcher, (void (*)(void))(function), NULL}
// Says that a fast path's point needs no handler for these bits: the path looks itself.
#define FAST_HANDLED(event_name, order, watcher, bits)                                             \
    static const struct handler event_name##_is_handled                                            \
        __attribute__((used, section(".handlers." #event_name "." #order))) = {                    \
            EVENT_##event_name, bits, watcher, NULL, NULL}
// The same, always: for events without a point, as nothing patches one for it.
#define HANDLES_ALWAYS(event_name, order, function) HANDLES(event_name, order, function, NULL, 0)

// Tells of an event without a point.
#define TELL(name, ...) happens_##name(__VA_ARGS__)

#ifdef __powerpc64__
#define POINTS_SECTION ".points,\"a\",@progbits"
#else // a host test's addresses are known when it is loaded
#define POINTS_SECTION ".points,\"aw\",@progbits"
#endif

// One nop; a branch to the label while anybody wants the event.
#define POINT(name, label)                                                                         \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection " POINTS_SECTION "\n"                                               \
                 ".balign 8\n"                                                                     \
                 ".quad 1b, %l[" #label "], %c0, 0\n"                                              \
                 ".popsection"                                                                     \
                 :                                                                                 \
                 : "i"(EVENT_##name)                                                               \
                 :                                                                                 \
                 : label)

// A point and what is behind it, where the arguments are evaluated.
#define HAPPENS(name, ...) HAPPENS_IF(true, name, __VA_ARGS__)
// The same, if the condition holds, which is evaluated there, too.
#define HAPPENS_IF(condition, name, ...)                                                           \
    do {                                                                                           \
        __label__ told, untold;                                                                    \
        POINT(name, told);                                                                         \
        goto untold;                                                                               \
    told:                                                                                          \
        if (condition)                                                                             \
            TELL(name, __VA_ARGS__);                                                               \
    untold:;                                                                                       \
    } while (0)

// Says what the observer wants from now on. On return every CPU acts by it, and both paths of calls
// tell of a call, or none does. Thread context, no spin lock held.
void observer_wants(struct observer *observer, u64 wants);
#endif

#endif
