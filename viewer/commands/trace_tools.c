// SPDX-License-Identifier: MIT
// The tools that answer from a trace, `kov trace breakdown` and the others, in one table.
#include "commands/commands.h"
#include "analyses/syscall_name.h"
#include "analyses/thread_strips.h"
#include "analyses/trace_breakdown.h"
#include "analyses/trace_count.h"
#include "analyses/trace_idle.h"
#include "analyses/trace_locks.h"
#include "analyses/trace_profile.h"
#include "analyses/trace_sched.h"
#include "analyses/trace_spans.h"
#include "analyses/trace_threads.h"
#include "analyses/trace_waits.h"

#include <string.h>

struct tool {
    const struct command *command;
    trace_tool *answer;
    const struct sheet *sheets;
    void (*note)(const json_t *document);
    int (*prepare)(void); // takes its options and arguments; returns an exit code; NULL: no need
};
static struct tool tool; // the one that runs
static struct arguments source;

static int run(const struct arguments *arguments);

// ---- options -----------------------------------------------------------------------------------

static u64 most; // rows
static struct trace_threads_options threads = {.cells = 72};
static struct trace_count_options count;
static struct span_options spans = {.only = UINT64_MAX};
static bool by_objects;
static struct texts programs;
static const char *at, *call, *sort = "time";
static enum trace_locks_order order;

