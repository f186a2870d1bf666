// SPDX-License-Identifier: MIT
// Frames of every kind, written to a file for tests in other languages. vectors.c is generated
// (viewer/gateway/messages.py --vectors).
#ifndef GATEWAY_VECTORS_H
#define GATEWAY_VECTORS_H

// Frames with 0, 1 and 5 rows, each behind its length as u32. 0, or 1 where the file cannot be
// written.
int vectors_write(const char *path);

#endif
