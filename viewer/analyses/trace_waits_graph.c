// SPDX-License-Identifier: MIT
// The graph of waits. A node is a thread: of a program, or of the kernel. It waits for one thing at
// a time, which one thread works on or has. So from each wait at most one other follows, and who
// follows them comes to an end or into a cycle.
#include "tools/memory.h"
#include "tools/text.h"
#include "analyses/event_words.h"
#include "analyses/method_name.h"
#include "analyses/trace_waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct graph {
    struct trace_walk *walk;
    struct trace_names *names;
    struct trace_wait *waits;
    size_t count;
};

static const char *const kinds[] = {
    [WAIT_CALL] = "call", [WAIT_LOCK] = "lock",           [WAIT_MUTEX] = "mutex",
    [WAIT_JOIN] = "join", [WAIT_SEMAPHORE] = "semaphore", [WAIT_CONDITION] = "condition"};

// Returns whether `wait` waits for the thread that waits in `next`. Locks of the kernel are held by
// its own threads, and by dispatchers: in a call that one of their threads made, nobody holds any.
static bool leads_to(const struct trace_wait *wait, const struct trace_wait *next)
{
    if (wait->kind == WAIT_LOCK)
        return next->kind == WAIT_LOCK && wait->of_thread != WAIT_NOBODY &&
               wait->of_thread == next->thread;
    return wait->of_user != 0 && wait->of_user == next->user && wait->of_pid == next->pid;
}

