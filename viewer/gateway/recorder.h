// SPDX-License-Identifier: MIT
// Records a machine: what its thread asks and gets goes to a tape.
#ifndef KOV_GATEWAY_RECORDER_H
#define KOV_GATEWAY_RECORDER_H

#include "gateway/tape.h"

struct recorder;

// NULL: the file cannot be made, or is there; a message tells.
struct recorder *recorder_new(const char *path, const char *machine);
void recorder_free(struct recorder *recorder);
// From here on, of the link of the thread that calls this.
void recorder_attach(struct recorder *recorder);
// The connection was lost.
void recorder_lost(struct recorder *recorder);
// What was written, and what was not.
const struct tape_writer *recorder_account(const struct recorder *recorder);

#endif
