// SPDX-License-Identifier: MIT
// Makes links, gives them to threads, wakes and ends them.
#include "wire/link_state.h"
#include "wire/session.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The thread's links. Each thread has one of its own, so that no two threads share one by accident.
static _Thread_local struct link own = {.over_fd = -1, .wake_fd = -1, .connection.fd = -1};
static _Thread_local struct link *given;

struct link *link_new(const char *host, u64 port, const char *token)
{
    struct link *link = memory_get(sizeof(*link));
    link->host = memory_copy_text(host);
    link->port = port;
    link->connection.fd = -1;
    link->token = token == NULL ? NULL : memory_copy_text(token);
    link->over_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    link->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (link->over_fd >= 0 && link->wake_fd >= 0)
        return link;
    link_free(link);
    fail(KOV_FAILED, "no file descriptor is left for a connection to %s port %llu", host,
         (unsigned long long)port);
    return NULL;
}

struct link *link_new_through(const struct link_through *through, void *context, const char *name)
{
    struct link *link = link_new(name, 0, "");
    if (link != NULL) {
        link->through = through;
        link->through_context = context;
    }
    return link;
}

void link_free(struct link *link)
{
    struct link *before = given;
    link_use(link);
    session_end();
    link_use(before == link ? NULL : before);
    if (link->over_fd >= 0)
        close(link->over_fd);
    if (link->wake_fd >= 0)
        close(link->wake_fd);
    free(link->host);
    free(link->token);
    free(link);
}

void link_use(struct link *link)
{
    given = link;
}

struct link *link_now(void)
{
    return given == NULL ? &own : given;
}

const char *link_host(void)
{
    const struct link *link = link_now();
    return link->host == NULL ? settings.host : link->host;
}

u64 link_port(void)
{
    const struct link *link = link_now();
    return link->host == NULL ? settings.port : link->port;
}

const char *link_token(void)
{
    const struct link *link = link_now();
    return link->host == NULL ? settings.token : link->token;
}

// ---- wake-ups and the end
// ------------------------------------------------------------------------

// Makes an eventfd readable. The write fails only when the counter is full, and then the descriptor
// is readable already.
static void make_readable(int fd)
{
    const u64 one = 1;
    ssize_t written = write(fd, &one, sizeof(one));
    (void)written;
}

void link_wake(struct link *link)
{
    make_readable(link->wake_fd);
}

void link_end(struct link *link)
{
    atomic_store(&link->over, true);
    make_readable(link->over_fd);
}

bool link_ended(void)
{
    return atomic_load(&link_now()->over);
}

int link_fail_over(void)
{
    return fail(KOV_CONNECTION, "the connection to %s port %llu was ended here", link_host(),
                (unsigned long long)link_port());
}

bool link_take_wake(void)
{
    u64 count;
    int fd = link_now()->wake_fd;
    return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count);
}

struct frame_socket link_socket(int fd, bool wakes)
{
    const struct link *link = link_now();
    return (struct frame_socket){fd, link->over_fd, wakes ? link->wake_fd : -1};
}

void link_sleep(double seconds)
{
    struct pollfd over = {.fd = link_now()->over_fd, .events = POLLIN};
    poll(&over, 1, (int)ceil(fmin(seconds, 1000) * 1000));
}