static const struct option breakdown_options[] = {
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS",
           "at most so many rows of servers and of system calls (all)"),
    OPTIONS_END,
};
static const struct option threads_options[] = {
    NUMBER('w', "width", &threads.cells, 1, STRIP_CELLS_MAX, "CELLS", "so wide (72)"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "THREADS", "at most so many threads (all)"),
    TEXT(0, "meter", &threads.meter, "A,B", "mark these times, and tell the time between them"),
    FLAG(0, "summary", &threads.summary, "how long turns and waits were, in place of the picture"),
    FLAG(0, "ascii", &threads.ascii, "'#' for runs, '-' for ready, '~' for many changes"),
    OPTIONS_END,
};
static const struct option sched_options[] = {
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows of each table (all)"),
    OPTIONS_END,
};
static const struct option waits_options[] = {
    TEXT(0, "at", &at, "TIME", "at that time, as for --to (the end of the trace)"),
    OPTIONS_END,
};
static const struct option locks_options[] = {
    CHOICE(0, "sort", &sort, "COLUMN", "time count longest", "by time, count or longest (time)"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};
static const struct option syscalls_options[] = {
    TEXT(0, "call", &call, "NAME", "only this call; shows its histogram"),
    FLAG(0, "processes", &spans.by_process, "a row for each process that makes a call"),
    FLAG(0, "histogram", &spans.histogram, "how many took how long, all rows together"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};
static const struct option faults_options[] = {
    FLAG(0, "objects", &by_objects, "a row for each Region and FCM"),
    FLAG(0, "histogram", &spans.histogram, "how many took how long, all rows together"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};
static const struct option profile_options[] = {
    LIST(0, "program", &programs, "PID=NAME",
         "process PID runs the program NAME, for names of its functions; several times"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many functions a process (all)"),
    OPTIONS_END,
};
static const struct option count_options[] = {
    TEXT(0, "by", &count.by, "FIELD",
         "pair events by this field in place of the CPU; FIELD=FIELD: of A, and of B"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};

// ---- answers -----------------------------------------------------------------------------------

static int answer_breakdown(struct engine *engine, const struct trace_choice *choice,
                            json_t *document)
{
    return trace_breakdown(engine, choice, most, document);
}

static int answer_threads(struct engine *engine, const struct trace_choice *choice,
                          json_t *document)
{
    return trace_threads(engine, choice, &threads, document);
}

static int answer_sched(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_sched(engine, choice, most, document);
}

static int answer_locks(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_locks(engine, choice, order, most, document);
}

static int answer_syscalls(struct engine *engine, const struct trace_choice *choice,
                           json_t *document)
{
    return trace_spans(engine, choice, &trace_syscalls, &spans, document);
}

static int answer_faults(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_spans(engine, choice, &trace_faults, &spans, document);
}

static int answer_profile(struct engine *engine, const struct trace_choice *choice,
                          json_t *document)
{
    return trace_profile(engine, choice, &programs, most, document);
}

static int answer_count(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_count(engine, choice, &count, document);
}

static int prepare_threads(void)
{
    threads.most = most;
    if (threads.summary) {
        tool.sheets = trace_threads_summary_sheets;
        tool.note = NULL;
    }
    return KOV_OK;
}

static int prepare_waits(void)
{
    if (at != NULL && trace_options.to != NULL)
        return fail(KOV_USAGE, "--at and --to are the same: give one");
    if (at != NULL)
        trace_options.to = at;
    return KOV_OK;
}

static int prepare_locks(void)
{
    static const char *const orders[] = {
        [LOCKS_BY_TIME] = "time", [LOCKS_BY_COUNT] = "count", [LOCKS_BY_LONGEST] = "longest"};
    while (order < ARRAY_SIZE(orders) && strcmp(orders[order], sort) != 0)
        order++;
    return order < ARRAY_SIZE(orders)
               ? KOV_OK
               : fail(KOV_USAGE, "--sort %s: must be time, count or longest", sort);
}

static int prepare_syscalls(void)
{
    if (call != NULL && !syscall_number(call, &spans.only))
        return fail(KOV_USAGE, "there is no system call '%s'", call);
    spans.keys = 1;
    spans.histogram |= call != NULL;
    spans.most = most;
    return KOV_OK;
}

static int prepare_faults(void)
{
    spans.keys = by_objects ? TRACE_FAULTS_BY_OBJECTS : TRACE_FAULTS_BY_RESULT;
    spans.by_process = true;
    spans.most = most;
    return KOV_OK;
}

static int prepare_idle(void)
{
    return trace_options.pid == TRACE_ANY
               ? KOV_OK
               : fail(KOV_USAGE, "--pid is not for idle CPUs: nobody runs");
}

static int prepare_count(void)
{
    if (source.count == 0)
        return fail(KOV_USAGE, "name two events, A..B");
    count.pair = source.values[0];
    count.most = most;
    source.count--;
    source.values++;
    return KOV_OK;
}

// ---- commands ----------------------------------------------------------------------------------

#define TOOL(name_, arguments_)                                                                    \
    .name = "trace " name_, .max_arguments = arguments_, .has_csv = true, .run = run

const struct command command_trace_breakdown = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [-n ROWS]",
    .summary = "Where the time of each process and CPU went, and what servers did for whom",
    .details =
        "Of events SCHED,SYSCALL,FAULT,IPC,IRQ,EXC,TIMER. The times of a process from USER (its\n"
        "own code) to UNKNOWN are exactly WALL: of each thread the time from its beginning or the\n"
        "trace's to its end. Those of a CPU are all of the time that is looked at. IN CALLS: it\n"
        "waited for answers of other processes and did nothing else; IPC: the kernel, for calls\n"
        "and answers. SERVED is what servers worked for its calls. EX-PROCESS is the time on its\n"
        "behalf outside of it, in the kernel (SYSCALLS, FAULTS, IPC) and in servers (SERVED); it\n"
        "is no part of WALL. A server works for the call that it took last until it answers or\n"
        "sleeps. Time of which the events do not tell, or where they are missing, is UNKNOWN.",
    .options = {trace_source_options, breakdown_options},
    TOOL("breakdown", 1),
};
const struct command command_trace_threads = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [-w CELLS] [-n THREADS] [--meter A,B] [--summary]",
    .summary = "A picture of threads over time: who runs, is ready, or waits for what",
    .details =
        "Of events SCHED. A row a thread, who ran longest first; "
        "a cell shows what it did for most\n"
        "of that time: █ runs, ░ ready, a letter: waits (c for calls, r behind an answer, "
        "a for an\n"
        "answer, e event, m message, l lock, p page, t time, o other, b not told); "
        "≈ more than two\n"
        "changes, ? not known, for instance as events are missing. Idle threads are left out.",
    .options = {trace_source_options, threads_options},
    TOOL("threads", 1),
};
const struct command command_trace_sched = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [-n ROWS]",
    .summary = "How often and how long each thread ran, was ready, and was blocked",
    .details =
        "Of events SCHED, and how long it took from a wake-up until the thread ran. Then for what\n"
        "each thread waited and how long (preempted and yield: "
        "ready all the time), and who woke it,\n"
        "for what, and how long it took until it ran; 0: an interrupt woke it. In traces without\n"
        "reasons events EXC tell preemption from going to sleep. "
        "Time of which the events do not tell what a\n"
        "thread did, or where they are missing, is UNKNOWN; the four are all of a thread's time.",
    .options = {trace_source_options, sched_options},
    TOOL("sched", 1),
};
const struct command command_trace_waits = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--at TIME]",
    .summary = "Who waits for whom at a time of a trace, and deadlocks",
    .details =
        "Of events IPC and SCHED: each call without an answer, who waits in it, "
        "and which thread of\n"
        "its server has taken it. Of events LOCKHOLD: who waits for a lock, and who has it. "
        "Behind\n"
        "each wait stands what that one waits for. Of events STATE, and of a dump: which threads\n"
        "of programs wait in calls, for mutexes, for semaphores, for conditions or for a thread's\n"
        "end (join), and which work on calls. Threads that wait for each other in a circle are\n"
        "named as a deadlock, below, as PROCESS.THREAD. WAITED is `-` if the wait began before\n"
        "the recording.",
    .options = {trace_source_options, waits_options},
    TOOL("waits", 1),
};
const struct command command_trace_locks = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--sort COLUMN] [-n ROWS]",
    .summary = "Who waited for locks in a trace, and who held them, by lock and call chain",
    .details =
        "Of events LOCK:lock_contended: the time waited, how often, how many turns of the lock's\n"
        "loop, the longest and the mean wait, on which CPUs, in which process, and who called.\n"
        "Of events LOCKHOLD: how long spin locks and sleeping locks were held, by lock and by who\n"
        "took them there, and how long others waited meanwhile.\n"
        "--pid needs events of SCHED or of the process in the trace, to know who runs.",
    .options = {trace_source_options, locks_options},
    TOOL("locks", 1),
};
const struct command command_trace_syscalls = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--call NAME] [--processes] [--histogram] [-n ROWS]",
    .summary = "How often system calls were made, and how long they took",
    .details =
        "Of events SYSCALL and SCHED: from entry to exit by the clock, also while the thread did\n"
        "not run; ON A CPU is how long it ran in between, with interrupts. An error is a result\n"
        "below 0. A sleep for an event (wait) ends when its thread runs again. Calls between\n"
        "processes are no system calls here: see `kov trace breakdown`. Names are those of the\n"
        "kernel that kov was built with.",
    .options = {trace_source_options, syscalls_options},
    TOOL("syscalls", 1),
};
const struct command command_trace_faults = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--objects] [--histogram] [-n ROWS]",
    .summary = "How often page faults came, and how long they took",
    .details =
        "Of events FAULT and SCHED, by process, access and result: from entry to exit by the\n"
        "clock, also while the thread did not run; ON A CPU is how long it ran in between, with\n"
        "interrupts. An error is any result but done.",
    .options = {trace_source_options, faults_options},
    TOOL("faults", 1),
};
const struct command command_trace_idle = {
    .synopsis = "FOLDER|--dump FILE [--from TIME] [--to TIME] [--cpu CPU]",
    .summary = "When CPUs had nothing to do, and what ended that",
    .details =
        "Intervals from when the idle thread waits until the first event on its CPU: that is what\n"
        "ended it, an interrupt, a timer, or a wake-up or switch. HANDLING is what the CPU did\n"
        "then before it waited again. With SCHED alone an interrupt does not show, and an\n"
        "interval goes on; with EXC each one ends it.",
    .options = {trace_source_options},
    TOOL("idle", 1),
};
const struct command command_trace_profile = {
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--program PID=NAME] [-n ROWS]",
    .summary = "Where each process spent its time, by the samples in a trace",
    .details =
        "Of events PMU:sample: processes, and within each the functions in which samples lie, of\n"
        "its program and of the kernel for it. They are there when sampling (`kov record`) goes\n"
        "on while PMU is traced. A thread whose process is not known stands for itself.",
    .options = {trace_source_options, profile_options},
    TOOL("profile", 1),
};
const struct command command_trace_count = {
    .synopsis = "A..B " TRACE_SOURCE_SYNOPSIS " [--by FIELD] [-n ROWS]",
    .summary = "How often one event follows another in a trace, and how long that takes",
    .details =
        "An event A and the first B behind it, on the same CPU or with the same value in a field,\n"
        "are a pair; of several A before it the last one. Events are named as for\n"
        "`kov trace show -e`. Pairs between which events may be missing are unsure, and only\n"
        "counted. `kov trace count wake..switch FOLDER --by thread=to`: from wake-up to run.",
    .options = {trace_source_options, count_options},
    TOOL("count", 2),
};

