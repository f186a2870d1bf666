// SPDX-License-Identifier: MIT
// What children do: check what they were given, run threads, or die in one of many ways.
#include "child.h"

#include <malloc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>

static int check_arguments(int argc, char **argv)
{
    const struct process_arguments *block = process_arguments();
    if (argc != 4 || strcmp(argv[2], "two words") != 0 || argv[3][0] != 0 || argv[4])
        return 1;
    if (!getenv("COLOUR") || strcmp(getenv("COLOUR"), "blue") != 0 || getenv("PATH"))
        return 2;
    if (!block || block->inherit_bytes != 5 || memcmp((void *)block->inherit, "bytes", 5) != 0)
        return 3;
    if (process_rights() != RIGHT_CONSOLE)
        return 4;
    if (sys_initrd() != E_PERM)
        return 5;
    return 77;
}

static s64 one(void *argument)
{
    thread_sleep_us((u64)argument * 100);
    return 1;
}

static int run_threads(void)
{
    struct thread *threads[CHILD_THREADS];
    s64 sum = 0;
    for (u64 i = 0; i < CHILD_THREADS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = (u32)(i % user_cpu_count());
        if (thread_create(&threads[i], &attributes, one, (void *)i) != 0)
            return 1;
    }
    for (u32 i = 0; i < CHILD_THREADS; i++) {
        s64 result = 0;
        thread_join(threads[i], &result);
        sum += result;
    }
    return sum == CHILD_THREADS ? 0 : 2;
}

// An address that the compiler does not know.
static volatile u32 *at(u64 address)
{
    __asm__ volatile("" : "+r"(address));
    return (volatile u32 *)address;
}

// Returns 0 if so many KB of stack are there.
static int use_stack(u64 kilobytes)
{
    volatile char *memory = __builtin_alloca(kilobytes * 1024);
    for (u64 at = 0; at < kilobytes; at++)
        memory[at * 1024] = 1;
    return 0;
}

// ---- crashes ------------------------------------------------------------------------------------

static int __attribute__((noinline)) overflow(volatile char *above)
{
    volatile char frame[512];
    frame[0] = above[0];
    return above[0] == 1 ? 0 : overflow(frame) + frame[1];
}

static s64 overflow_thread(void *argument)
{
    char byte = 0;
    (void)argument;
    return overflow(&byte);
}

static s64 in_thread(void *argument)
{
    (void)argument;
    *at(8) = 1;
    return 0;
}

// The same block, of which the compiler does not know that.
static char *unknown(void *block)
{
    return (char *)(u64)at((u64)block);
}

// Uses the heap as none may; each with MALLOC_CHECK_ in the environment.
static __attribute__((noipa)) int misuse_heap(const char *how)
{
    char *block = unknown(malloc(24));
    char *other = unknown(strdup("another"));
    if (strcmp(how, "twice") == 0) {
        free(other);
        free(block);
        free(unknown(other));
    } else if (strcmp(how, "behind") == 0) {
        memset(block, 1, 25);
        free(block);
    } else if (strcmp(how, "behind-kept") == 0) {
        block[24] = 1;
        exit(0);
    } else if (strcmp(how, "before") == 0) {
        block[-1] = 1;
        free(block);
    } else if (strcmp(how, "after") == 0) {
        free(block);
        unknown(block)[3] = 1;
    } else if (strcmp(how, "inside") == 0) {
        free(unknown(block + 16));
    } else {
        char *more = realloc(block, 4000);
        memset(more, 1, 4000);
        for (u32 i = 0; i < 1000; i++)
            free(calloc(i, 3));
        void *page = memalign(4096, 40);
        if ((u64)page % 4096 != 0)
            return 1;
        free(page);
        free(more);
        free(other);
    }
    return 0;
}

static void crash(const char *how)
{
    static const u32 data[] = {0x60000000, 0x4e800020}; // nop, blr: not executable
    char byte = 0;
    if (strcmp(how, "null") == 0)
        *at(0) = 1;
    else if (strcmp(how, "null-read") == 0)
        (void)*at(0x10);
    else if (strcmp(how, "null-call") == 0)
        ((void (*)(void))(u64)at(0))();
    else if (strcmp(how, "kernel") == 0)
        *at(0xc000000000400000) = 1;
    else if (strcmp(how, "text") == 0)
        *at(*(u64 *)crash) = 0;
    else if (strcmp(how, "data") == 0)
        __asm__ volatile("mtctr %0\n bctrl" : : "r"(data) : "ctr", "lr", "memory");
    else if (strcmp(how, "stack") == 0)
        overflow(&byte);
    else if (strcmp(how, "trap") == 0)
        __asm__ volatile("trap");
    else if (strcmp(how, "privileged") == 0)
        __asm__ volatile("mtmsrd %0" : : "r"(0ul));
    else if (strcmp(how, "r13") == 0)
        __asm__ volatile("li 13,0\n ld 3,0x800(13)" : : : "r3");
    else if (strcmp(how, "r1") == 0)
        __asm__ volatile("li 1,0\n std 3,0(1)");
    else if (strcmp(how, "panic") == 0)
        user_panic("as asked");
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "thread") == 0) {
        struct thread *thread;
        thread_create(&thread, NULL, in_thread, NULL);
        thread_join(thread, NULL);
    } else if (strcmp(how, "thread-stack") == 0) {
        struct thread *thread;
        thread_create(&thread, NULL, overflow_thread, NULL);
        thread_join(thread, NULL);
    }
}

int child_main(int argc, char **argv)
{
    if (strcmp(argv[1], "arguments") == 0)
        return check_arguments(argc, argv);
    if (strcmp(argv[1], "threads") == 0)
        return run_threads();
    if (strcmp(argv[1], "deep") == 0)
        return use_stack(strtoul(argv[2], NULL, 10));
    if (strcmp(argv[1], "nothing") == 0)
        return 0;
    if (strcmp(argv[1], "sleep") == 0)
        thread_sleep_us(100000000);
    if (strcmp(argv[1], "heap") == 0)
        return misuse_heap(argv[2]);
    crash(argv[1]);
    return -1;
}
