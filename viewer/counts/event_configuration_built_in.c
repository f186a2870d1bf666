// SPDX-License-Identifier: MIT
// The configurations that kov has from the start. Each set fits into the counters of the 970FX's
// model at once, so that what belongs together is measured together.
#include "counts/event_configuration.h"

#include <string.h>

static const struct {
    const char *name, *text;
} built_in[] = {
    {"IPC", "about instructions completed a cycle\n"
            "events instructions,cycles\n"},
    {"S000", "about the five metrics at the fixed thresholds of S000 4.3.1, for sampling\n"
             "events instructions@10000000,cycles@100000000,larx@100000,branches@10000000,"
             "mispredicted@10000000,itlb-miss@100000,dtlb-miss@100000\n"
             "events instructions@10000000,stcx@100000\n"},
    {"TLB misses", "about translations that the TLB did not hold\n"
                   "events instructions,itlb-miss,dtlb-miss\n"},
    {"branches", "about conditional branches, and those predicted wrong\n"
                 "events instructions,branches,taken\n"
                 "events instructions,branches,mispredicted\n"},
    {"caches", "about misses of both levels of caches\n"
               "events instructions,l1i-miss,l2-miss\n"
               "events instructions,l1d-miss,l2-miss\n"
               "events instructions,loads,stores\n"},
    {"locks", "about attempts to take locks, and those that took one\n"
              "events instructions,larx\n"
              "events instructions,stcx,stcx-failed\n"},
    {"metrics", "about the five metrics: IPC, locks, contention, branches, TLB\n"
                "events instructions,cycles,larx,branches,mispredicted,itlb-miss,dtlb-miss\n"
                "events instructions,stcx,stcx-failed\n"},
};

const char *configuration_built_in(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(built_in); i++)
        if (strcmp(built_in[i].name, name) == 0)
            return built_in[i].text;
    return NULL;
}

const char *configuration_built_in_name(size_t index)
{
    return index < ARRAY_SIZE(built_in) ? built_in[index].name : NULL;
}
