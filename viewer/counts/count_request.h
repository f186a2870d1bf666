// SPDX-License-Identifier: MIT
// What `kov stat -e` is to count: sets of events.
#ifndef KOV_COUNT_REQUEST_H
#define KOV_COUNT_REQUEST_H

#include "counts/event_list.h"
#include "tools/options.h"

#define COUNT_ITEMS_MAX 64
#define COUNT_SETS_MAX TEXTS_MAX

// The protocol's numbers.
enum count_mode { COUNT_ALL, COUNT_KERNEL, COUNT_USER, COUNT_MODES };

// What has counts of its own: the protocol's flags.
enum count_tasks { COUNT_NO_TASKS, COUNT_PROCESSES, COUNT_THREADS };

struct count_item {
    const struct event_info *event;
    enum count_mode mode;
    u32 set;
};

struct count_request {
    struct count_item items[COUNT_ITEMS_MAX];
    u32 item_count;
    u32 shares[COUNT_SETS_MAX];
    u32 set_count;
    u32 cpu_mask;    // 0: all
    u32 slice_event; // number of the event that measures turns
    u64 slice;       // 0: the machine's default
    enum count_tasks tasks;
    bool yielding; // ends when others need its counters
    u64 session;   // 0: not begun
};

// The request as given on the command line.
struct count_options {
    struct texts sets;  // "EVENT[:u|:k],…" each; "all" stands for every event
    const char *shares; // "3,1": one for each set; NULL: equal shares
    const char *cpus;   // "0-2,5"; NULL: all
    u64 slice;
    enum count_tasks tasks;
};

// Fills *request. Its items point into the list. Returns KOV_OK or KOV_USAGE.
int count_request_parse(const struct count_options *options, const struct event_list *list,
                        struct count_request *request);

// Returns the event that measures slices. Instructions are best, because none pass while a CPU
// sleeps. A machine that does not count them has cycles, or says what it misses.
u32 count_slice_event(const struct event_list *list);

// Reads a list of CPUs as --cpus takes it. Bit n is CPU n; 0 means all, as does a text of NULL.
// Returns KOV_OK or KOV_USAGE.
int cpu_list_parse(const char *text, u32 *mask);

#define COUNT_NAME_BYTES 32
// Writes a name such as "larx", "larx:u" or "larx:k". Returns it.
const char *count_item_name(const struct count_item *item, char name[COUNT_NAME_BYTES]);
const char *count_mode_suffix(enum count_mode mode);
// Reads what follows the colon of an event. Returns false if it is no mode.
bool count_mode_parse(const char *text, size_t length, enum count_mode *mode);
// Returns the name of the mode in JSON.
const char *count_mode_name(enum count_mode mode);

#endif
