// SPDX-License-Identifier: MIT
// The hash table of the entries of all directories. A bucket is a chain: of one node on average, if
// there are as many nodes as buckets. The size does not change, so adding an entry cannot fail.
#include "entries.h"

#include <string.h>
#include <user/time.h>

#define BUCKET_BITS 16
#define FACTOR 0x9e3779b97f4a7c15UL

static struct node *buckets[1UL << BUCKET_BITS];
static u64 key; // keeps others from choosing names that fall into one bucket; 0: not set yet

// Mixes a word into a hash: both halves of the product with the key. Whoever does not know the key
// cannot tell what a changed bit of the word does to them.
static u64 mix(u64 hash, u64 word)
{
    __extension__ unsigned __int128 product = (unsigned __int128)(hash ^ word) * key;
    return (u64)product ^ (u64)(product >> 64);
}

static u64 word_at(const char *name)
{
    u64 word;
    memcpy(&word, name, sizeof(word));
    return word;
}

// Hashes a name eight bytes at a time. The last eight may overlap the ones before.
static u64 hash_of(const struct directory *directory, const char *name, u64 bytes)
{
    u64 hash = mix(directory->node.id, bytes << 32), last = 0;
    for (u64 i = 0; i + sizeof(last) < bytes; i += sizeof(last))
        hash = mix(hash, word_at(name + i));
    if (bytes >= sizeof(last)) {
        last = word_at(name + bytes - sizeof(last));
    } else {
        for (u64 i = 0; i < bytes; i++)
            last = last << 8 | (u8)name[i];
    }
    return mix(hash, last);
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
                            node->name_bytes != bytes || memcmp(node->name, name, bytes) != 0))
        node = node->same_bucket;
    return node;
}

void entries_add(struct node *node)
{
    if (key == 0)
        key = time_date() * FACTOR | 1;
    node->name_bytes = strlen(node->name);
    node->hash = hash_of(node->parent, node->name, node->name_bytes);
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
