// SPDX-License-Identifier: MIT
// Reference counts: the rare cases.
#include <kernel/panic.h>
#include <kernel/refs.h>
#include <kernel/symbols.h>

// A place in the code as text. Of an address that a call returns to, the place of the call before
// it.
struct place {
    const char *name;
    u64 offset;
};

static struct place place_of(u64 address)
{
    struct place place = {.offset = address};
    const char *name = address != 0 ? symbol_find(address - 1, &place.offset) : NULL;

    place.name = name != NULL ? name : "unknown code";
    return place;
}

static char letter(u32 kind, u32 shift)
{
    char byte = (char)(kind >> shift & 0x7f);

    return byte > ' ' ? byte : '?';
}

void refs_wrong(const struct refs *refs, u32 kind, const char *what, u64 place)
{
    struct place now = place_of(place), before = place_of(refs->ended_at);

    if (refs->kind != kind)
        panic("reference of %c%c%c%c %s by %s+%#lx, but it is none (%#x): freed, or something else",
              letter(kind, 24), letter(kind, 16), letter(kind, 8), letter(kind, 0), what, now.name,
              now.offset, refs->kind);
    panic("reference of %c%c%c%c %s by %s+%#lx, but the last one was given back by %s+%#lx",
          letter(kind, 24), letter(kind, 16), letter(kind, 8), letter(kind, 0), what, now.name,
          now.offset, before.name, before.offset);
}

static void stick(struct refs *refs)
{
    __atomic_store_n(&refs->count, REFS_STUCK + REFS_STUCK / 2, __ATOMIC_RELAXED);
}

void refs_got(struct refs *refs, u32 kind, u64 before, u64 place)
{
    if (before == 0)
        refs_wrong(refs, kind, "taken", place);
    stick(refs);
}

u64 refs_gave(struct refs *refs, u32 kind, u64 before, u64 place)
{
    if (before == 0)
        refs_wrong(refs, kind, "given back", place);
    if (before > 1) {
        stick(refs);
        return before - 1;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    refs->ended_at = place;
    return 0;
}

bool refs_try_get(struct refs *refs, u32 kind)
{
    u64 count = __atomic_load_n(&refs->count, __ATOMIC_RELAXED);

    if (refs->kind != kind)
        refs_wrong(refs, kind, "taken", (u64)__builtin_return_address(0));
    while (count != 0) {
        if (count >= REFS_STUCK ||
            __atomic_compare_exchange_n(&refs->count, &count, count + 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}
