// SPDX-License-Identifier: MIT
// Who holds memory that another made.
#include "holding.h"

#include "fcm.h"
#include "pages.h"
#include "pm.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <orrery/errors.h>

struct holding {
    struct holding *next;
    const struct fcm *fcm; // which lives, because it is held
    u64 count;
};

static struct spinlock lent_lock = SPINLOCK_INIT("lent memory", RANK_PM);
static u64 lent_pages; // of objects with lent > 0

// Neither changes while an object lives.
static bool holding_counts(const struct pm *pm, const struct fcm *fcm)
{
    return fcm->pm != pm && fcm_is_anonymous(fcm);
}

static bool is_lent(const struct pm *pm, const struct fcm *fcm)
{
    return pm_has_rights(fcm->pm) && !pm_has_rights(pm);
}

void holdings_init(struct holdings *holdings)
{
    spin_init(&holdings->lock, "holdings", RANK_PM);
}

// ---- one process's ------------------------------------------------------------------------------

static struct holding **list_of(struct holdings *holdings, const struct fcm *fcm)
{
    return &holdings->lists[fcm->root.coid % HOLDING_LISTS];
}

// Returns where the object's holding stands in its list, or the list's end. The lock is held.
static struct holding **holding_find(struct holdings *holdings, const struct fcm *fcm)
{
    struct holding **link = list_of(holdings, fcm);

    while (*link != NULL && (*link)->fcm != fcm)
        link = &(*link)->next;
    return link;
}

// Counts one more if the object is held already, or else takes over *made as its holding.
static bool holding_add(struct holdings *holdings, const struct fcm *fcm, struct holding **made)
{
    spin_lock(&holdings->lock);
    struct holding **link = holding_find(holdings, fcm);
    bool added = *link != NULL || *made != NULL;
    if (*link != NULL) {
        (*link)->count++;
    } else if (*made != NULL) {
        **made = (struct holding){.fcm = fcm, .count = 1};
        *link = *made;
        *made = NULL;
    }
    spin_unlock(&holdings->lock);
    return added;
}

// Counts one less. Returns the holding that has come to its end, or NULL.
static struct holding *holding_take(struct holdings *holdings, const struct fcm *fcm)
{
    spin_lock(&holdings->lock);
    struct holding **link = holding_find(holdings, fcm), *ended = *link;
    KASSERT(ended != NULL);
    if (--ended->count > 0)
        ended = NULL;
    else
        *link = ended->next;
    spin_unlock(&holdings->lock);
    return ended;
}

// ---- all that processes without rights hold -----------------------------------------------------

static s64 lend(struct fcm *fcm)
{
    u64 pages = fcm_pages(fcm);

    spin_lock(&lent_lock);
    bool fits = fcm->lent > 0 || pages <= buddy_total_pages() / LENT_PART - lent_pages;
    if (fits && fcm->lent++ == 0)
        lent_pages += pages;
    spin_unlock(&lent_lock);
    return fits ? 0 : E_LIMIT;
}

static void lend_no_more(struct fcm *fcm)
{
    spin_lock(&lent_lock);
    if (--fcm->lent == 0)
        lent_pages -= fcm_pages(fcm);
    spin_unlock(&lent_lock);
}

// ---- begin, end ---------------------------------------------------------------------------------

static s64 charge(struct pm *pm, struct fcm *fcm)
{
    s64 error = is_lent(pm, fcm) ? lend(fcm) : 0;

    if (error != 0)
        return error;
    error = pm_hold_pages(pm, fcm_pages(fcm));
    if (error != 0 && is_lent(pm, fcm))
        lend_no_more(fcm);
    return error;
}

static void uncharge(struct pm *pm, struct fcm *fcm)
{
    pm_release_pages(pm, fcm_pages(fcm));
    if (is_lent(pm, fcm))
        lend_no_more(fcm);
}

// Charged before it is added, so that nobody sees what may still be refused. Another thread may be
// first meanwhile.
static s64 holding_made(struct pm *pm, struct fcm *fcm)
{
    struct holding *made = kmalloc(sizeof(*made));

    if (made == NULL)
        return E_NOMEM;
    s64 error = charge(pm, fcm);
    if (error == 0)
        holding_add(pm_holdings(pm), fcm, &made);
    if (error == 0 && made != NULL)
        uncharge(pm, fcm);
    kfree(made);
    return error;
}

s64 holding_begin(struct pm *pm, struct fcm *fcm)
{
    struct holding *none = NULL;

    if (!holding_counts(pm, fcm) || holding_add(pm_holdings(pm), fcm, &none))
        return 0;
    return holding_made(pm, fcm);
}

void holding_end(struct pm *pm, struct fcm *fcm)
{
    struct holding *ended = holding_counts(pm, fcm) ? holding_take(pm_holdings(pm), fcm) : NULL;

    if (ended == NULL)
        return;
    uncharge(pm, fcm);
    kfree(ended);
}
