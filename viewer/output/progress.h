// SPDX-License-Identifier: MIT
// One line on stderr that shows the progress of long work. It shows nothing if stderr is no
// terminal, or in a thread whose messages go elsewhere.
#ifndef KOV_PROGRESS_H
#define KOV_PROGRESS_H

void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Removes the line.
void progress_end(void);

#endif
