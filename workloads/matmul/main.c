// SPDX-License-Identifier: MIT
// matmul [--policy fixed|growing|starving] [--size N] [--wait]
// main does the I/O, forks the collector and the first multiply thread, and joins them.
#include "matmul.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/sensor.h>
#include <user/thread.h>
#include <user/time.h>

#define SIZE 1000
#define SENSOR_PHASE 1
#define PARTS 16        // main reads its matrices in this many parts
#define DEVICE_US 30000 // the device's time for a part

SENSOR_NAME(SENSOR_PHASE, "phase");
enum phase { PHASE_INPUT, PHASE_MULTIPLY, PHASE_CHECK };

struct options {
    const char *policy;
    u64 size;
    bool wait; // for an observer
};

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (strcmp(argv[i], "--wait") == 0)
            options->wait = true;
        else if (strcmp(argv[i], "--policy") == 0 && i + 1 < argc)
            options->policy = argv[++i];
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            options->size = strtoul(argv[++i], &end, 10);
        else
            return false;
        if (*end != '\0')
            return false;
    }
    return options->size >= MULTIPLIERS && options->size <= SIZE_MAX_ROWS;
}

static void phase(enum phase next)
{
    sensor(SENSOR_PHASE, next, 0);
}

// Reads the matrices from a device, one part at a time.
static void input(struct product *product)
{
    u64 size = product->size;
    for (u64 part = 0; part < PARTS; part++) {
        u64 row = part * size / PARTS;
        thread_sleep_us(DEVICE_US);
        product_fill(product, row, (part + 1) * size / PARTS - row);
    }
}

static s64 run(struct product *product, struct collected *collected)
{
    s64 error = collector_start();
    if (error != 0)
        return error;
    phase(PHASE_INPUT);
    input(product);
    phase(PHASE_MULTIPLY);
    error = product_multiply(product);
    phase(PHASE_CHECK);
    s64 ended = collector_end(collected);
    return error != 0 ? error : ended;
}

static bool choose_policy(const char *name)
{
    if (strcmp(name, "growing") == 0)
        return scheduler_policy(&scheduler_growing) == 0;
    if (strcmp(name, "starving") == 0)
        return scheduler_policy(&scheduler_starving) == 0;
    return strcmp(name, "fixed") == 0;
}

int main(int argc, char **argv)
{
    struct options options = {.policy = "fixed", .size = SIZE};
    struct product product;
    struct collected collected;

    if (!read_options(argc, argv, &options) || !choose_policy(options.policy)) {
        fprintf(stderr, "usage: matmul [--policy fixed|growing|starving] [--size %d…%d] [--wait]\n",
                MULTIPLIERS, SIZE_MAX_ROWS);
        return 2;
    }
    s64 error = product_make(&product, options.size);
    u64 begin;
    while (options.wait && (monitors_want() >> SYS_MONITOR_THREAD & 1) == 0)
        thread_sleep_us(10000);
    begin = time_now();
    if (error == 0)
        error = run(&product, &collected);
    if (error != 0) {
        fprintf(stderr, "matmul: %s\n", orrery_strerror(error));
        return 1;
    }
    printf("matmul: %lu ms\n", time_to_us(time_now() - begin) / 1000);
    printf("matmul: %lu reads, %lu records (%lu switches, %lu of threads), %lu lost\n",
           collected.reads, collected.records, collected.switches, collected.threads,
           collected.lost);
    if (!product_is_right(&product)) {
        fprintf(stderr, "matmul: the product is wrong\n");
        return 1;
    }
    printf("matmul: the product of %lu × %lu is right\n", options.size, options.size);
    return 0;
}
