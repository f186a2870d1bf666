// SPDX-License-Identifier: MIT
// The sockets of the live protocol, served by a thread of their own. It reads from a client only
// when the client has taken its answer. So a client that does not read holds no more than that
// answer and its queue.
#include "tools/clock.h"
#include "tools/kov.h"
#include "lttng/lttng.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUND_MS 100
#define REQUESTS_MAX 64       // of one client in a round, while others wait
#define PATIENCE_SECONDS 60.0 // at the end, for a client that takes nothing

static void leave(struct lttng_client *client)
{
    close(client->fd);
    lttng_free_views(client);
    bytes_free(&client->answer);
    *client = (struct lttng_client){.fd = -1};
}

static void cut_off(struct lttng_relay *relay, struct lttng_client *client, const char *why)
{
    warn("lttng-live client %" PRIu32 " is cut off: %s; %" PRIu64 " packets were waiting for it",
         client->number, why, client->queued_packets);
    relay->account.cut_off += client->queued_packets;
    leave(client);
}

static void refuse(struct lttng_relay *relay, struct lttng_client *client, const char *why)
{
    relay->account.refused++;
    cut_off(relay, client, why);
}

// Cuts off the client that has been silent for longest, if that is long. Returns its place, or
// LTTNG_CLIENTS.
static u32 free_place(struct lttng_relay *relay)
{
    u32 place = LTTNG_CLIENTS;
    double heard = clock_now() - LTTNG_SILENT_SECONDS;
    for (u32 i = 0; i < LTTNG_CLIENTS; i++) {
        if (relay->clients[i].heard >= heard)
            continue;
        heard = relay->clients[i].heard;
        place = i;
    }
    if (place < LTTNG_CLIENTS)
        cut_off(relay, &relay->clients[place], "it asks nothing, and another wants its place");
    return place;
}

