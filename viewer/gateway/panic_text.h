// SPDX-License-Identifier: MIT
// Why a machine panicked. Its kernel prints that on the console after the DCI server has stopped,
// so it is read from the file to which the emulator's output goes.
#ifndef KOV_GATEWAY_PANIC_TEXT_H
#define KOV_GATEWAY_PANIC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Returns the size of the file in bytes, 0 if it cannot be read. It never waits.
long panic_text_begin(const char *path);
// Finds the last line that tells a panic behind the byte `begin`, and writes it without what does
// not print. A file that has become shorter has begun anew. Returns whether there is one.
bool panic_text_find(const char *path, long begin, char *text, size_t size);

#endif
