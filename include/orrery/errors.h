// SPDX-License-Identifier: MIT
// The one list of errors. Every function returns 0 (or a count) or one of these negative numbers.
// DCI clients see the same numbers.
#ifndef ORRERY_ERRORS_H
#define ORRERY_ERRORS_H

#define ORRERY_ERRORS(X)                                                                           \
    X(E_INVAL, -1, "invalid argument")                                                             \
    X(E_NOMEM, -2, "out of memory")                                                                \
    X(E_NOENT, -3, "no such thing")                                                                \
    X(E_STALE, -4, "stale object identifier")                                                      \
    X(E_BUSY, -5, "in use")                                                                        \
    X(E_LIMIT, -6, "limit reached")                                                                \
    X(E_PERM, -7, "not permitted")                                                                 \
    X(E_FAULT, -8, "bad address")                                                                  \
    X(E_TIMEOUT, -9, "timed out")                                                                  \
    X(E_AGAIN, -10, "nothing there yet, try again")                                                \
    X(E_EXIST, -11, "exists already")                                                              \
    X(E_IO, -12, "input/output error")                                                             \
    X(E_PROTO, -13, "malformed message")                                                           \
    X(E_NOTSUP, -14, "not supported")                                                              \
    X(E_PEER, -15, "the other side has ended")                                                     \
    X(E_NOTDIR, -16, "not a directory")                                                            \
    X(E_ISDIR, -17, "is a directory")                                                              \
    X(E_NOTEMPTY, -18, "not empty")

enum orrery_error {
#define ORRERY_ERROR_ENUM(name, value, text) name = value,
    ORRERY_ERRORS(ORRERY_ERROR_ENUM)
#undef ORRERY_ERROR_ENUM
};

// Returns a constant string for any value: "success" for 0 and positive ones.
static inline const char *orrery_strerror(long error)
{
    switch (error) {
#define ORRERY_ERROR_TEXT(name, value, text)                                                       \
    case value:                                                                                    \
        return text;
        ORRERY_ERRORS(ORRERY_ERROR_TEXT)
#undef ORRERY_ERROR_TEXT
    default:
        return error >= 0 ? "success" : "unknown error";
    }
}

#endif
