// SPDX-License-Identifier: MIT
// From the first instruction to main.
#include "dispatcher.h"
#include "process.h"

#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>
#include <user/heap.h>

#define PAGE 4096

typedef s64 (*start_function)(void);
typedef void (*constructor)(int argc, char **argv, char **envp);

extern const start_function user_start_begin[], user_start_end[];
extern const constructor init_array_start[], init_array_end[];
extern const constructor fini_array_start[], fini_array_end[];
extern const u8 rseq_start[], rseq32_start[], rseq_end[], text_start[], text_end[], unwind_map[];
extern char **environ;

int main(int argc, char **argv, char **envp);
void user_start(u64 block, u64 sp) __attribute__((noreturn));

static void must(const char *what, s64 result)
{
    if (result < 0)
        user_panic("%s: %s", what, orrery_strerror(result));
}

static s64 register_image(void)
{
    const u64 *upcall = (const u64 *)upcall_entry; // a descriptor: entry, table of contents
    const struct sys_process_image image = {
        .upcall_entry = upcall[0],
        .upcall_toc = upcall[1],
        .rseq_start = (u64)rseq_start,
        .rseq32_start = (u64)rseq32_start,
        .rseq_end = (u64)rseq_end,
        .text_start = (u64)text_start,
        .text_end = (u64)text_end,
        .unwind_map = (u64)unwind_map,
        .threads = (u64)&thread_layout,
    };
    return sys_process_register(&image);
}

// Makes the first thread. If nobody has told where its stack ends, it ends in this page.
static void first_thread(u64 sp)
{
    const struct process_arguments *arguments = process_arguments();
    if (arguments && arguments->stack)
        thread_make_first(arguments->stack, arguments->stack_bytes);
    else
        thread_make_first(0, ALIGN_UP(sp, PAGE));
}

static void call_all(const constructor *from, const constructor *to)
{
    for (; from < to; from++)
        (*from)((int)arguments_count(), arguments_vector(), environ);
}

static void finish(void)
{
    call_all(fini_array_start, fini_array_end);
}

__attribute__((weak)) bool heap_is_checked = false;

// As nothing is allocated yet, all blocks are checked, or none.
static void check_heap(void)
{
    const char *wanted = getenv("MALLOC_CHECK_");
    if (wanted && strcmp(wanted, "0") != 0)
        heap_is_checked = true;
}

void user_start(u64 block, u64 sp)
{
    s64 error = dispatcher_first();
    arguments_begin(block);
    check_heap();
    first_thread(sp);
    must("upcall stack", error);
    must("sys_process_register", register_image());
    must("start-up of the CPU", dispatcher_cpu_start(user_cpu()));
    co_thread_enter(&thread_current()->member);
    user_enable(0);
    for (const start_function *function = user_start_begin; function < user_start_end; function++)
        must("start-up", (*function)());
    call_all(init_array_start, init_array_end);
    if (&fini_array_start[0] < &fini_array_end[0])
        atexit(finish);
    exit(main((int)arguments_count(), arguments_vector(), environ));
}
