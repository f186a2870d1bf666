// SPDX-License-Identifier: MIT
// The kernel's reads and writes of user memory: of the current process directly,
// of any through the linear map.
#include "space.h"

#include "fcm.h"

#include <kernel/irq.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <string.h>

s64 user_copy(void *to, const void *from, u64 bytes);
s64 user_copy_string(char *to, const char *from, u64 max);

static bool is_user_range(u64 address, u64 bytes)
{
    return address >= USER_START && address <= USER_END && bytes <= USER_END - address;
}

s64 copy_from_user(void *to, u64 from, u64 bytes)
{
    return is_user_range(from, bytes) ? user_copy(to, (const void *)from, bytes) : E_FAULT;
}

s64 copy_to_user(u64 to, const void *from, u64 bytes)
{
    return is_user_range(to, bytes) ? user_copy((void *)to, from, bytes) : E_FAULT;
}

s64 copy_string_from_user(char *to, u64 from, u64 max)
{
    if (!is_user_range(from, 1))
        return E_FAULT;
    bool cut = max > USER_END - from;
    s64 length = user_copy_string(to, (const char *)from, cut ? USER_END - from : max);
    return cut && length == E_INVAL ? E_FAULT : length;
}

// ---- any space ----------------------------------------------------------------------------------

// A piece of memory within one page.
struct piece {
    u64 address, bytes;
    void *to;
    const void *from;
    const u32 *expected; // replace only this
    bool resident;       // only if it need not be made resident
};

static s64 access_wired(const struct region *region, const struct piece *piece)
{
    char *at = (char *)region->wired + (piece->address - region->start);

    if (piece->to != NULL)
        memcpy(piece->to, at, piece->bytes);
    else
        memcpy(at, piece->from, piece->bytes);
    return 0;
}

// Transfers a piece. Returns 0, E_AGAIN if the page has to be made resident first, or another
// error.
static s64 access_region(struct region *region, const struct piece *piece)
{
    if (region->kind == REGION_WIRED)
        return access_wired(region, piece);
    u64 page = (piece->address - region->start) / PAGE_SIZE;
    struct transfer transfer = {
        .page = page + region->first,
        .offset = piece->address % PAGE_SIZE,
        .bytes = piece->bytes,
        .to = piece->to,
        .from = piece->from,
        .expected = piece->expected,
        .region_prot = region->prot,
    };
    if (piece->from != NULL && !region_is_private(region) &&
        !(region_protection(region, page) & PROT_W))
        return E_FAULT; // not even the loader may write here
    return CO_CALL(struct fcm_rep, region->fcm->root.coid, transfer, &transfer);
}

static s64 access_piece(struct address_space *space, const struct piece *piece)
{
    for (;;) {
        const struct region_range *range = region_map_find(space_map(space), piece->address);
        if (range == NULL)
            return E_FAULT;
        s64 result = access_region(range->region, piece);
        if (result != E_AGAIN || piece->resident)
            return result;
        struct fault fault = {.address = ALIGN_DOWN(piece->address, PAGE_SIZE),
                              .access = piece->from != NULL ? PROT_W : PROT_R,
                              .force = true};
        enum fault_result fault_result = space_resolve(space, &fault);
        if (fault_result == FAULT_NO_MEMORY)
            return E_NOMEM;
        if (fault_result != FAULT_RESOLVED)
            return E_FAULT;
    }
}

static s64 access_pieces(struct address_space *space, u64 address, void *to, const void *from,
                         u64 bytes)
{
    s64 result = is_user_range(address, bytes) ? 0 : E_FAULT;

    for (u64 done = 0; done < bytes && result == 0;) {
        u64 at = address + done;
        u64 room = PAGE_SIZE - at % PAGE_SIZE;
        struct piece piece = {.address = at, .bytes = bytes - done < room ? bytes - done : room};
        if (to != NULL)
            piece.to = (char *)to + done;
        else
            piece.from = (const char *)from + done;
        result = access_piece(space, &piece);
        done += piece.bytes;
    }
    return result == 0 || result == E_NOMEM ? result : E_FAULT;
}

s64 space_peek(struct address_space *space, void *to, u64 from, u64 bytes)
{
    struct piece piece = {.address = from, .bytes = bytes, .to = to, .resident = true};
    bool one_page = from % PAGE_SIZE + bytes <= PAGE_SIZE;

    return one_page && is_user_range(from, bytes) && access_piece(space, &piece) == 0 ? 0 : E_FAULT;
}

s64 space_read(struct address_space *space, void *to, u64 from, u64 bytes)
{
    return access_pieces(space, from, to, NULL, bytes);
}

s64 space_write(struct address_space *space, u64 to, const void *from, u64 bytes)
{
    return access_pieces(space, to, NULL, from, bytes);
}

// ---- patching text ------------------------------------------------------------------------------

static void access_synchronise(void *unused)
{
    (void)unused;
    __asm__ volatile("isync" ::: "memory");
}

// Stores an instruction, twice, for the reason in exception/patch.c. If another one is there by
// then, it was patched again meanwhile.
static s64 store_text(struct address_space *space, u64 address, u32 old, u32 new)
{
    struct piece piece = {.address = address, .bytes = sizeof(new), .from = &new, .expected = &old};
    s64 result = access_piece(space, &piece);

    if (result != 0)
        return result;
    cpus_call(UINT64_MAX, access_synchronise, NULL);
    piece.expected = &new;
    access_piece(space, &piece);
    cpus_call(UINT64_MAX, access_synchronise, NULL);
    return 0;
}

s64 space_text_patch(struct address_space *space, u64 address, u32 old, u32 new)
{
    const struct region_range *range = region_map_find(space_map(space), address);

    if (address % sizeof(u32) != 0 || range == NULL)
        return E_INVAL;
    if (range->region->kind != REGION_PRIVATE && range->region->kind != REGION_ANONYMOUS)
        return E_INVAL;
    u32 there;
    s64 result = space_read(space, &there, address, sizeof(there));
    if (result == 0 && there != old)
        return E_AGAIN;
    if (result == 0)
        result = store_text(space, address, old, new);
    return result == E_EXIST ? E_AGAIN : result == E_FAULT ? E_INVAL : result;
}
