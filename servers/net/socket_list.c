// SPDX-License-Identifier: MIT
// All sockets.
#include "tcp_socket.h"

#include <user/scheduler.h>

// Changes under net_lock and this lock; the scan takes only this one.
static struct user_spin list_lock;
static struct socket *all;

void socket_list_add(struct socket *socket)
{
    u32 before = user_disable();
    user_spin_lock(&list_lock);
    socket->next = all;
    socket->link = &all;
    if (all != NULL)
        all->link = &socket->next;
    all = socket;
    user_spin_unlock(&list_lock);
    user_enable(before);
}

void socket_list_remove(struct socket *socket)
{
    u32 before = user_disable();
    user_spin_lock(&list_lock);
    *socket->link = socket->next;
    if (socket->next != NULL)
        socket->next->link = socket->link;
    user_spin_unlock(&list_lock);
    user_enable(before);
}

bool sockets_work(void)
{
    bool any = false;

    for (struct socket *socket = all, *next; socket != NULL; socket = next) {
        next = socket->next;
        any |= CO_CALL(struct socket_rep, socket->root.coid, work) > 0;
    }
    return any;
}

bool sockets_await(void)
{
    bool any = false;

    for (struct socket *socket = all; socket != NULL; socket = socket->next)
        any |= CO_CALL(struct socket_rep, socket->root.coid, await) > 0;
    return any;
}

u32 sockets_unheld(coid_t *out, u32 max)
{
    u32 count = 0;

    u32 before = user_disable();
    user_spin_lock(&list_lock);
    for (struct socket *socket = all; socket != NULL && (out == NULL || count < max);
         socket = socket->next) {
        if (socket->holder != NULL)
            continue;
        if (out != NULL)
            out[count] = socket->root.coid;
        count++;
    }
    user_spin_unlock(&list_lock);
    user_enable(before);
    return count;
}
