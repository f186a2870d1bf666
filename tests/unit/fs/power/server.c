// SPDX-License-Identifier: MIT
// The fs server as the writer of rounds.
#include "server.h"

#include "files.h"
#include "filesystem.h"
#include "host.h"
#include "opening.h"
#include "store.h"

#include <ipc/fs.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define POINT STORE_POINT "/"

static struct ipc_caller caller = {.pid = HOST_PID};

s64 server_begin(void)
{
    struct store_about about;
    void *state = NULL;
    host_start(&state);
    if (filesystem_create() != 0 || openings_create() != 0)
        return E_NOMEM;
    s64 found = store_start(&about);
    return about.partly ? E_PROTO : found;
}

static void path_of(u32 file, char path[64])
{
    char name[ROUND_NAME_MAX];
    round_name(file, name);
    snprintf(path, 64, POINT "%s", name);
}

// ---- reading -----------------------------------------------------------------------------------

bool server_state(struct round_state *state)
{
    static char data[ROUND_BYTES_MAX + 1];
    char path[64];
    *state = (struct round_state){0};
    for (u32 i = 0; i < ROUND_FILES; i++) {
        struct fs_stat info;
        u64 file, bytes = 0;
        path_of(i, path);
        if (fs_server_open(&caller, path, FS_READ, &file, &info) != 0)
            continue;
        if (fs_server_read(&caller, file, 0, 0, data, sizeof(data), &bytes) == 0)
            state->numbers[i] = round_of(data, bytes, i);
        fs_server_close(&caller, file);
        if (state->numbers[i] == 0)
            return false;
    }
    return true;
}

// ---- writing -----------------------------------------------------------------------------------

static bool put(const char *path, const void *data, u64 bytes, u64 *file)
{
    struct fs_stat info;
    u64 written = 0;
    return fs_server_open(&caller, path, FS_WRITE | FS_CREATE | FS_TRUNCATE, file, &info) == 0 &&
           fs_server_write(&caller, *file, 0, 0, data, bytes, &written) == 0 && written == bytes;
}

bool server_can_write(void)
{
    u64 file;
    return put(POINT ROUND_NEW, "x", 1, &file);
}

static bool save_sometimes(void)
{
    return rand() % 8 != 0 || store_save() == 0;
}

static bool write_one(u32 round, u32 index)
{
    static char data[ROUND_BYTES_MAX];
    char path[64];
    u64 file;
    path_of(index, path);
    bool done = put(POINT ROUND_NEW, data, round_fill(round, index, data), &file) &&
                save_sometimes() && fs_server_rename(&caller, POINT ROUND_NEW, path) == 0 &&
                save_sometimes();
    return done && fs_server_close(&caller, file) == 0;
}

static bool sync_all(void)
{
    struct fs_stat info;
    u64 file;
    bool done = fs_server_open(&caller, "/", FS_READ, &file, &info) == 0;
    return done && fs_server_sync(&caller, file) == 0 && fs_server_close(&caller, file) == 0;
}

static bool write_round(u32 round)
{
    fs_server_make_directory(&caller, POINT ROUND_FOLDER);
    for (u32 file = 0; file < ROUND_FILES; file++)
        if (round_writes(round, file) && !write_one(round, file))
            return false;
    return sync_all();
}

static bool write_rounds(struct recording *recording, u32 last)
{
    struct round_state state;
    u32 round = 1;
    if (server_begin() <= 0 || !server_state(&state))
        return false;
    for (u32 file = 0; file < ROUND_FILES; file++) // that one may be there in part
        round = state.numbers[file] > round ? state.numbers[file] : round;
    for (; round <= last; round++) {
        if (!write_round(round))
            return false;
        recording_mark(recording, round);
    }
    return true;
}

bool server_run(struct recording *recording, u32 last, u32 lives)
{
    int status;
    u32 seed = (u32)rand();
    pid_t child = fork();
    if (child == 0) {
        srand(seed);
        medium_record(recording, lives);
        _exit(write_rounds(recording, last) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
