// SPDX-License-Identifier: MIT
// A link without a socket. Something in this process takes the requests and gives the frames, such
// as a recording that is played.
#ifndef KOV_THROUGH_H
#define KOV_THROUGH_H

#include "wire/dci.h"
#include "wire/frame.h"

struct link;

// Called in the thread that uses the link.
struct link_through {
    int (*open)(void *context); // Returns KOV_OK, or KOV_CONNECTION with a message.
    void (*send)(void *context, const dci_request *request);
    // Gives the next frame's payload, as frame_read does. `socket` has no connection; it has only
    // the descriptors that end the wait.
    enum frame_result (*receive)(void *context, const struct frame_socket *socket, double deadline,
                                 struct bytes *payload);
};

// Makes a link through `through`. Messages call it `name`. The context stays the caller's. Returns
// NULL as link_new does.
struct link *link_new_through(const struct link_through *through, void *context, const char *name);

#endif
