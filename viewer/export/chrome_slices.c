// SPDX-License-Identifier: MIT
// Slices. A CPU's track shows what the CPU does, end to end. A thread's track shows when and where
// it runs, with system calls, faults and interrupts inside. The track of a thread of a process's
// library shows when its dispatcher runs and has it.
#include "export/chrome.h"
#include "analyses/syscall_name.h"

#include <inttypes.h>
#include <stdlib.h>

static struct chrome_track cpu_track(u32 cpu)
{
    return (struct chrome_track){CHROME_CPUS, cpu};
}

static struct chrome_track thread_track(const struct activity_interval *interval)
{
    u64 pid = interval->pid == ACTIVITY_NO_PID ? CHROME_THREADS : interval->pid;
    return (struct chrome_track){pid, interval->thread};
}

struct chrome_track chrome_track_of(const struct arrow_end *end)
{
    if (end->user != 0)
        return (struct chrome_track){end->pid, CHROME_USER_THREADS + end->user};
    if (end->thread == ACTIVITY_NO_THREAD)
        return cpu_track(end->cpu);
    return (struct chrome_track){end->pid == ACTIVITY_NO_PID ? CHROME_THREADS : end->pid,
                                 end->thread};
}

// ---- threads -----------------------------------------------------------------------------------

static void run_name(u32 cpu, char name[CHROME_NAME_BYTES])
{
    snprintf(name, CHROME_NAME_BYTES, "CPU %" PRIu32, cpu);
}

static void write_begin(struct chrome *chrome, struct chrome_run *run, u32 cpu)
{
    char name[CHROME_NAME_BYTES];
    if (run->written)
        return;
    run->written = true;
    chrome_many_write(chrome, chrome_many_of(chrome, run->track), run->track);
    run_name(cpu, name);
    chrome_write_slice_begin(chrome, run->track, name, run->from);
    chrome_draw_wake(chrome, &run->wake, run->track, run->from);
}

static void begin_run(struct chrome *chrome, struct chrome_run *run, struct chrome_track track,
                      struct chrome_wake wake, u32 cpu, u64 time)
{
    *run = (struct chrome_run){.open = true, .track = track, .from = time, .wake = wake};
    if (chrome->min == 0)
        write_begin(chrome, run, cpu);
}

static void end_run(struct chrome *chrome, struct chrome_run *run, u32 cpu, u64 time)
{
    char name[CHROME_NAME_BYTES];
    if (!run->open)
        return;
    run->open = false;
    run_name(cpu, name);
    // A loss may be told behind its time.
    time = time < run->from ? run->from : time;
    if (!run->written && chrome_is_short(chrome, run->from, time)) {
        chrome_short_run(chrome, run, name, time);
        return;
    }
    write_begin(chrome, run, cpu);
    chrome_many_write(chrome, &run->within, run->track);
    chrome_write_slice_end(chrome, run->track, name, time);
}

static void begin_user_run(struct chrome *chrome, u64 pid, u32 cpu, u64 time)
{
    u64 user = arrows_user(&chrome->begun, pid, cpu);
    struct chrome_track track = {pid, CHROME_USER_THREADS + user};
    if (user != 0)
        begin_run(chrome, &chrome->user_runs[cpu], track, (struct chrome_wake){0}, cpu, time);
}

static void stop(struct chrome *chrome, u32 cpu, u64 time)
{
    end_run(chrome, &chrome->user_runs[cpu], cpu, time);
    end_run(chrome, &chrome->runs[cpu], cpu, time);
}

static void start(struct chrome *chrome, u32 cpu, u64 time)
{
    const struct activity_interval *running = &chrome->begun.running[cpu];
    if (running->thread == ACTIVITY_NO_THREAD)
        return;
    begin_run(chrome, &chrome->runs[cpu], thread_track(running),
              chrome_take_wake(chrome, running->thread), cpu, time);
    begin_user_run(chrome, running->pid, cpu, time);
}

