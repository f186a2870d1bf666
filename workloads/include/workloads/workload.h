// SPDX-License-Identifier: MIT
// Workloads: named in-guest programs for demonstration and validation, started from the boot line
// (`workload=`) or by a viewer (orrery/sys.h). Each does counted work on the given CPUs and ends
// with its own account. The monitor's findings are checked against it.
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <orrery/sys.h>
#include <orrery/types.h>

// Starts boot_options.workload, if given. If it cannot, prints an error that lists the valid ones
// and powers off with a failing status. Thread context, once, after all services are up.
void workload_start_at_boot(void);

// ---- what a workload is written with -----------------------------------------------------------

#define WORKLOAD_PARAMS_MAX 8
#define WORKLOAD_LIST_MAX 8

struct workload_value {
    u32 count;
    u64 numbers[WORKLOAD_LIST_MAX];
};

enum workload_param_kind {
    PARAM_NUMBER, // low … high
    PARAM_LIST,   // exactly `length` numbers, low … high each, as 1-2-4
    PARAM_CPUS,   // `all`, or CPU numbers, as 0-2; becomes a mask in numbers[0]
    PARAM_CHOICE, // one of the words of `choices` (a|b|c); becomes its index in numbers[0]
};

struct workload_param {
    const char *key;
    enum workload_param_kind kind;
    const char *fallback; // parsed like a given value
    u64 low, high;
    u32 length;
    const char *choices;
};

struct workload_run {
    struct workload_value values[WORKLOAD_PARAMS_MAX]; // in the order of the parameters
    u64 cpus;                                          // mask that work runs on
    bool stop;                                         // asked to end: see workload_stopping
    s32 result;
    const coid_t
        *objects; // set by prepare, for the scan: what the run works on, while it is prepared
    u32 object_count;
    u32 report_length;
    char report[sizeof(((struct sys_workload_status *)0)->report)];
};

struct workload {
    const char *name;
    const char *help;
    const struct workload_param *params;
    u32 param_count;
    u32 cpus_param; // index of the CPUs' parameter; UINT32_MAX: CPU 0 only
    // Makes what the work needs, in the caller's thread. Returns 0 or an error, with everything
    // undone.
    int (*prepare)(struct workload_run *run);
    // Runs in a thread of low priority on each CPU of run->cpus; all start together.
    void (*work)(struct workload_run *run, u32 cpu);
    // Writes the report, once, in the thread that ends last.
    void (*finish)(struct workload_run *run);
    // Undoes prepare, at the next start, or at a stop after the end. Until then the run's objects
    // stay, so that a viewer can read their counts.
    void (*release)(struct workload_run *run);
};

static inline bool workload_stopping(const struct workload_run *run)
{
    return __atomic_load_n(&run->stop, __ATOMIC_ACQUIRE);
}

// Appends a line "key value" to the report; if it does not fit the run ends with E_LIMIT.
void workload_report(struct workload_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Puts a workload on the image's list.
#define WORKLOAD(variable)                                                                         \
    static const struct workload *const variable##_entry                                           \
        __attribute__((used, section(".workloads"))) = &variable

// Returns the time base after this many seconds; 0: never comes.
u64 workload_deadline(u64 seconds);

// Append lines to the report: "key number", and "key.0x10 number" of an object.
void workload_report_number(struct workload_run *run, const char *key, u64 number);
void workload_report_object(struct workload_run *run, const char *key, coid_t coid, u64 number);

// Appends the line "failed number": if it is not 0, the run ends with E_IO.
void workload_report_failed(struct workload_run *run, u64 number);

// Destroys run->objects, for `release`.
void workload_destroy_objects(struct workload_run *run);
// For workloads with nothing to prepare, report or undo.
int workload_no_prepare(struct workload_run *run);
void workload_nothing(struct workload_run *run);

#endif
