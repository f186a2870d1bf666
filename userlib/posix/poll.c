// SPDX-License-Identifier: MIT
// poll: asks every descriptor, with growing pauses. Servers keep no list of who waits for what.
#include <poll.h>
#include <posix/fd.h>
#include <user/thread.h>
#include <user/time.h>

#define FIRST_PAUSE_US 100
#define LONGEST_PAUSE_US 5000

static short ask(const struct pollfd *entry)
{
    struct fd_file *file = fd_hold(entry->fd);
    if (file == NULL)
        return POLLNVAL;
    s64 bits = file->ops->ready == NULL ? entry->events & (POLLIN | POLLOUT)
                                        : file->ops->ready(file, entry->events);
    fd_put(file);
    return (short)(bits < 0 ? POLLERR : bits & (entry->events | POLLERR | POLLHUP | POLLNVAL));
}

static int ask_all(struct pollfd *fds, nfds_t count)
{
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = fds[i].fd < 0 ? 0 : ask(&fds[i]);
        ready += fds[i].revents != 0;
    }
    return ready;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    u64 deadline = timeout < 0 ? THREAD_FOREVER : time_after_us((u64)timeout * 1000);
    u64 pause = FIRST_PAUSE_US;
    int ready;
    while ((ready = ask_all(fds, count)) == 0 && time_now() < deadline) {
        u64 until = time_after_us(pause);
        thread_sleep_until(until < deadline ? until : deadline);
        pause = pause * 2 < LONGEST_PAUSE_US ? pause * 2 : LONGEST_PAUSE_US;
    }
    return ready;
}
