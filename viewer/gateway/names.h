// SPDX-License-Identifier: MIT
// Numbers for things, so that frames can refer to them, and what browsers must be told of each:
// key, label, class, process. Each machine has one table, which its thread fills.
#ifndef KOV_GATEWAY_NAMES_H
#define KOV_GATEWAY_NAMES_H

#include "gateway/blocks.h"
#include "machine/snapshot.h"
#include "tools/intern.h"

// With more, numbers begin again, since the machine makes and ends objects without limit.
#define THINGS_MAX 200000u
#define NAMES_KEY_BYTES 160
// Limit of things, and of classes, in one message.
#define NAMES_SENT_AT_ONCE 256u

struct names {
    const char *machine;
    struct intern keys;    // thing n + 1
    struct intern strings; // class n + 1
    u32 sent_keys, sent_strings;
    json_t *labels; // up to the last key: [key, label, class, process]; NULL: all are told
    u32 epoch;      // how often numbers began again
};

// Return the number of a thing, and make one when the key is new. 0 is no thing.
u32 names_machine(struct names *names);
u32 names_process(struct names *names, const struct snapshot *snapshot, u32 pid);
// Returns the number of the line above a process's objects: of those in the kernel, or of its own.
u32 names_side(struct names *names, u32 pid, bool kernel);
u32 names_object(struct names *names, const struct snapshot *snapshot, u32 pid, coid_t coid);
// Return the thing for a process's code at work for no object, and for the idle loop.
u32 names_code(struct names *names, const struct snapshot *snapshot, u32 pid);
u32 names_idle(struct names *names);
u32 names_class(struct names *names, const char *class_name);
// Returns the number of a string, such as a class's name.
u32 names_string(struct names *names, const char *text);

// Returns what must be told before frames that use the numbers: a part of limited size each time,
// with classes before their things. NULL: nothing more.
struct block *names_take(struct names *names);
// Returns whether there are too many. Then numbers must begin again, and all that used them must be
// said again.
bool names_are_full(const struct names *names);
void names_reset(struct names *names);

#endif