void chrome_follow(struct chrome *chrome, u32 cpu)
{
    const struct activity_interval *now = &chrome->machine.cpus[cpu];
    struct activity_interval *running = &chrome->begun.running[cpu];
    if (now->thread == running->thread && now->pid == running->pid)
        return;
    stop(chrome, cpu, now->from);
    *running = *now;
    start(chrome, cpu, now->from);
}

static void set_user(struct chrome *chrome, u32 pid, u32 cpu, u64 user, u64 time)
{
    bool runs = chrome->begun.running[cpu].pid == pid;
    if (runs)
        end_run(chrome, &chrome->user_runs[cpu], cpu, time);
    arrows_set_user(&chrome->begun, pid, cpu, user);
    if (runs)
        begin_user_run(chrome, pid, cpu, time);
}

// Takes a switch of a process's own threads. Such events have another stream than the kernel's;
// both are merged by time.
void chrome_user_switch(struct chrome *chrome, const struct trace_event *event)
{
    set_user(chrome, event->pid, event->cpu, event->values[0], event->time);
}

void chrome_user_loss(struct chrome *chrome, const struct trace_loss *loss)
{
    u64 since = chrome->begun.running[loss->cpu].from;
    set_user(chrome, loss->pid, loss->cpu, 0, loss->from < since ? since : loss->from);
}

// ---- CPUs --------------------------------------------------------------------------------------

static void name_of(const struct activity_interval *interval, char name[CHROME_NAME_BYTES])
{
    static const char *const names[] = {
        [ACTIVITY_UNKNOWN] = "unknown",
        [ACTIVITY_IDLE] = "idle",
        [ACTIVITY_IPC] = "ipc",
        [ACTIVITY_INTERRUPT] = "interrupt",
    };
    if (interval->activity == ACTIVITY_FAULT)
        snprintf(name, CHROME_NAME_BYTES, "fault 0x%" PRIx64, interval->detail);
    else if (interval->activity == ACTIVITY_SYSCALL)
        snprintf(name, CHROME_NAME_BYTES, "call %s", syscall_name(interval->detail));
    else if (interval->activity != ACTIVITY_RUN)
        snprintf(name, CHROME_NAME_BYTES, "%s", names[interval->activity]);
    else if (interval->pid == ACTIVITY_NO_PID)
        snprintf(name, CHROME_NAME_BYTES, "thread %" PRIu64, interval->thread);
    else
        snprintf(name, CHROME_NAME_BYTES, "process %" PRIu64 " thread %" PRIu64, interval->pid,
                 interval->thread);
}

static int take_interval(void *context, const struct activity_interval *interval)
{
    struct chrome *chrome = context;
    const struct activity_interval *running = &chrome->begun.running[interval->cpu];
    char name[CHROME_NAME_BYTES];
    name_of(interval, name);
    chrome_slice(chrome, &chrome->cpus_many[interval->cpu], cpu_track(interval->cpu), name,
                 interval->from, interval->to);
    bool within = interval->activity >= ACTIVITY_SYSCALL;
    if (within && running->thread == interval->thread && running->pid == interval->pid) {
        struct chrome_run *run = &chrome->runs[interval->cpu];
        if (!chrome_is_short(chrome, run->from, interval->to))
            write_begin(chrome, run, interval->cpu);
        chrome_slice(chrome, &run->within, run->track, name, interval->from, interval->to);
    }
    return KOV_OK;
}

void chrome_slices_begin(struct chrome *chrome, u64 from)
{
    chrome->machine.interval = take_interval;
    chrome->machine.context = chrome;
    activity_begin(&chrome->machine, chrome->engine, from);
    chrome->begun.draw = chrome_draw_call;
    chrome->begun.context = chrome;
    arrows_begin(&chrome->begun, &chrome->machine);
}

int chrome_slices_end(struct chrome *chrome, u64 to)
{
    int code = activity_end(&chrome->machine, to);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        chrome_follow(chrome, cpu); // where the stream ended, who runs is unknown
        stop(chrome, cpu, to);
        chrome_many_write(chrome, &chrome->cpus_many[cpu], cpu_track(cpu));
    }
    chrome_many_end(chrome);
    return code;
}
