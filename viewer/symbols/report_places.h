// SPDX-License-Identifier: MIT
// Source lines for panics, reports of lockups and crash reports of programs, as the text that a
// machine prints passes by. The machine itself knows functions only.
#ifndef KOV_REPORT_PLACES_H
#define KOV_REPORT_PLACES_H

#include "symbols/kernel.h"
#include "symbols/programs.h"

#include <stdio.h>

#define REPORT_LINE_BYTES 256
#define REPORT_PROGRAM_BYTES 64
#define REPORT_PROGRAMS 64 // whose symbols are kept; then it begins anew

// All zero at first, but for the kernel's build id if it is known.
struct report_places {
    struct kernel kernel;
    struct programs programs;
    char line[REPORT_LINE_BYTES]; // that is not yet at its end; as much as has room
    size_t length;
    char program[REPORT_PROGRAM_BYTES]; // whose crash report it is; "" outside of reports
    bool calls;                         // the addresses to come are return addresses
};

// Writes text to `out` as it is, with the place in the source behind each line that tells an
// address of code, if the images are found. Nothing is held back. Prints no warnings.
void report_places_write(struct report_places *places, const char *text, size_t size, FILE *out);
void report_places_close(struct report_places *places);

#endif
