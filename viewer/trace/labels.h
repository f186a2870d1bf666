// SPDX-License-Identifier: MIT
// Names of processes, threads and classes, and classes and owners of objects, as the trace tells
// them. Its state names what was there when it began; events name what was created later. Memory:
// by the number of names and of objects.
#ifndef KOV_LABELS_H
#define KOV_LABELS_H

#include "tools/keyed_rows.h"
#include "trace/engine.h"

enum label_kind { LABEL_PROCESS, LABEL_THREAD, LABEL_CLASS, LABEL_SENSOR, LABEL_KINDS };

struct label {
    u64 key[KEY_WORDS]; // its number; of a sensor its process's, and its own
    char name[TRACE_TEXT_BYTES];
};

struct labels {
    struct keyed_rows kinds[LABEL_KINDS];                 // struct label
    struct keyed_rows classes, processes, parents, owned; // struct link
    struct keyed_rows places;                             // of the kernel's objects in memory
    void **by_address;                                    // the same rows in order
    size_t by_address_count;
    bool followed, unfollowed; // objects that come and go are told; or no more
};

// Prepares for a visit that begins at `from`. `labels` is all zero before, or has learnt from this
// trace. If `from` is not the trace's beginning, and no names are known yet, it takes the names of
// the state with which the trace begins, and the caller must seek the engine again. Returns an exit
// code.
int labels_begin(struct labels *labels, struct engine *engine, u64 from);
// Prepares for events that come by and by, from the beginning on.
void labels_prepare(struct labels *labels);
// Learns from any event.
void labels_learn(struct labels *labels, const struct trace_event *event);
// Returns NULL if the trace does not tell the name.
const char *labels_find(const struct labels *labels, enum label_kind kind, u64 number);
// Returns the class of an object of the kernel, or NULL.
const char *labels_class_of(const struct labels *labels, u64 coid);
// Finds the process that an endpoint belongs to. Returns false if the trace does not tell it.
bool labels_owner_of(const struct labels *labels, u64 endpoint, u64 *pid);
// The same of a sensor of that process.
const char *labels_find_sensor(const struct labels *labels, u64 pid, u64 sensor);
// Finds the object of the kernel in whose memory an address was all the time from `from` to `to`.
// Returns false if there was none, or if not all objects that came and went are told.
bool labels_object_at(struct labels *labels, u64 address, u64 from, u64 to, u64 *coid, u64 *offset);
// Events of the kernel are missing.
void labels_lose(struct labels *labels);
// Gives a process the name that a dump of memory tells, unless the trace has told one.
void labels_name_process(struct labels *labels, u64 pid, const char *name);
void labels_free(struct labels *labels);

#endif
