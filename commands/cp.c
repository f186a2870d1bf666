// SPDX-License-Identifier: MIT
#include "common.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 1024

static int copy_to(int from, const char *name, const char *to)
{
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0)
        return complain(to);
    int status = copy_bytes(from, out, name);
    if (close(out) != 0)
        status = complain(to);
    return status;
}

static int copy(const char *from, const char *to)
{
    struct stat source, target;

    int in = open(from, O_RDONLY);
    if (in < 0 || fstat(in, &source) != 0)
        return complain(from);
    int status;
    if (S_ISDIR(source.st_mode))
        status = complain_text(from, "is a folder");
    else if (stat(to, &target) == 0 && target.st_ino == source.st_ino &&
             target.st_dev == source.st_dev)
        status = complain_text(from, "is the same file");
    else
        status = copy_to(in, from, to);
    close(in);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int main(int argc, char **argv)
{
    int status = 0;

    command_begin(argc, argv, "cp FILE TO\n       cp FILE … FOLDER\ncopies files");
    if (argc < 3)
        return command_usage();
    const char *to = argv[argc - 1];
    if (!is_folder(to))
        return argc == 3 ? copy(argv[1], to) : complain_text(to, "is no folder");
    for (int i = 1; i < argc - 1; i++) {
        char path[PATH_BYTES];
        const char *slash = strrchr(argv[i], '/');
        snprintf(path, sizeof(path), "%s/%s", to, slash == NULL ? argv[i] : slash + 1);
        status |= copy(argv[i], path);
    }
    return status;
}
