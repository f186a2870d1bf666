// SPDX-License-Identifier: MIT
// Pairs of events. Open events are kept by their key in a tree of the C library, and go when the
// pair is complete. The number of rows and of open events is limited. What goes beyond is counted
// and told.
#include "analyses/trace_count.h"
#include "tools/histogram.h"
#include "tools/memory.h"
#include "analyses/event_words.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 4096 // keys with a row of their own
#define OPEN_MAX (1u << 20)
#define FIELD_BYTES 48

struct open_pair {
    u64 key, since;
};

struct pair_row {
    u64 key[KEY_WORDS]; // of the pairs; then whether the row stands for all keys without a row
    struct histogram latency;
    // The last event with the key, for a name. ACTIVITY_NO_PID: of several processes, or not known.
    const struct event_description *description;
    u64 time, pid;
    u32 stream;
    bool several_streams;
};

struct count {
    struct trace_walk walk;
    struct trace_choice first, second;
    char first_field[FIELD_BYTES], second_field[FIELD_BYTES]; // "": by CPU
    bool hex;                                                 // shows the field as hexadecimal
    void *open;
    u64 open_count;
    struct keyed_rows rows;
    struct histogram all;
    u64 lost_until[ORRERY_MAX_CPUS], any_lost_until;
    u64 first_alone, second_alone, unsure, dropped;
};

// ---- what is open ------------------------------------------------------------------------------

static int compare_open(const void *one, const void *other)
{
    u64 a = ((const struct open_pair *)one)->key, b = ((const struct open_pair *)other)->key;
    return a < b ? -1 : a > b;
}

static void open_pair(struct count *count, u64 key, u64 time)
{
    struct open_pair wanted = {key, time}, **found = tfind(&wanted, &count->open, compare_open);
    if (found != NULL) {
        count->first_alone++;
        (*found)->since = time;
        return;
    }
    if (count->open_count == OPEN_MAX) {
        count->dropped++;
        return;
    }
    struct open_pair *pair = memory_get(sizeof(*pair));
    *pair = wanted;
    if (tsearch(pair, &count->open, compare_open) == NULL)
        exit(fail(KOV_FAILED, "out of memory"));
    count->open_count++;
}

static struct pair_row *row_of(struct count *count, u64 key)
{
    const u64 own[KEY_WORDS] = {key}, others[KEY_WORDS] = {0, true};
    struct pair_row *row = keyed_rows_find(&count->rows, own);
    if (row != NULL)
        return row;
    return keyed_rows_get(&count->rows, count->rows.count < ROWS_MAX ? own : others);
}

// Notes an event of the row's key. Several processes may have used the key: a name in one of them
// would be wrong.
static void note_event(const struct count *count, struct pair_row *row,
                       const struct trace_event *event)
{
    u64 pid = event->pid != 0
                  ? event->pid
                  : trace_walk_pid(&count->walk, trace_walk_thread(&count->walk, event->cpu));
    if (row->description != NULL && (row->stream != event->pid || row->pid != pid))
        pid = ACTIVITY_NO_PID;
    row->several_streams |= row->description != NULL && row->stream != event->pid;
    row->description = event->description;
    row->stream = event->pid;
    row->pid = pid;
    row->time = event->time;
}

// Closes a pair. If events may be missing since the first of the two, nobody knows whether they are
// a pair.
static void close_pair(struct count *count, u64 key, const struct trace_event *event)
{
    struct open_pair wanted = {.key = key}, **found = tfind(&wanted, &count->open, compare_open);
    if (found == NULL) {
        count->second_alone++;
        return;
    }
    struct open_pair *pair = *found;
    u64 lost =
        count->first_field[0] == '\0' ? count->lost_until[event->cpu] : count->any_lost_until;
    if (lost > pair->since) {
        count->unsure++;
    } else {
        struct pair_row *row = row_of(count, key);
        note_event(count, row, event);
        histogram_add(&row->latency, event->time - pair->since);
        histogram_add(&count->all, event->time - pair->since);
    }
    tdelete(pair, &count->open, compare_open);
    free(pair);
    count->open_count--;
}

// ---- events ------------------------------------------------------------------------------------

static bool key_of(const struct trace_event *event, const char *field, u64 *key)
{
    u64 values[TRACE_MAX_FIELDS];
    u32 place;
    if (field[0] == '\0') {
        *key = event->cpu;
        return true;
    }
    if (!description_field(event->description, field, &place))
        return false;
    trace_event_fields(event, values);
    *key = values[place];
    return true;
}

