// SPDX-License-Identifier: MIT
// The server: takes calls and messages by system calls of its own, with all registers known.
#include "leaks.h"

#include <orrery/errors.h>
#include <syscalls/numbers.h>

static u64 wrong;

static struct event event_of(const struct registers *registers)
{
    const u64 *r = &registers->gpr[3];

    return (struct event){.type = r[0],
                          .id = r[1],
                          .badge = r[2],
                          .info = r[3],
                          .words = {r[4], r[5], r[6], r[7], r[8], r[9]}};
}

// A special system call with its arguments in r3 … r12.
static void enter(const char *where, u64 number, struct registers *registers)
{
    registers->gpr[0] = number;
    struct registers before = *registers;
    registers_call(registers);
    wrong += registers_wrong(where, &before, registers);
}

static void look_at_call(const struct event *event)
{
    u32 bytes = (u32)event->info;

    if (event->words[0] == OP_CLEAR)
        message_fill(0, SERVER_FILL);
    wrong += event->badge != BADGE || event->info > MESSAGE_BYTES;
    for (u32 i = 1; i < MESSAGE_WORDS; i++)
        wrong += event->words[i] != event->words[0] + i;
    wrong += message_wrong("in a call", bytes, SERVER_FILL, event->words[1] % 61 == 0);
}

static struct registers answer(const struct event *event)
{
    struct registers registers = registers_of(SERVER);

    registers.gpr[4] = event->id;
    registers.gpr[5] = 0;
    registers.gpr[6] = event->info;
    for (u32 i = 0; i < MESSAGE_WORDS; i++)
        registers.gpr[7 + i] = event->words[i] + 1;
    if (event->words[0] == OP_REPORT)
        registers.gpr[7] = wrong;
    return registers;
}

// Waits for a call.
static struct event wait_for_call(void)
{
    for (;;) {
        struct registers registers = registers_of(SERVER);
        enter("waited", SYS_WAIT, &registers);
        struct event event = event_of(&registers);
        if (event_is_call(&event))
            return event;
        if (event.type != EVENT_MESSAGE) {
            event_handle(&event);
            continue;
        }
        for (u32 i = 0; i < MESSAGE_WORDS; i++)
            wrong += event.words[i] != event.words[0] + i;
        wrong += event.badge != BADGE || event.info != 0;
    }
}

static struct event reply(const struct event *event, bool apart)
{
    struct registers registers = answer(event);

    if (apart) {
        enter("replied", SYS_REPLY, &registers);
        wrong += registers.gpr[3] != 0;
        return wait_for_call();
    }
    enter("replied and waited", SYS_REPLY_WAIT, &registers);
    struct event next = event_of(&registers);
    if (event_is_call(&next))
        return next;
    if (next.type != EVENT_MESSAGE)
        event_handle(&next);
    return wait_for_call();
}

int serve(bool apart)
{
    s64 endpoint = sys_endpoint_create(BADGE);

    if (endpoint < 0)
        return 1;
    struct ipc_message hello = {.send_cap = (cap_t)endpoint};
    user_disable();
    message_fill(0, SERVER_FILL);
    if (ipc_call(CAP_PARENT, &hello) != 0)
        return 2;
    message_fill(0, SERVER_FILL);
    struct event event = wait_for_call();
    for (;;) {
        look_at_call(&event);
        event = reply(&event, apart);
    }
}
