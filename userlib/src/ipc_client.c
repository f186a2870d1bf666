// SPDX-License-Identifier: MIT
// Calls of threads to servers: in the best case one system call that returns with the answer.
#include "check.h"
#include "ipc.h"

#include <string.h>

static void put_bulk(const struct ipc_message *message)
{
    u8 *window = window_message();
    if (message->send_bytes)
        memcpy(window, message->send, message->send_bytes);
    if (message->send_more_bytes)
        memcpy(window + message->send_bytes, message->send_more, message->send_more_bytes);
}

// Gives the answer in event, and in the window, to the thread.
static void take(struct thread *thread, const struct event *event)
{
    struct ipc_message *message = thread->message;
    thread->status = (s64)event->badge;
    message->received = (u32)(event->info & 0xffff);
    message->received_cap = (cap_t)(event->info >> 32);
    copy_words(message->words, event->words);
    u32 bytes = message->received < message->receive_max ? message->received : message->receive_max;
    if (bytes)
        memcpy(message->receive, window_message(), bytes);
    thread->message = NULL;
}

static s64 call(cap_t to, struct ipc_message *message)
{
    struct scheduler *scheduler = scheduler_here();
    struct thread *self = scheduler->current;
    struct event event;
    put_bulk(message);
    self->message = message;
    event_call(to, (u64)self, scheduler->ready_mask ? 0 : CALL_ALONE,
               MESSAGE_INFO(message->send_bytes + message->send_more_bytes, message->send_cap),
               message->words, &event);
    if (__builtin_expect(event.type == EVENT_REPLY && event.id == (u64)self, 1)) {
        take(self, &event);
        thread_follow_request(self); // it may never block otherwise
        return self->status;
    }
    if (event.type != EVENT_NONE)
        event_handle(&event);
    scheduler_block(WAKE_REPLY);
    return self->status;
}

s64 ipc_call(cap_t to, struct ipc_message *message)
{
    message->received = 0;
    message->received_cap = 0;
    if ((u64)message->send_bytes + message->send_more_bytes > MESSAGE_BYTES)
        return E_INVAL;
    u32 before = user_disable();
    s64 status = call(to, message);
    user_enable(before);
    return status;
}

void ipc_replied(const struct event *event)
{
    struct thread *thread = (struct thread *)event->id;
    CHECK(thread->magic == THREAD_MAGIC && thread->message);
    take(thread, event);
    scheduler_wake(thread, WAKE_REPLY);
}

s64 ipc_send(cap_t to, s64 cpu, const u64 words[MESSAGE_WORDS])
{
    return event_send(to, cpu, words);
}
