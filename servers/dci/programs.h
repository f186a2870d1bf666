// SPDX-License-Identifier: MIT
// Programs that clients run, and the system's console: what the machine does for them.
// No call blocks.
#ifndef DCI_PROGRAMS_H
#define DCI_PROGRAMS_H

#include <orrery/types.h>

struct program;

// A program to be: E_NOMEM, E_NOTSUP.
s64 program_open(struct program **program);
// The next bytes of its ELF file.
s64 program_upload(struct program *program, const void *bytes, u64 count);
// Starts the uploaded file or, without one, that at `path`. arguments[0] is its name. Its pid,
// or an error.
s64 program_start(struct program *program, const char *path, u32 count,
                  const char *const arguments[]);
// What it has printed: bytes, 0 when there is nothing now, E_PEER when nothing more will come.
s64 program_read(struct program *program, void *buffer, u64 bytes);
// Bytes for its standard input: how many were taken.
s64 program_write(struct program *program, const void *bytes, u64 count);
void program_end_input(struct program *program);
bool program_ended(const struct program *program, s32 *status);
// Ends it if it still runs, and forgets it.
void program_close(struct program *program);

// What the console printed from *position on, which is moved to the first byte that is still kept,
// and not beyond. Bytes, 0 when there is nothing now.
s64 console_output(u64 *position, void *buffer, u64 bytes);
// As if typed: how many were taken.
s64 console_input(const void *bytes, u64 count);

#endif