static const struct tool tools[] = {
    {&command_trace_breakdown, answer_breakdown, trace_breakdown_sheets, trace_breakdown_note,
     NULL},
    {&command_trace_threads, answer_threads, trace_threads_sheets, thread_strips_note,
     prepare_threads},
    {&command_trace_sched, answer_sched, trace_sched_sheets, trace_sched_note, NULL},
    {&command_trace_waits, trace_waits, trace_waits_sheets, trace_waits_note, prepare_waits},
    {&command_trace_locks, answer_locks, trace_locks_sheets, trace_locks_note, prepare_locks},
    {&command_trace_syscalls, answer_syscalls, trace_syscalls_sheets, trace_spans_note,
     prepare_syscalls},
    {&command_trace_faults, answer_faults, trace_faults_sheets, trace_spans_note, prepare_faults},
    {&command_trace_idle, trace_idle, trace_idle_sheets, NULL, prepare_idle},
    {&command_trace_profile, answer_profile, trace_profile_sheets, trace_profile_note, NULL},
    {&command_trace_count, answer_count, trace_count_sheets, trace_count_note, prepare_count},
};

static int run(const struct arguments *arguments)
{
    source = *arguments;
    for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
        if (tools[i].command == arguments->command)
            tool = tools[i];
    int code = tool.prepare != NULL ? tool.prepare() : KOV_OK;
    const char *name = tool.command->name + strlen("trace ");
    return code == KOV_OK ? trace_tool_run(&source, name, tool.answer, tool.sheets, tool.note)
                          : code;
}
