// SPDX-License-Identifier: MIT
#include "common.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES_MAX 4096
#define PATH_BYTES 1024

static bool details, all;

static char kind_letter(mode_t mode)
{
    return S_ISDIR(mode) ? 'd' : S_ISCHR(mode) ? 'c' : S_ISFIFO(mode) ? 'p' : '-';
}

static void show(const char *name, const struct stat *info)
{
    const char *mark = S_ISDIR(info->st_mode) ? "/" : "";

    char date[32];

    if (!details) {
        printf("%s%s\n", name, mark);
        return;
    }
    strftime(date, sizeof(date), "%Y-%m-%d %H:%M", gmtime(&info->st_mtime));
    printf("%c%c%c %10lld %s %s%s\n", kind_letter(info->st_mode),
           info->st_mode & S_IRUSR ? 'r' : '-', info->st_mode & S_IWUSR ? 'w' : '-',
           (long long)info->st_size, date, name, mark);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int show_entries(const char *folder, char **names, u32 count)
{
    char path[PATH_BYTES];
    struct stat info;
    int status = 0;

    qsort(names, count, sizeof(*names), compare);
    for (u32 i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        if (stat(path, &info) == 0)
            show(names[i], &info);
        else
            status = complain(path);
        free(names[i]);
    }
    return status;
}

static int list_folder(const char *path)
{
    static char *names[ENTRIES_MAX];
    u32 count = 0;

    DIR *folder = opendir(path);
    if (folder == NULL)
        return complain(path);
    for (struct dirent *entry; count < ENTRIES_MAX && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.' && !all)
            continue;
        names[count] = strdup(entry->d_name);
        count += names[count] != NULL;
    }
    closedir(folder);
    if (count == ENTRIES_MAX)
        complain_text(path, "too many entries, the rest is not shown");
    return show_entries(path, names, count);
}

static int list(const char *path, bool heading)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return complain(path);
    if (!S_ISDIR(info.st_mode)) {
        show(path, &info);
        return 0;
    }
    if (heading)
        printf("%s:\n", path);
    return list_folder(path);
}

int main(int argc, char **argv)
{
    int status = 0;

    command_begin(
        argc, argv,
        "ls [-l] [-a] [PATH …]\nlists folders; -l: with sizes, -a: names with a dot, too");
    for (int option; (option = getopt(argc, argv, "la")) != -1;) {
        if (option == '?')
            return command_usage();
        details |= option == 'l';
        all |= option == 'a';
    }
    if (optind == argc)
        return list(".", false);
    for (int i = optind; i < argc; i++)
        status |= list(argv[i], argc - optind > 1);
    return status;
}
