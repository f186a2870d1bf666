// SPDX-License-Identifier: MIT
// `kov swap`: gives a live object of the kernel another implementation, and lists what objects can
// become.
#include "commands/commands.h"
#include "machine/scan.h"
#include "output/columns.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/dci.h"
#include "wire/session.h"

#include <inttypes.h>
#include <string.h>

static bool list_only;
static u64 milliseconds, pid;

static const struct option own_options[] = {
    FLAG(0, "list", &list_only, "what objects, or this one, can become"),
    NUMBER(0, "within", &milliseconds, 1, 1000, "MS", "call it off after so long (100)"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "an object of this process (0, the kernel)"),
    OPTIONS_END,
};

static const struct column columns[] = {
    COLUMN("COID", "coid", 12),
    COLUMN("CLASS", "class", -16, .rank = RANK_KEEP),
    COLUMN("IMPLEMENTATION", "implementation", -24),
    COLUMN("SWAPS", "swaps", 6),
    COLUMN("CAN BECOME", "becomes", -1),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"objects", columns}, {NULL, NULL}};

// ---- lists -------------------------------------------------------------------------------------

static void list_becomes(const struct snapshot *snapshot, const struct class_info *class,
                         char text[CELL_BYTES])
{
    text[0] = '\0';
    for (size_t i = 0; i < CLASS_SWAPS_MAX && class->swaps[i] != 0; i++) {
        const struct class_info *to = snapshot_class(snapshot, class->pid, class->swaps[i]);
        size_t length = strlen(text);
        snprintf(text + length, CELL_BYTES - length, "%s%s", i == 0 ? "" : ", ",
                 to == NULL ? "?" : to->implementation);
    }
}

static void put_swappable(json_t *list, const struct snapshot *snapshot,
                          const struct object_info *object)
{
    char becomes[CELL_BYTES] = "";
    const struct class_info *class = snapshot_class(snapshot, object->pid, object->class_id);
    json_t *row = put_object(list, NULL);
    if (class != NULL)
        list_becomes(snapshot, class, becomes);
    put_hex(row, "coid", object->coid);
    put_text(row, "class", class == NULL ? NULL : class->name);
    put_text(row, "implementation", class == NULL ? NULL : class->implementation);
    put_u64(row, "swaps", object->swaps);
    put_text(row, "becomes", becomes[0] == '\0' ? NULL : becomes);
}

static bool can_become(const struct snapshot *snapshot, const struct object_info *object)
{
    const struct class_info *class = snapshot_class(snapshot, object->pid, object->class_id);
    return class != NULL && class->swaps[0] != 0;
}

static int show_all(const struct snapshot *snapshot)
{
    json_t *document = json_object();
    json_t *list = put_array(document, "objects");
    for (size_t i = 0; i < snapshot->object_count; i++) {
        if (can_become(snapshot, &snapshot->objects[i]))
            put_swappable(list, snapshot, &snapshot->objects[i]);
    }
    document_show(document, sheets);
    return KOV_OK;
}

static int show_one(const struct snapshot *snapshot, coid_t coid)
{
    const struct object_info *object = snapshot_object(snapshot, (u32)pid, coid);
    if (object == NULL)
        return fail(KOV_FAILED, "there is no object %#" PRIx64, coid);
    json_t *document = json_object();
    put_swappable(put_array(document, "objects"), snapshot, object);
    document_show(document, sheets);
    return KOV_OK;
}

static int list(const struct arguments *arguments, coid_t coid)
{
    struct snapshot snapshot = {0};
    if (pid != 0)
        return fail(KOV_FAILED, "only objects of the kernel can be swapped");
    int code = session_begin(true);
    if (code == KOV_OK)
        code = scan_objects(&snapshot, SCAN_KERNEL);
    if (code == KOV_OK)
        code = arguments->count == 0 ? show_all(&snapshot) : show_one(&snapshot, coid);
    snapshot_free(&snapshot);
    return code;
}

// ---- a swap ------------------------------------------------------------------------------------

static int swap(coid_t coid, char *implementation)
{
    Orrery__Dci__ObjectSwapRequest body = ORRERY__DCI__OBJECT_SWAP_REQUEST__INIT;
    char what[128];
    if (strlen(implementation) > 39)
        return fail(KOV_USAGE, "no implementation has a name of more than 39 bytes");
    body.pid = (u32)pid;
    body.coid = coid;
    body.implementation = implementation;
    body.microseconds = milliseconds * 1000;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    snprintf(what, sizeof(what), "cannot swap %#" PRIx64, coid);
    code = dci_call(DCI_REQUEST(OBJECT_SWAP, object_swap, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, what, NULL, NULL);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_hex(document, "coid", coid);
    put_text(document, "implementation", implementation);
    if (!document_for_programs(document, NULL))
        printf("%#" PRIx64 " is a %s now\n", coid, implementation);
    json_decref(document);
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    coid_t coid = 0;
    if (arguments->count > 0 && !text_to_u64(arguments->values[0], 1, UINT64_MAX, &coid))
        return fail(KOV_USAGE, "'%s' is no COID, as `kov objects` shows them",
                    arguments->values[0]);
    if (list_only && arguments->count < 2)
        return list(arguments, coid);
    if (list_only || arguments->count != 2)
        return fail(KOV_USAGE, "an object and an implementation are needed, or --list");
    return swap(coid, arguments->values[1]);
}

const struct command command_swap = {
    .name = "swap",
    .synopsis = "[--within MS] OBJECT IMPLEMENTATION | --list [OBJECT]",
    .summary = "Give a live object of the kernel another implementation",
    .details =
        "OBJECT is a COID, as `kov objects` and `kov swap --list` show them. It is swapped while\n"
        "everybody calls it, and keeps its COID. A swap that cannot be done in its time is called\n"
        "off: nothing has changed, and the error says which threads were inside which methods.",
    .options = {own_options},
    .max_arguments = 2,
    .has_csv = true,
    .run = run,
};
