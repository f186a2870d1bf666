// SPDX-License-Identifier: MIT
// Names that a trace tells.
#include "trace/labels.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>
#include <orrery/lower_bound.h>
#include <trace/table.h>

#define OBJECT_BYTES_MAX 0x100000 // larger ones are taken for a damaged trace
// Of a state, so that its writer cannot make reading endless; and until it begins, at the latest.
#define STATE_EVENTS_MAX 4000000
#define STATE_BEGINS_WITHIN 1000000

// A number that belongs to another: the class of an object, the process whose object it is, its
// parent, the process that has an endpoint.
struct link {
    u64 key[KEY_WORDS];
    u64 to;
};

// Where an object's memory is, from when to when.
struct place {
    u64 key[KEY_WORDS]; // COID
    u64 address, bytes, from, to;
};

static const u8 named[LABEL_KINDS] = {[LABEL_PROCESS] = EVENT_PROCESS_NAME,
                                      [LABEL_THREAD] = EVENT_THREAD_NAME,
                                      [LABEL_CLASS] = EVENT_CLASS_NAME,
                                      [LABEL_SENSOR] = EVENT_SENSOR_NAME};

struct search {
    struct labels *labels;
    u64 events;
    u64 state; // its major, as a mask
    bool begun;
};

// Returns where the number belongs that an event tells of another number; NULL: it tells none.
static struct keyed_rows *linked_by(struct labels *labels, enum event_kind kind)
{
    switch ((u32)kind) {
    case EVENT_STATE_OBJECT:
    case EVENT_OBJECT_CREATE:
        return &labels->classes;
    case EVENT_STATE_PROCESS:
    case EVENT_PROCESS_CREATE:
        return &labels->processes;
    case EVENT_STATE_CHILD:
        return &labels->parents;
    case EVENT_IPC_CALL:
    case EVENT_IPC_ENDPOINT:
        return &labels->owned;
    default:
        return NULL;
    }
}

// ---- objects' memory ---------------------------------------------------------------------------

static u64 bit_of(const char *major)
{
    for (u32 i = 0; i < trace_major_count; i++)
        if (strcmp(trace_majors[i].name, major) == 0)
            return 1UL << trace_majors[i].number;
    return 0;
}

// An object that the state tells was there before: its begin would have been told.
static void learn_place(struct labels *labels, const u64 *values, u64 from)
{
    struct place *place = keyed_rows_get(&labels->places, (const u64[KEY_WORDS]){values[0]});
    if (place->address == 0)
        *place = (struct place){{values[0]}, values[2], values[3], from, UINT64_MAX};
}

static void learn_places(struct labels *labels, const struct trace_event *event)
{
    const u64 *values = event->values;
    bool told = event->kind == EVENT_STATE_OBJECT;
    if (told || event->kind == EVENT_OBJECT_CREATE) {
        if (event_tells(event, 2) && event_tells(event, 3))
            learn_place(labels, values, told ? 0 : event->time);
    } else if (event->kind == EVENT_OBJECT_RECLAIM) {
        struct place *place =
            (struct place *)keyed_rows_find(&labels->places, (const u64[KEY_WORDS]){values[0]});
        if (place != NULL)
            place->to = event->time;
    } else if (event->kind == EVENT_STATE_BEGIN) {
        labels->followed |= (values[0] & bit_of("OBJ")) != 0;
    } else if (event->kind == EVENT_TRACE_START) {
        u64 locks = bit_of("LOCK") | bit_of("LOCKHOLD");
        labels->unfollowed |= (values[0] & locks) != 0 && (values[0] & bit_of("OBJ")) == 0;
    }
}

