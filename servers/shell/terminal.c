// SPDX-License-Identifier: MIT
// While a job runs in the foreground nothing is read here: what is typed is for it. Ctrl-C is among
// what is typed, for a line's reader, and an event of its own, for the job.
#include "terminal.h"

#include "jobs.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define WRITE_MAX 512 // of one sys_console_write

#define CTRL_C '\x03'

static struct semaphore typed;       // something has been typed
static struct semaphore interrupted; // Ctrl-C
static u64 target; // atomic: the job that it is for, 0: none, a line's reader sees it
static struct editor editor;
static char pending[64]; // taken from the console, not yet by the editor
static s64 pending_count, pending_next;

static void write_console(const char *bytes, u64 count)
{
    while (count > 0) {
        u64 piece = count < WRITE_MAX ? count : WRITE_MAX;
        if (sys_console_write(bytes, piece) < 0)
            return;
        bytes += piece;
        count -= piece;
    }
}

static void on_typed(void)
{
    semaphore_up(&typed);
}

// What is in the foreground now: the thread below may come to it later, when another job is.
static void on_interrupt(void)
{
    __atomic_store_n(&target, jobs_foreground(), __ATOMIC_RELAXED);
    semaphore_up(&interrupted);
}

static s64 serve_interrupts(void *argument)
{
    (void)argument;
    for (;;) {
        semaphore_down(&interrupted);
        u64 job = __atomic_exchange_n(&target, 0, __ATOMIC_RELAXED);
        if (job != 0 && jobs_interrupt(job))
            write_console("^C\r\n", 4);
    }
    return 0;
}

s64 terminal_start(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    editor.write = write_console;
    s64 typed_bit = user_on_kick(on_typed);
    s64 interrupt_bit = user_on_kick(on_interrupt);
    if (typed_bit < 0 || interrupt_bit < 0)
        return E_LIMIT;
    attributes.name = "interrupts";
    attributes.detached = true;
    s64 error = thread_create(&thread, &attributes, serve_interrupts, NULL);
    return error ? error : sys_console_kick(1ul << typed_bit, 1ul << interrupt_bit);
}

// Takes from the console, when all has been used. False: nothing has been typed.
static bool fill(void)
{
    if (pending_next < pending_count)
        return true;
    pending_next = 0;
    pending_count = sys_console_read(pending, sizeof(pending));
    return pending_count > 0;
}

static char next_character(void)
{
    while (!fill())
        semaphore_down(&typed);
    return pending[pending_next++];
}

// The Ctrl-C that has ended a job is not for the line that follows,
// nor is what was typed before it.
static void drop_interrupt(void)
{
    if (!jobs_interrupted())
        return;
    pending_next = pending_count;
    if (fill() && pending[0] == CTRL_C)
        pending_next++;
}

enum editor_result terminal_read(const char *prompt, const char **line)
{
    enum editor_result result = EDITOR_MORE;

    drop_interrupt();
    fflush(stdout);
    editor_begin(&editor);
    write_console(prompt, strlen(prompt));
    while (result == EDITOR_MORE)
        result = editor_type(&editor, next_character());
    *line = editor.line;
    return result;
}

void terminal_remember(const char *line)
{
    editor_remember(&editor, line);
}
