// SPDX-License-Identifier: MIT
// What goes along with the words of a message: bytes in the message buffer, and one capability.
#ifndef KERNEL_IPC_MESSAGE_INFO_H
#define KERNEL_IPC_MESSAGE_INFO_H

#include <kernel/capability.h>
#include <kernel/process.h>

// A decoded MESSAGE_INFO. Holds a reference for its capability until message_give or
// message_drop.
struct message {
    u64 bytes;
    struct capability capability; // type CAPABILITY_NONE: none
};

// Decodes an info. E_INVAL: too many bytes, or unknown bits; E_NOENT: no such capability.
s64 message_decode(struct process *sender, u64 info, struct message *out);
void message_drop(struct message *message);
// Gives its capability to the receiver. Returns the info for the receiver, or E_LIMIT, E_NOMEM:
// then nothing is given, and the reference stays.
s64 message_give(struct process *receiver, struct message *message);
// Takes back the capability that message_give has given with this info: the receiver will not hear
// of the message.
void message_take_back(struct process *receiver, u64 info);

#endif
