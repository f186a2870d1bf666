// SPDX-License-Identifier: MIT
// Words for the numbers of a trace: what a system call, an error, a reason, a thread, an object, a
// lock or an address is called. For the listing of events and for the tables of all tools, so that
// the same thing has the same name everywhere.
#ifndef KOV_EVENT_WORDS_H
#define KOV_EVENT_WORDS_H

#include "analyses/trace_tool.h"

#define WORD_BYTES 256

struct event_words {
    struct trace_walk *walk; // knows names, and whose threads are
    const struct descriptions *descriptions;
    struct trace_names names;
    u8 (*kinds)[TRACE_MAX_FIELDS]; // of the fields of each description
};

// Begins, also again when the descriptions have changed. All zero at first. Walk and descriptions
// must stay.
void event_words_begin(struct event_words *words, struct trace_walk *walk,
                       const struct descriptions *descriptions);
void event_words_free(struct event_words *words);

// Writes the word for a field's value. pid: the process that the event was for. Returns false if
// there is none; the number is then all that is known.
bool event_word(struct event_words *words, const struct trace_event *event, u32 field,
                const u64 values[TRACE_MAX_FIELDS], u64 pid, char text[WORD_BYTES]);
// Writes the event's text as its format says, with words in place of numbers. `string` is the text
// of its last field, or NULL.
void event_words_text(struct event_words *words, const struct trace_event *event,
                      const u64 values[TRACE_MAX_FIELDS], const char *string, u64 pid, char *text,
                      size_t size);

// ---- for tables --------------------------------------------------------------------------------

// Write "fs:2", "kernel"; "Region:0x2340"; "fs:2:0x2340" for an endpoint. If the trace does not
// tell more they write the number, and return false.
bool word_of_process(const struct labels *labels, u64 pid, char text[WORD_BYTES]);
bool word_of_object(const struct labels *labels, u64 coid, char text[WORD_BYTES]);
bool word_of_endpoint(const struct labels *labels, u64 endpoint, char text[WORD_BYTES]);
// Puts a process as KEY, "fs:2".
void event_words_put_process(json_t *row, const char *key, const struct labels *labels, u64 pid);
// Puts "endpoint", a number, and "endpoint_name".
void event_words_put_endpoint(json_t *row, const struct labels *labels, u64 endpoint);
// Puts "method", a number, and "method_name", "fs.write".
void event_words_put_method(json_t *row, u64 method);
// Puts "lock", a number, and "lock_name", of a lock that was there all the time of the walk.
void event_words_put_lock(json_t *row, struct trace_walk *walk, struct symbols *symbols,
                          u64 address);
// Writes the variable that a lock is or lies in, "ready+0x40", or the object, "Thread:0x2340+0x18".
// `symbols` are those of the lock's program; walk: NULL if that is not the kernel.
bool word_of_lock(struct trace_walk *walk, struct symbols *symbols, u64 address, u64 from, u64 to,
                  char text[WORD_BYTES]);

#endif
