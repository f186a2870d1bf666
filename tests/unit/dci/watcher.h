// SPDX-License-Identifier: MIT
// A viewer that counts what it is pushed of sampling and the trace, in order.
#ifndef TESTS_DCI_WATCHER_H
#define TESTS_DCI_WATCHER_H

#include "harness.h"

struct watcher {
    struct peer *peer;
    u64 samples, packets;
    u64 begun, ended, failed;            // events that said so
    bool running;                        // between the two
    u64 before;                          // what the last begin said was pushed before it
    u64 given, missed, missed_bytes;     // as told last
    u64 pushed;                          // as the last end said
    Orrery__Dci__SharingEnd reason;      // of it
    u32 owner, successor;                // of the last begin, and end
    u64 taken, filtered, events;         // as the last end had them, of all streams
    u64 response_taken, response_events; // the same of an answer
    bool answered;
    s64 error;
    u32 displaced;                                                // as the last answer said
    u64 pushes;                                                   // of samples, or of sums
    void (*sees)(void *context, const Orrery__Dci__Event *event); // every event; NULL: nobody
    void *context;
};

// With room for so many bytes beyond the hello.
struct watcher watcher_connect(const char *token, u64 room);
// Takes all that has come.
void watcher_take(struct watcher *watcher);
// Sends, settles, takes all; returns the error of the answer, which must have come.
s64 watcher_ask(struct watcher *watcher, request_t *request);
u32 watcher_number(struct watcher *watcher); // of the client
void watcher_leaves(struct watcher *watcher);

// A start of an event, of all processes but this one; 0: of all.
request_t *sampling_request(bool yielding, u32 except_pid);
#define JOIN_SUMS                                                                                  \
    REQUEST(SAMPLING_JOIN, sampling_join,                                                          \
            (&(Orrery__Dci__SamplingJoinRequest){                                                  \
                PROTOBUF_C_MESSAGE_INIT(&orrery__dci__sampling_join_request__descriptor),          \
                .sums = true}))
#define JOIN_STACKS                                                                                \
    REQUEST(SAMPLING_JOIN, sampling_join,                                                          \
            (&(Orrery__Dci__SamplingJoinRequest){                                                  \
                PROTOBUF_C_MESSAGE_INIT(&orrery__dci__sampling_join_request__descriptor),          \
                .sums = true, .stacks = true}))
#define JOIN_SAMPLING EMPTY(SAMPLING_JOIN, sampling_join, SamplingJoin, SAMPLING_JOIN)
#define LEAVE_SAMPLING EMPTY(SAMPLING_LEAVE, sampling_leave, SamplingLeave, SAMPLING_LEAVE)
#define STOP_SAMPLING EMPTY(SAMPLING_STOP, sampling_stop, SamplingStop, SAMPLING_STOP)
#define JOIN_TRACE EMPTY(TRACE_JOIN, trace_join, TraceJoin, TRACE_JOIN)
#define LEAVE_TRACE EMPTY(TRACE_LEAVE, trace_leave, TraceLeave, TRACE_LEAVE)
#define UNSUBSCRIBE EMPTY(TRACE_UNSUBSCRIBE, trace_unsubscribe, TraceUnsubscribe, TRACE_UNSUBSCRIBE)

#endif
