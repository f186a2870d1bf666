// SPDX-License-Identifier: MIT
// What the generated stubs are made of: a message that is being made or taken apart (orrery/ipc.h).
// Everything received is checked here: a packet remembers that something was wrong, so that the
// stubs need one look at the end.
//
// Message format. Request: word 0 the method's number, then the integers in, then for a string or
// buffer out how much room the caller has, then if a word is left the length of a buffer in that is
// the last of the message; answer: the integers out from word 0, then the length of a string or
// buffer out. Message buffer of a request: structs, then strings and buffers, each in the order of
// the description; a string or buffer is u64 length, data (a string's NUL too, which the length
// does not count), zeros up to a multiple of 8, which the last one may lack; a last buffer whose
// length is a word is its data alone. Message buffer of an answer: structs, then the string or
// buffer and nothing more.
#ifndef IPC_PACKET_H
#define IPC_PACKET_H

#include <orrery/errors.h>
#include <orrery/ipc.h>

struct ipc_packet {
    u64 words[MESSAGE_WORDS];
    cap_t cap; // goes along, 0: none
    s32 error; // the first thing that was wrong: E_INVAL while making, E_PROTO while taking apart
    u8 *bulk;  // 8-byte aligned
    const void *more; // of a request: data that goes behind bulk without being copied there
    void *receive;    // where the answer's bulk goes; NULL: bulk
    u32 more_bytes;
    u32 receive_room;
    u32 bytes;   // of bulk: made so far, or received
    u32 room;    // of bulk
    u32 taken;   // taken apart so far
    u32 cap_got; // the capability was taken out
};

// Who calls, for the functions that a server supplies.
struct ipc_caller {
    void *context; // as given to ipc_interface_endpoint
    u64 call;      // for answers later
    u32 pid;       // the process: told by the kernel
    bool
        drop_answer; // the server sets it: gives up the capability of its answer once that has gone
};

typedef s64 (*ipc_dispatch)(struct ipc_caller *caller, struct ipc_packet *request,
                            struct ipc_packet *reply);

// ---- transport: over user/ipc.h in programs; unit tests have their own --------------------------

// Sends the request and waits for the answer, which replaces it. Returns its status: 0, what the
// server returned, or E_PEER, E_NOENT, E_INVAL …; with an error comes no capability. When
// packet->error is set it returns that and sends nothing.
s64 ipc_exchange(cap_t server, struct ipc_packet *packet);
// Gives up a capability that came with a message and that nobody took.
void ipc_drop(cap_t cap);
// Answers a call whose function returned IPC_LATER.
s64 ipc_answer_packet(u64 call, s64 status, struct ipc_packet *packet);
// An endpoint whose calls go to an interface's dispatch; context: as ipc_caller gives it. If the
// server answers 0, a capability that came with the request is its own. Otherwise it is dropped.
// E_NOMEM, E_LIMIT.
struct ipc_service {
    ipc_dispatch dispatch;
    void *context;
};
s64 ipc_interface_endpoint(
    const struct ipc_service *service); // service lives as long as the endpoint

// ---- making ------------------------------------------------------------------------------------

// Field by field: of a struct of this size the compiler would make calls.
static inline void ipc_packet_init(struct ipc_packet *packet, void *bulk, u64 room, u64 word0)
{
    packet->words[0] = word0;
    packet->words[1] = packet->words[2] = packet->words[3] = 0;
    packet->words[4] = packet->words[5] = 0;
    packet->cap = 0;
    packet->error = 0;
    packet->bulk = bulk;
    packet->more = NULL;
    packet->receive = NULL;
    packet->more_bytes = packet->receive_room = 0;
    packet->bytes = 0;
    packet->room = (u32)room;
    packet->taken = packet->cap_got = 0;
}
// Notes that something is wrong.
static inline void ipc_fail(struct ipc_packet *packet, s32 error)
{
    if (packet->error == 0)
        packet->error = error;
}
void ipc_put_struct(struct ipc_packet *packet, const void *from, u64 bytes);
void ipc_put_string(struct ipc_packet *packet, const char *string, u64 limit);
void ipc_put_bytes(struct ipc_packet *packet, const void *from, u64 bytes, u64 limit);
// Puts the last of a request, which stays where it is.
void ipc_put_last(struct ipc_packet *packet, const void *from, u64 bytes, u64 limit);
// Does as ipc_put_bytes, but with the length in a word.
void ipc_put_behind(struct ipc_packet *packet, u32 word, const void *from, u64 bytes, u64 limit);
static inline u64 ipc_room(u64 room, u64 limit) // the smaller
{
    return room < limit ? room : limit;
}

