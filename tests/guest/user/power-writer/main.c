// SPDX-License-Identifier: MIT
// Writes files into /data in rounds (rounds.h), syncs each round and notes that on the disk; or
// checks files that were written so, after the power was cut.
//   power-writer write ROUNDS [KILLS]   after those that are there; fs is killed meanwhile
//   power-writer check ROUND            all files are whole, and at least those of a round
#include "killer.h"
#include "rounds.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/sys.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/thread.h>

#define POINT "/data/"
#define TRIES 20
#define TRY_US 50000

static void path_of(u32 file, char path[64])
{
    char name[ROUND_NAME_MAX];
    round_name(file, name);
    snprintf(path, 64, POINT "%s", name);
}

// ---- checking ----------------------------------------------------------------------------------

// Reads a file's round; 0: there is none. False: it is not whole, or cannot be read.
static bool read_round(u32 file, u32 *round)
{
    static char data[ROUND_BYTES_MAX + 1];
    char path[64];
    path_of(file, path);
    *round = 0;
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t bytes = read(fd, data, sizeof(data));
    close(fd);
    if (bytes >= 0)
        *round = round_of(data, (u64)bytes, file);
    return *round != 0;
}

static bool read_state(struct round_state *state)
{
    bool whole = true;
    for (u32 file = 0; file < ROUND_FILES; file++)
        whole = read_round(file, &state->numbers[file]) && whole;
    return whole;
}

// Returns true if the files are whole, of one state, and not older than a round.
static bool check(u32 round)
{
    struct round_state state = {0};
    bool fine = read_state(&state) && round_state_was(&state) && round_state_reaches(&state, round);
    printf("power-writer: round %u, files of rounds", round);
    for (u32 file = 0; file < ROUND_FILES; file++)
        printf(" %u", state.numbers[file]);
    printf(": %s\n", fine ? "fine" : "WRONG");
    return fine;
}

// The same without a word, and again if it fails: the server may have been killed in between.
static bool is_fine(u32 round)
{
    for (u32 i = 0; i < TRIES; i++) {
        struct round_state state;
        if (read_state(&state) && round_state_was(&state) && round_state_reaches(&state, round))
            return true;
        thread_sleep_us(TRY_US);
    }
    return false;
}

static bool can_write(void)
{
    int fd = open(POINT ROUND_NEW, O_RDWR | O_CREAT | O_TRUNC, 0644);
    bool done = fd >= 0 && write(fd, "x", 1) == 1 && fsync(fd) == 0;
    close(fd);
    return done;
}

// ---- writing -----------------------------------------------------------------------------------

// Writes a file and puts it in its place. Returns its descriptor, or -1.
static int write_one(u32 round, u32 file)
{
    static char data[ROUND_BYTES_MAX];
    char path[64];
    path_of(file, path);
    u32 bytes = round_fill(round, file, data);
    int fd = open(POINT ROUND_NEW, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        return -1;
    if (write(fd, data, bytes) == (ssize_t)bytes && rename(POINT ROUND_NEW, path) == 0)
        return fd;
    close(fd);
    return -1;
}

// Writes a round and syncs it. False if the server has ended meanwhile: then it may be there or
// not. A server that has come back knows none of the descriptors.
static bool write_round(u32 round)
{
    int fds[ROUND_FILES];
    u32 count = 0;
    bool done = mkdir(POINT ROUND_FOLDER, 0755) == 0 || errno == EEXIST;
    for (u32 file = 0; file < ROUND_FILES && done; file++) {
        if (!round_writes(round, file))
            continue;
        fds[count] = write_one(round, file);
        done = fds[count] >= 0;
        count += done;
    }
    while (count > 0) {
        count--;
        done = done && fsync(fds[count]) == 0;
        close(fds[count]);
    }
    return done;
}

// Notes on the disk, behind what is the fs server's, that a round is synced.
static bool note(u32 round)
{
    static char sector[BLOCK_SECTOR];
    struct sys_block_info info;
    snprintf(sector, sizeof(sector), ROUND_MARK, round);
    return sys_block_info(&info) == 0 &&
           sys_block_write(info.bytes - BLOCK_SECTOR, sector, sizeof(sector)) == BLOCK_SECTOR;
}

// Returns the round to begin with: the newest that is there may be there in part.
static u32 first_round(void)
{
    struct round_state state;
    u32 newest = 1;
    if (!read_state(&state))
        return 0;
    for (u32 file = 0; file < ROUND_FILES; file++)
        newest = state.numbers[file] > newest ? state.numbers[file] : newest;
    return newest;
}

static int write_rounds(u32 rounds, u32 kills)
{
    u32 first = first_round(), round = first, again = 0;
    if (first == 0)
        return 1;
    killer_start(kills);
    for (; round < first + rounds || !killer_done(); round++) {
        for (; !write_round(round); again++) {
            if (kills == 0)
                return 1;
            thread_sleep_us(TRY_US); // nobody waits for a server that was killed too often
        }
        if (!note(round) || !is_fine(round)) {
            check(round);
            return 1;
        }
    }
    printf("power-writer: rounds up to %u, %u of them again, %u kills\n", round - 1, again,
           killer_count());
    return check(round - 1) ? 0 : 1;
}

int main(int argc, char **argv)
{
    u32 number = argc > 2 ? (u32)strtoul(argv[2], NULL, 10) : 0;
    if (argc > 2 && strcmp(argv[1], "write") == 0)
        return write_rounds(number, argc > 3 ? (u32)strtoul(argv[3], NULL, 10) : 0);
    if (argc > 2 && strcmp(argv[1], "check") == 0)
        return check(number) && can_write() ? 0 : 1;
    fprintf(stderr, "usage: power-writer write ROUNDS [KILLS] | check ROUND\n");
    return 2;
}
