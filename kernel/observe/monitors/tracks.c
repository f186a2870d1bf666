// SPDX-License-Identifier: MIT
// Sets of tracks.
#include "tracks.h"

#include <stddef.h>

void monitor_tracks_link(struct monitor_tracks *tracks, struct monitor_tracks **list)
{
    tracks->next = *list;
    tracks->link = list;
    if (tracks->next != NULL)
        tracks->next->link = &tracks->next;
    *list = tracks;
}

void monitor_tracks_unlink(struct monitor_tracks *tracks)
{
    *tracks->link = tracks->next;
    if (tracks->next != NULL)
        tracks->next->link = tracks->link;
}

// Returns its index, or `count`.
static u32 find(const struct monitor_tracks *tracks, const struct monitor *monitor)
{
    u32 at = 0;

    while (at < tracks->count && tracks->list[at].monitor != monitor)
        at++;
    return at;
}

bool monitor_tracks_fit(const struct monitor_tracks *tracks, const struct monitor *monitor,
                        bool tracks_all)
{
    u32 room = SYS_MONITORS_THREAD - (tracks_all ? 0 : SYS_MONITORS_THREAD_RESERVED);

    return tracks->count < room || find(tracks, monitor) < tracks->count;
}

static void refresh(struct monitor_tracks *tracks)
{
    bool told = tracks->library.ring != NULL;

    tracks->first = told ? &tracks->library : tracks->list;
    tracks->fires = tracks->count + told;
}

void monitor_tracks_ask(struct monitor_tracks *tracks, bool on)
{
    tracks->library.ring = on ? &tracks->library_ring : NULL;
    tracks->library.kinds = UINT32_MAX;
    refresh(tracks);
}

void monitor_tracks_set(struct monitor_tracks *tracks, const struct monitor_track *track)
{
    u32 at = find(tracks, track->monitor);

    tracks->list[at] = *track;
    tracks->count += at == tracks->count;
    refresh(tracks);
}

bool monitor_tracks_remove(struct monitor_tracks *tracks, const struct monitor *monitor)
{
    u32 at = find(tracks, monitor);

    if (at == tracks->count)
        return false;
    tracks->list[at] = tracks->list[--tracks->count];
    refresh(tracks);
    return true;
}