static int compare(const void *one, const void *other)
{
    const struct trace_wait *a = one, *b = other;
    u64 since_a = a->since + 1, since_b = b->since + 1; // WAIT_NOBODY: before all others
    if (since_a != since_b)
        return since_a < since_b ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

// ---- texts -------------------------------------------------------------------------------------

// Prints "fs:2", or "process 2" if the trace does not tell its name.
static void print_process(FILE *to, const struct graph *graph, u64 pid)
{
    char text[WORD_BYTES];
    bool named = word_of_process(&graph->walk->labels, pid, text) || pid == 0;
    fprintf(to, "%s%s", named ? "" : "process ", text);
}

static void print_node(FILE *to, const struct graph *graph, u64 pid, u64 thread, u32 user)
{
    if (pid != ACTIVITY_NO_PID)
        print_process(to, graph, pid);
    if (user != 0)
        fprintf(to, " user thread %" PRIu32, user);
    else if (thread != WAIT_NOBODY)
        fprintf(to, "%sthread %" PRIu64, pid == ACTIVITY_NO_PID ? "" : " ", thread);
    else if (pid == ACTIVITY_NO_PID)
        fprintf(to, "somebody");
}

static void print_method(FILE *to, u64 method)
{
    const char *name = method_name(method);
    if (name != NULL)
        fprintf(to, " method %s", name);
    else
        fprintf(to, " method %" PRIu64, method);
}

// Writes what a lock is called: the variable or the object that it is or lies in. A word on a
// program's heap has no name but its address. Returns false for a call, which has a number.
static bool object_name(const struct graph *graph, const struct trace_wait *wait,
                        char text[WORD_BYTES])
{
    struct trace_walk *walk = graph->walk;
    struct trace_names *names = graph->names;
    struct symbols *symbols = NULL;
    if (wait->kind == WAIT_CALL) {
        snprintf(text, WORD_BYTES, "%#" PRIx64, wait->object);
        return false;
    }
    if (wait->kind == WAIT_LOCK)
        symbols = trace_names_kernel(names, walk->choice->descriptions);
    else if (wait->pid <= UINT32_MAX)
        symbols = program_symbols(&names->programs, &names->snapshot, (u32)wait->pid);
    word_of_lock(wait->kind == WAIT_LOCK ? walk : NULL, symbols, wait->object, walk->end, walk->end,
                 text);
    return true;
}

// Returns the chain of a wait as text. It follows the first wait to which each one leads, until one
// comes again.
static char *chain_text(const struct graph *graph, size_t first)
{
    char *text = NULL, name[WORD_BYTES];
    size_t size = 0, at = first, steps = 0;
    FILE *to = memory_stream(&text, &size);
    const struct trace_wait *begin = &graph->waits[first];
    print_node(to, graph, begin->pid, begin->thread, begin->user);
    do {
        const struct trace_wait *wait = &graph->waits[at];
        fprintf(to, " → %s ", kinds[wait->kind]);
        object_name(graph, wait, name);
        fputs(name, to);
        if (wait->kind == WAIT_CALL && wait->method != WAIT_NOBODY)
            print_method(to, wait->method);
        if (wait->kind != WAIT_SEMAPHORE && wait->kind != WAIT_CONDITION) {
            fputs(" of ", to);
            print_node(to, graph, wait->of_pid, wait->of_thread, wait->of_user);
        }
        at = wait->next;
    } while (at != WAIT_NOBODY && at != first && ++steps < graph->count);
    fputs(at != WAIT_NOBODY ? " → …" : "", to);
    fclose(to);
    return text;
}

// Prints "fs:2.7", or "2.7" if the trace does not tell the name.
static void print_short(FILE *to, const struct graph *graph, const struct trace_wait *wait)
{
    char text[WORD_BYTES];
    word_of_process(&graph->walk->labels, wait->pid, text);
    if (wait->user != 0)
        fprintf(to, "%s.%" PRIu32, text, wait->user);
    else
        fprintf(to, "thread %" PRIu64, wait->thread);
}

// Puts the deadlock to which the wait at `begin` belongs.
static void put_deadlock(const struct graph *graph, size_t begin, json_t *deadlocks)
{
    char *text = NULL;
    size_t size = 0, at = begin;
    FILE *to = memory_stream(&text, &size);
    json_t *row = put_object(deadlocks, NULL), *waits = put_array(row, "waits");
    bool unsure = false;
    do {
        const struct trace_wait *wait = &graph->waits[at];
        print_short(to, graph, wait);
        fputs(" → ", to);
        put_u64(waits, NULL, at);
        unsure |= wait->unsure;
        at = wait->next;
    } while (at != begin);
    print_short(to, graph, &graph->waits[begin]);
    fclose(to);
    put_text(row, "cycle", text);
    put_bool(row, "unsure", unsure);
    free(text);
}

// ---- cycles ------------------------------------------------------------------------------------

static u64 next_of(const struct graph *graph, const struct trace_wait *wait)
{
    for (size_t i = 0; i < graph->count; i++)
        if (leads_to(wait, &graph->waits[i]))
            return i;
    return WAIT_NOBODY;
}

// Follows the waits from one on, each once in all. Returns the first one of a cycle that is new, or
// WAIT_NOBODY. A wait that ends by itself is in no deadlock.
static u64 follow(struct graph *graph, size_t start)
{
    u64 at = start;
    while (at != WAIT_NOBODY && graph->waits[at].mark == 0 && !graph->waits[at].limited) {
        graph->waits[at].mark = start + 1;
        at = graph->waits[at].next;
    }
    return at != WAIT_NOBODY && graph->waits[at].mark == start + 1 ? at : WAIT_NOBODY;
}

// Returns whether a wait is in a cycle that lasts, or leads into one.
static bool is_stuck(const struct graph *graph, const struct trace_wait *wait)
{
    for (size_t steps = 0; steps <= graph->count; steps++) {
        if (wait->limited || wait->next == WAIT_NOBODY)
            return false;
        wait = &graph->waits[wait->next];
    }
    return true;
}

// ---- the answer --------------------------------------------------------------------------------

static void put_thread(json_t *row, const char *key, u64 thread)
{
    if (thread == WAIT_NOBODY)
        put_text(row, key, NULL);
    else
        put_u64(row, key, thread);
}

static void put_wait(json_t *rows, const struct graph *graph, size_t at, u64 end, u64 hz)
{
    const struct trace_wait *wait = &graph->waits[at];
    json_t *row = put_object(rows, NULL);
    char *chain = chain_text(graph, at), name[WORD_BYTES];
    put_thread(row, "pid", wait->pid);
    put_thread(row, "thread", wait->thread);
    put_text(row, "what", kinds[wait->kind]);
    put_hex(row, "object", wait->object);
    put_text(row, "object_name", object_name(graph, wait, name) ? name : NULL);
    put_thread(row, "method", wait->kind == WAIT_CALL ? wait->method : WAIT_NOBODY);
    put_thread(row, "of_pid", wait->of_pid);
    put_thread(row, "of_thread", wait->of_thread);
    put_thread(row, "user_thread", wait->user != 0 ? wait->user : WAIT_NOBODY);
    put_thread(row, "of_user_thread", wait->of_user != 0 ? wait->of_user : WAIT_NOBODY);
    if (wait->since == WAIT_NOBODY)
        put_text(row, "waited", NULL);
    else
        trace_tool_put_time(row, "waited", (double)(end > wait->since ? end - wait->since : 0), hz);
    put_bool(row, "unsure", wait->unsure);
    put_text(row, "chain", chain);
    free(chain);
}

void trace_waits_put(struct trace_wait *waits, size_t count, struct trace_walk *walk,
                     json_t *document)
{
    struct trace_names names = {0};
    struct graph graph = {.walk = walk, .names = &names, .waits = waits, .count = count};
    trace_names_by_labels(&names, &walk->labels);
    if (count > 1)
        qsort(waits, count, sizeof(*waits), compare);
    for (size_t i = 0; i < count; i++)
        waits[i].next = next_of(&graph, &waits[i]);
    // That a mutex has been given, or a thread has ended, is not told.
    for (size_t i = 0; i < count; i++)
        waits[i].unsure |= waits[i].kind >= WAIT_MUTEX && !is_stuck(&graph, &waits[i]);
    json_t *rows = put_array(document, "waits"), *deadlocks = put_array(document, "deadlocks");
    for (size_t i = 0; i < count; i++)
        put_wait(rows, &graph, i, walk->end, walk->hz);
    for (size_t i = 0; i < count; i++) {
        u64 begin = follow(&graph, i);
        if (begin != WAIT_NOBODY)
            put_deadlock(&graph, begin, deadlocks);
    }
    trace_names_free(&names);
}

static const struct column columns[] = {
    TIME_COLUMN("WAITED", "waited"),
    COLUMN("SURE", "unsure", -4, .yes = "no", .no = "yes"),
    COLUMN("WHO WAITS → FOR WHAT OF WHOM", "chain", -1),
    HIDDEN("pid"),
    HIDDEN("thread"),
    HIDDEN("what"),
    HIDDEN("object"),
    HIDDEN("object_name"),
    HIDDEN("method"),
    HIDDEN("of_pid"),
    HIDDEN("of_thread"),
    HIDDEN("user_thread"),
    HIDDEN("of_user_thread"),
    HIDDEN("waited_ticks"),
    COLUMNS_END,
};
const struct sheet trace_waits_sheets[] = {{"waits", columns}, {NULL, NULL}};

void trace_waits_note(const json_t *document)
{
    size_t index;
    const json_t *row;
    json_array_foreach(json_object_get(document, "deadlocks"), index, row)
    {
        char *cycle = text_copy_escaped(json_string_value(json_object_get(row, "cycle")));
        printf("%s: %s\n",
               json_is_true(json_object_get(row, "unsure")) ? "perhaps a deadlock" : "deadlock",
               cycle);
        free(cycle);
    }
    json_int_t left_out = json_integer_value(json_object_get(document, "untold"));
    if (left_out != 0)
        printf("left out, as they were too many: %" JSON_INTEGER_FORMAT
               " calls and threads; so there may be more deadlocks\n",
               left_out);
}
