// SPDX-License-Identifier: MIT
// The topic of functions: which are the hottest, who calls them, which of their lines, from the
// sums by stack. The resolver's thread finds the names; this one says what is known by now.
#include "gateway/machine_state.h"
#include "gateway/resolver.h"
#include "output/document.h"
#include "samples/sample_names.h"
#include "samples/site_parts.h"
#include "tools/clock.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 200   // functions that are told
#define PARTS_MAX 50   // callers, inlined functions
#define LINES_MAX 1000 // of one function
#define ADDRESS_NAME_BYTES 300
#define NEAR_MAX 4096       // stacks among which one of the same process is looked for
#define AGAIN_SECONDS 0.1   // while addresses are being looked up
#define INSTRUCTION_BYTES 4 // a call is the instruction before its return address

_Static_assert(RESOLVER_MACHINES >= MACHINES, "each machine has its room there");

// ---- whose code it is --------------------------------------------------------------------------

static u32 binary_of(const struct machine *machine, const struct stack_place *place)
{
    const struct process_info *process = NULL;
    if (!place->kernel)
        process = snapshot_process(&machine->snapshot, place->pid);
    if (!place->kernel && process == NULL)
        return 0;
    return resolver_binary(machine->number, machine->build_id, machine->build_id_size,
                           place->kernel ? NULL : process->name);
}

// Returns the binary of a process that has ended: that of its latest stack that is bound.
static u32 binary_before(const struct stack_table *table, size_t place)
{
    const struct stack_place *wanted = &table->places[place];
    for (size_t back = 1; !wanted->kernel && back <= place && back <= NEAR_MAX; back++) {
        const struct stack_place *other = &table->places[place - back];
        if (!other->kernel && other->pid == wanted->pid && other->binary != 0)
            return other->binary;
    }
    return 0;
}

void functions_bind(struct machine *machine)
{
    if (machine->history == NULL)
        return;
    struct stack_table *table = history_stacks(machine->history);
    for (size_t i = 0; i < table->count; i++) {
        struct stack_place *place = &table->places[i];
        if (place->binary == 0)
            place->binary = binary_of(machine, place);
        if (place->binary == 0)
            place->binary = binary_before(table, i);
    }
}

// ---- rows --------------------------------------------------------------------------------------

// Rows of one kind, by the number of their name.
struct rows {
    struct intern names;
    struct row {
        struct site_parts self, total;
        struct sample_sum self_sum, total_sum; // scaled, once all is added
        const char *file;                      // of a line
        u32 line;
        bool known;  // it has a name
        u32 counted; // of the last stack that was counted in `total`
    } * rows;
    size_t count, capacity;
};

struct view {
    struct machine *machine;
    const struct site_sums *sums;
    u32 event, cpu; // ALL_CPUS: of all
    struct ranking_thing thing;
    const char *function; // ""; all
    struct rows functions, callers, inlined, lines;
    struct site_parts all, busy, idle, chosen, own; // own: in the function's own code
    struct site_parts with;                         // with the function in the stack
    u64 samples, unknown, pending, stacked;
    u32 stack;                                                  // counts them
    char addresses[SAMPLE_MAX_CALLERS + 1][ADDRESS_NAME_BYTES]; // of one stack
    const char *why;                                            // they are told, not functions
};

static struct row *row_of(struct rows *rows, const char *name)
{
    u32 number = intern_text(&rows->names, name == NULL ? "" : name);
    if (number == rows->count) {
        rows->rows = memory_grow(rows->rows, rows->count, &rows->capacity, sizeof(*rows->rows));
        rows->rows[rows->count++] = (struct row){.known = name != NULL};
    }
    return &rows->rows[number];
}

static void free_rows(struct rows *rows)
{
    intern_free(&rows->names);
    free(rows->rows);
}

// ---- stacks ------------------------------------------------------------------------------------

