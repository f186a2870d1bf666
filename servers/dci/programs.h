// SPDX-License-Identifier: MIT
// Programs that clients run, and the system's console, as the machine provides them. No function
// blocks.
#ifndef DCI_PROGRAMS_H
#define DCI_PROGRAMS_H

#include <orrery/types.h>

struct program;

// Makes a program that has not started. Returns 0, E_NOMEM or E_NOTSUP.
s64 program_open(struct program **program);
// Adds the next bytes of its ELF file. Returns 0 or an error.
s64 program_upload(struct program *program, const void *bytes, u64 count);
// Starts the uploaded file, or the one at `path` if nothing was uploaded. arguments[0] is its name.
// stack_bytes: of its first stack; 0: as the program says. Returns its pid or an error.
s64 program_start(struct program *program, const char *path, u64 stack_bytes, u32 count,
                  const char *const arguments[]);
// Reads its output. Returns the bytes read, 0 if there are none now, or E_PEER if no more will
// come.
s64 program_read(struct program *program, void *buffer, u64 bytes);
// Writes to its standard input. Returns how many bytes were taken, or an error.
s64 program_write(struct program *program, const void *bytes, u64 count);
void program_end_input(struct program *program);
// Returns true, and sets *status, if it has ended.
bool program_ended(const struct program *program, s32 *status);
// Ends it if it still runs, and forgets it.
void program_close(struct program *program);

// Reads the console's output from *position on. Moves *position to the first byte that is still
// kept, but not behind the bytes read. Returns the bytes read, 0 if there are none now, or an
// error.
s64 console_output(u64 *position, void *buffer, u64 bytes);
// Asks for the kick KICK_OUTPUT when something is printed. Returns 1 if there is output beyond
// position already, which the kick may not tell, or 0. An error: no kick will come.
s64 console_await(u64 position);
// Gives bytes to the console as if they were typed. Returns how many were taken, or an error.
s64 console_input(const void *bytes, u64 count);

#endif
