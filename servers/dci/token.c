// SPDX-License-Identifier: MIT
// Tokens. They are compared without a branch on their contents, so the time of a refusal tells
// nothing.
#include "token.h"

#include <orrery/sys.h>
#include <orrery/types.h>
#include <string.h>

struct token {
    u8 bytes[TOKEN_BYTES_MAX + 1]; // padded with zeros; all zero: there is no token
};

static struct token observer, controller;

static u32 load(const char *option, struct token *token)
{
    char value[TOKEN_BYTES_MAX + 1] = "";

    memset(token, 0, sizeof(*token));
    if (sys_option(option, value, sizeof(value)) < 0)
        return 0;
    memcpy(token->bytes, value, strnlen(value, TOKEN_BYTES_MAX));
    return token->bytes[0] != 0;
}

u32 tokens_load(void)
{
    return load("observer", &observer) + load("controller", &controller);
}

static u32 equal(const struct token *a, const struct token *b)
{
    volatile u32 difference = 0;

    for (u32 i = 0; i < sizeof(a->bytes); i++)
        difference |= (u32)(a->bytes[i] ^ b->bytes[i]);
    return difference == 0 && a->bytes[0] != 0;
}

dci_Role token_role(const char *token)
{
    struct token given = {{0}};

    memcpy(given.bytes, token, strnlen(token, TOKEN_BYTES_MAX));
    u32 is_observer = equal(&given, &observer);
    u32 is_controller = equal(&given, &controller);
    if (is_controller)
        return dci_Role_ROLE_CONTROLLER;
    return is_observer ? dci_Role_ROLE_OBSERVER : dci_Role_ROLE_NONE;
}
