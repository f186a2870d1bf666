// SPDX-License-Identifier: MIT
// Topics: what browsers watch, each once.
#include "gateway/topics.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

// Returns the parameters in a fixed order, without what differs between browsers.
static char *key_of(u32 machine, const json_t *watch)
{
    json_t *copy = json_copy((json_t *)watch);
    json_object_del(copy, "id");
    json_object_set_new(copy, "machine", json_integer(machine));
    char *key = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(copy);
    return key;
}

struct topic *topics_watch(struct topics *topics, u32 machine, enum watched_kind kind,
                           const json_t *watch, bool *fresh)
{
    char *key = key_of(machine, watch);
    struct topic *topic = topics->first;
    while (topic != NULL && strcmp(topic->key, key) != 0)
        topic = topic->next;
    *fresh = topic == NULL;
    if (*fresh) {
        topic = memory_get(sizeof(*topic));
        *topic = (struct topic){.number = ++topics->last_number,
                                .machine = machine,
                                .kind = kind,
                                .key = key,
                                .next = topics->first};
        topics->first = topic;
    } else {
        free(key);
    }
    topic->watchers++;
    return topic;
}

bool topics_unwatch(struct topics *topics, struct topic *topic)
{
    if (--topic->watchers > 0)
        return false;
    struct topic **place = &topics->first;
    while (*place != topic)
        place = &(*place)->next;
    *place = topic->next;
    free(topic->key);
    free(topic);
    return true;
}

struct topic *topics_find(const struct topics *topics, u64 number)
{
    struct topic *topic = topics->first;
    while (topic != NULL && topic->number != number)
        topic = topic->next;
    return topic;
}