// Takes an event. One that is both A and B ends a pair and begins the next one.
static int take_event(void *context, const struct trace_event *event)
{
    struct count *count = context;
    u64 key;
    if (event->description == NULL)
        return KOV_OK;
    if (trace_choice_has(&count->second, event) && key_of(event, count->second_field, &key))
        close_pair(count, key, event);
    if (trace_choice_has(&count->first, event) && key_of(event, count->first_field, &key))
        open_pair(count, key, event->time);
    return KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct count *count = context;
    u64 *lost = &count->lost_until[loss->cpu];
    if (!trace_choice_has_stream(&count->first, loss->pid, loss->cpu))
        return KOV_OK;
    *lost = loss->to > *lost ? loss->to : *lost;
    count->any_lost_until = loss->to > count->any_lost_until ? loss->to : count->any_lost_until;
    return KOV_OK;
}

// ---- what is wanted ----------------------------------------------------------------------------

static int choose_event(struct trace_choice *choice, const char *name, const struct engine *engine)
{
    struct trace_options options = trace_options;
    u64 begin = 0, end;
    options.events = name;
    engine_range(engine, &begin, &end);
    return trace_choice_decide(choice, &options, &engine->descriptions, begin);
}

static int check_field(const struct trace_choice *choice, const char *field, bool *hex)
{
    const struct descriptions *descriptions = choice->descriptions;
    u32 place;
    for (size_t i = 0; i < descriptions->count && field[0] != '\0'; i++)
        if (choice->wanted[i] && description_field(&descriptions->events[i], field, &place)) {
            if (descriptions->events[i].info.fields[place].type == TRACE_TEXT)
                return fail(KOV_USAGE, "--by: '%s' is a text, not a number", field);
            *hex |= descriptions->events[i].info.fields[place].type == TRACE_X64;
            return KOV_OK;
        }
    return field[0] == '\0' ? KOV_OK : fail(KOV_USAGE, "--by: the event has no field '%s'", field);
}

static int decide(struct count *count, const struct engine *engine,
                  const struct trace_count_options *options)
{
    const char *dots = strstr(options->pair, "..");
    if (dots == NULL)
        return fail(KOV_USAGE, "'%s': must be A..B, two events", options->pair);
    char *name = memory_copy_text(options->pair);
    name[dots - options->pair] = '\0';
    int code = choose_event(&count->first, name, engine);
    if (code == KOV_OK)
        code = choose_event(&count->second, dots + 2, engine);
    free(name);
    if (code != KOV_OK || options->by == NULL)
        return code;
    const char *equal = strchr(options->by, '=');
    int length = (int)strcspn(options->by, "=");
    const char *second = equal == NULL ? options->by : equal + 1;
    if (length == 0 || length >= FIELD_BYTES || second[0] == '\0' || strlen(second) >= FIELD_BYTES)
        return fail(KOV_USAGE, "--by '%s': must be FIELD, or FIELD=FIELD", options->by);
    snprintf(count->first_field, FIELD_BYTES, "%.*s", length, options->by);
    snprintf(count->second_field, FIELD_BYTES, "%s", second);
    code = check_field(&count->first, count->first_field, &count->hex);
    return code == KOV_OK ? check_field(&count->second, count->second_field, &count->hex) : code;
}

// ---- the answer --------------------------------------------------------------------------------

