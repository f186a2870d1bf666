// SPDX-License-Identifier: MIT
// The hash table of all directories' entries: chains, of one node on average with as many nodes as
// there are buckets. Its size does not change, so adding an entry cannot fail.
#include "entries.h"

#include <string.h>
#include <user/time.h>

#define BUCKET_BITS 16
#define FACTOR 0x9e3779b97f4a7c15UL // odd, so that no step loses anything

static struct node *buckets[1UL << BUCKET_BITS];
static u64 start; // so that nobody can choose names that fall into one bucket; 0: not set yet

// The high bits are the better ones.
static u64 hash_of(const struct directory *directory, const char *name, u64 bytes)
{
    u64 hash = (start ^ directory->node.id) * FACTOR;
    for (u64 i = 0; i < bytes; i++)
        hash = (hash ^ hash >> 32 ^ (u8)name[i]) * FACTOR;
    return hash;
}

static struct node **bucket_of(u64 hash)
{
    return &buckets[hash >> (64 - BUCKET_BITS)];
}

struct node *entries_find(const struct directory *directory, const char *name, u64 bytes)
{
    u64 hash = hash_of(directory, name, bytes);
    struct node *node = *bucket_of(hash);
    while (node != NULL && (node->hash != hash || node->parent != directory ||
                            strncmp(node->name, name, bytes) != 0 || node->name[bytes] != '\0'))
        node = node->same_bucket;
    return node;
}

void entries_add(struct node *node)
{
    if (start == 0)
        start = time_date() | 1;
    node->hash = hash_of(node->parent, node->name, strlen(node->name));
    struct node **bucket = bucket_of(node->hash);
    node->same_bucket = *bucket;
    *bucket = node;
}

void entries_remove(struct node *node)
{
    struct node **link = bucket_of(node->hash);
    while (*link != node)
        link = &(*link)->same_bucket;
    *link = node->same_bucket;
    node->same_bucket = NULL;
}
