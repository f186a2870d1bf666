// SPDX-License-Identifier: MIT
// The folder that a recording command writes. A recording that was there stays whole until the new
// one may take its place, and is kept as FOLDER.old. Until then the new one is written beside it.
#ifndef KOV_OUT_FOLDER_H
#define KOV_OUT_FOLDER_H

#include <stdbool.h>

struct out_folder {
    const char *path; // as the user named it
    char *target;     // the recording that is to be replaced, through links; NULL: there is none
    char *place;      // where files are written now; NULL: none is open
    int fd;           // of `place`; its lock keeps other kov away
    bool made;        // `place` is removed if nothing is kept; else it was there, and empty
    bool (*is_part)(const char *name); // whether a file may be removed with its recording
};

// Makes the folder, or takes an empty one. A folder with a file `metadata` is a recording, which
// out_folder_place replaces. Another folder with something in it is an error, and so is one that
// another kov is writing. Prints a message on errors; there is nothing to close then.
int out_folder_open(struct out_folder *out, const char *path, bool (*is_part)(const char *name));
// Moves the recording that is there to FOLDER.old, and the new one to its place. Does nothing if it
// is there. On KOV_FAILED, with a message, what was there is still there.
int out_folder_place(struct out_folder *out);
// Closes it. Unless it is kept, what was written is removed.
void out_folder_close(struct out_folder *out, bool kept);

#endif
