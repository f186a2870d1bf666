// SPDX-License-Identifier: MIT
// IPv4 addresses as text, and names of hosts.
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_ADDRESS 0x0a000202u // 10.0.2.2: the emulator's machine

// Digits up to limit; moves *text behind them.
static bool take_number(const char **text, unsigned long limit, unsigned long *value)
{
    const char *at = *text;

    *value = 0;
    while (*at >= '0' && *at <= '9') {
        *value = *value * 10 + (unsigned long)(*at++ - '0');
        if (*value > limit)
            return false;
    }
    bool any = at != *text;
    *text = at;
    return any;
}

// Takes a number as C writes it: decimal, 0 octal, 0x hexadecimal. Moves *text behind it.
static bool take_c_number(const char **text, unsigned long *value)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    *value = strtoul(*text, &end, 0);
    *text = end;
    return *value <= UINT32_MAX;
}

// One to four numbers: the last takes the bytes that are left.
int inet_aton(const char *text, struct in_addr *address)
{
    uint32_t result = 0;

    for (unsigned left = 32;; left -= 8) {
        unsigned long value;
        if (left == 0 || !take_c_number(&text, &value))
            return 0;
        if (*text != '.') {
            if (value >> left != 0 || (*text != 0 && !isspace((unsigned char)*text)))
                return 0;
            address->s_addr = result | (uint32_t)value;
            return 1;
        }
        if (value > 255)
            return 0;
        result |= (uint32_t)value << (left - 8);
        text++;
    }
}

// Four decimal numbers, and nothing else.
static int four_numbers(const char *text, struct in_addr *address)
{
    uint32_t result = 0;

    for (int part = 0; part < 4; part++) {
        unsigned long value;
        if (part > 0 && *text++ != '.')
            return 0;
        if (!take_number(&text, 255, &value))
            return 0;
        result = result << 8 | (uint32_t)value;
    }
    if (*text != 0)
        return 0;
    address->s_addr = result;
    return 1;
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}

int inet_pton(int family, const char *text, void *address)
{
    if (family != AF_INET) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    return four_numbers(text, address);
}

const char *inet_ntop(int family, const void *address, char *text, socklen_t bytes)
{
    const unsigned char *part = address;

    if (family != AF_INET) {
        errno = EAFNOSUPPORT;
        return NULL;
    }
    int length = snprintf(text, bytes, "%u.%u.%u.%u", part[0], part[1], part[2], part[3]);
    if (length < 0 || (socklen_t)length >= bytes) {
        errno = ENOSPC;
        return NULL;
    }
    return text;
}

char *inet_ntoa(struct in_addr address)
{
    static char text[INET_ADDRSTRLEN];
    return (char *)inet_ntop(AF_INET, &address, text, sizeof(text));
}

static int host_address(const char *host, int flags, struct in_addr *address)
{
    if (host == NULL)
        address->s_addr = flags & AI_PASSIVE ? INADDR_ANY : INADDR_LOOPBACK;
    else if (inet_aton(host, address))
        return 0;
    else if (flags & AI_NUMERICHOST)
        return EAI_NONAME;
    else if (strcmp(host, "localhost") == 0)
        address->s_addr = INADDR_LOOPBACK;
    else if (strcmp(host, "host") == 0)
        address->s_addr = HOST_ADDRESS;
    else
        return EAI_NONAME;
    return 0;
}

static int service_port(const char *service, in_port_t *port)
{
    unsigned long value = 0;

    if (service != NULL && (!take_number(&service, 65535, &value) || *service != 0))
        return EAI_SERVICE;
    *port = (in_port_t)value;
    return 0;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    struct sockaddr_in address = {.sin_len = sizeof(address), .sin_family = AF_INET};
    int flags = hints == NULL ? 0 : hints->ai_flags;

    if (hints != NULL && hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET)
        return EAI_FAMILY;
    int error = host_address(host, flags, &address.sin_addr);
    error = error ? error : service_port(service, &address.sin_port);
    if (error != 0)
        return error;
    struct addrinfo *info = calloc(1, sizeof(*info) + sizeof(address));
    if (info == NULL)
        return EAI_MEMORY;
    info->ai_family = AF_INET;
    info->ai_socktype = SOCK_STREAM;
    info->ai_protocol = IPPROTO_TCP;
    info->ai_addrlen = sizeof(address);
    info->ai_addr = memcpy(info + 1, &address, sizeof(address));
    *result = info;
    return 0;
}

void freeaddrinfo(struct addrinfo *result)
{
    free(result);
}

const char *gai_strerror(int error)
{
    switch (error) {
    case 0:
        return "success";
    case EAI_NONAME:
        return "no such host";
    case EAI_FAMILY:
        return "address family is not supported";
    case EAI_SERVICE:
        return "no such port";
    case EAI_MEMORY:
        return "out of memory";
    default:
        return "unknown error";
    }
}
