/* SPDX-License-Identifier: Apache-2.0 */
/* One lock for the books, one for the signature cache.  A node without memory cannot keep books,
 * so the small allocations below end the program when they fail instead of losing a payment. */
#include "ledger.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memoir.h"

struct account {
    struct account *next; /* in the same bucket */
    char *name;
    int64_t balance;
};

struct payment {
    struct account *from;
    struct account *to;
    int64_t amount;
};

struct block {
    struct block *previous;
    uint64_t height;
    uint64_t digest; /* root over its payments and the block before */
    struct payment *payments;
    size_t count, room;
};

struct signature {
    struct signature *next; /* in the same bucket */
    uint64_t digest;
    char text[]; /* what was signed */
};

struct ledger {
    pthread_mutex_t books; /* guards all but the signatures */
    struct account **accounts;
    size_t account_buckets;
    struct block *open_block; /* the newest; its predecessors are closed */
    struct ledger_stats stats;

    pthread_mutex_t cache;
    struct signature **signatures;
    size_t signature_buckets;
    uint64_t signature_count;
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("ledger: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9fb21c651e98df25u;
    x ^= x >> 28;
    return x;
}

static uint64_t digest_text(const char *text)
{
    uint64_t digest = 0x6c65646765720001u;
    for (; *text; text++)
        digest = mix(digest ^ (unsigned char)*text);
    return digest;
}

/* ---- accounts ---- */

static struct account *find_account(const struct ledger *ledger, const char *name)
{
    struct account *account = ledger->accounts[digest_text(name) % ledger->account_buckets];
    while (account && strcmp(account->name, name) != 0)
        account = account->next;
    return account;
}

static void grow_account_index(struct ledger *ledger)
{
    size_t room = ledger->account_buckets * 2;
    struct account **wider = need(calloc(room, sizeof(struct account *)));

    for (size_t i = 0; i < ledger->account_buckets; i++)
        for (struct account *account = ledger->accounts[i], *next; account; account = next) {
            struct account **bucket = &wider[digest_text(account->name) % room];
            next = account->next;
            account->next = *bucket;
            *bucket = account;
        }
    free(ledger->accounts);
    ledger->accounts = wider;
    ledger->account_buckets = room;
}

static struct account *open_account(struct ledger *ledger, const char *name)
{
    struct account *account = find_account(ledger, name);
    if (account)
        return account;

    if (ledger->stats.accounts >= ledger->account_buckets)
        grow_account_index(ledger);
    struct account **bucket = &ledger->accounts[digest_text(name) % ledger->account_buckets];
    account = need(malloc(sizeof(*account)));
    *account = (struct account){
        .next = *bucket, .name = need(strdup(name)), .balance = LEDGER_OPENING_BALANCE};
    *bucket = account;
    ledger->stats.accounts++;
    return account;
}

/* ---- blocks ---- */

static struct block *start_block(struct block *previous)
{
    struct block *block = need(calloc(1, sizeof(*block)));
    block->previous = previous;
    block->height = previous ? previous->height + 1 : 1;
    memoir_mark_number("block", (long)block->height); /* nothing, unless memoir records us */
    return block;
}

static void append_payment(struct block *block, struct payment payment)
{
    if (block->count == block->room) {
        block->room = block->room ? block->room * 2 : 64;
        block->payments = need(realloc(block->payments, block->room * sizeof(payment)));
    }
    block->payments[block->count++] = payment;
}

static uint64_t digest_payment(const struct payment *payment)
{
    return mix(digest_text(payment->from->name) ^ mix(digest_text(payment->to->name)) ^
               (uint64_t)payment->amount);
}

/* Folds a row of digests pairwise until one is left: the root of the block's hash tree. */
static uint64_t compute_block_root(const struct block *block)
{
    size_t width = block->count;
    if (width == 0)
        return mix(block->height);

    uint64_t *row = need(malloc(width * sizeof(*row)));
    for (size_t i = 0; i < width; i++)
        row[i] = digest_payment(&block->payments[i]);
    for (; width > 1; width = (width + 1) / 2)
        for (size_t i = 0; i < width; i += 2)
            row[i / 2] = mix(row[i] ^ mix(i + 1 < width ? row[i + 1] : row[i]));
    uint64_t root = row[0];
    free(row);
    return root;
}

uint64_t ledger_close_block(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->books);
    struct block *block = ledger->open_block;
    block->digest =
        mix(compute_block_root(block) ^ (block->previous ? block->previous->digest : 0));
    ledger->open_block = start_block(block);
    ledger->stats.blocks++;
    pthread_mutex_unlock(&ledger->books);
    return block->height;
}

/* ---- the signature cache: it grows for as long as the node lives ---- */

static uint64_t verify_signature(const char *text)
{
    uint64_t digest = digest_text(text);
    for (int round = 0; round < 500; round++) /* stands for the costly mathematics */
        digest = mix(digest + (uint64_t)round);
    return digest;
}

