// SPDX-License-Identifier: MIT
#include "tests.h"

#include <netinet/in.h>
#include <unistd.h>

#define PIECE 4096

static struct sockaddr_in own_address(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((in_port_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

int listen_on(int port)
{
    struct sockaddr_in address = own_address(port);
    int file = socket(AF_INET, SOCK_STREAM, 0);

    EXPECT(file >= 0);
    EXPECT(bind(file, (struct sockaddr *)&address, sizeof(address)) == 0);
    EXPECT(listen(file, 64) == 0);
    return file;
}

int connect_to(int port)
{
    struct sockaddr_in address = own_address(port);
    int file = socket(AF_INET, SOCK_STREAM, 0);

    if (file >= 0 && connect(file, (struct sockaddr *)&address, sizeof(address)) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

int accept_one(int listener)
{
    return accept(listener, NULL, NULL);
}

void connect_pair(int port, int ends[2])
{
    int listener = listen_on(port);

    ends[0] = connect_to(port);
    ends[1] = accept_one(listener);
    EXPECT(ends[0] >= 0 && ends[1] >= 0);
    close(listener);
}

static unsigned char pattern(size_t position, unsigned seed)
{
    return (unsigned char)(position * 31 + (position >> 8) * 7 + seed);
}

bool send_pattern(int file, size_t count, unsigned seed)
{
    unsigned char piece[PIECE];

    for (size_t sent = 0; sent < count;) {
        size_t size = count - sent < PIECE ? count - sent : PIECE;
        for (size_t i = 0; i < size; i++)
            piece[i] = pattern(sent + i, seed);
        if (send(file, piece, size, 0) != (ssize_t)size)
            return false;
        sent += size;
    }
    return true;
}

bool receive_pattern(int file, size_t count, unsigned seed)
{
    unsigned char piece[PIECE + 777];

    for (size_t received = 0; received < count;) {
        size_t room = count - received < sizeof(piece) ? count - received : sizeof(piece);
        ssize_t got = recv(file, piece, room, 0);
        if (got <= 0)
            return false;
        for (ssize_t i = 0; i < got; i++)
            if (piece[i] != pattern(received + (size_t)i, seed))
                return false;
        received += (size_t)got;
    }
    return true;
}
