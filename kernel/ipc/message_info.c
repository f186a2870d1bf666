// SPDX-License-Identifier: MIT
// Decoding a message's info, and moving its capability from table to table.
#include "message_info.h"

#include <orrery/errors.h>

s64 message_decode(struct process *sender, u64 info, struct message *out)
{
    cap_t cap = (cap_t)(info >> 32);

    *out = (struct message){.bytes = info & 0xffffffff};
    if (out->bytes > MESSAGE_BYTES)
        return E_INVAL;
    if (cap == 0)
        return 0;
    s64 error;
    out->capability = capability_get(process_capabilities(sender), cap, &error);
    return error;
}

void message_drop(struct message *message)
{
    capability_release(&message->capability);
}

s64 message_give(struct process *receiver, struct message *message)
{
    if (message->capability.type == CAPABILITY_NONE)
        return (s64)message->bytes;
    s64 slot = capability_add(process_capabilities(receiver), &message->capability);
    if (slot < 0)
        return slot;
    return (s64)MESSAGE_INFO(message->bytes, slot);
}

void message_take_back(struct process *receiver, u64 info)
{
    cap_t slot = (cap_t)(info >> 32);

    if (slot != 0)
        capability_remove(process_capabilities(receiver), slot);
}