static void remember_signature(struct ledger *ledger, const char *text, uint64_t digest)
{
    size_t length = strlen(text) + 1;
    struct signature *signature = need(malloc(sizeof(*signature) + length));
    struct signature **bucket = &ledger->signatures[digest_text(text) % ledger->signature_buckets];

    signature->digest = digest;
    memcpy(signature->text, text, length);
    signature->next = *bucket;
    *bucket = signature;
    ledger->signature_count++; /* and nothing ever takes one out */
}

static uint64_t find_signature(struct ledger *ledger, const char *text)
{
    uint64_t digest = 0;
    pthread_mutex_lock(&ledger->cache);
    struct signature *known = ledger->signatures[digest_text(text) % ledger->signature_buckets];
    while (known && strcmp(known->text, text) != 0)
        known = known->next;
    if (known)
        digest = known->digest;
    pthread_mutex_unlock(&ledger->cache);
    return digest;
}

static void check_signature(struct ledger *ledger, const char *from, const char *to, int64_t amount)
{
    char text[256];
    snprintf(text, sizeof(text), "%s>%s:%lld", from, to, (long long)amount);
    if (find_signature(ledger, text))
        return;

    uint64_t digest = verify_signature(text); /* without the lock: two threads may both do it */
    pthread_mutex_lock(&ledger->cache);
    remember_signature(ledger, text, digest);
    pthread_mutex_unlock(&ledger->cache);
}

/* ---- payments ---- */

static char *explain_refusal(const struct account *from, int64_t amount)
{
    char *reason = NULL;
    if (asprintf(&reason, "account %s holds %lld and cannot pay %lld", from->name,
                 (long long)from->balance, (long long)amount) < 0)
        return need(NULL);
    return reason;
}

int ledger_pay(struct ledger *ledger, const char *from, const char *to, int64_t amount,
               char **reason)
{
    check_signature(ledger, from, to, amount);

    pthread_mutex_lock(&ledger->books);
    struct account *payer = open_account(ledger, from);
    struct account *payee = open_account(ledger, to);
    bool accepted = amount > 0 && amount <= payer->balance;
    if (accepted) {
        payer->balance -= amount;
        payee->balance += amount;
        append_payment(ledger->open_block, (struct payment){payer, payee, amount});
        ledger->stats.payments++;
    } else {
        *reason = explain_refusal(payer, amount);
        ledger->stats.rejected++;
    }
    pthread_mutex_unlock(&ledger->books);
    return accepted ? 0 : -1;
}

int64_t ledger_balance(struct ledger *ledger, const char *name)
{
    pthread_mutex_lock(&ledger->books);
    const struct account *account = find_account(ledger, name);
    int64_t balance = account ? account->balance : -1;
    pthread_mutex_unlock(&ledger->books);
    return balance;
}

/* ---- the whole ---- */

struct ledger *ledger_create(void)
{
    struct ledger *ledger = calloc(1, sizeof(*ledger));
    if (!ledger)
        return NULL;
    pthread_mutex_init(&ledger->books, NULL);
    pthread_mutex_init(&ledger->cache, NULL);
    ledger->account_buckets = 256;
    ledger->accounts = need(calloc(ledger->account_buckets, sizeof(struct account *)));
    ledger->signature_buckets = 65536;
    ledger->signatures = need(calloc(ledger->signature_buckets, sizeof(struct signature *)));
    ledger->open_block = start_block(NULL);
    return ledger;
}

struct ledger_stats ledger_stats(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->books);
    struct ledger_stats stats = ledger->stats;
    for (size_t i = 0; i < ledger->account_buckets; i++)
        for (const struct account *account = ledger->accounts[i]; account; account = account->next)
            stats.total += account->balance;
    pthread_mutex_unlock(&ledger->books);
    pthread_mutex_lock(&ledger->cache);
    stats.cached = ledger->signature_count;
    pthread_mutex_unlock(&ledger->cache);
    return stats;
}

static void free_blocks(struct block *newest)
{
    for (struct block *previous; newest; newest = previous) {
        previous = newest->previous;
        free(newest->payments);
        free(newest);
    }
}

static void free_accounts(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->account_buckets; i++)
        for (struct account *account = ledger->accounts[i], *next; account; account = next) {
            next = account->next;
            free(account->name);
            free(account);
        }
    free(ledger->accounts);
}

static void free_signatures(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->signature_buckets; i++)
        for (struct signature *signature = ledger->signatures[i], *next; signature;
             signature = next) {
            next = signature->next;
            free(signature);
        }
    free(ledger->signatures);
}

void ledger_destroy(struct ledger *ledger)
{
    if (!ledger)
        return;
    free_blocks(ledger->open_block);
    free_accounts(ledger);
    free_signatures(ledger);
    pthread_mutex_destroy(&ledger->books);
    pthread_mutex_destroy(&ledger->cache);
    free(ledger);
}
