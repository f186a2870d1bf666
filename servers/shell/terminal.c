// SPDX-License-Identifier: MIT
// While a job runs in the foreground nothing is read here: what is typed is for it. Ctrl-C is not
// among what is typed, it comes as an event of its own.
#include "terminal.h"

#include "jobs.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define WRITE_MAX 512 // of one sys_console_write

static struct semaphore typed;       // something has been typed, or Ctrl-C
static struct semaphore interrupted; // Ctrl-C
static bool cancelled;               // Ctrl-C, not yet seen by terminal_read
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

static void on_interrupt(void)
{
    __atomic_store_n(&cancelled, true, __ATOMIC_RELEASE);
    semaphore_up(&interrupted);
    semaphore_up(&typed);
}

static s64 serve_interrupts(void *argument)
{
    (void)argument;
    for (;;) {
        semaphore_down(&interrupted);
        if (jobs_interrupt())
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

// The next character, or -1 after Ctrl-C.
static int next_character(void)
{
    for (;;) {
        if (__atomic_exchange_n(&cancelled, false, __ATOMIC_ACQUIRE))
            return -1;
        if (pending_next < pending_count)
            return (unsigned char)pending[pending_next++];
        pending_next = 0;
        pending_count = sys_console_read(pending, sizeof(pending));
        if (pending_count <= 0)
            semaphore_down(&typed);
    }
}

enum editor_result terminal_read(const char *prompt, const char **line)
{
    enum editor_result result = EDITOR_MORE;

    __atomic_store_n(&cancelled, false, __ATOMIC_RELEASE); // it was for the job that has ended
    fflush(stdout);
    editor_begin(&editor);
    write_console(prompt, strlen(prompt));
    while (result == EDITOR_MORE) {
        int c = next_character();
        result = editor_type(&editor, c < 0 ? '\x03' : (char)c);
    }
    *line = editor.line;
    return result;
}

void terminal_remember(const char *line)
{
    editor_remember(&editor, line);
}
