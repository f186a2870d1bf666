// SPDX-License-Identifier: MIT
// Fuzzing from within the machine (tests/fuzz/README.md). Ends with status 0 if all was as before
// at the end of every round; what the kernel and the servers do meanwhile they tell themselves.
#include "supervisor.h"

#include <orrery/memory.h>
#include <stdio.h>
#include <user/ipc.h>
#include <user/time.h>

// What the kernel makes at the first use and keeps is made before anybody counts: the thread that
// supplies files.
static void use_once(void)
{
    s64 file = sys_file_create(hub_endpoint, ipc_badge(hub_endpoint), "fuzz", FUZZ_PAGE);

    if (file > 0)
        sys_cap_drop((cap_t)file);
}

static s64 prepare(void)
{
    s64 error = totals_create();

    if (error == 0)
        error = hub_create();
    if (error == 0)
        error = slots_create();
    use_once();
    return error;
}

int main(void)
{
    options_read();
    random_seed(options.seed);
    s64 error = prepare();
    if (error != 0) {
        printf("fuzz: %s\n", orrery_strerror(error));
        return 1;
    }
    corpus_load();
    monitor_start();
    census_begin();
    if (options.replay != 0)
        slots_replay();
    else
        slots_run();
    totals_progress(true);
    summary->finished = 1;
    bool good = summary->failed_looks == 0 && summary->leaks == 0;
    printf("fuzz: %s\n", good ? "all as before" : "not all as before");
    sys_power_off(good ? 0 : 1); // with the pages that the host reads still there
}
