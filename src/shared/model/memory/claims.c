/* SPDX-License-Identifier: Apache-2.0 */
/* claims.c - who gets which addresses, when several say that they are theirs. */
#include <errno.h>
#include <stdlib.h>

#include "base/invariant.h"

#include "model/memory/breakdown.h"

struct claims {
    VEC(struct memory_claim) items;
};

bool breakdown_claim(struct breakdown *breakdown, struct memory_claim claim)
{
    INVARIANT(claim.section < SECTIONS && claim.evidence < EVIDENCES);
    return claim.start >= claim.end || vec_push(&breakdown->claims, claim);
}

static int by_address(const void *left, const void *right)
{
    const struct memory_claim *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

static bool put(struct claims *claims, struct memory_claim claim, uint64_t start, uint64_t end)
{
    claim.start = start;
    claim.end = end;
    INVARIANT(start >= end || claims->items.count == 0 ||
              claims->items.items[claims->items.count - 1].end <= start);
    return start >= end || vec_push(&claims->items, claim);
}

/* `taken` and those of the weaker `evidence`, which get what is left.  All by address. */
static bool merge(struct claims *merged, const struct claims *taken,
                  const struct breakdown *breakdown, enum breakdown_evidence evidence)
{
    size_t next = 0;
    uint64_t free_from = 0;
    bool fits = true;
    vec_each (claim, &breakdown->claims) {
        if (claim->evidence != evidence)
            continue;
        if (claim->start > free_from)
            free_from = claim->start;
        for (; fits && next < taken->items.count && taken->items.items[next].start < claim->end;
             next++) {
            const struct memory_claim *other = &taken->items.items[next];
            fits = put(merged, *claim, free_from, other->start) && vec_push(&merged->items, *other);
            if (other->end > free_from)
                free_from = other->end;
        }
        fits = fits && put(merged, *claim, free_from, claim->end);
        if (claim->end > free_from)
            free_from = claim->end;
    }
    for (; fits && next < taken->items.count; next++)
        fits = vec_push(&merged->items, taken->items.items[next]);
    return fits;
}

static bool claims_are_apart(const struct claims *claims)
{
    bool apart = true;
    for (size_t i = 0; i < claims->items.count && apart; i++) {
        const struct memory_claim *claim = &claims->items.items[i];
        apart = claim->start < claim->end && (i == 0 || claim[-1].end <= claim->start);
    }
    return apart;
}

int breakdown_claims_settle(struct breakdown *breakdown)
{
    struct claims taken = {.items = {0}};
    bool fits = true;
    if (breakdown->claims.count)
        qsort(breakdown->claims.items, breakdown->claims.count, sizeof(breakdown->claims.items[0]),
              by_address);
    for (int evidence = 0; evidence < EVIDENCES && fits; evidence++) {
        struct claims merged = {.items = {0}};
        fits = merge(&merged, &taken, breakdown, (enum breakdown_evidence)evidence);
        vec_free(&taken.items);
        taken = merged;
    }
    if (fits) {
        vec_free(&breakdown->claims);
        breakdown->claims.items = taken.items.items;
        breakdown->claims.count = taken.items.count;
        breakdown->claims.room = taken.items.room;
        INVARIANT(claims_are_apart(&taken));
    } else {
        vec_free(&taken.items);
    }
    return fits ? 0 : -ENOMEM;
}
