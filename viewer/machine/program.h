// SPDX-License-Identifier: MIT
// A program that runs in the machine for this client, one of the machine's own or an uploaded one:
// its input comes from here, its output and its end go here. At most one at a time.
#ifndef KOV_PROGRAM_H
#define KOV_PROGRAM_H

#include "tools/kov.h"
#include "tools/memory.h"
#include "tools/options.h"

#include <stdio.h>

// Exit codes of a command whose program did not end by itself, as shells and timeout(1) have them.
#define PROGRAM_LIMIT 124       // it was ended after its time
#define PROGRAM_INTERRUPTED 130 // it was ended by Ctrl-C
#define PROGRAM_CRASHED 139     // it was ended by an exception
#define PROGRAM_KILLED 137      // the status of a process that was killed from here

// Of its first stack, as process_spawn has it (user/process.h).
#define PROGRAM_STACK_MIN (16 << 10)
#define PROGRAM_STACK_MAX (64 << 20)
// The row of an option table.
#define PROGRAM_STACK_OPTION(target)                                                               \
    BYTES(0, "stack", target, PROGRAM_STACK_MIN, PROGRAM_STACK_MAX, "its first stack, 16K to 64M")

struct program {
    // Set by the caller before program_open:
    bool in_machine; // the machine's, even if there is such a file here
    bool no_input;   // it gets no standard input
    u64 stack_bytes; // of its first stack; 0: as the program says
    FILE *out;       // where its output goes; NULL: into `output`

    const char *path; // as the user gave it
    u32 number, pid;  // pid 0: not started
    bool uploaded, ended;
    s32 status;      // once it has ended: 0x10000 + vector if by an exception
    int ended_for;   // 0: by itself, else PROGRAM_LIMIT or PROGRAM_INTERRUPTED
    double kill_by;  // when it is told to end (clock_now)
    u64 connections; // how often one was lost before it started: it ends with its own
    struct bytes output;
    u8 input[4096];
    size_t input_bytes;
    bool input_ended, end_told;
};

// Asks the machine for a place and uploads the file, if it is one of this host. Until it starts the
// machine has no process of it. count: of arguments. Returns an exit code.
int program_open(struct program *program, const char *path, int count, char *const *arguments);
// Starts it. It ends after `seconds` (INFINITY: no limit), or when the user interrupts.
int program_start(struct program *program, int count, char **arguments, double seconds);
// Feeds it and ends it when its time is over. Call it until `ended`, some fifty times a second, and
// take events in between.
int program_attend(struct program *program);
// Returns the command's exit code: the program's status (1 if that is beyond 255), or one of the
// above. Tells why it is not 0.
int program_verdict(const struct program *program);
// Forgets it. The machine gives its place back when the connection ends.
void program_free(struct program *program);

#endif
