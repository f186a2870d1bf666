// SPDX-License-Identifier: MIT
// Cells of the tables of `kov stat` that have a row for each process, thread or object.
#include "counts/stat_cell.h"

#include <math.h>

void stat_cell_print(const char *cell, int width)
{
    int characters = 0; // ± is one of them, in two bytes
    for (const char *at = cell; *at != '\0'; at++)
        characters += ((unsigned char)*at & 0xc0) != 0x80;
    printf("%*s%s ", characters < width ? width - characters : 0, "", cell);
}

const char *stat_cell_metric(const struct metric_value *value, bool percent,
                             char cell[STAT_CELL_BYTES])
{
    const char *unit = percent ? " %" : "";
    if (value->error > 0)
        snprintf(cell, STAT_CELL_BYTES, "%.4f ± %.4f%s", value->value, value->error, unit);
    else
        snprintf(cell, STAT_CELL_BYTES, "%s%.4f%s", value->error < 0 ? "~" : "", value->value,
                 unit);
    return cell;
}

const char *stat_cell_metric_name(const struct metric *metric, enum count_mode mode,
                                  char cell[STAT_CELL_BYTES])
{
    snprintf(cell, STAT_CELL_BYTES, "%s%s", metric->name, count_mode_suffix(mode));
    return cell;
}

void stat_json_metric(struct json *json, const struct metric *metric, enum count_mode mode,
                      const struct metric_value *value)
{
    json_text(json, "metric", metric->name);
    json_text(json, "mode", count_mode_name(mode));
    json_bool(json, "percent", metric->percent);
    json_number(json, "value", value->value);
    json_number(json, "error", value->error < 0 ? (double)NAN : value->error);
}
