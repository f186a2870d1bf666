// SPDX-License-Identifier: MIT
// Judges a disk after a power cut: /data loads, nothing that was synced is missing, no file is
// half, and all files are of one moment.
#ifndef TESTS_UNIT_FS_JUDGE_H
#define TESTS_UNIT_FS_JUDGE_H

#include <orrery/types.h>

#include "rounds.h"

enum verdict {
    VERDICT_FINE,
    VERDICT_NOT_LOADED, // no /data, or not all of it
    VERDICT_READ_ONLY,  // nothing can be written any more
    VERDICT_HALF,       // a file is not whole, or they are of no one moment
    VERDICT_LOST,       // something that was synced is missing
    VERDICT_COUNT,
};

// Judges what the server's code reads from the medium, with at least that round synced. *state: the
// files, if they are fine.
enum verdict judge_contents(u32 synced, struct round_state *state);
// The same by a whole server in a process of its own, asked for each file by its interface.
enum verdict judge_server(u32 synced);

#endif
