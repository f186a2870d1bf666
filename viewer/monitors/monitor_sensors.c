// SPDX-License-Identifier: MIT
// Counts sensors in a recording.
#include "monitors/monitor_sensors.h"
#include "symbols/sensor_names.h"

#include <inttypes.h>

struct sensor_row {
    u64 key[KEY_WORDS]; // id, number
    u64 count, words[2];
};

void monitor_sensors_begin(struct monitor_sensors *sensors)
{
    sensors->rows.row_bytes = sizeof(struct sensor_row);
}

bool monitor_sensors_take(struct monitor_sensors *sensors, const struct trace_event *event,
                          u64 from)
{
    const u64 *values = event->values;
    if (event->kind != EVENT_MONITOR_SENSOR)
        return false;
    if (event->time < from)
        return true;
    const u64 key[KEY_WORDS] = {values[0], values[1]};
    struct sensor_row *row = keyed_rows_get(&sensors->rows, key);
    row->count++;
    row->words[0] = values[2];
    row->words[1] = values[3];
    return true;
}

// The recording tells the name, unless it is older or kov did not find the program's file. It may
// be found now.
static void find_name(const struct trace_walk *walk, struct trace_names *names, u64 pid, u64 number,
                      char name[SENSOR_NAME_BYTES])
{
    const char *told = labels_find_sensor(&walk->labels, pid, number);
    if (told != NULL)
        snprintf(name, SENSOR_NAME_BYTES, "%s", told);
    else if (!sensor_name_find(program_symbols(&names->programs, &names->snapshot, (u32)pid),
                               number, name))
        snprintf(name, SENSOR_NAME_BYTES, "sensor %" PRIu64, number);
}

static void put_row(json_t *row, const struct sensor_row *sensor, u64 pid, const char *name)
{
    put_u64(row, "id", sensor->key[0]);
    trace_tool_put_pid(row, pid);
    put_u64(row, "number", sensor->key[1]);
    put_text(row, "name", name);
    put_u64(row, "count", sensor->count);
    put_u64(row, "word0", sensor->words[0]);
    put_u64(row, "word1", sensor->words[1]);
}

void monitor_sensors_put(const struct monitor_sensors *sensors, const struct trace_walk *walk,
                         json_t *document)
{
    struct trace_names names = {0};
    json_t *rows = put_array(document, "sensors");
    trace_names_by_labels(&names, &walk->labels);
    for (size_t i = 0; i < sensors->rows.count; i++) {
        const struct sensor_row *sensor = sensors->rows.rows[i];
        u64 pid = trace_walk_pid(walk, sensor->key[0]);
        char name[SENSOR_NAME_BYTES];
        find_name(walk, &names, pid, sensor->key[1], name);
        put_row(put_object(rows, NULL), sensor, pid, name);
    }
    trace_names_free(&names);
}

void monitor_sensors_free(struct monitor_sensors *sensors)
{
    keyed_rows_free(&sensors->rows);
}

const struct column monitor_sensor_columns[] = {
    COLUMN("ID", "id", 6),
    COLUMN("SENSOR", "name", -24),
    COLUMN("COUNT", "count", 9),
    HIDDEN("number"),
    HIDDEN("word0"),
    HIDDEN("word1"),
    HIDDEN("pid"),
    COLUMNS_END,
};
