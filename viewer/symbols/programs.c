// SPDX-License-Identifier: MIT
// Names for addresses of processes, from their programs' ELF files. A process's name comes from the
// machine, so it is not used as a path: the file is directly in the folder, or is not there.
#include "symbols/programs.h"
#include "symbols/images.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Writes the path of a file in the folder of the settings, or where images are looked for.
static bool path_in(int folder, const char *file, char path[PATH_MAX])
{
    if (settings.programs == NULL)
        return image_program_path(folder, file, path);
    return folder == 0 && snprintf(path, PATH_MAX, "%s/%s", settings.programs, file) < PATH_MAX;
}

// Finds "NAME.elf", which has symbols, or else "NAME".
static bool find_file(const char *name, char path[PATH_MAX])
{
    const char *const endings[] = {".elf", ""};
    char file[PATH_MAX];
    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
        return false;
    for (int folder = 0; folder < IMAGE_FOLDERS; folder++)
        for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
            if (snprintf(file, PATH_MAX, "%s%s", name, endings[i]) < PATH_MAX &&
                path_in(folder, file, path) && access(path, R_OK) == 0)
                return true;
    return false;
}

static struct symbols *open_program(const char *name, bool quiet)
{
    char path[PATH_MAX];
    const char *problem = NULL;
    struct symbols *symbols = find_file(name, path) ? symbols_open(path, &problem) : NULL;
    if (symbols == NULL && !quiet)
        warn("no names of functions of the program '%s': %s; give the folder of its ELF file with "
             "--programs",
             name, problem == NULL ? "it is not in the folder" : problem);
    return symbols;
}

struct symbols *program_symbols_named(struct programs *programs, const char *name)
{
    for (size_t i = 0; i < programs->count; i++) {
        if (strcmp(programs->programs[i].name, name) == 0)
            return programs->programs[i].symbols;
    }
    programs->programs = memory_grow(programs->programs, programs->count, &programs->capacity,
                                     sizeof(*programs->programs));
    struct program *program = &programs->programs[programs->count++];
    *program = (struct program){.name = memory_copy_text(name),
                                .symbols = open_program(name, programs->quiet)};
    return program->symbols;
}

struct symbols *program_symbols(struct programs *programs, const struct snapshot *snapshot, u32 pid)
{
    const struct process_info *process = snapshot_process(snapshot, pid);
    return process == NULL ? NULL : program_symbols_named(programs, process->name);
}

void programs_close(struct programs *programs)
{
    for (size_t i = 0; i < programs->count; i++) {
        free(programs->programs[i].name);
        symbols_close(programs->programs[i].symbols);
    }
    free(programs->programs);
    *programs = (struct programs){0};
}
