// SPDX-License-Identifier: MIT
// A thread did what it may not: a handler repairs it, or the process ends with a report.
#include "exception.h"

#include "process.h"

#include <orrery/memory.h>
#include <orrery/null_pointer.h>
#include <orrery/sys.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HANDLERS 4
#define REPORT_CALLERS 24
#define GUARD_BYTES 0x1000 // below a stack, never there
#define CONSOLE_BYTES 512  // at most at a time

typedef bool (*exception_handler)(const struct event *event, struct user_state *state);
static exception_handler handlers[HANDLERS];

s64 user_on_exception(exception_handler handler)
{
    for (u32 i = 0; i < HANDLERS; i++) {
        exception_handler none = NULL;
        if (__atomic_compare_exchange_n(&handlers[i], &none, handler, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return 0;
    }
    return E_LIMIT;
}

// ---- the report ---------------------------------------------------------------------------------

struct report {
    u64 bytes;
    char text[8192];
};

static struct report report __attribute__((section(".bss.large")));
static u32 reporting; // atomic

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    u64 room = sizeof report.text - report.bytes;
    int length = vsnprintf(report.text + report.bytes, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        report.bytes += (u64)length < room ? (u64)length : room - 1;
}

static void say_place(u64 pc)
{
    u64 offset;
    const char *name = user_symbol(pc, &offset);
    if (name)
        say("    %#lx %s+%#lx\n", pc, name, offset);
    else
        say("    %#lx\n", pc);
}

static const char *what(u64 vector)
{
    switch (vector) {
    case 0x300:
    case 0x380:
        return "bad data address";
    case 0x400:
    case 0x480:
        return "bad instruction address";
    case 0x600:
        return "bad alignment";
    case 0x700:
        return "illegal instruction or trap";
    case 0x800:
        return "no floating point";
    default:
        return "exception";
    }
}

// Says what went wrong, and if it went through a NULL pointer, what that was.
static void say_reason(const struct user_state *state, u64 vector, u64 address, u64 dsisr,
                       const char *reason)
{
    u64 page = state->pc & ~0xfffUL;
    u32 words = 0;

    if (vector != 0x400) // then there is no code at pc
        words = (u32)((page + 0x1000 - state->pc) / 4);
    words = words < NULL_CODE_WORDS ? words : NULL_CODE_WORDS;
    const char *access = null_access(vector, address, dsisr, (const u32 *)state->pc, words);
    if (access)
        say("NULL pointer: %s at offset %#lx, ", access, address);
    say("%s (vector %#lx, address %#lx)", reason, vector, address);
}

static void say_thread(const struct thread *thread)
{
    const struct user_state *state = &thread->state;
    u64 callers[REPORT_CALLERS];
    u32 count = unwind_thread(thread, callers, REPORT_CALLERS);
    say("\n  stack:\n"); // explains most, so it comes first
    say_place(state->pc);
    for (u32 i = 0; i < count; i++)
        say_place(callers[i]);
    for (u32 i = 0; i < 32; i++)
        say("%sr%-2u %016lx%s", i % 4 ? " " : "  ", i, state->gpr[i], i % 4 == 3 ? "\n" : "");
    say("  pc  %016lx lr  %016lx ctr %016lx\n  cr  %08lx xer %016lx msr %016lx\n", state->pc,
        state->lr, state->ctr, state->cr, state->xer, state->msr);
}

// Writes the report, and ends the process.
static void end(s32 status) __attribute__((noreturn));
static void end(s32 status)
{
    s64 written = 1;
    for (u64 done = 0; done < report.bytes && written > 0; done += (u64)written) {
        u64 bytes = report.bytes - done;
        written =
            sys_console_write(report.text + done, bytes < CONSOLE_BYTES ? bytes : CONSOLE_BYTES);
    }
    sys_exit(status);
}

// Begins the report. The first thread that crashes reports; others wait for the end.
static void begin_report(void)
{
    if (__atomic_exchange_n(&reporting, 1, __ATOMIC_ACQUIRE)) {
        struct event event;
        for (;;)
            event_wait(&event);
    }
    say("\n%s (process %lu, CPU %u)", process_name(), user_page(user_cpu())->pid, user_cpu());
}

// Returns whether an access was on the page below the thread's stack, or in a frame that reaches
// further down.
static bool is_overflow(const struct thread *thread, u64 vector, u64 address)
{
    u64 low = thread->stack_low, sp = thread->state.gpr[1];
    return vector == 0x300 && address < low &&
           (address >= low - GUARD_BYTES || (sp < low && address >= sp));
}

static void crash(const struct thread *thread, u64 vector, u64 address, u64 dsisr,
                  const char *reason) __attribute__((noreturn));
static void crash(const struct thread *thread, u64 vector, u64 address, u64 dsisr,
                  const char *reason)
{
    begin_report();
    say(" died in thread %u \"%s\": ", thread->id, thread->name);
    if (is_overflow(thread, vector, address))
        say("stack overflow of thread %u, ", thread->id);
    say_reason(&thread->state, vector, address, dsisr, reason);
    say_thread(thread);
    end(STATUS_KILLED((u32)vector));
}

// Says who called, from the caller of a panic on. A dispatcher's own stack is not walked.
static void say_callers(u64 caller)
{
    u64 callers[REPORT_CALLERS];
    u32 count = thread_current() ? user_stack_walk_here(callers, REPORT_CALLERS) : 0, from = 0;
    while (from < count && callers[from] != caller)
        from++;
    say_place(caller);
    for (u32 i = from + 1; i < count; i++)
        say_place(callers[i]);
}

void user_panic(const char *format, ...)
{
    va_list arguments;
    user_disable();
    begin_report();
    say(" panics: ");
    va_start(arguments, format);
    int length =
        vsnprintf(report.text + report.bytes, sizeof report.text - report.bytes, format, arguments);
    va_end(arguments);
    report.bytes += length > 0 ? (u64)length : 0;
    say("\n");
    say_callers((u64)__builtin_return_address(0));
    end(STATUS_KILLED(0));
}

void exception_handle(const struct event *event, struct thread *thread)
{
    for (u32 i = 0; i < HANDLERS; i++) {
        exception_handler handler = __atomic_load_n(&handlers[i], __ATOMIC_ACQUIRE);
        if (handler && handler(event, &thread->state))
            return;
    }
    s64 status = (s64)event->words[0];
    crash(thread, event->id, event->badge, event->info,
          status != 0 ? orrery_strerror(status) : what(event->id));
}

void exception_no_page(struct thread *thread, s64 status)
{
    crash(thread, thread->fault_access == PROT_X ? 0x400 : 0x300, thread->fault_address,
          thread->fault_access == PROT_W ? NULL_DSISR_STORE : 0, orrery_strerror(status));
}
