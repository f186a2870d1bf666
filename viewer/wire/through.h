// SPDX-License-Identifier: MIT
// A link without a socket: something of this process takes the requests and gives the frames, such
// as a recording that is played.
#ifndef KOV_THROUGH_H
#define KOV_THROUGH_H

#include "wire/dci.h"
#include "wire/frame.h"

struct link;

// In the thread that uses the link.
struct link_through {
    int (*open)(void *context); // KOV_OK, or KOV_CONNECTION with a message
    void (*send)(void *context, const dci_request *request);
    // The next frame's payload, as frame_read has it. The socket has no descriptor of a connection,
    // and those that end the wait.
    enum frame_result (*receive)(void *context, const struct frame_socket *socket, double deadline,
                                 struct bytes *payload);
};

// name: what messages call it. The context stays the caller's. NULL as link_new.
struct link *link_new_through(const struct link_through *through, void *context, const char *name);

#endif
