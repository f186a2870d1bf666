// SPDX-License-Identifier: MIT
// The regions of a process's address space.
#include "machine/regions.h"
#include "tools/text.h"
#include "wire/dci.h"

#define MAX_REGIONS 1000000
#define PAGE_BYTES 4096

static int take_regions(void *context, const dci_response *response)
{
    static const char *const kinds[] = {"none",   "anonymous", "stack",
                                        "commit", "shared",    "private"};
    json_t *list = context;
    const Orrery__Dci__RegionsReply *reply = response->regions;
    for (size_t i = 0; i < reply->n_regions && json_array_size(list) < MAX_REGIONS; i++) {
        const Orrery__Dci__Region *region = reply->regions[i];
        json_t *row = put_object(list, NULL);
        put_hex(row, "address", region->address);
        put_hex(row, "end", region->address + region->bytes);
        put_u64(row, "bytes", region->bytes);
        put_u64(row, "resident_bytes", region->resident_pages * PAGE_BYTES);
        char protection[4] = "---";
        for (u32 bit = 0; bit < 3; bit++)
            if ((region->protection >> bit & 1) != 0)
                protection[bit] = "rwx"[bit];
        put_text(row, "protection", protection);
        put_text(row, "kind", region->kind < ARRAY_SIZE(kinds) ? kinds[region->kind] : "unknown");
        put_u64(row, "offset", region->offset);
        put_hex(row, "region", region->object);
        put_hex(row, "memory", region->memory);
        text_make_printable(region->name, false);
        put_text(row, "name", region->name);
    }
    return KOV_OK;
}

int regions_fetch(u32 pid, json_t *list)
{
    Orrery__Dci__RegionsRequest body = ORRERY__DCI__REGIONS_REQUEST__INIT;
    body.pid = pid;
    return dci_call(DCI_REQUEST(REGIONS, regions, &body), ORRERY__DCI__RESPONSE__BODY_REGIONS,
                    "cannot list the regions", take_regions, list);
}
