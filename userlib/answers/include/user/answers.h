// SPDX-License-Identifier: MIT
// Checks what processes answer the monitor (orrery/inspect.h). Check an answer as a whole first;
// read its records only if it is sound. No function here has a state of its own, takes memory or
// calls the system.
#ifndef USER_ANSWERS_H
#define USER_ANSWERS_H

#include <orrery/inspect.h>
#include <orrery/sys.h>

#define ANSWER_CLASSES_MAX 256 // of a process; ids go from 1 to this, or from 0

// Why an answer is nonsense.
enum answer_flaw {
    ANSWER_SOUND,
    ANSWER_SIZE,   // says that it has more bytes than it was given room for
    ANSWER_CUT,    // ends within a record
    ANSWER_LENGTH, // a record's length does not fit what it says is in it
    ANSWER_COID,   // an identifier that no object can have
    ANSWER_ORDER,  // records are not in rising order, or begin again
    ANSWER_NUMBER, // a CPU, class or operation that cannot be
    ANSWER_TIME,   // a record's time is before that of the record before it, or yet to come
    ANSWER_FLAWS,
};
// Returns a text for people, such as "a record that is cut off". flaw: not ANSWER_SOUND.
const char *answer_flaw_text(enum answer_flaw flaw);

// How far a list of a process has come, over any number of answers. Records rise, so no list is
// without end. Zeroed at first.
struct answer_place {
    u64 next_class; // the least id that may follow
    coid_t next;    // the least COID that may follow
    u32 next_cpu;   // of counts: with the COID before that one, the least CPU
};

// The bytes of an answer, 8-aligned, that nobody else can change.
struct answer_bytes {
    const u8 *at;
    u64 left;
};

// Each of these checks one kind of answer. status (> 0): the bytes that the process says it has
// written. room: the most that it was asked for. bytes: holds the smaller of the two. If the answer
// is sound, *place is moved on.
enum answer_flaw answer_check_classes(const u8 *bytes, s64 status, u64 room,
                                      struct answer_place *place);
enum answer_flaw answer_check_objects(const u8 *bytes, s64 status, u64 room,
                                      struct answer_place *place);
enum answer_flaw answer_check_counts(const u8 *bytes, s64 status, u64 room,
                                     struct answer_place *place);
// now: time base, not before the answer was taken.
enum answer_flaw answer_check_logs(const u8 *bytes, s64 status, u64 room, u64 now);
enum answer_flaw answer_check_trace_stat(const u8 *bytes, s64 status, u64 room);

// Takes the next record of a sound answer. Returns false if there is none. Text is printable ASCII,
// with a NUL.
bool answer_next_class(struct answer_bytes *answer, struct sys_class *class_info);
// *children: in the answer's bytes.
bool answer_next_object(struct answer_bytes *answer, struct sys_object *object,
                        const coid_t **children);
bool answer_next_count(struct answer_bytes *answer, struct sys_dref_count *count);
// *records: in the answer's bytes, log->count of them.
bool answer_next_log(struct answer_bytes *answer, struct sys_blocked_log *log,
                     const struct sys_blocked_record **records);

// Copies a text of at most bytes - 1 characters to `to`, with a NUL. Characters that are not
// printable ASCII become '?'.
void answer_text(char *to, const char *from, u64 bytes);

#endif
