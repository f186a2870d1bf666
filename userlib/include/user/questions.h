// SPDX-License-Identifier: MIT
// Questions of the monitor that a program answers itself, besides those that its library does
// (orrery/inspect.h).
#ifndef USER_QUESTIONS_H
#define USER_QUESTIONS_H

#include <orrery/types.h>

// Has `answer` answer what the library does not know, in the library's thread, which runs at the
// highest priority; it may use `bytes` of the buffer, and returns how many it has filled, or an
// error. Once, at the start.
void user_on_question(s64 (*answer)(u64 operation, const u64 arguments[2], void *buffer,
                                    u64 bytes));

#endif
