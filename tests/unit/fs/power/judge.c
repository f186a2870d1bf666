// SPDX-License-Identifier: MIT
// Judging disks.
#include "judge.h"

#include "contents.h"
#include "medium.h"
#include "server.h"

#include <cpio/cpio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static enum verdict judge_state(const struct round_state *state, u32 synced)
{
    if (!round_state_was(state))
        return VERDICT_HALF;
    return round_state_reaches(state, synced) ? VERDICT_FINE : VERDICT_LOST;
}

static enum verdict judge_found(s64 found)
{
    if (found <= 0)
        return VERDICT_NOT_LOADED;
    return found == STORE_FOUND_DAMAGED || found == STORE_FOUND_RESIZED ? VERDICT_READ_ONLY
                                                                        : VERDICT_FINE;
}

// ---- an archive --------------------------------------------------------------------------------

// Returns the file of that name, or ROUND_FILES.
static u32 file_named(const char *name)
{
    char other[ROUND_NAME_MAX];
    u32 file = 0;
    for (; file < ROUND_FILES; file++) {
        round_name(file, other);
        if (strcmp(name, other) == 0)
            break;
    }
    return file;
}

static enum verdict read_archive(const struct contents *contents, struct round_state *state)
{
    struct cpio cpio = {.data = contents->archive, .bytes = contents->bytes};
    struct cpio_entry entry;
    s64 more;
    *state = (struct round_state){0};
    while (contents->bytes > 0 && (more = cpio_next(&cpio, &entry)) > 0) {
        u32 file = file_named(entry.name);
        if (file == ROUND_FILES)
            continue;
        state->numbers[file] = round_of(contents->archive + entry.offset, entry.bytes, file);
        if (state->numbers[file] == 0)
            return VERDICT_HALF;
    }
    return contents->bytes == 0 || more == 0 ? VERDICT_FINE : VERDICT_HALF;
}

enum verdict judge_contents(u32 synced, struct round_state *state)
{
    struct contents contents;
    s64 status = contents_read(medium_bytes, &contents);
    enum verdict verdict = judge_found(status == 0 ? (s64)contents.found : status);
    if (status == 0 && verdict == VERDICT_FINE)
        verdict = read_archive(&contents, state);
    if (status == 0)
        free(contents.archive);
    return verdict == VERDICT_FINE ? judge_state(state, synced) : verdict;
}

// ---- a server ----------------------------------------------------------------------------------

static enum verdict ask_server(u32 synced)
{
    struct round_state state;
    enum verdict verdict = judge_found(server_begin());
    if (verdict == VERDICT_FINE && !server_state(&state))
        verdict = VERDICT_HALF;
    if (verdict == VERDICT_FINE)
        verdict = judge_state(&state, synced);
    return verdict == VERDICT_FINE && !server_can_write() ? VERDICT_READ_ONLY : verdict;
}

enum verdict judge_server(u32 synced)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        medium_record(NULL, 0);
        _exit((int)ask_server(synced));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) < VERDICT_COUNT
               ? (enum verdict)WEXITSTATUS(status)
               : VERDICT_NOT_LOADED;
}
