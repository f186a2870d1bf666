// SPDX-License-Identifier: MIT
// Numbers for things, so that frames can speak of them, and what browsers must be told about each:
// key, label, class, process. One table a machine, filled by its thread.
#ifndef KOV_GATEWAY_NAMES_H
#define KOV_GATEWAY_NAMES_H

#include "gateway/blocks.h"
#include "machine/snapshot.h"
#include "tools/intern.h"

// More, and numbers begin anew: the machine makes and ends objects without end.
#define THINGS_MAX 200000u
#define NAMES_KEY_BYTES 160
// Things, and classes, in one message.
#define NAMES_TOLD_AT_ONCE 256u

struct names {
    const char *machine;
    struct intern keys;    // thing n + 1
    struct intern strings; // class n + 1
    u32 told_keys, told_strings;
    json_t *labels; // up to the last key's: [key, label, class, process]; NULL: all are told
    u32 epoch;      // how often numbers began anew
};

// 0 is no thing. Each makes the number when the key is new.
u32 names_machine(struct names *names);
u32 names_process(struct names *names, const struct snapshot *snapshot, u32 pid);
// The line of a process's objects in the kernel, or of its own.
u32 names_side(struct names *names, u32 pid, bool kernel);
u32 names_object(struct names *names, const struct snapshot *snapshot, u32 pid, coid_t coid);
u32 names_class(struct names *names, const char *class_name);
// The string's number, of a class's name.
u32 names_string(struct names *names, const char *text);

// What has to be told before frames that use the numbers, a part of bounded size each time, classes
// before the things that are of them; NULL: nothing more.
struct block *names_take(struct names *names);
// Was nothing told of the numbers that there are?
bool names_are_untold(const struct names *names);
// Too many: numbers begin anew. All that was said with them must be said again.
bool names_are_full(const struct names *names);
void names_reset(struct names *names);

#endif