static int compare(const void *one, const void *other, void *context)
{
    const struct pair_row *a = *(void *const *)one, *b = *(void *const *)other;
    const struct count *count = context;
    if (count->first_field[0] != '\0' && a->latency.count != b->latency.count)
        return a->latency.count > b->latency.count ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

static void put_key(json_t *row, const struct count *count, const struct pair_row *pair)
{
    if (pair->key[1] != 0)
        put_text(row, "key", "others");
    else if (count->hex)
        put_hex(row, "key", pair->key[0]);
    else
        put_u64(row, "key", pair->key[0]);
}

// Puts what the event's field is called in the listing of events, or null.
static void put_key_name(json_t *row, const struct count *count, struct event_words *words,
                         const struct pair_row *pair)
{
    const struct trace_event event = {
        .time = pair->time, .pid = pair->stream, .description = pair->description};
    u64 values[TRACE_MAX_FIELDS] = {0};
    char word[WORD_BYTES];
    bool named = false;
    u32 place;
    if (pair->key[1] == 0 && count->second_field[0] != '\0' && !pair->several_streams &&
        description_field(pair->description, count->second_field, &place)) {
        values[place] = pair->key[0];
        named = event_word(words, &event, place, values, pair->pid, word);
    }
    put_text(row, "key_name", named ? word : NULL);
}

static u64 majors_of(const struct trace_choice *choice)
{
    u64 majors = 0;
    for (size_t i = 0; i < choice->descriptions->count; i++)
        if (choice->wanted[i])
            majors |= 1UL << choice->descriptions->events[i].info.major;
    return majors;
}

static void put_answer(json_t *document, struct count *count, u64 most)
{
    put_u64(document, "majors", majors_of(&count->first) | majors_of(&count->second));
    u64 hz = count->walk.hz;
    struct event_words words = {0};
    event_words_begin(&words, &count->walk, count->walk.choice->descriptions);
    if (count->rows.count > 1)
        qsort_r(count->rows.rows, count->rows.count, sizeof(void *), compare, count);
    json_t *rows = put_array(document, "pairs");
    for (size_t i = 0; i < count->rows.count && (most == 0 || i < most); i++) {
        const struct pair_row *pair = count->rows.rows[i];
        json_t *row = put_object(rows, NULL);
        put_key(row, count, pair);
        put_key_name(row, count, &words, pair);
        put_u64(row, "count", pair->latency.count);
        trace_tool_put_spread(row, &pair->latency, hz);
    }
    event_words_free(&words);
    put_text(document, "by", count->first_field[0] == '\0' ? "cpu" : count->first_field);
    put_u64(document, "rows", count->rows.count);
    json_t *all = put_object(document, "all");
    put_u64(all, "count", count->all.count);
    trace_tool_put_spread(all, &count->all, hz);
    put_u64(document, "first_alone", count->first_alone + count->open_count);
    put_u64(document, "second_alone", count->second_alone);
    put_u64(document, "unsure", count->unsure);
    put_u64(document, "dropped", count->dropped);
    trace_tool_put_walk(document, &count->walk);
}

static void free_count(struct count *count)
{
    for (size_t i = 0; i < count->rows.count; i++)
        histogram_free(&((struct pair_row *)count->rows.rows[i])->latency);
    keyed_rows_free(&count->rows);
    histogram_free(&count->all);
    tdestroy(count->open, free);
    trace_choice_free(&count->first);
    trace_choice_free(&count->second);
    trace_walk_free(&count->walk);
}

int trace_count(struct engine *engine, const struct trace_choice *choice,
                const struct trace_count_options *options, json_t *document)
{
    struct count count = {
        .walk = {.choice = choice, .event = take_event, .loss = take_loss, .context = &count},
        .rows = {.row_bytes = sizeof(struct pair_row)}};
    int code = decide(&count, engine, options);
    if (code == KOV_OK)
        code = trace_walk(&count.walk, engine);
    if (code == KOV_OK)
        put_answer(document, &count, options->most);
    free_count(&count);
    return code;
}

static void key_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *name = json_object_get(row, column->key), *key = json_object_get(row, "key");
    if (json_is_integer(key) && !json_is_string(name))
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(key));
    else
        snprintf(text, CELL_BYTES, "%s", json_string_value(json_is_string(name) ? name : key));
}

static const struct column columns[] = {
    COLUMN("KEY", "key_name", 18, .compose = key_text),
    HIDDEN("key"),
    COLUMN("COUNT", "count", 8),
    SPREAD_COLUMNS,
    SPREAD_TICKS,
    COLUMNS_END,
};
const struct sheet trace_count_sheets[] = {{"pairs", columns}, {NULL, NULL}};

static json_int_t number_of(const json_t *document, const char *key)
{
    return json_integer_value(json_object_get(document, key));
}

void trace_count_note(const json_t *document)
{
    static const struct column spread[] = {{.key = "p50"}, {.key = "p99"}, {.key = "max"}};
    const json_t *all = json_object_get(document, "all");
    char texts[ARRAY_SIZE(spread)][CELL_BYTES];
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
        trace_time_cell(&spread[i], all, texts[i]);
    printf("all %" JSON_INTEGER_FORMAT " pairs: p50 %s, p99 %s, max %s; percentiles ± %.1f %%\n",
           number_of(all, "count"), texts[0], texts[1], texts[2], HISTOGRAM_ERROR_PERCENT);
    printf("by %s; %" JSON_INTEGER_FORMAT " first events and %" JSON_INTEGER_FORMAT
           " second ones alone; %" JSON_INTEGER_FORMAT " pairs unsure for missing events\n",
           json_string_value(json_object_get(document, "by")), number_of(document, "first_alone"),
           number_of(document, "second_alone"), number_of(document, "unsure"));
    if (number_of(document, "dropped") != 0)
        printf("%" JSON_INTEGER_FORMAT " first events dropped: too many were open at once\n",
               number_of(document, "dropped"));
}
