// SPDX-License-Identifier: MIT
// The console. While a job runs in the foreground nothing is read here: typed characters are the
// job's. Ctrl-C arrives twice: as a character for the reader of a line, and as an event that
// interrupts the job.
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
static u64 target; // atomic: serial of the job that Ctrl-C interrupts; 0: a line is being read
static struct editor editor;
static char pending[64]; // characters from the console that the editor has not taken
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

// Notes the foreground job now: when the thread below runs, there may be another one.
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

// Reads typed characters if none are pending. Returns false if nothing has been typed.
static bool fill(void)
{
    if (pending_next < pending_count)
        return true;
    pending_next = 0;
    pending_count = sys_console_read(pending, sizeof(pending));
    return pending_count > 0;
}

// Drops the Ctrl-C that has ended a job, and everything typed before it.
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
    while (result == EDITOR_MORE) {
        while (!fill())
            semaphore_down(&typed);
        result = editor_type(&editor, pending[pending_next++]);
    }
    *line = editor.line;
    return result;
}

void terminal_remember(const char *line)
{
    editor_remember(&editor, line);
}
