// SPDX-License-Identifier: MIT
// What tests of rankings share: a snapshot with names, sums by hand, rows by name. Include "unit.h"
// before it.
#ifndef RANKING_MADE_H
#define RANKING_MADE_H

#include "samples/ranking.h"
#include "tools/kov.h"

#include <math.h>
#include <string.h>

struct settings settings; // programs.c asks where the programs are

static struct snapshot snapshot;

static inline void fill_snapshot(void)
{
    static char implementation[] = "default";
    char name[16];
    memset(&snapshot, 0, sizeof(snapshot));
    for (u32 pid = 0; pid < 4; pid++) {
        for (u32 id = 1; id <= 3; id++) {
            snprintf(name, sizeof(name), "Class%u", (unsigned)id);
            snapshot_add_class(&snapshot, &(struct class_info){.pid = pid,
                                                               .id = id,
                                                               .name = name,
                                                               .implementation = implementation});
        }
        for (coid_t coid = 16; coid < 16 * 8; coid += 16)
            snapshot_add_objects(
                &snapshot,
                &(struct object_info){.pid = pid, .coid = coid, .class_id = 1 + (u32)coid / 16 % 4},
                1);
        snprintf(name, sizeof(name), "process");
        if (pid != 2)
            snapshot_add_process(&snapshot, &(struct process_info){.pid = pid, .name = name});
    }
}

static inline void near(double value, double expected)
{
    if (isinf(expected)) {
        assert_true(value == expected);
    } else if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12)) {
        print_error("%.17g in place of %.17g\n", value, expected);
        assert_true(false);
    }
}

static inline const struct ranking_row *find(const struct ranking *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (strcmp(ranking->rows[i].name, name) == 0)
            return &ranking->rows[i];
    print_error("no row %s\n", name);
    assert_true(false);
    return NULL;
}

static inline void add(struct site_sums *sums, u32 event, u32 pid, coid_t coid, u64 weight,
                       u32 count)
{
    const struct sample sample = {.pid = pid,
                                  .coid = coid,
                                  .weight = weight,
                                  .flags = SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED};
    for (u32 i = 0; i < count; i++)
        site_sums_add(sums, event, &sample);
}

#endif
