// SPDX-License-Identifier: MIT
// A user process as host of the trace core: a ring a dispatcher, in the process's own memory. The
// kernel reads what is left of it when the process has ended (kernel/observe/trace/processes.c).
#include <co/platform.h>
#include <orrery/process.h>
#include <trace/control.h>
#include <trace/platform.h>
#include <user/objects.h>
#include <user/scheduler.h>
#include <user/time.h>

u8 trace_uuid[16]; // the kernel fills it in

// ---- CPUs --------------------------------------------------------------------------------------

u32 trace_platform_cpu_count(void)
{
    return user_cpu_count();
}

struct trace_cpu *trace_platform_cpu(u32 cpu)
{
    return (struct trace_cpu *)(USER_WINDOW + (u64)cpu * R13_WINDOW_SIZE + R13_TRACE);
}

struct trace_cpu *trace_platform_this_cpu(void)
{
    return trace_platform_cpu(user_cpu());
}

static struct dispatcher_page *this_page(void)
{
    return (struct dispatcher_page *)(USER_WINDOW + (u64)user_cpu() * R13_WINDOW_SIZE + R13_HOST);
}

// Not user_disable and user_enable. user_enable may switch threads, which needs the thread to be at
// a call. It is at a point, with its volatile registers in use. An event that came meanwhile
// arrives as an upcall, which keeps them all, when the null system call returns.
u64 trace_platform_mask(void)
{
    struct dispatcher_page *page = this_page();
    u64 before = page->disabled;
    page->disabled = 1;
    __asm__ volatile("" ::: "memory");
    return before;
}

void trace_platform_unmask(u64 state)
{
    struct dispatcher_page *page = this_page();
    if (state != 0)
        return;
    __asm__ volatile("" ::: "memory");
    page->disabled = 0;
    __asm__ volatile("" ::: "memory");
    if (page->pending)
        sys_process_pid(0);
}

u32 trace_platform_pid(void)
{
    return (u32)this_page()->pid;
}

struct shipped {
    void (*function)(struct trace_cpu *, void *);
    void *argument;
};

static void run_shipped(void *argument)
{
    const struct shipped *shipped = argument;
    shipped->function(trace_platform_this_cpu(), shipped->argument);
}

// CPUs without a dispatcher have no ring.
void trace_platform_on_cpu(u32 cpu, void (*function)(struct trace_cpu *, void *), void *argument)
{
    struct shipped shipped = {function, argument};
    service_run_on(cpu, run_shipped, &shipped);
}

// ---- time --------------------------------------------------------------------------------------

u64 trace_platform_time(void)
{
    return time_now();
}

u64 trace_platform_time_hz(void)
{
    return time_hz();
}

void trace_platform_heartbeat(bool on, u64 period)
{
    service_set_heartbeat(user_cpu(), on ? period : 0, trace_heartbeat_tick);
}

// ---- memory ------------------------------------------------------------------------------------
// Sub-buffers come in batches, each a region, and are never given back: a ring stays, and reading
// takes one more at a time. Those never used are not touched, so that they cost no memory.

#define BATCH 4

static struct user_spin pool_lock;
static struct unused {
    struct unused *next;
} * used_before;
static char *fresh, *fresh_end;

static bool more(void)
{
    char *pages = user_pages(0, (BATCH + 1) * TRACE_SUBBUFFER_SIZE);
    if (pages == NULL)
        return false;
    fresh = (char *)ALIGN_UP((u64)pages, (u64)TRACE_SUBBUFFER_SIZE);
    fresh_end = fresh + BATCH * TRACE_SUBBUFFER_SIZE;
    return true;
}

static void *take_subbuffer(void)
{
    struct unused *subbuffer = used_before;
    if (subbuffer != NULL) {
        used_before = subbuffer->next;
        return subbuffer;
    }
    if (fresh == fresh_end && !more())
        return NULL;
    fresh += TRACE_SUBBUFFER_SIZE;
    return fresh - TRACE_SUBBUFFER_SIZE;
}

void *trace_platform_subbuffer_alloc(void)
{
    u32 before = user_disable();
    user_spin_lock(&pool_lock);
    void *subbuffer = take_subbuffer();
    user_spin_unlock(&pool_lock);
    user_enable(before);
    return subbuffer;
}

void trace_platform_subbuffer_free(void *subbuffer)
{
    u32 before = user_disable();
    user_spin_lock(&pool_lock);
    ((struct unused *)subbuffer)->next = used_before;
    used_before = subbuffer;
    user_spin_unlock(&pool_lock);
    user_enable(before);
}

void *trace_platform_alloc(u64 bytes)
{
    return co_platform_alloc(bytes);
}

void trace_platform_free(void *memory)
{
    co_platform_free(memory);
}

// ---- trace points ------------------------------------------------------------------------------

extern const struct trace_point trace_points_start[], trace_points_end[]; // userlib/user.ld

const struct trace_point *trace_platform_points(u64 *count)
{
    *count = (u64)(trace_points_end - trace_points_start);
    return trace_points_start;
}

void trace_platform_patch_begin(void)
{
    user_patch_begin();
}

void trace_platform_patch(const struct trace_point *point, bool on)
{
    user_patch(point->instruction, on ? point->target : NULL);
}

void trace_platform_patch_end(void)
{
    user_patch_end();
}
