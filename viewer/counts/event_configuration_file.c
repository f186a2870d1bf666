// SPDX-License-Identifier: MIT
// The user's configurations are files NAME.conf in $XDG_CONFIG_HOME/orrery, or in ~/.config/orrery.
#include "counts/event_configuration.h"
#include "output/out_file.h"
#include "tools/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".conf"

// Finds our folder (`own`) and the folder above it (`base`). A relative XDG_CONFIG_HOME does not
// count, as its specification says.
static int folders(char base[PATH_MAX], char own[PATH_MAX])
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length;
    if (xdg != NULL && xdg[0] == '/')
        length = snprintf(base, PATH_MAX, "%s", xdg);
    else if (home != NULL && home[0] == '/')
        length = snprintf(base, PATH_MAX, "%s/.config", home);
    else
        return fail(KOV_FAILED, "configurations need a place: XDG_CONFIG_HOME or HOME must be set");
    int all = snprintf(own, PATH_MAX, "%s/orrery", base);
    if (length >= PATH_MAX || all + CONFIGURATION_NAME_BYTES + 16 >= PATH_MAX)
        return fail(KOV_FAILED, "the folder of configurations has too long a name");
    return KOV_OK;
}

static int path_of(const char *name, char path[PATH_MAX])
{
    char base[PATH_MAX], own[PATH_MAX];
    int code = folders(base, own);
    if (code == KOV_OK && snprintf(path, PATH_MAX, "%s/%s" SUFFIX, own, name) >= PATH_MAX)
        code = fail(KOV_FAILED, "the folder of configurations has too long a name");
    return code;
}

// ---- reading -----------------------------------------------------------------------------------

static int read_text(FILE *file, const char *path, struct configuration *out)
{
    size_t size = fread(out->text, 1, sizeof(out->text), file);
    if (ferror(file))
        return fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno));
    if (size == sizeof(out->text))
        return fail(KOV_FAILED, "%s: is longer than %d bytes", path, CONFIGURATION_BYTES);
    if (memchr(out->text, '\0', size) != NULL)
        return fail(KOV_FAILED, "%s: is no text", path);
    out->text[size] = '\0';
    return configuration_parse(path, out);
}

static void begin(const char *name, struct configuration *out)
{
    memset(out, 0, sizeof(*out));
    snprintf(out->name, sizeof(out->name), "%s", name);
}

static int load_built_in(const char *name, struct configuration *out)
{
    const char *text = configuration_built_in(name);
    if (text == NULL)
        return fail(KOV_USAGE, "no configuration '%s': see `kov config list`", name);
    out->built_in = true;
    snprintf(out->text, sizeof(out->text), "%s", text);
    return configuration_parse(name, out);
}

int configuration_read(const char *path, const char *name, struct configuration *out)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "r");
    begin(name, out);
    if (file == NULL)
        return fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno));
    int code = read_text(file, standard ? "standard input" : path, out);
    if (!standard)
        fclose(file);
    return code;
}

int configuration_load(const char *name, struct configuration *out)
{
    char path[PATH_MAX];
    int code = configuration_check_name(name);
    if (code != KOV_OK)
        return code;
    begin(name, out);
    // Without a folder the built-in ones are still there.
    if (configuration_built_in(name) != NULL && getenv("HOME") == NULL &&
        getenv("XDG_CONFIG_HOME") == NULL)
        return load_built_in(name, out);
    code = path_of(name, path);
    if (code != KOV_OK)
        return code;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return load_built_in(name, out);
    return configuration_read(path, name, out);
}

// ---- writing -----------------------------------------------------------------------------------

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return KOV_OK;
    return fail(KOV_FAILED, "cannot make %s: %s", path, strerror(errno));
}

static int write_file(const char *path, const struct configuration *configuration)
{
    struct out_file out;
    int code = out_file_open(&out, path);
    if (code != KOV_OK)
        return code;
    configuration_write(out.file, configuration);
    return out_file_close(&out, KOV_OK);
}

int configuration_save(const struct configuration *configuration, bool replace)
{
    char base[PATH_MAX], own[PATH_MAX], path[PATH_MAX] = "";
    int code = folders(base, own);
    if (code == KOV_OK)
        code = path_of(configuration->name, path);
    if (code == KOV_OK && !replace && access(path, F_OK) == 0)
        code = fail(KOV_FAILED, "there is a configuration '%s': --force replaces it",
                    configuration->name);
    if (code == KOV_OK)
        code = make_folder(base);
    if (code == KOV_OK)
        code = make_folder(own);
    return code == KOV_OK ? write_file(path, configuration) : code;
}

int configuration_remove(const char *name)
{
    char path[PATH_MAX];
    int code = configuration_check_name(name);
    if (code == KOV_OK)
        code = path_of(name, path);
    if (code != KOV_OK || unlink(path) == 0)
        return code;
    if (errno == ENOENT && configuration_built_in(name) != NULL)
        return fail(KOV_FAILED, "'%s' is built in, and cannot be removed", name);
    if (errno == ENOENT)
        return fail(KOV_USAGE, "no configuration '%s': see `kov config list`", name);
    return fail(KOV_FAILED, "cannot remove %s: %s", path, strerror(errno));
}

// ---- list --------------------------------------------------------------------------------------

struct names {
    char **names;
    size_t count, capacity;
};

static void add_name(struct names *names, const char *name, size_t length)
{
    names->names =
        memory_grow(names->names, names->count, &names->capacity, sizeof(names->names[0]));
    char *copy = memory_get(length + 1);
    memcpy(copy, name, length);
    names->names[names->count++] = copy;
}

static void add_folder(struct names *names, DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
        if (length > suffix && entry->d_name[0] != '.' &&
            length - suffix < CONFIGURATION_NAME_BYTES &&
            strcmp(entry->d_name + length - suffix, SUFFIX) == 0)
            add_name(names, entry->d_name, length - suffix);
    }
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

// Removes double names: the user's configurations may replace built-in ones.
static void make_unique(struct names *names)
{
    size_t kept = 0;
    qsort(names->names, names->count, sizeof(names->names[0]), compare);
    for (size_t i = 0; i < names->count; i++) {
        if (kept > 0 && strcmp(names->names[kept - 1], names->names[i]) == 0)
            free(names->names[i]);
        else
            names->names[kept++] = names->names[i];
    }
    names->count = kept;
}

int configuration_names(char ***result, size_t *count)
{
    char base[PATH_MAX], own[PATH_MAX];
    struct names names = {0};
    const char *name;
    int code = folders(base, own);
    if (code != KOV_OK)
        return code;
    for (size_t i = 0; (name = configuration_built_in_name(i)) != NULL; i++)
        add_name(&names, name, strlen(name));
    DIR *folder = opendir(own);
    if (folder != NULL) {
        add_folder(&names, folder);
        closedir(folder);
    } else if (errno != ENOENT) {
        warn("cannot read %s: %s", own, strerror(errno));
    }
    make_unique(&names);
    *result = names.names;
    *count = names.count;
    return KOV_OK;
}
