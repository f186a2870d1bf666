// SPDX-License-Identifier: MIT
// Calls of servers' methods, as the generated stubs make them (ipc/packet.h), or spoilt by the
// step's fields: 0 … 5 take the place of words, 6 of the number of bytes, 7 of the capability.
#include "target.h"

#include <syscalls/numbers.h>

#define ANSWER_US 2000
#define ANSWER_ROUNDS 8
#define FIELD_BYTES 6
#define FIELD_CAP 7

struct request {
    u64 words[MESSAGE_WORDS];
    u32 word;  // the next
    u64 bytes; // in the message buffer
    u64 cap;
};

static u8 *message(void)
{
    return (u8 *)(window() + WINDOW_MESSAGE);
}

static void put(struct request *request, const void *from, u64 bytes)
{
    u64 room = MESSAGE_BYTES - request->bytes;
    if (bytes > room)
        bytes = room;
    copy(message() + request->bytes, from, bytes);
    request->bytes += bytes;
}

static void pad(struct request *request)
{
    static const u64 zero;
    put(request, &zero, ALIGN_UP(request->bytes, 8UL) - request->bytes);
}

static void put_word(struct request *request, u64 value)
{
    if (request->word < MESSAGE_WORDS)
        request->words[request->word++] = value;
}

static bool readable(u64 address, u64 bytes)
{
    return (address >= AREA && address + bytes <= AREA + AREA_PAGES * FUZZ_PAGE) ||
           (address >= USER_IMAGE && address + bytes < USER_HEAP && address < AREA);
}

static void put_string(struct thread *self, struct request *request, const struct fuzz_value *value,
                       u64 limit)
{
    u64 address = value_of(self, value, limit), length = 0;
    if (!readable(address, 1))
        address = (u64) "";
    while (length <= limit && readable(address + length, 1) && ((const char *)address)[length] != 0)
        length++;
    put(request, &length, sizeof(length));
    put(request, (const void *)address, length + 1);
    pad(request);
}

static void put_bytes(struct thread *self, struct request *request, const struct fuzz_value *value,
                      u64 limit)
{
    u64 length = value->mode == FUZZ_DATA && value->delta > 0 ? (u64)value->delta : 16;
    u64 address = value_of(self, value, length);
    if (length > limit + 16)
        length = limit + 16;
    if (!readable(address, length))
        address = AREA;
    put(request, &length, sizeof(length));
    put(request, (const void *)address, length);
    pad(request);
}

static void put_parameter(struct thread *self, struct request *request,
                          const struct fuzz_parameter *parameter, const struct fuzz_value *value)
{
    switch (parameter->kind) {
    case FUZZ_PARAMETER_METHOD_WORD:
        put_word(request, value_of(self, value, 16));
        break;
    case FUZZ_PARAMETER_METHOD_ROOM: {
        u64 room = value_of(self, value, 16);
        put_word(request, room == 0 ? parameter->maximum : room);
        break;
    }
    case FUZZ_PARAMETER_METHOD_STRING:
        put_string(self, request, value, parameter->maximum);
        break;
    case FUZZ_PARAMETER_METHOD_BYTES:
        put_bytes(self, request, value, parameter->maximum);
        break;
    default:
        request->cap = value_of(self, value, 16);
    }
}

static bool given(const struct fuzz_value *value)
{
    return value->mode != FUZZ_LITERAL || value->literal != 0;
}

static void spoil(struct thread *self, struct request *request, const struct fuzz_step *step)
{
    for (u32 i = 0; i < MESSAGE_WORDS; i++) {
        if (given(&step->fields[i]))
            request->words[i] = value_of(self, &step->fields[i], 16);
    }
    if (given(&step->fields[FIELD_BYTES]))
        request->bytes = value_of(self, &step->fields[FIELD_BYTES], 16);
    if (given(&step->fields[FIELD_CAP]))
        request->cap = value_of(self, &step->fields[FIELD_CAP], 16);
}

static bool is_answer(const struct thread *self, const struct event *event)
{
    return event->type == EVENT_REPLY && event->id == self->token;
}

// E_TIMEOUT: it is left alone.
static s64 await_answer(struct thread *self, const struct fuzz_step *step, struct event *event)
{
    for (u32 i = 0; !is_answer(self, event); i++) {
        event_serve(self, event);
        if (step->flags & FUZZ_HASTY || i == ANSWER_ROUNDS)
            return E_TIMEOUT;
        event_next(self, event, ANSWER_US);
    }
    return (s64)event->badge;
}

static void note_answer(const struct fuzz_call *call, const struct event *event)
{
    pool_add(call->makes, event->words[0]);
    if (event->info >> 32 != 0)
        pool_add(call->brings, event->info >> 32);
    if (call->makes == FUZZ_POOL_HANDLE && event->words[1] != 0)
        pool_add(call->makes, event->words[1]); // a pipe's other end
}

s64 perform_method(struct thread *self, const struct fuzz_call *call, const struct fuzz_step *step)
{
    struct request request = {.words = {call->number}, .word = 1};
    u64 server = value_of(self, &step->arguments[0], 16);
    struct event event;

    for (u32 i = 1; i < call->parameters; i++)
        put_parameter(self, &request, &call->parameter[i], &step->arguments[i]);
    spoil(self, &request, step);
    u64 registers[RAW_REGISTERS] = {SYS_CALL, server, ++self->token,
                                    step->flags & FUZZ_HASTY ? 0 : 1,
                                    request.cap << 32 | (request.bytes & 0xffffffff)};
    copy(&registers[5], request.words, sizeof(request.words));
    event_timer(ANSWER_US);
    page()->disabled = 1;
    raw_call(registers);
    copy(&event, &registers[1], sizeof(event));
    event_note(self, &event);
    s64 status = await_answer(self, step, &event);
    if (status >= 0)
        note_answer(call, &event);
    return status;
}