static void take_client(struct lttng_relay *relay)
{
    int fd = accept4(relay->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    u32 place = 0;
    if (fd < 0)
        return;
    while (place < LTTNG_CLIENTS && relay->clients[place].fd >= 0)
        place++;
    if (place == LTTNG_CLIENTS)
        place = free_place(relay);
    if (place == LTTNG_CLIENTS) {
        warn("there are %d lttng-live clients already: one more is refused", LTTNG_CLIENTS);
        relay->account.refused++;
        close(fd);
        return;
    }
    relay->clients[place] = (struct lttng_client){.fd = fd,
                                                  .number = (u32)++relay->account.clients,
                                                  .took = clock_now(),
                                                  .came = clock_now(),
                                                  .heard = clock_now()};
}

// ---- one client --------------------------------------------------------------------------------

static bool is_answered(const struct lttng_client *client)
{
    return client->answered == client->answer.size;
}

static void send_more(struct lttng_client *client)
{
    while (!is_answered(client)) {
        ssize_t sent = send(client->fd, client->answer.data + client->answered,
                            client->answer.size - client->answered, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN)
            leave(client);
        if (sent <= 0)
            return;
        client->answered += (size_t)sent;
    }
}

// Returns how much to read: up to the end of the header, then of the request. A client has one
// request at a time.
static size_t wanted(const struct lttng_client *client)
{
    return client->request_bytes < LTTNG_HEADER_BYTES ? LTTNG_HEADER_BYTES
                                                      : lttng_request_size(client->request);
}

static void take_request(struct lttng_relay *relay, struct lttng_client *client)
{
    client->answer.size = client->answered = 0;
    client->heard = clock_now();
    const char *problem = lttng_answer(relay, client);
    client->request_bytes = 0;
    if (problem != NULL)
        refuse(relay, client, problem);
    else
        send_more(client);
}

static void read_more(struct lttng_relay *relay, struct lttng_client *client)
{
    for (u32 i = 0; i < 2 * REQUESTS_MAX && client->fd >= 0 && is_answered(client); i++) {
        size_t room = wanted(client) - client->request_bytes;
        ssize_t got = recv(client->fd, client->request + client->request_bytes, room, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 || (got < 0 && errno != EAGAIN))
            leave(client);
        if (got <= 0)
            return;
        client->request_bytes += (size_t)got;
        if (client->request_bytes < LTTNG_HEADER_BYTES)
            continue;
        if (wanted(client) == 0)
            refuse(relay, client, "what it says is no request");
        else if (client->request_bytes == wanted(client))
            take_request(relay, client);
    }
}

static void serve_client(struct lttng_relay *relay, struct lttng_client *client, short events)
{
    if ((events & POLLOUT) != 0)
        send_more(client);
    if (client->fd >= 0 && (events & (POLLIN | POLLHUP | POLLERR)) != 0)
        read_more(relay, client);
    if (client->fd >= 0 && client->behind)
        cut_off(relay, client, "it is too far behind");
    if (client->fd >= 0 && !client->attached && clock_now() > client->came + LTTNG_HELLO_SECONDS)
        refuse(relay, client, "it has not attached in time");
    if (client->fd >= 0 && relay->ended && clock_now() > client->took + PATIENCE_SECONDS)
        cut_off(relay, client, "it takes nothing");
}

// ---- the thread --------------------------------------------------------------------------------

static u32 fill(const struct lttng_relay *relay, struct pollfd *fds)
{
    fds[0] = (struct pollfd){relay->waker, POLLIN, 0};
    fds[1] = (struct pollfd){relay->listener, POLLIN, 0};
    for (u32 i = 0; i < LTTNG_CLIENTS; i++) {
        const struct lttng_client *client = &relay->clients[i];
        fds[2 + i] = (struct pollfd){client->fd, is_answered(client) ? POLLIN : POLLOUT, 0};
    }
    return 2 + LTTNG_CLIENTS;
}

static void *serve(void *context)
{
    struct lttng_relay *relay = context;
    struct pollfd fds[2 + LTTNG_CLIENTS];
    for (;;) {
        pthread_mutex_lock(&relay->lock);
        bool stop = relay->stop;
        u32 count = fill(relay, fds);
        pthread_mutex_unlock(&relay->lock);
        if (stop)
            return NULL;
        if (poll(fds, count, ROUND_MS) < 0)
            continue;
        pthread_mutex_lock(&relay->lock);
        for (u32 i = 0; i < LTTNG_CLIENTS; i++)
            if (relay->clients[i].fd >= 0)
                serve_client(relay, &relay->clients[i], fds[2 + i].revents);
        if (fds[1].revents != 0)
            take_client(relay);
        pthread_mutex_unlock(&relay->lock);
    }
}

// ---- begin and end -----------------------------------------------------------------------------

static int listen_on(struct lttng_relay *relay, u16 port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int yes = 1;
    relay->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (relay->listener < 0 ||
        setsockopt(relay->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(relay->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(relay->listener, LTTNG_CLIENTS) != 0 ||
        getsockname(relay->listener, (struct sockaddr *)&address, &size) != 0)
        return fail(KOV_FAILED, "cannot listen on 127.0.0.1:%u: %s", port, strerror(errno));
    relay->port = ntohs(address.sin_port);
    return KOV_OK;
}

// Starts the thread. It gets no signals: these are for the thread that talks to the machine.
static int start_thread(struct lttng_relay *relay)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&relay->thread, NULL, serve, relay);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? KOV_OK : fail(KOV_FAILED, "cannot start a thread: %s", strerror(error));
}

static void close_all(struct lttng_relay *relay)
{
    for (u32 i = 0; i < LTTNG_CLIENTS; i++)
        if (relay->clients[i].fd >= 0)
            leave(&relay->clients[i]);
    if (relay->listener >= 0)
        close(relay->listener);
    if (relay->waker >= 0)
        close(relay->waker);
    free(relay->streams);
    bytes_free(&relay->metadata);
    descriptions_free(&relay->descriptions);
    pthread_mutex_destroy(&relay->lock);
}

int lttng_start(struct lttng_relay *relay, u16 port)
{
    relay->waker = eventfd(0, EFD_CLOEXEC);
    for (u32 i = 0; i < LTTNG_CLIENTS; i++)
        relay->clients[i].fd = -1;
    // Announced even before they have packets, because babeltrace2 2.0 forgets the metadata of a
    // trace without streams.
    for (u32 cpu = 0; cpu < relay->cpus; cpu++)
        lttng_stream(relay, 0, cpu);
    int code = listen_on(relay, port);
    if (code == KOV_OK)
        code = start_thread(relay);
    if (code != KOV_OK)
        close_all(relay);
    return code;
}

void lttng_finish(struct lttng_relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    relay->ended = true;
    for (u32 i = 0; i < LTTNG_CLIENTS; i++)
        relay->clients[i].took = clock_now();
    pthread_mutex_unlock(&relay->lock);
}

bool lttng_is_done(struct lttng_relay *relay)
{
    bool done = true;
    pthread_mutex_lock(&relay->lock);
    for (u32 i = 0; i < LTTNG_CLIENTS; i++) {
        const struct lttng_client *client = &relay->clients[i];
        done = done && (client->fd < 0 || (!client->attached && is_answered(client)));
    }
    pthread_mutex_unlock(&relay->lock);
    return done;
}

void lttng_stop(struct lttng_relay *relay)
{
    u64 one = 1;
    pthread_mutex_lock(&relay->lock);
    relay->stop = true;
    pthread_mutex_unlock(&relay->lock);
    if (write(relay->waker, &one, sizeof(one)) < 0)
        warn("cannot wake the thread of lttng-live: it ends a little later");
    pthread_join(relay->thread, NULL);
    close_all(relay);
}
