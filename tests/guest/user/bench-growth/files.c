// SPDX-License-Identifier: MIT
// Many files in a directory, many pages in a file, many open files and sockets.
#include <dirent.h>
#include <fcntl.h>
#include <orrery/process.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>

#include "growth.h"

#define DIRECTORY "/tmp/growth"
#define FILE_NAME "/tmp/growth-file"
#define PAGE 4096
#define ENTRIES 10000
#define PAGES 10000
#define OPEN_FILES 3000
#define HELD_MAX 200 // by one child
#define SOCKETS 50

static char data[PAGE];

// ---- directories --------------------------------------------------------------------------------

static const char *entry_name(u32 index)
{
    static char name[64];

    snprintf(name, sizeof(name), DIRECTORY "/entry-%u", index);
    return name;
}

static s64 create(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0644);

    return failed_unless(fd >= 0 && close(fd) == 0);
}

static s64 add_entry(u32 index)
{
    return create(entry_name(index));
}

static void remove_entries(u32 count)
{
    for (u32 i = 0; i < count; i++)
        unlink(entry_name(i));
    rmdir(DIRECTORY);
}

static s64 look_up(u32 count)
{
    struct stat info;

    return failed_unless(stat(entry_name(count - 1), &info) == 0);
}

static s64 create_and_remove(u32 count)
{
    s64 error = create(entry_name(count));

    return error != 0 ? error : failed_unless(unlink(entry_name(count)) == 0);
}

static s64 rename_last(u32 count)
{
    static char name[64];

    snprintf(name, sizeof(name), "%s", entry_name(count - 1));
    return failed_unless(rename(name, DIRECTORY "/other") == 0 &&
                         rename(DIRECTORY "/other", name) == 0);
}

static s64 list(u32 count)
{
    DIR *directory = opendir(DIRECTORY);
    u32 seen = 0;

    while (directory != NULL && readdir(directory) != NULL)
        seen++;
    return failed_unless(directory != NULL && closedir(directory) == 0 && seen >= count);
}

static const struct things entries = {
    .most = ENTRIES,
    .add = add_entry,
    .remove_all = remove_entries,
    .operations = {{.name = "directory_look_up", .run = look_up},
                   {.name = "directory_create_remove", .run = create_and_remove},
                   {.name = "directory_rename", .run = rename_last},
                   {.name = "directory_list", .run = list, .each = true}},
};

// ---- pages --------------------------------------------------------------------------------------

static int file;

static s64 add_page(u32 index)
{
    return failed_unless(pwrite(file, data, PAGE, (off_t)index * PAGE) == PAGE);
}

static void remove_file(u32 count)
{
    (void)count;
    close(file);
    unlink(FILE_NAME);
}

static s64 write_last(u32 count)
{
    return add_page(count - 1);
}

static s64 longer_and_shorter(u32 count)
{
    s64 error = add_page(count);

    return error != 0 ? error : failed_unless(ftruncate(file, (off_t)count * PAGE) == 0);
}

static s64 map_last(u32 count)
{
    char *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, (off_t)(count - 1) * PAGE);

    if (page == MAP_FAILED)
        return failed_unless(false);
    (void)*(volatile char *)page;
    return failed_unless(munmap(page, PAGE) == 0);
}

static const struct things file_pages = {
    .most = PAGES,
    .add = add_page,
    .remove_all = remove_file,
    .operations = {{.name = "file_page_write", .run = write_last},
                   {.name = "file_page_append_truncate", .run = longer_and_shorter},
                   {.name = "file_page_map_touch_unmap", .run = map_last}},
};

// ---- open files ---------------------------------------------------------------------------------

static u32 children[OPEN_FILES / 10 + 1];
static u32 child_count, held;

int hold_files(const char *count, const char *made)
{
    for (int i = 0; i < atoi(count); i++) {
        if (open(FILE_NAME, O_RDONLY) < 0)
            return 1;
    }
    if (create(made) != 0)
        return 1;
    thread_sleep_until(THREAD_FOREVER);
    return 0;
}

// A child that has opened so many.
static s64 begin_holder(u32 count)
{
    char number[16], made[64];
    const char *argv[] = {"bench-growth", "hold", number, made, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;

    snprintf(number, sizeof(number), "%u", count);
    snprintf(made, sizeof(made), "/tmp/growth-held-%u", child_count);
    spawn.path = "/bin/bench-growth";
    spawn.argv = argv;
    s64 pid = process_spawn(&spawn);
    if (pid < 0)
        return pid;
    children[child_count++] = (u32)pid;
    while (unlink(made) != 0) {
        if (process_wait((u32)pid, NULL, time_after_us(1000)) >= 0)
            return failed_unless(false);
    }
    return 0;
}

static s64 count_open(u32 index)
{
    (void)index;
    return 0;
}

static s64 open_the_rest(u32 count)
{
    s64 error = 0;

    while (held < count && error == 0) {
        u32 more = count - held < HELD_MAX ? count - held : HELD_MAX;
        error = begin_holder(more);
        held += more;
    }
    return error;
}

static void end_holders(u32 count)
{
    (void)count;
    for (u32 i = 0; i < child_count; i++) {
        sys_process_kill(children[i], 0);
        process_wait(children[i], NULL, THREAD_FOREVER);
    }
}

static s64 open_and_close(u32 count)
{
    int fd = open(FILE_NAME, O_RDONLY);

    (void)count;
    return failed_unless(fd >= 0 && close(fd) == 0);
}

static const struct things open_files = {
    .most = OPEN_FILES,
    .add = count_open,
    .begin = open_the_rest,
    .remove_all = end_holders,
    .operations = {{.name = "file_open_close", .run = open_and_close}},
};

// ---- sockets ------------------------------------------------------------------------------------

static int sockets[SOCKETS];

static s64 add_socket(u32 index)
{
    sockets[index] = socket(AF_INET, SOCK_STREAM, 0);
    return failed_unless(sockets[index] >= 0);
}

static void close_sockets(u32 count)
{
    for (u32 i = 0; i < count; i++)
        close(sockets[i]);
}

static s64 reopen_socket(u32 count)
{
    close(sockets[count / 2]);
    return add_socket(count / 2);
}

static const struct things own_sockets = {
    .most = SOCKETS,
    .add = add_socket,
    .remove_all = close_sockets,
    .operations = {{.name = "socket_open_close", .run = reopen_socket}},
};

bool growth_of_files(void)
{
    file = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0644);
    return file >= 0 && mkdir(DIRECTORY, 0755) == 0 && measure_growth(&entries) &&
           measure_growth(&open_files) && measure_growth(&file_pages) &&
           measure_growth(&own_sockets);
}
