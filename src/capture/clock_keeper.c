/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/clock_keeper.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define TICK_NS 2000000l

struct clock_keeper {
    struct arena *arena;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool on, stop;
};

static void *keep(void *context)
{
    struct clock_keeper *keeper = context;
    struct timespec tick = {0, TICK_NS};
    pthread_mutex_lock(&keeper->lock);
    while (!keeper->stop) {
        if (!keeper->on) {
            pthread_cond_wait(&keeper->changed, &keeper->lock);
            continue;
        }
        atomic_store_explicit(&keeper->arena->header->clock, __builtin_ia32_rdtsc(),
                              memory_order_relaxed);
        pthread_mutex_unlock(&keeper->lock);
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&keeper->lock);
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

struct clock_keeper *clock_keeper_create(struct arena *arena)
{
    struct clock_keeper *keeper = calloc(1, sizeof(*keeper));
    if (!keeper)
        return NULL;
    keeper->arena = arena;
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->changed, NULL);
    if (pthread_create(&keeper->thread, NULL, keep, keeper) != 0) {
        free(keeper);
        return NULL;
    }
    return keeper;
}

void clock_keeper_destroy(struct clock_keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->stop = true;
    pthread_cond_signal(&keeper->changed);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    pthread_cond_destroy(&keeper->changed);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

void clock_keeper_run(struct clock_keeper *keeper, bool on)
{
    if (keeper->on == on) /* only the caller's thread changes it */
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->on = on;
    if (!on)
        atomic_store(&keeper->arena->header->clock, 0);
    pthread_cond_signal(&keeper->changed);
    pthread_mutex_unlock(&keeper->lock);
}