static int by_address(const void *one, const void *other)
{
    const struct place *a = *(void *const *)one, *b = *(void *const *)other;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void order_places(struct labels *labels)
{
    size_t count = labels->places.count;
    if (labels->by_address_count == count)
        return;
    free(labels->by_address);
    labels->by_address = memory_get(count * sizeof(void *));
    memcpy(labels->by_address, labels->places.rows, count * sizeof(void *));
    qsort(labels->by_address, count, sizeof(void *), by_address);
    labels->by_address_count = count;
}

// Returns how many places begin at or below an address.
static size_t places_below(const struct labels *labels, u64 address)
{
    return LOWER_BOUND(at, labels->by_address_count,
                       ((const struct place *)labels->by_address[at])->address <= address);
}

// Memory is used again, so several may have been there.
bool labels_object_at(struct labels *labels, u64 address, u64 from, u64 to, u64 *coid, u64 *offset)
{
    const struct place *found = NULL;
    if (!labels->followed || labels->unfollowed)
        return false;
    order_places(labels);
    for (size_t i = places_below(labels, address); i-- > 0;) {
        const struct place *place = labels->by_address[i];
        if (address - place->address > OBJECT_BYTES_MAX)
            break;
        if (address - place->address >= place->bytes || place->to <= from || place->from > to)
            continue;
        if (found != NULL)
            return false;
        found = place;
    }
    if (found == NULL || found->from > from || found->to < to)
        return false;
    *coid = found->key[0];
    *offset = address - found->address;
    return true;
}

void labels_lose(struct labels *labels)
{
    labels->unfollowed = true;
}

// ---- learning ----------------------------------------------------------------------------------

void labels_learn(struct labels *labels, const struct trace_event *event)
{
    const u64 *values = event->values;
    if (event->kind == EVENT_OTHER)
        return;
    learn_places(labels, event);
    struct keyed_rows *links = linked_by(labels, event->kind);
    if (links != NULL)
        ((struct link *)keyed_rows_get(links, (const u64[KEY_WORDS]){values[0]}))->to = values[1];
    for (u32 kind = 0; kind < LABEL_KINDS; kind++)
        if (event->kind == named[kind]) {
            const u64 key[KEY_WORDS] = {values[0], kind == LABEL_SENSOR ? values[1] : 0};
            struct label *label = keyed_rows_get(&labels->kinds[kind], key);
            trace_event_string(event, label->name);
        }
}

static int find_state(void *context, const struct trace_event *event)
{
    struct search *search = context;
    labels_learn(search->labels, event);
    search->begun |= (search->state >> (event->id >> 16 & 63) & 1) != 0;
    return event->kind == EVENT_STATE_END ||
                   ++search->events == (search->begun ? STATE_EVENTS_MAX : STATE_BEGINS_WITHIN)
               ? VISIT_ENOUGH
               : KOV_OK;
}

void labels_prepare(struct labels *labels)
{
    for (u32 kind = 0; kind < LABEL_KINDS; kind++)
        labels->kinds[kind].row_bytes = sizeof(struct label);
    labels->classes.row_bytes = labels->processes.row_bytes = sizeof(struct link);
    labels->parents.row_bytes = labels->owned.row_bytes = sizeof(struct link);
    labels->places.row_bytes = sizeof(struct place);
}

int labels_begin(struct labels *labels, struct engine *engine, u64 from)
{
    u64 first, last, state = event_kinds_major(&engine->descriptions, EVENT_STATE_END);
    labels_prepare(labels);
    if (!engine_range(engine, &first, &last) || from <= first)
        return KOV_OK;
    labels_lose(labels); // what came and went before is not read
    if (state == 0 || labels->kinds[LABEL_CLASS].count > 0)
        return KOV_OK;
    struct search search = {.labels = labels, .state = state};
    struct visitor visitor = {find_state, NULL, &search};
    engine_seek(engine, 0);
    return engine_visit(engine, UINT64_MAX, &visitor);
}

static const char *find(const struct labels *labels, enum label_kind kind, u64 first, u64 second)
{
    const struct label *label =
        keyed_rows_find(&labels->kinds[kind], (const u64[KEY_WORDS]){first, second});
    return label == NULL ? NULL : label->name;
}

static bool follow_link(const struct keyed_rows *rows, u64 from, u64 *to)
{
    const struct link *link = keyed_rows_find(rows, (const u64[KEY_WORDS]){from});
    if (link != NULL)
        *to = link->to;
    return link != NULL;
}

const char *labels_class_of(const struct labels *labels, u64 coid)
{
    u64 class_id;
    return follow_link(&labels->classes, coid, &class_id)
               ? labels_find(labels, LABEL_CLASS, class_id)
               : NULL;
}

// An endpoint is a child of its Process.
bool labels_owner_of(const struct labels *labels, u64 endpoint, u64 *pid)
{
    u64 parent;
    return follow_link(&labels->owned, endpoint, pid) ||
           (follow_link(&labels->parents, endpoint, &parent) &&
            follow_link(&labels->processes, parent, pid));
}

const char *labels_find(const struct labels *labels, enum label_kind kind, u64 number)
{
    return find(labels, kind, number, 0);
}

const char *labels_find_sensor(const struct labels *labels, u64 pid, u64 sensor)
{
    return find(labels, LABEL_SENSOR, pid, sensor);
}

void labels_name_process(struct labels *labels, u64 pid, const char *name)
{
    struct label *label =
        keyed_rows_get(&labels->kinds[LABEL_PROCESS], (const u64[KEY_WORDS]){pid});
    if (label->name[0] == '\0')
        snprintf(label->name, sizeof(label->name), "%s", name);
}

void labels_free(struct labels *labels)
{
    keyed_rows_free(&labels->places);
    free(labels->by_address);
    keyed_rows_free(&labels->classes);
    keyed_rows_free(&labels->processes);
    keyed_rows_free(&labels->parents);
    keyed_rows_free(&labels->owned);
    for (u32 kind = 0; kind < LABEL_KINDS; kind++)
        keyed_rows_free(&labels->kinds[kind]);
}