static bool is_of_class(const struct view *view, const struct stack_place *place)
{
    char name[SAMPLE_NAME_BYTES];
    struct sample sample = {.coid = place->coid, .pid = place->pid};
    sample.flags = (place->kernel ? SYS_SAMPLE_KERNEL : 0) |
                   (place->kind == SITE_OBJECT  ? SYS_SAMPLE_ATTRIBUTED
                    : place->kind == SITE_STALE ? SYS_SAMPLE_STALE
                                                : 0);
    sample_class_name(&view->machine->snapshot, &sample, name);
    return strcmp(name, view->thing.class_name) == 0;
}

static bool is_chosen(const struct view *view, const struct stack_place *place)
{
    const struct ranking_thing *thing = &view->thing;
    u32 space = place->kernel ? 0 : place->pid;
    if (thing->kind == SITE_ALL)
        return true;
    if (thing->kind == SITE_PROCESS)
        return place->pid == thing->pid;
    if (thing->by == RANKING_CLASS)
        return is_of_class(view, place);
    return place->kind == thing->kind && space == thing->pid && place->coid == thing->coid;
}

static void count_in_total(struct view *view, const struct resolved *frame,
                           const struct site_sum *site)
{
    if (frame->function == NULL)
        return;
    struct row *row = row_of(&view->functions, frame->function);
    if (row->counted == view->stack)
        return; // it calls itself
    row->counted = view->stack;
    site_parts_add(&row->total, site);
}

static void count_line(struct view *view, const struct resolved *leaf, const struct site_sum *site)
{
    char name[512];
    snprintf(name, sizeof(name), "%u:%s", leaf->line, leaf->file == NULL ? "" : leaf->file);
    struct row *row = row_of(&view->lines, name);
    row->file = leaf->file;
    row->line = leaf->line;
    site_parts_add(&row->self, site);
    site_parts_add(&view->own, site);
    if (leaf->inlined != NULL)
        site_parts_add(&row_of(&view->inlined, leaf->inlined)->self, site);
}

// Counts the caller of the function that was asked for, or of the innermost one.
static void count_caller(struct view *view, const struct resolved *frames, u32 count,
                         const struct site_sum *site)
{
    u32 at = 0;
    while (view->function[0] != 0 && at < count &&
           (frames[at].function == NULL || strcmp(frames[at].function, view->function) != 0))
        at++;
    if (at == count)
        return;
    site_parts_add(&view->with, site);
    if (at + 1 < count)
        site_parts_add(&row_of(&view->callers, frames[at + 1].function)->self, site);
}

// Finds what is at an address of a stack. Where the binary tells no functions, the address stands
// for one.
static bool find_frame(struct view *view, const struct stack_place *place, u32 at, u64 address,
                       struct resolved *frame)
{
    bool known = resolver_find(place->binary, address, frame);
    if (!known || frame->function != NULL || frame->why == NULL)
        return known;
    snprintf(view->addresses[at], ADDRESS_NAME_BYTES, "%s:0x%016" PRIx64, frame->binary, address);
    frame->function = view->addresses[at];
    view->why = frame->why;
    return true;
}

// Finds the functions of a stack, innermost first. Returns false if some are still looked up.
static bool find_frames(struct view *view, const struct stack_place *place, struct resolved *frames)
{
    bool known = find_frame(view, place, 0, place->pc, &frames[0]);
    for (u32 i = 0; i < place->caller_count; i++)
        known &=
            find_frame(view, place, i + 1, place->callers[i] - INSTRUCTION_BYTES, &frames[i + 1]);
    return known;
}

static void count_stack(struct view *view, const struct stack_place *place,
                        const struct site_sum *site)
{
    struct resolved frames[SAMPLE_MAX_CALLERS + 1];
    u32 count = place->caller_count + 1u;
    view->samples += site->samples;
    view->stack++;
    site_parts_add(&view->chosen, site);
    if (!find_frames(view, place, frames)) {
        view->pending += site->samples;
        return;
    }
    if (frames[0].function == NULL)
        view->unknown += site->samples;
    else
        site_parts_add(&row_of(&view->functions, frames[0].function)->self, site);
    for (u32 i = 0; i < count; i++)
        count_in_total(view, &frames[i], site);
    count_caller(view, frames, count, site);
    if (frames[0].function != NULL && strcmp(frames[0].function, view->function) == 0)
        count_line(view, &frames[0], site);
}