// Make an answer's string or buffer in its place. ipc_place returns the place, behind structs_bytes
// of structs that are not put yet. ipc_placed_…, at its turn, puts the true length into a word.
static inline void *ipc_place(struct ipc_packet *packet, u64 structs_bytes, u64 room)
{
    if (structs_bytes + room > packet->room) {
        ipc_fail(packet, E_INVAL);
        return NULL;
    }
    u8 *at = packet->bulk + structs_bytes;
    if (room > 0)
        *at = 0; // a string that nobody writes is empty
    return at;
}
void ipc_placed_string(struct ipc_packet *packet, u32 word, u64 room);
static inline void ipc_placed_bytes(struct ipc_packet *packet, u32 word, u64 bytes, u64 room)
{
    if (bytes > room) {
        ipc_fail(packet, E_INVAL);
        return;
    }
    packet->words[word] = bytes;
    packet->bytes += (u32)bytes;
}
// Put a string or buffer that lies elsewhere into an answer, and its length into a word.
void ipc_answer_string(struct ipc_packet *packet, u32 word, const char *string, u64 limit);
void ipc_answer_bytes(struct ipc_packet *packet, u32 word, const void *from, u64 bytes, u64 limit);

// ---- taking apart ------------------------------------------------------------------------------

static inline u64 ipc_get_unsigned(struct ipc_packet *packet, u32 word, u32 bits)
{
    u64 value = packet->words[word];
    if (bits < 64 && value >> bits != 0)
        ipc_fail(packet, E_PROTO);
    return value;
}
s64 ipc_get_signed(struct ipc_packet *packet, u32 word, u32 bits);
cap_t ipc_get_cap(struct ipc_packet *packet);
void ipc_get_struct(struct ipc_packet *packet, void *to, u64 bytes);
// Return what lies in the packet's own bulk. If it is wrong, they return "", or NULL with 0 bytes.
const char *ipc_get_string(struct ipc_packet *packet, u64 limit);
const void *ipc_get_bytes(struct ipc_packet *packet, u64 *bytes, u64 limit);
const void *ipc_get_behind(struct ipc_packet *packet, u32 word, u64 *bytes, u64 limit);
static inline u64 ipc_get_room(struct ipc_packet *packet, u32 word, u64 limit)
{
    u64 room = packet->words[word];
    if (room > limit) {
        ipc_fail(packet, E_PROTO);
        return 0;
    }
    return room;
}
// Copy an answer's string or buffer into the caller's memory, where it may lie already (receive).
// If it does not fit, the packet gets an error, and the caller "" or 0.
void ipc_copy_string(struct ipc_packet *packet, u32 word, char *to, u64 room);
u64 ipc_copy_bytes(struct ipc_packet *packet, u32 word, void *to, u64 room);
// Returns whether all of a request was right and was taken.
static inline bool ipc_complete(const struct ipc_packet *request)
{
    return request->error == 0 && request->taken == request->bytes &&
           (request->cap == 0 || request->cap_got != 0);
}
// End a client stub: drop a capability that was not taken. Return status, or E_PROTO if the answer
// was wrong.
s64 ipc_finish_wrong(struct ipc_packet *packet);
static inline s64 ipc_finish(struct ipc_packet *packet, s64 status)
{
    return status < 0 || ipc_complete(packet) ? status : ipc_finish_wrong(packet);
}

#endif
