// SPDX-License-Identifier: MIT
// A counting session on the machine.
#include "counts/counting.h"
#include "tools/text.h"
#include "wire/dci.h"

#include <string.h>

struct begin {
    u64 session, time;
};

static int take_start(void *context, const dci_response *response)
{
    *(struct begin *)context =
        (struct begin){response->count_start->session, response->count_start->time};
    return KOV_OK;
}

// error NULL: a refusal is a failure.
static int start(struct count_request *wanted, u64 *time, int *error)
{
    Orrery__Dci__CountItem items[COUNT_ITEMS_MAX], *pointers[COUNT_ITEMS_MAX];
    Orrery__Dci__CountStartRequest body = ORRERY__DCI__COUNT_START_REQUEST__INIT;
    for (u32 i = 0; i < wanted->item_count; i++) {
        items[i] = (Orrery__Dci__CountItem)ORRERY__DCI__COUNT_ITEM__INIT;
        items[i].event = wanted->items[i].event->event;
        items[i].mode = (Orrery__Dci__CountMode)wanted->items[i].mode;
        items[i].set = wanted->items[i].set;
        pointers[i] = &items[i];
    }
    body.items = pointers;
    body.n_items = wanted->item_count;
    body.shares = (u32 *)wanted->shares;
    body.n_shares = wanted->set_count;
    body.cpu_mask = wanted->cpu_mask;
    body.slice_event = wanted->slice_event;
    body.slice = wanted->slice;
    body.flags = wanted->tasks;
    body.yielding = wanted->yielding;
    struct begin begun = {0};
    dci_request *request = DCI_REQUEST(COUNT_START, count_start, &body);
    const int answer = ORRERY__DCI__RESPONSE__BODY_COUNT_START;
    int code = error == NULL
                   ? dci_call(request, answer, "cannot count", take_start, &begun)
                   : dci_try(request, answer, take_start, &begun, settings.timeout, error);
    wanted->session = begun.session;
    *time = begun.time;
    return code;
}

int counting_start(struct count_request *wanted, u64 *time)
{
    return start(wanted, time, NULL);
}

int counting_try(struct count_request *wanted, u64 *time, int *error)
{
    return start(wanted, time, error);
}

int counting_trace(u64 majors)
{
    Orrery__Dci__CountTraceRequest body = ORRERY__DCI__COUNT_TRACE_REQUEST__INIT;
    body.majors = majors;
    return dci_call(DCI_REQUEST(COUNT_TRACE, count_trace, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot put counters into the trace",
                    NULL, NULL);
}

static count_wide wide(u64 high, u64 low)
{
    return (count_wide)high << 64 | low;
}

static struct count decode(const Orrery__Dci__Count *from)
{
    struct count count = {
        .count = from->count,
        .measured = from->measured,
        .total = from->total,
        .error = from->error,
        .slices = from->slices,
        .sums = {.time_squares = wide(from->time_squares_high, from->time_squares),
                 .count_squares = wide(from->count_squares_high, from->count_squares),
                 .products = wide(from->products_high, from->products),
                 .counted = from->counted},
    };
    if (count.sums.time_squares != 0)
        count_scale(&count);
    return count;
}

// Takes the counts of one CPU, from either answer.
static int take_cpu(struct count_reading *reading, const Orrery__Dci__CountReply *reply)
{
    if (reading->cpu_count == ORRERY_MAX_CPUS || reply->n_counts != reading->items)
        return fail(KOV_CONNECTION, "the machine's counts are not those that were asked for");
    struct cpu_counts *to = &reading->cpus[reading->cpu_count++];
    to->cpu = reply->cpu;
    to->time = reading->time = reply->time;
    reading->displaced = reply->displaced;
    for (u32 i = 0; i < reading->items; i++)
        to->counts[i] = decode(reply->counts[i]);
    for (reading->excluded_count = 0; reading->excluded_count < reply->n_excluded &&
                                      reading->excluded_count < COUNT_EXCLUDED_MAX;
         reading->excluded_count++)
        reading->excluded[reading->excluded_count] = reply->excluded[reading->excluded_count];
    return KOV_OK;
}

static int take_read(void *context, const dci_response *response)
{
    return take_cpu(context, response->count_read);
}

static int take_stop(void *context, const dci_response *response)
{
    return take_cpu(context, response->count_stop);
}

static void begin(const struct count_request *wanted, struct count_reading *reading)
{
    memset(reading, 0, sizeof(*reading));
    reading->items = wanted->item_count;
}

int counting_read(const struct count_request *wanted, struct count_reading *reading)
{
    Orrery__Dci__CountReadRequest body = ORRERY__DCI__COUNT_READ_REQUEST__INIT;
    body.session = wanted->session;
    begin(wanted, reading);
    return dci_call(DCI_REQUEST(COUNT_READ, count_read, &body),
                    ORRERY__DCI__RESPONSE__BODY_COUNT_READ, "cannot read the counts", take_read,
                    reading);
}

int counting_stop(const struct count_request *wanted, struct count_reading *reading)
{
    Orrery__Dci__CountStopRequest body = ORRERY__DCI__COUNT_STOP_REQUEST__INIT;
    begin(wanted, reading);
    return dci_call(DCI_REQUEST(COUNT_STOP, count_stop, &body),
                    ORRERY__DCI__RESPONSE__BODY_COUNT_STOP, "cannot stop counting", take_stop,
                    reading);
}

// ---- tasks -------------------------------------------------------------------------------------

static int take_task(struct task_reading *tasks, u32 cpu, const Orrery__Dci__CountTask *from)
{
    if (from->n_counts != tasks->items)
        return fail(KOV_CONNECTION, "the machine's counts are not those that were asked for");
    struct task *to = task_reading_add(tasks);
    if (to == NULL)
        return fail(KOV_CONNECTION, "the machine tells of more than %d tasks", TASKS_MAX);
    to->cpu = cpu;
    to->pid = from->pid;
    to->thread = from->thread;
    to->flags = from->flags;
    snprintf(to->name, sizeof(to->name), "%s", from->name);
    text_make_printable(to->name, false);
    for (u32 i = 0; i < tasks->items; i++)
        to->counts[i] = decode(from->counts[i]);
    return KOV_OK;
}

static int take_tasks(void *context, const dci_response *response)
{
    const Orrery__Dci__CountTasksReply *reply = response->count_tasks;
    int code = KOV_OK;
    for (size_t i = 0; i < reply->n_tasks && code == KOV_OK; i++)
        code = take_task(context, reply->cpu, reply->tasks[i]);
    return code;
}

int counting_tasks(const struct count_request *wanted, struct task_reading *tasks)
{
    Orrery__Dci__CountTasksRequest body = ORRERY__DCI__COUNT_TASKS_REQUEST__INIT;
    body.session = wanted->session;
    task_reading_begin(tasks, wanted->item_count);
    int code = dci_call(DCI_REQUEST(COUNT_TASKS, count_tasks, &body),
                        ORRERY__DCI__RESPONSE__BODY_COUNT_TASKS,
                        "cannot read the counts of processes", take_tasks, tasks);
    if (code == KOV_OK)
        task_reading_order(tasks);
    return code;
}

int counting_exclude(const struct pid_list *pids)
{
    Orrery__Dci__CountExcludeRequest body = ORRERY__DCI__COUNT_EXCLUDE_REQUEST__INIT;
    body.n_pids = pids->count;
    body.pids = (u32 *)pids->pids;
    return dci_call(DCI_REQUEST(COUNT_EXCLUDE, count_exclude, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot leave processes out", NULL, NULL);
}
