// SPDX-License-Identifier: MIT
// The lock, and who is woken for work.
#include "server.h"

#include <user/thread.h>

struct mutex net_lock;

static struct thread *main_thread;

void server_begin(void)
{
    main_thread = thread_current();
}

void server_wake(void)
{
    thread_unpark(main_thread);
}
