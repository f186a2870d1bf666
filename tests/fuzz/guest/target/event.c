// SPDX-License-Identifier: MIT
// Events: noted for the program, and served as well as it says.
#include "target.h"

#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <syscalls/numbers.h>

#define FAULT_PATIENCE_US 500
#define FAULT_ROUNDS 20
#define STATUS_FAULT 3

static u32 program_flags;

void event_flags(u32 flags)
{
    program_flags = flags;
}

void event_timer(u64 microseconds)
{
    call(SYS_TIMER, now() + microseconds * TICKS_A_MICROSECOND, 0, 0, 0);
}

void event_note(struct thread *self, const struct event *event)
{
    if (event->type != EVENT_NONE && event->type != EVENT_TIMER)
        self->last = *event;
    if (event_is_call(event))
        pool_add(FUZZ_POOL_CALL, event->id);
    u64 cap = event->info >> 32;
    if ((event_is_call(event) || event->type == EVENT_REPLY) && cap != 0)
        pool_add(FUZZ_POOL_ANY, cap);
}

// ---- serving -----------------------------------------------------------------------------------

static void answer(const struct event *event)
{
    u64 registers[RAW_REGISTERS] = {SYS_REPLY, 0, event->id, 0, event->info & 0xffff};
    raw_call(registers);
}

static void supply(const struct event *event)
{
    u64 file = pool_get(FUZZ_POOL_FILE, 0);

    if (event->words[0] == FILE_FETCH)
        call(SYS_FILE_SUPPLY, file, event->words[1], AREA, 0);
    else if (event->words[0] == FILE_WRITE)
        call(SYS_FILE_TAKE, file, event->words[1], AREA, 0);
}

// Something that the monitor might believe, or not.
static void tell_monitor(const struct event *event)
{
    static const u64 results[] = {
        0, 48, 64, INSPECT_BYTES, (u64)E_AGAIN, (u64)E_NOTSUP, INSPECT_BYTES + 1, UINT64_MAX};
    u64 index = (event->id ^ event->badge) % ARRAY_SIZE(results);
    call(SYS_INSPECT_DONE, event->id, results[index], event->id, UINT64_MAX);
}

void event_serve(struct thread *self, const struct event *event)
{
    (void)self;
    if (event_is_call(event) && program_flags & FUZZ_ANSWERS)
        answer(event);
    else if (event->type == EVENT_MESSAGE && event->id == 0 && program_flags & FUZZ_SUPPLIES)
        supply(event);
    else if (event->type == EVENT_INSPECT && program_flags & FUZZ_MONITORED)
        tell_monitor(event);
}

// ---- waiting -----------------------------------------------------------------------------------

bool event_next(struct thread *self, struct event *event, u64 microseconds)
{
    u64 registers[RAW_REGISTERS] = {SYS_WAIT};

    event_timer(microseconds);
    page()->disabled = 1;
    raw_call(registers);
    copy(event, &registers[1], sizeof(*event));
    event_note(self, event);
    return event->type != EVENT_TIMER;
}

u32 event_pump(struct thread *self, u32 most, u64 microseconds)
{
    struct event event;
    u32 count = 0;

    while (count < most && event_next(self, &event, microseconds)) {
        event_serve(self, &event);
        count++;
    }
    return count;
}

// ---- upcalls -----------------------------------------------------------------------------------

static void go_on(void)
{
    call(SYS_RESUME, (u64)&page()->save, 0, 0, 0);
    call(SYS_EXIT, STATUS_FAULT, 0, 0, 0);
}

// What ran cannot go on; in own.c and at a resumed state it can, elsewhere.
static void recover(struct thread *self)
{
    if (!self->guarded)
        call(SYS_EXIT, STATUS_FAULT, 0, 0, 0);
    struct user_state *saved = &page()->save;
    saved->pc = descriptor(landing)[0];
    saved->gpr[3] = (u64)self->context;
}

// A page is on its way, perhaps supplied by this very process.
static void await_page(struct thread *self, u64 token)
{
    struct event event;

    for (u32 i = 0; i < FAULT_ROUNDS; i++) {
        if (!event_next(self, &event, FAULT_PATIENCE_US))
            continue;
        if (event.type == EVENT_FAULT_DONE && event.id == token) {
            if ((s64)event.badge < 0)
                recover(self);
            return;
        }
        event_serve(self, &event);
    }
    recover(self);
}

void event_upcall(const struct event *event)
{
    struct thread *self = thread_here();

    if (event->type == EVENT_START) {
        self->number = self->cpu != 0 ? self->cpu : FUZZ_THREADS - 1;
        page()->upcall_stack = thread_upcalls(self->cpu);
        thread_run(self);
    }
    if (event->type == EVENT_EXCEPTION)
        recover(self);
    else if (event->type == EVENT_FAULT_BLOCKED)
        await_page(self, event->id);
    else {
        event_note(self, event);
        event_serve(self, event);
    }
    go_on();
    for (;;)
        ;
}
