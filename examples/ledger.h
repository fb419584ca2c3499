/* ledger.h - accounts, the blocks of payments between them, and a cache of verified payments.
 *
 * An account opens on first use with LEDGER_OPENING_BALANCE, so the balances always sum up to
 * accounts * LEDGER_OPENING_BALANCE.  Every function may be called from any thread. */
#pragma once

#include <stdint.h>

#define LEDGER_OPENING_BALANCE 1000

struct ledger_stats {
    uint64_t accounts;
    uint64_t payments; /* accepted, in all blocks and in the open one */
    uint64_t rejected;
    uint64_t blocks; /* closed */
    uint64_t cached; /* verified payments remembered */
    int64_t total;   /* sum of all balances */
};

struct ledger *ledger_create(void);         /* NULL when out of memory */
void ledger_destroy(struct ledger *ledger); /* NULL is allowed */

/* Moves `amount`.  0, or -1 when the ledger says no: *reason is then a sentence the caller frees.
 */
int ledger_pay(struct ledger *ledger, const char *from, const char *to, int64_t amount,
               char **reason);

int64_t ledger_balance(struct ledger *ledger, const char *name); /* -1 for an unknown account */

/* Seals the payments since the last block and starts a new one.  Returns the height of the sealed.
 */
uint64_t ledger_close_block(struct ledger *ledger);

struct ledger_stats ledger_stats(struct ledger *ledger);