// ---- sums --------------------------------------------------------------------------------------

static void count_site(struct view *view, const struct site_sum *site)
{
    const struct stack_place *place;
    if (site->site.event != view->event)
        return;
    switch ((enum site_kind)site->site.kind) {
    case SITE_ALL:
        site_parts_add(&view->all, site);
        break;
    case SITE_IDLE:
        site_parts_add(&view->idle, site);
        break;
    case SITE_OBJECT:
    case SITE_NONE:
    case SITE_STALE:
    case SITE_OTHER_OBJECTS:
        site_parts_add(&view->busy, site);
        break;
    case SITE_STACK:
        place = stack_table_place(history_stacks(view->machine->history), site->site.coid);
        if (place == NULL)
            break;
        view->stacked += site->samples;
        if ((view->cpu == ALL_CPUS || view->cpu == site->site.cpu) && is_chosen(view, place))
            count_stack(view, place, site);
        break;
    default:
        break;
    }
}

static struct sample_sum sum_of(const struct view *view, const struct site_parts *parts)
{
    return site_parts_sum(parts, &view->all, view->sums, view->event);
}

static void add_up(const struct view *view, struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        rows->rows[i].self_sum = sum_of(view, &rows->rows[i].self);
        rows->rows[i].total_sum = sum_of(view, &rows->rows[i].total);
    }
}

static struct share_base base_of(const struct view *view)
{
    struct share_base base = {0};
    struct sample_sum busy = sum_of(view, &view->busy), idle = sum_of(view, &view->idle);
    share_base_add(&base, false, (double)busy.events, busy.square);
    share_base_add(&base, true, (double)idle.events, idle.square);
    return base;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct rows *rows = context;
    u32 first = *(const u32 *)left, second = *(const u32 *)right;
    const struct row *a = &rows->rows[first], *b = &rows->rows[second];
    if (a->self_sum.events != b->self_sum.events)
        return a->self_sum.events > b->self_sum.events ? -1 : 1;
    if (a->total_sum.events != b->total_sum.events)
        return a->total_sum.events > b->total_sum.events ? -1 : 1;
    return strcmp(rows->names.texts[first], rows->names.texts[second]);
}

// Returns the numbers of rows, the largest first. The caller frees them.
static u32 *sorted(struct rows *rows)
{
    u32 *numbers = memory_get(rows->count * sizeof(*numbers));
    for (u32 i = 0; i < rows->count; i++)
        numbers[i] = i;
    if (rows->count > 1)
        qsort_r(numbers, rows->count, sizeof(*numbers), compare_rows, rows);
    return numbers;
}

// ---- what is said ------------------------------------------------------------------------------

static void put_share(json_t *json, const char *share_key, const char *error_key,
                      struct estimate share)
{
    put_number(json, share_key, share.value);
    put_number(json, error_key, share.error);
}

static void put_functions(const struct view *view, json_t *data)
{
    const struct share_base base = base_of(view);
    struct rows rows = view->functions;
    u32 *numbers = sorted(&rows);
    json_t *list = put_array(data, "rows");
    for (u32 i = 0; i < rows.count && i < ROWS_MAX; i++) {
        const struct row *row = &rows.rows[numbers[i]];
        const struct sample_sum *self = &row->self_sum, *total = &row->total_sum;
        json_t *json = put_object(list, NULL);
        put_text(json, "function", rows.names.texts[numbers[i]]);
        put_u64(json, "samples", self->samples);
        put_number(json, "events", (double)self->events);
        put_share(json, "share", "error",
                  share_base_share(&base, false, (double)self->events, self->samples != 0));
        put_u64(json, "total_samples", total->samples);
        put_share(json, "total_share", "total_error",
                  share_base_share(&base, false, (double)total->events, total->samples != 0));
    }
    free(numbers);
}

