// SPDX-License-Identifier: MIT
// The manifest: the servers, their rights, and the order of their starts (docs/servers.md has the
// format). init's first thread reads it once; afterwards it does not change.
#ifndef INIT_MANIFEST_H
#define INIT_MANIFEST_H

#include <orrery/process.h>

#define SERVICES_MAX 16
#define SERVICE_NAME_MAX 31
#define SERVICE_PROGRAM_MAX 63
#define SERVICE_ARGUMENTS_MAX 8
#define SERVICE_TEXT_MAX 256 // all arguments with their NULs
#define RESERVED_NAMES_MAX 16

enum restart { RESTART_ALWAYS, RESTART_FAILURE, RESTART_NEVER };

struct service_plan {
    char name[SERVICE_NAME_MAX + 1];
    char program[SERVICE_PROGRAM_MAX + 1];
    u32 rights;
    u32 priority;     // enum process_priority
    u64 memory_limit; // bytes, 0: none
    u32 needs;        // mask of services by index
    enum restart restart;
    bool console; // uses the console: started last, and not if a program runs instead
    bool unnamed; // registers no name, and so is up as soon as it runs
    u32 argument_count;
    char *arguments[SERVICE_ARGUMENTS_MAX]; // into text
    char text[SERVICE_TEXT_MAX];
};

// A name that only processes with one of these rights register.
struct reserved_name {
    char name[SERVICE_NAME_MAX + 1];
    u32 rights;
};

struct manifest {
    u32 count, reserved_count;
    struct service_plan services[SERVICES_MAX];
    struct reserved_name reserved[RESERVED_NAMES_MAX];
};

// Reads a NUL-terminated text, and changes it. Adds each correct line to the manifest, in order.
// For each wrong line it calls complain with the line's number (from 1) and what is wrong. A
// service may need only services that are listed above it, so there are no circles.
void manifest_parse(char *text, struct manifest *manifest,
                    void (*complain)(u32 line, const char *what));
// Returns the rights that the name is reserved for, or 0: it is not.
u32 manifest_reserved(const struct manifest *manifest, const char *name);
// Returns the index of the service with this name, or -1.
s32 manifest_find(const struct manifest *manifest, const char *name);

#endif
