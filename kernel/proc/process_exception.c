// SPDX-License-Identifier: MIT
// Exceptions of user code that are no interrupts: special system calls, page faults, first use of
// the FPU, and what the program did wrong. Runs inside of the Process object, EE on.
#include "process.h"

#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <orrery/errors.h>
#include <syscalls/numbers.h>
#include <trace/events.h>

#include "dispatcher.h"
#include "exception/exception.h"
#include "exception/user.h"
#include "syscalls/syscalls.h"

#define VECTOR_FPU 0x800
#define VECTOR_SYSTEM_CALL 0xc00
#define DSISR_STORE 0x02000000

// ---- what a program may not do ------------------------------------------------------------------

// No fault of the program's code: its registers explain nothing, and many may end so at once.
static const char no_memory[] = "out of memory";

// Tells the library, which may repair it, or ends the process.
// One that is being ended finds its memory gone: no news.
static void bad(struct dispatcher *self, struct frame *frame, const char *why)
{
    const struct event event = {.type = EVENT_EXCEPTION,
                                .id = frame->vector,
                                .badge = frame->dar,
                                .info = frame->dsisr,
                                .words = {why == no_memory ? (u64)E_NOMEM : 0}};

    if (process_ending(self->process) || dispatcher_upcall(self, frame, &event))
        return;
    user_report(frame, why);
    if (why != no_memory)
        user_report_registers(frame);
    process_kill(self->process, STATUS_KILLED(frame->vector));
}

// ---- page faults --------------------------------------------------------------------------------

// A user thread that waits for a page: first as a wait for the page,
// then as the event that it is there.
struct blocked_fault {
    struct fault_wait wait;
    struct posted_event posted;
    struct dispatcher *dispatcher; // its process held
    u64 token;
};

static void fault_notified(struct posted_event *event, bool delivered)
{
    (void)delivered;
    kfree(container_of(event, struct blocked_fault, posted));
}

static void page_came(struct fault_wait *wait, s64 status)
{
    struct blocked_fault *fault = (struct blocked_fault *)wait;
    struct process *process = fault->dispatcher->process;

    fault->posted = (struct posted_event){
        .taken = fault_notified,
        .event = {.type = EVENT_FAULT_DONE, .id = fault->token, .badge = (u64)status}};
    if (!dispatcher_post(fault->dispatcher, &fault->posted))
        kfree(fault);
    process_put(process);
}

static struct blocked_fault *may_block(struct dispatcher *self)
{
    struct blocked_fault *fault = dispatcher_enabled(self) ? kmalloc(sizeof(*fault)) : NULL;

    if (fault != NULL) {
        fault->wait = (struct fault_wait){.done = page_came};
        fault->dispatcher = self;
        fault->token = ++self->fault_tokens;
        process_hold(self->process);
    }
    return fault;
}

// Waits for a page: the thread does if the library can run others, else the dispatcher.
static enum fault_result wait_for_page(struct dispatcher *self, struct frame *frame, u64 address,
                                       u32 access)
{
    struct blocked_fault *fault = may_block(self);
    const struct event blocked = {
        .type = EVENT_FAULT_BLOCKED, .id = self->fault_tokens, .badge = address, .info = access};
    enum fault_result result =
        space_fault(self->process->space, address, access, fault != NULL ? &fault->wait : NULL);

    if (result == FAULT_WAIT) {
        dispatcher_upcall(self, frame, &blocked); // was enabled, and no user code has run since
        return FAULT_RESOLVED;
    }
    if (fault != NULL) {
        kfree(fault);
        process_put(self->process);
    }
    return result;
}

static inline void page_fault(struct dispatcher *self, struct frame *frame)
{
    bool fetch = frame->vector == VECTOR_INSTRUCTION_STORAGE;
    u64 address = fetch ? frame->pc : frame->dar;
    u32 access = fetch ? PROT_X : frame->dsisr & DSISR_STORE ? PROT_W : PROT_R;

    trace_fault_enter(address, access);
    HAPPENS(fault, address, access);
    enum fault_result result = space_fault(self->process->space, address, access, FAULT_TRY);

    if (result == FAULT_WAIT)
        result = wait_for_page(self, frame, address, access);
    trace_fault_exit(address, result);
    frame->dar = address;
    if (result == FAULT_BAD)
        bad(self, frame, "bad address");
    else if (result == FAULT_NO_MEMORY)
        bad(self, frame, no_memory);
}

// ---- system calls that see all registers --------------------------------------------------------

static void special_system_call(struct frame *frame)
{
    u64 number = frame->gpr[0], special = number - SYSCALL_SPECIAL_FIRST;

    if (special >= SYSCALL_SPECIAL_COUNT) {
        frame->gpr[3] = (u64)E_NOTSUP;
    } else if (number == SYS_CALL || number == SYS_REPLY_WAIT) { // IPC events tell of them
        special_functions[special](frame);
    } else {
        trace_syscall_enter(number, frame->gpr[3]);
        special_functions[special](frame);
        trace_syscall_exit(number, (s64)frame->gpr[3]);
        // SYS_RESUME has no result: the registers are those of the thread that goes on.
        HAPPENS(syscall, number, number == SYS_RESUME ? 0 : frame->gpr[3]);
    }
}

void process_exception(struct process *process, struct frame *frame)
{
    struct dispatcher *self = percpu()->dispatcher;

    (void)process;
    switch (frame->vector) {
    case VECTOR_DATA_STORAGE:
    case VECTOR_INSTRUCTION_STORAGE:
        page_fault(self, frame);
        break;
    case VECTOR_SYSTEM_CALL:
        special_system_call(frame);
        break;
    case VECTOR_FPU:
        fpu_take(self);
        self->page->fp_used = 1;
        break;
    default:
        bad(self, frame, "exception");
    }
}
