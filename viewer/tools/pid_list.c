// SPDX-License-Identifier: MIT
// Lists of processes on the command line: "7,9".
#include "tools/pid_list.h"
#include "tools/text.h"

#include <string.h>

#define NUMBER_BYTES 24

bool pid_list_has(const struct pid_list *list, u32 pid)
{
    for (u32 i = 0; i < list->count; i++)
        if (list->pids[i] == pid)
            return true;
    return false;
}

static int add(const char *option, const char *text, size_t length, u32 minimum,
               struct pid_list *list)
{
    char number[NUMBER_BYTES];
    u64 pid;
    snprintf(number, sizeof(number), "%.*s",
             (int)(length < NUMBER_BYTES ? length : NUMBER_BYTES - 1), text);
    if (!text_to_u64(number, minimum, UINT32_MAX, &pid))
        return fail(KOV_USAGE, "%s: '%s' is no number of a process: see `kov ps`", option, number);
    if (pid_list_has(list, (u32)pid))
        return fail(KOV_USAGE, "%s: %s is there twice", option, number);
    if (list->count == PIDS_MAX)
        return fail(KOV_USAGE, "%s: at most %d processes", option, PIDS_MAX);
    list->pids[list->count++] = (u32)pid;
    return KOV_OK;
}

int pid_list_parse(const char *option, const char *text, u32 minimum, struct pid_list *list)
{
    *list = (struct pid_list){0};
    while (text != NULL) {
        size_t length = strcspn(text, ",");
        int code = add(option, text, length, minimum, list);
        if (code != KOV_OK)
            return code;
        text = text[length] == '\0' ? NULL : text + length + 1;
    }
    return KOV_OK;
}