// Puts the rows with their parts of a whole; lines as such.
static void put_parts(const struct view *view, json_t *data, const char *key, struct rows *rows,
                      const struct site_parts *whole)
{
    bool are_lines = rows == &view->lines;
    struct sample_sum all = sum_of(view, whole);
    u32 *numbers = sorted(rows);
    json_t *list = put_array(data, key);
    for (u32 i = 0; i < rows->count && i < (are_lines ? LINES_MAX : PARTS_MAX); i++) {
        const struct row *row = &rows->rows[numbers[i]];
        json_t *json = put_object(list, NULL);
        if (are_lines) {
            put_text(json, "file", row->file);
            put_u64(json, "line", row->line);
        } else {
            put_text(json, "function", row->known ? rows->names.texts[numbers[i]] : NULL);
        }
        put_u64(json, "samples", row->self_sum.samples);
        put_share(json, "share", "error",
                  share_of((double)row->self_sum.events, (double)all.events, all.square));
    }
    free(numbers);
}

static u64 samples_in(const struct site_parts *parts)
{
    u64 samples = 0;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        samples += parts->cpus[cpu].samples;
    return samples;
}

static json_t *say(struct view *view, const struct history_range *range)
{
    json_t *data = json_object();
    u64 busy = samples_in(&view->busy);
    add_up(view, &view->functions);
    add_up(view, &view->callers);
    add_up(view, &view->inlined);
    add_up(view, &view->lines);
    put_number(data, "from", range->from);
    put_number(data, "to", range->to);
    put_u64(data, "samples", view->samples);
    put_number(data, "events", (double)sum_of(view, &view->chosen).events);
    put_u64(data, "unknown", view->unknown);
    put_u64(data, "pending", view->pending);
    put_u64(data, "others", busy > view->stacked ? busy - view->stacked : 0);
    if (view->why != NULL)
        put_text(data, "why", view->why);
    put_functions(view, data);
    put_parts(view, data, "callers", &view->callers, &view->with);
    put_parts(view, data, "inlined", &view->inlined, &view->own);
    put_parts(view, data, "lines", &view->lines, &view->own);
    return data;
}

static void view_free(struct view *view)
{
    free_rows(&view->functions);
    free_rows(&view->callers);
    free_rows(&view->inlined);
    free_rows(&view->lines);
}

static bool begin_view(struct machine *machine, struct published *published, struct view *view)
{
    *view = (struct view){.machine = machine, .function = publish_text(published, "function")};
    if (publish_thing(publish_text(published, "of"), &view->thing, &view->cpu))
        return true;
    publish_stop(machine, published, "of: m, c:CPU, p:PID, o:PID:COID, n:PID or k:CLASS");
    return false;
}

int publish_functions(struct machine *machine, struct published *published)
{
    double from, to;
    struct site_sums sums;
    struct history_range range;
    struct view *view = memory_get(sizeof(*view));
    bool begun = begin_view(machine, published, view);
    site_sums_begin(&sums, SITES_MAX);
    view->sums = &sums;
    view->event = begun ? publish_measure(machine, published) : HISTORY_NO_EVENT;
    publish_interval(machine, published, &from, &to);
    if (view->event == HISTORY_NO_EVENT ||
        !history_range(machine->history, from, to, &sums, &range))
        range = (struct history_range){.from = from, .to = to};
    for (size_t i = 0; i < sums.count; i++)
        count_site(view, &sums.sums[i]);
    if (begun)
        machine_publish(machine, published, block_of_json(say(view, &range)));
    if (view->pending != 0)
        published->due = clock_now() + AGAIN_SECONDS;
    view_free(view);
    free(view);
    site_sums_free(&sums);
    return KOV_OK;
}
