// SPDX-License-Identifier: MIT
// The token for the machine of the thread's link.
#include "wire/token.h"
#include "tools/kov.h"
#include "wire/link_state.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USUAL "orrery"
#define PLACES 2
#define PLACE_BYTES 1024

// Lists the files in which scripts/run-machine leaves the token of a machine on this host. Returns
// how many there are.
static u32 list_places(char places[PLACES][PLACE_BYTES])
{
    static const char *const here[] = {"127.0.0.1", "localhost", "::1", "[::1]"};
    bool is_here = false;
    for (size_t i = 0; i < ARRAY_SIZE(here); i++)
        is_here |= strcmp(link_host(), here[i]) == 0;
    if (!is_here)
        return 0;
    const char *const folders[PLACES] = {getenv("XDG_RUNTIME_DIR"), getenv("HOME")};
    const char *const below[PLACES] = {"", "/.cache"};
    u32 count = 0;
    for (u32 i = 0; i < PLACES; i++) {
        if (folders[i] == NULL || folders[i][0] != '/')
            continue;
        int length = snprintf(places[count], PLACE_BYTES, "%s%s/orrery/%" PRIu64 ".token",
                              folders[i], below[i], link_port());
        count += length < PLACE_BYTES;
    }
    return count;
}

// Reads the token from the file `place`. Returns false if there is none.
static bool read_token(const char *place, char token[TOKEN_TEXT])
{
    char line[TOKEN_TEXT + 1];
    int fd = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // so that it does not wait for a FIFO
    ssize_t size = fd < 0 ? 0 : read(fd, line, sizeof(line));
    if (fd >= 0)
        close(fd);
    ssize_t length = 0;
    while (length < size && isgraph((u8)line[length]))
        length++;
    if (length == 0 || length >= TOKEN_TEXT || (length < size && line[length] != '\n'))
        return false;
    memcpy(token, line, (size_t)length);
    token[length] = 0;
    return true;
}

const char *token_now(void)
{
    const char *given = link_token();
    if (given != NULL)
        return given;
    char *token = link_now()->found_token;
    char places[PLACES][PLACE_BYTES];
    u32 count = list_places(places);
    for (u32 i = 0; i < count; i++)
        if (read_token(places[i], token))
            return token;
    return USUAL;
}

static int refused(const char *what, const char *first, const char *between, const char *second)
{
    return fail(KOV_CONNECTION,
                "the machine does not accept %s%s%s%s; give the one of its boot line (observer=… "
                "or controller=…) with --token or ORRERY_TOKEN",
                what, first, between, second);
}

int token_refused(void)
{
    char places[PLACES][PLACE_BYTES], token[TOKEN_TEXT];
    u32 count = link_token() == NULL ? list_places(places) : 0;
    for (u32 i = 0; i < count; i++)
        if (read_token(places[i], token))
            return refused("the token in ", places[i], "", "");
    if (count == 0)
        return refused("this token", "", "", "");
    return refused("the token \"" USUAL "\", taken because there is none in ", places[0],
                   count > 1 ? " and " : "", count > 1 ? places[1] : "");
}
