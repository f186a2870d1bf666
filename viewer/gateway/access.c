// SPDX-License-Identifier: MIT
// Who may talk to the gateway.
#include "gateway/access.h"
#include "tools/kov.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define TOKEN_BYTES 16

static int make_token(char token[ACCESS_TOKEN_TEXT])
{
    u8 random[TOKEN_BYTES];
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return fail(KOV_FAILED, "no random numbers for a token: %s", strerror(errno));
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    return KOV_OK;
}

int access_init(struct access *access)
{
    int code = make_token(access->observer);
    return code == KOV_OK ? make_token(access->controller) : code;
}

int access_open_metrics(struct access *access)
{
    return make_token(access->metrics);
}

void access_set_port(struct access *access, int port)
{
    snprintf(access->host, sizeof(access->host), "127.0.0.1:%d", port);
    snprintf(access->origin, sizeof(access->origin), "http://%s", access->host);
}

static bool same_token(const char *left, const char *right)
{
    u8 difference = 0;
    for (size_t i = 0; i < ACCESS_TOKEN_TEXT - 1; i++)
        difference |= (u8)(left[i] ^ right[i]);
    return difference == 0;
}

enum access_role access_role_of(const struct access *access, const char *token)
{
    if (strlen(token) != ACCESS_TOKEN_TEXT - 1)
        return ROLE_STRANGER;
    bool observer = same_token(token, access->observer);
    bool controller = same_token(token, access->controller);
    return controller ? ROLE_CONTROLLER : observer ? ROLE_OBSERVER : ROLE_STRANGER;
}

const char *access_role_name(enum access_role role)
{
    static const char *const names[] = {"stranger", "observer", "controller"};
    return names[role];
}

bool access_host_is_ours(const struct access *access, const char *host)
{
    return strcmp(host, access->host) == 0;
}

bool access_origin_is_ours(const struct access *access, const char *origin)
{
    return strcmp(origin, access->origin) == 0;
}

bool access_reads_metrics(const struct access *access, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    size_t length = strlen(scheme);
    return access->metrics[0] != 0 && strncmp(authorization, scheme, length) == 0 &&
           strlen(authorization + length) == ACCESS_TOKEN_TEXT - 1 &&
           same_token(authorization + length, access->metrics);
}
