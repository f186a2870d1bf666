// SPDX-License-Identifier: MIT
// Named configurations: which events are measured, and how. Some are built in, the others are files
// of the user's that are meant to be edited by hand:
//
//     # What waits for page tables.
//     about   translations that the TLB did not hold
//     events  itlb-miss,dtlb-miss,instructions
//     events  itlb-miss:k,dtlb-miss:k
//     shares  3,1
//
// Keys: about (one line for `kov config list`), events (a set, as behind -e; up to 16 of them),
// shares, cpus, slice (as of `kov stat`), period (as -c of `kov record`). Behind an event may stand
// @PERIOD, which is for sampling only.
#ifndef KOV_EVENT_CONFIGURATION_H
#define KOV_EVENT_CONFIGURATION_H

#include "tools/options.h"

#define CONFIGURATION_BYTES 8192 // of a file
#define CONFIGURATION_NAME_BYTES 49

// Not to be copied: what it points to lies in itself.
struct configuration {
    char name[CONFIGURATION_NAME_BYTES];
    bool built_in;
    const char *about;  // "" for none
    const char *events; // all sets', each event once, as behind one -e
    u64 period;         // 0: not given
    struct texts sets;  // each as behind -e, with periods
    const char *shares; // NULL: not given
    const char *cpus;   // the same
    u64 slice;          // 0: not given

    char text[CONFIGURATION_BYTES + 1], joined[CONFIGURATION_BYTES + 1];
    char counted[CONFIGURATION_BYTES + 1];
};

// The user's of that name, else the built-in one. KOV_OK, or what is wrong has been told: there is
// none (KOV_USAGE), or it cannot be read or is not valid (KOV_FAILED, with file and line).
int configuration_load(const char *name, struct configuration *out);
// The sets without periods, for counting. They lie in the configuration.
struct texts configuration_count_sets(struct configuration *configuration);

// ---- for `kov config` --------------------------------------------------------------------------

// Takes apart the text of a file, which is in out->text already;
// `origin` is named in messages. KOV_OK or KOV_FAILED.
int configuration_parse(const char *origin, struct configuration *out);
// Reads a file ("-": standard input) instead of what has been saved.
int configuration_read(const char *path, const char *name, struct configuration *out);
// KOV_USAGE, with a message, when it can be no name.
int configuration_check_name(const char *name);

// Writes it as it stands in a file.
void configuration_write(FILE *out, const struct configuration *configuration);
// Into the user's folder; `replace`: also if there is one of that name.
int configuration_save(const struct configuration *configuration, bool replace);
// The user's, of which there must be one.
int configuration_remove(const char *name);

// Names of all, in order, each once; to be freed one by one, and the array.
int configuration_names(char ***names, size_t *count);

// The text of a built-in one, or NULL.
const char *configuration_built_in(const char *name);
const char *configuration_built_in_name(size_t index); // NULL past the last

#endif
