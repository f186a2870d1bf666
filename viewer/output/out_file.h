// SPDX-License-Identifier: MIT
// Where a command writes: a file that the user names, or stdout. What was at the path stays whole
// until the new file may take its place: until then it is written beside it, as a draft.
#ifndef KOV_OUT_FILE_H
#define KOV_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct out_file {
    FILE *file;
    const char *path; // as the user named it; NULL: stdout
    char *target;     // the file that is replaced, through links; NULL: written to as it is
    char *draft;      // the file that is written, until it is in place; NULL: it is
};

// Returns the path of a file beside another: its name with something before and behind it. The
// caller frees it.
char *path_beside(const char *path, const char *before, const char *behind);

// Returns whether a kov is writing a file or folder: it holds a lock on it.
bool path_is_written(const char *path);

// Takes what --output names. "-" is stdout, as nothing is: *path becomes NULL. Refuses --json and
// --csv then: stdout cannot hold both what is written and an account of it.
int out_file_check(const char **path);

// Opens a draft for a file. A device or a pipe is written to as it is. A draft that a killed kov
// left behind is used again. One that another kov is writing, or a file that it is writing, is an
// error. The caller closes it if this returns KOV_OK. Else a message has been printed.
int out_file_open(struct out_file *out, const char *path);
// Puts the draft in place. keep_old: what was there stays as PATH.old. Does nothing if it is in
// place. On KOV_FAILED, with a message, what was there is still there.
int out_file_place(struct out_file *out, bool keep_old);
// Closes the file. With code KOV_OK it puts the draft in place, with another it removes a draft,
// but not what is in place. Returns `code`, or KOV_FAILED if not all could be written.
int out_file_close(struct out_file *out, int code);

#endif
