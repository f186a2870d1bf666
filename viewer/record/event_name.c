// SPDX-License-Identifier: MIT
// How events are named on the command line.
#include "record/event_name.h"
#include "tools/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAJORS 64

bool event_name_fits(const char *name, u32 major, const char *word, size_t length)
{
    char number_text[24];
    u64 number;
    snprintf(number_text, sizeof(number_text), "%.*s", (int)length, word);
    if (text_to_u64(number_text, 0, MAJORS - 1, &number))
        return major == number;
    const char *event = strchr(name, ':');
    if (strncasecmp(name, word, length) == 0 && (name[length] == '\0' || name[length] == ':'))
        return true;
    return event != NULL && strlen(event + 1) == length &&
           strncasecmp(event + 1, word, length) == 0;
}

void event_name_offer(struct near *near, const char *name)
{
    const char *event = strchr(name, ':');
    if (event != NULL) {
        near_offer(near, name, (size_t)(event - name));
        near_offer(near, event + 1, strlen(event + 1));
    }
    near_offer(near, name, strlen(name));
}
