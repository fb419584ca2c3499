/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/sample.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/processor.h"
#include "tracer/process/raw_syscall.h"
#include "wire/invariant.h"

/* Lines of eight addresses; a block may lie in either of two. */
#define LINE_BITS  15
#define LINE_WORDS 8u
#define FILTER_MAX 255u /* such a byte has lost count, and stays */

static _Alignas(64) _Atomic uint64_t taken[1 << LINE_BITS][LINE_WORDS];
_Atomic uint8_t sample_filter[1 << SAMPLE_FILTER_BITS];

static _Atomic uint64_t *line_of(uint64_t address, unsigned choice)
{
    uint64_t factor = choice ? 0xbf58476d1ce4e5b9ull : 0x9e3779b97f4a7c15ull;
    return taken[(address * factor) >> (64 - LINE_BITS)];
}

static bool replace(uint64_t address, uint64_t from, uint64_t to)
{
    INVARIANT(from != to && (from == address || to == address));
    for (unsigned choice = 0; choice < 2; choice++) {
        _Atomic uint64_t *line = line_of(address, choice);
        for (unsigned i = 0; i < LINE_WORDS; i++) {
            uint64_t expected = from;
            if (atomic_load_explicit(&line[i], memory_order_relaxed) == from &&
                atomic_compare_exchange_strong(&line[i], &expected, to))
                return true;
        }
    }
    return false;
}

/* Counts up or down, unless the count is lost. */
static void count_in_filter(uint64_t address, uint8_t by)
{
    INVARIANT(by == 1 || by == (uint8_t)-1);
    _Atomic uint8_t *byte = &sample_filter[sample_filter_at(address)];
    uint8_t old = atomic_load(byte);
    while (old != FILTER_MAX && !atomic_compare_exchange_weak(byte, &old, (uint8_t)(old + by)))
        ;
}

bool sample_keep(const void *block)
{
    uint64_t address = (uint64_t)block;
    count_in_filter(address, 1);
    if (replace(address, 0, address))
        return true;
    count_in_filter(address, (uint8_t)-1);
    return false;
}

bool sample_forget(const void *block)
{
    uint64_t address = (uint64_t)block;
    if (!sample_may_have(block) || !replace(address, address, 0))
        return false;
    count_in_filter(address, (uint8_t)-1);
    return true;
}

void sample_forget_all(void)
{
    for (unsigned i = 0; i < 1u << LINE_BITS; i++) {
        for (unsigned k = 0; k < LINE_WORDS; k++) {
            if (atomic_load_explicit(&taken[i][k], memory_order_relaxed) != 0)
                atomic_store_explicit(&taken[i][k], 0, memory_order_relaxed);
        }
    }
    for (unsigned i = 0; i < 1u << SAMPLE_FILTER_BITS; i++) {
        if (atomic_load_explicit(&sample_filter[i], memory_order_relaxed) != FILTER_MAX)
            atomic_store_explicit(&sample_filter[i], 0, memory_order_relaxed);
    }
}

void sample_pin(const void *block)
{
    atomic_store(&sample_filter[sample_filter_at((uint64_t)block)], FILTER_MAX);
}

const _Atomic uint64_t sample_no_rate = RATE_FULL;
bool sample_ever;

/* The page is mapped once, at an address that is never given up: threads read it without asking. */
void sample_watch(int fd)
{
    bool first = tracer_process.rate == &sample_no_rate;
    long page = first ? 0 : (long)tracer_process.rate & ~4095l;
    long at =
        raw_syscall6(SYS_mmap, page, 4096, PROT_READ, MAP_SHARED | (first ? 0 : MAP_FIXED), fd, 0);
    if (at < 0 && at > -4096)
        return; /* then all is traced */
    tracer_process.rate =
        (const _Atomic uint64_t *)(at + (long)offsetof(struct arena_header, rate));
}

void sample_unwatch(void)
{
    if (tracer_process.rate == &sample_no_rate)
        return;
    raw_syscall6(SYS_mmap, (long)tracer_process.rate & ~4095l, 4096, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static uint64_t quota_of(struct tracer_thread *self)
{
    if (self->rate == RATE_OFF)
        return UINT64_MAX;
    return self->rate == RATE_FULL ? 0 : sample_draw(&self->random, self->rate);
}

bool sample_wants_slowly(size_t size, const void *block)
{
    struct tracer_thread *self = &tracer_self;
    uint64_t rate = atomic_load_explicit(tracer_process.rate, memory_order_relaxed);
    sample_ever = true;
    if (self->rate != rate) {
        self->rate = rate;
        self->quota = quota_of(self);
    }
    if (rate == RATE_FULL) {
        PROBE_ALLOC(block, size, size);
        return true;
    }
    if (size < self->quota) {
        self->quota -= size + 1;
        return false;
    }
    self->quota = quota_of(self);
    if (rate == RATE_OFF)
        return false;
    if (sample_keep(block)) {
        PROBE_ALLOC(block, size, sample_weight(size, rate));
        return true;
    }
    atomic_fetch_add(&tracer_process.header->samples_dropped, 1);
    return false;
}

bool sample_wants_free_slowly(const void *block)
{
    bool followed = sample_forget(block) ||
                    atomic_load_explicit(tracer_process.rate, memory_order_relaxed) == RATE_FULL;
    if (followed)
        PROBE_FREE(block);
    return followed;
}

/* The natural logarithm of x > 0; libm is not ours to load.  Good to 1e-10. */
static double natural_log(double x)
{
    INVARIANT(x > 0);
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
    memcpy(&x, &bits, sizeof(x));
    if (x > 1.4142135623730951) {
        x /= 2;
        exponent++;
    }
    double s = (x - 1) / (x + 1), square = s * s, sum = 0;
    for (int k = 15; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent * 0.6931471805599453 + 2 * s * sum;
}

/* 1 - e^-x for x > 0: x is made small, and the result squared back.  Good to 1e-10. */
static double fall(double x)
{
    INVARIANT(x > 0);
    if (x > 40)
        return 1;
    double y = x / 1024, kept = y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4)));
    for (int i = 0; i < 10; i++)
        kept = kept * (2 - kept); /* 1 - (1 - kept)^2 */
    INVARIANT(kept > 0 && kept <= 1);
    return kept;
}

uint64_t sample_weight(uint64_t size, uint64_t rate)
{
    if (rate == RATE_FULL || rate == RATE_OFF)
        return size;
    return (uint64_t)((double)size / fall(((double)size + 1) / (double)rate) + 0.5);
}

uint64_t sample_draw(uint64_t *random, uint64_t rate)
{
    uint64_t x =
        *random ? *random : (processor_ticks() ^ (uint64_t)random * 0x9e3779b97f4a7c15ull) | 1;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *random = x;
    double uniform = ((double)((x * 0x2545f4914f6cdd1dull) >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    INVARIANT(uniform > 0 && uniform <= 1 && x != 0);
    return (uint64_t)(-natural_log(uniform) * (double)rate);
}
