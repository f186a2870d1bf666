// SPDX-License-Identifier: MIT
// Named configurations say which events are measured, and how. Some are built in. The others are
// files of the user, which may be edited by hand:
//
//     # What waits for page tables.
//     about   translations that the TLB did not hold
//     events  itlb-miss,dtlb-miss,instructions
//     events  itlb-miss:k,dtlb-miss:k
//     shares  3,1
//
// Keys: about (one line for `kov config list`), events (a set as -e takes it; up to 16 of them),
// shares, cpus, slice (as for `kov stat`), period (as -c of `kov record`). An event may end with
// @PERIOD, which is for sampling only.
#ifndef KOV_EVENT_CONFIGURATION_H
#define KOV_EVENT_CONFIGURATION_H

#include "tools/options.h"

#define CONFIGURATION_BYTES 8192 // of one file
#define CONFIGURATION_NAME_BYTES 49

// Must not be copied, since it points into itself.
struct configuration {
    char name[CONFIGURATION_NAME_BYTES];
    bool built_in;
    const char *about;  // "" for none
    const char *events; // those of all sets, each event once, as -e takes them
    u64 period;         // 0: not given
    struct texts sets;  // each as -e takes it, with periods
    const char *shares; // NULL: not given
    const char *cpus;   // NULL: not given
    u64 slice;          // 0: not given

    char text[CONFIGURATION_BYTES + 1], joined[CONFIGURATION_BYTES + 1];
    char counted[CONFIGURATION_BYTES + 1];
};

// Loads the user's configuration of that name, else the built-in one. Returns KOV_OK. Prints what
// is wrong and returns KOV_USAGE if there is none, or KOV_FAILED, with file and line, if it cannot
// be read or is not valid.
int configuration_load(const char *name, struct configuration *out);
// Returns the sets without periods, for counting. Their texts are in the configuration.
struct texts configuration_count_sets(struct configuration *configuration);

// ---- for `kov config` --------------------------------------------------------------------------

// Parses the text of a file, which is already in out->text. Messages name `origin`. Returns KOV_OK
// or KOV_FAILED.
int configuration_parse(const char *origin, struct configuration *out);
// Reads the configuration from a file ("-": standard input).
int configuration_read(const char *path, const char *name, struct configuration *out);
// Returns KOV_USAGE with a message if the name is not allowed.
int configuration_check_name(const char *name);

// Writes it as in a file.
void configuration_write(FILE *out, const struct configuration *configuration);
// Saves it in the user's folder. With `replace` it replaces one of that name.
int configuration_save(const struct configuration *configuration, bool replace);
// Removes a configuration of the user. It is an error if there is none.
int configuration_remove(const char *name);

// Lists the names of all configurations, sorted, each once. The caller frees each name and the
// array.
int configuration_names(char ***names, size_t *count);

// Returns the text of a built-in configuration, or NULL.
const char *configuration_built_in(const char *name);
const char *configuration_built_in_name(size_t index); // NULL past the last

#endif
