// SPDX-License-Identifier: MIT
// All sockets, and those that have something to do.
#include "tcp_socket.h"

#include <user/scheduler.h>

// Changes under net_lock and this lock; the scan takes only this one.
static struct user_spin list_lock;
static struct socket *all;
static struct socket *ready, **ready_end = &ready; // in the order in which they came

// ---- those with something to do -----------------------------------------------------------------

void socket_ready(struct socket *socket)
{
    if (socket->ready_link != NULL)
        return;
    socket->ready_next = NULL;
    socket->ready_link = ready_end;
    *ready_end = socket;
    ready_end = &socket->ready_next;
}

static void rest(struct socket *socket)
{
    if (socket->ready_link == NULL)
        return;
    *socket->ready_link = socket->ready_next;
    if (socket->ready_next != NULL)
        socket->ready_next->ready_link = socket->ready_link;
    else
        ready_end = socket->ready_link;
    socket->ready_link = NULL;
}

bool sockets_work(void)
{
    struct socket *socket = ready;

    if (socket == NULL)
        return false;
    rest(socket);
    CO_CALL(struct socket_rep, socket->root.coid, work);
    return true;
}

// ---- all ----------------------------------------------------------------------------------------

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
    rest(socket);
    u32 before = user_disable();
    user_spin_lock(&list_lock);
    *socket->link = socket->next;
    if (socket->next != NULL)
        socket->next->link = socket->link;
    user_spin_unlock(&list_lock);
    user_enable(before);
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
