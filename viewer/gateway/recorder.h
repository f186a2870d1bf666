// SPDX-License-Identifier: MIT
// Records a machine: writes to a tape what its thread asks and gets.
#ifndef KOV_GATEWAY_RECORDER_H
#define KOV_GATEWAY_RECORDER_H

#include "gateway/tape.h"

struct recorder;

// Returns NULL with a message if the file cannot be made, or already exists.
struct recorder *recorder_new(const char *path, const char *machine);
void recorder_free(struct recorder *recorder);
// Records the link of the calling thread from here on.
void recorder_attach(struct recorder *recorder);
// Notes that the connection was lost.
void recorder_lost(struct recorder *recorder);
// Returns what was written, and what was not.
const struct tape_writer *recorder_account(const struct recorder *recorder);

#endif
