// SPDX-License-Identifier: MIT
// The manifest: which servers there are, with what rights,
// after which others (docs/servers.md has the format).
#ifndef INIT_MANIFEST_H
#define INIT_MANIFEST_H

#include <orrery/process.h>

#define SERVICES_MAX 16
#define SERVICE_NAME_MAX 31
#define SERVICE_PROGRAM_MAX 63
#define SERVICE_ARGUMENTS_MAX 8
#define SERVICE_TEXT_MAX 256 // all arguments with their NULs

enum restart { RESTART_ALWAYS, RESTART_FAILURE, RESTART_NEVER };

struct service_plan {
    char name[SERVICE_NAME_MAX + 1];
    char program[SERVICE_PROGRAM_MAX + 1];
    u32 rights;
    u32 priority; // enum process_priority
    u64 memory_limit;
    u32 needs; // mask of services by index
    enum restart restart;
    bool console; // has the console: started last, and not when a program runs instead
    bool unnamed; // registers no name: it is up as soon as it runs
    u32 argument_count;
    char *arguments[SERVICE_ARGUMENTS_MAX]; // into text
    char text[SERVICE_TEXT_MAX];
};

struct manifest {
    u32 count;
    struct service_plan services[SERVICES_MAX];
};

// Takes the lines that are right, in order; for each that is wrong it calls complain with the
// line's number and what is wrong. text is NUL-terminated and changed. Services that need ones that
// are not there, or each other in a circle, are wrong.
void manifest_parse(char *text, struct manifest *manifest,
                    void (*complain)(u32 line, const char *what));
// Index of a service, or -1.
s32 manifest_find(const struct manifest *manifest, const char *name);

#endif
