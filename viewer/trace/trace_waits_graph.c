// SPDX-License-Identifier: MIT
// The graph of waits. It leads from each wait to those of its server, or of the lock's owner. A
// process is one node, since its threads share its locks and take each other's calls. Each thread
// of the kernel is a node of its own. A depth-first search finds cycles.
#include "tools/memory.h"
#include "trace/trace_waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEW, ON_PATH, DONE };

struct graph {
    struct trace_wait *waits;
    size_t count, depth;
    size_t *path; // of the depth-first search
    json_t *deadlocks;
};

static bool known(u64 pid)
{
    return pid != 0 && pid != ACTIVITY_NO_PID;
}

// Returns whether `wait` waits for the process or thread that waits in `next`.
static bool leads_to(const struct trace_wait *wait, const struct trace_wait *next)
{
    if (known(wait->of_pid))
        return wait->of_pid == next->pid;
    return wait->of_thread != WAIT_NOBODY && wait->of_thread == next->thread;
}

static int compare(const void *one, const void *other)
{
    const struct trace_wait *a = one, *b = other;
    if (a->since != b->since)
        return a->since < b->since ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

// ---- texts -------------------------------------------------------------------------------------

static void print_node(FILE *to, u64 pid, u64 thread)
{
    if (known(pid))
        fprintf(to, "process %" PRIu64, pid);
    else if (pid == 0)
        fprintf(to, "kernel");
    if (thread != WAIT_NOBODY)
        fprintf(to, "%sthread %" PRIu64, pid == ACTIVITY_NO_PID ? "" : " ", thread);
    else if (pid == ACTIVITY_NO_PID)
        fprintf(to, "somebody");
}

// Returns the chain of a wait as text. It follows the first wait to which each one leads, until one
// comes again.
static char *chain_text(const struct graph *graph, size_t first)
{
    char *text = NULL;
    size_t size = 0, at = first, steps = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        return NULL;
    print_node(to, graph->waits[first].pid, graph->waits[first].thread);
    do {
        const struct trace_wait *wait = &graph->waits[at];
        if (wait->lock)
            fprintf(to, " → lock %#" PRIx64 " of ", wait->object);
        else
            fprintf(to, " → call %#" PRIx64 " method %" PRIu64 " of ", wait->object, wait->method);
        print_node(to, wait->of_pid, wait->of_thread);
        at = wait->next;
    } while (at != WAIT_NOBODY && at != first && ++steps < graph->count);
    fputs(at != WAIT_NOBODY ? " → …" : "", to);
    fclose(to);
    return text;
}

static void print_number(FILE *to, const struct trace_wait *wait)
{
    if (known(wait->pid))
        fprintf(to, "%" PRIu64, wait->pid);
    else
        fprintf(to, "thread %" PRIu64, wait->thread);
}

// Puts a deadlock: the waits of the path from where the cycle begins.
static void put_deadlock(const struct graph *graph, size_t begin)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    json_t *row = put_object(graph->deadlocks, NULL), *waits = put_array(row, "waits");
    bool unsure = false;
    for (size_t i = begin; to != NULL && i < graph->depth; i++) {
        const struct trace_wait *wait = &graph->waits[graph->path[i]];
        print_number(to, wait);
        fputs(" → ", to);
        put_u64(waits, NULL, graph->path[i]);
        unsure |= wait->unsure;
    }
    if (to != NULL) {
        print_number(to, &graph->waits[graph->path[begin]]);
        fclose(to);
    }
    put_text(row, "cycle", text);
    put_bool(row, "unsure", unsure);
    free(text);
}

// ---- cycles ------------------------------------------------------------------------------------

// Returns the first wait from `begin` on to which `from` leads. The count: none.
static size_t next_of(const struct graph *graph, size_t from, size_t begin)
{
    size_t at = begin;
    while (at < graph->count && !leads_to(&graph->waits[from], &graph->waits[at]))
        at++;
    return at;
}

static void search_from(struct graph *graph, size_t start)
{
    size_t *tried = memory_get((graph->count + 1) * sizeof(*tried));
    graph->path[0] = start;
    graph->waits[start].mark = ON_PATH;
    graph->depth = 1;
    while (graph->depth > 0) {
        size_t at = graph->path[graph->depth - 1];
        size_t next = next_of(graph, at, tried[graph->depth - 1]);
        if (next == graph->count) {
            graph->waits[at].mark = DONE;
            graph->depth--;
            continue;
        }
        tried[graph->depth - 1] = next + 1;
        if (graph->waits[next].mark == ON_PATH) {
            for (size_t i = 0; i < graph->depth; i++)
                if (graph->path[i] == next)
                    put_deadlock(graph, i);
        } else if (graph->waits[next].mark == NEW) {
            graph->waits[next].mark = ON_PATH;
            tried[graph->depth] = 0;
            graph->path[graph->depth++] = next;
        }
    }
    free(tried);
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
    char *chain = chain_text(graph, at);
    put_thread(row, "pid", wait->pid);
    put_thread(row, "thread", wait->thread);
    put_text(row, "what", wait->lock ? "lock" : "call");
    put_hex(row, "object", wait->object);
    put_thread(row, "method", wait->lock ? WAIT_NOBODY : wait->method);
    put_thread(row, "of_pid", wait->of_pid);
    put_thread(row, "of_thread", wait->of_thread);
    trace_tool_put_time(row, "waited", (double)(end > wait->since ? end - wait->since : 0), hz);
    put_bool(row, "unsure", wait->unsure);
    put_text(row, "chain", chain);
    free(chain);
}

void trace_waits_put(struct trace_wait *waits, size_t count, u64 end, u64 hz, json_t *document)
{
    struct graph graph = {.waits = waits, .count = count};
    if (count > 1)
        qsort(waits, count, sizeof(*waits), compare);
    for (size_t i = 0; i < count; i++) {
        size_t next = next_of(&graph, i, 0);
        waits[i].next = next == count ? WAIT_NOBODY : next;
    }
    json_t *rows = put_array(document, "waits");
    for (size_t i = 0; i < count; i++)
        put_wait(rows, &graph, i, end, hz);
    graph.deadlocks = put_array(document, "deadlocks");
    graph.path = memory_get((count + 1) * sizeof(*graph.path));
    for (size_t i = 0; i < count; i++)
        if (waits[i].mark == NEW)
            search_from(&graph, i);
    free(graph.path);
}

static const struct column columns[] = {
    TIME_COLUMN("WAITED", "waited"),
    COLUMN("SURE", "unsure", -4, .yes = "no", .no = "yes"),
    COLUMN("WHO WAITS → FOR WHAT OF WHOM", "chain", -1),
    HIDDEN("pid"),
    HIDDEN("thread"),
    HIDDEN("what"),
    HIDDEN("object"),
    HIDDEN("method"),
    HIDDEN("of_pid"),
    HIDDEN("of_thread"),
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
        printf("%s: %s\n",
               json_is_true(json_object_get(row, "unsure")) ? "perhaps a deadlock" : "deadlock",
               json_string_value(json_object_get(row, "cycle")));
    }
}
