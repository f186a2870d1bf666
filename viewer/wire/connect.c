// SPDX-License-Identifier: MIT
// A TCP connection to the machine of the thread's link.
#include "wire/link_state.h"
#include "wire/patience.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST_BYTES 256 // a name of DNS has at most 253

// Returns 0 or errno.
static int wait_connected(int fd, double deadline)
{
    struct frame_socket socket = link_socket(fd, false);
    enum frame_result result = frame_wait(&socket, POLLOUT, deadline);
    if (result == FRAME_TIMEOUT)
        return ETIMEDOUT;
    if (result != FRAME_OK)
        return result == FRAME_WOKEN ? ECANCELED : errno;
    int error = 0;
    socklen_t size = sizeof(error);
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static int connect_address(const struct addrinfo *address, double deadline, int *fd)
{
    *fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                 address->ai_protocol);
    if (*fd < 0)
        return errno;
    int error = 0;
    if (connect(*fd, address->ai_addr, address->ai_addrlen) != 0)
        error = errno == EINPROGRESS ? wait_connected(*fd, deadline) : errno;
    if (error != 0) {
        close(*fd);
        return error;
    }
    int on = 1;
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); // only speed depends on it
    return 0;
}

static int connect_any(const struct addrinfo *addresses, int *fd)
{
    double deadline = patience_end();
    int error = EADDRNOTAVAIL;
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        error = connect_address(address, deadline, fd);
        if (error == 0)
            return 0;
    }
    return error;
}

// Writes the name without the brackets in which addresses of IPv6 may stand, as in URLs.
static void host_without_brackets(char host[HOST_BYTES])
{
    const char *given = link_host();
    size_t length = strlen(given);
    bool brackets = length > 2 && given[0] == '[' && given[length - 1] == ']';
    snprintf(host, HOST_BYTES, "%.*s", (int)(brackets ? length - 2 : length),
             brackets ? given + 1 : given);
}

int connect_socket(int *fd)
{
    char host[HOST_BYTES];
    host_without_brackets(host);
    char port[8];
    snprintf(port, sizeof(port), "%" PRIu64, link_port());
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *addresses;
    int problem = getaddrinfo(host, port, &hints, &addresses);
    if (problem != 0)
        return fail(KOV_CONNECTION, "no address for '%s': %s", link_host(), gai_strerror(problem));
    int error = connect_any(addresses, fd);
    freeaddrinfo(addresses);
    if (error != 0 && link_ended())
        return link_fail_over();
    if (error != 0)
        return fail(
            KOV_CONNECTION,
            "cannot connect to %s port %s: %s; is Orrery running (`make run`), and are --host and "
            "--port right?",
            link_host(), port, strerror(error));
    return KOV_OK;
}
