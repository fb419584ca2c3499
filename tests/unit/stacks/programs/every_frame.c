/* every_frame.c - threads that are always somewhere: every kind of frame that C compilers and
 * libraries make. */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void spin(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        sink = sink * 31 + i;
}

static int compare(const void *a, const void *b)
{
    spin(3);
    return *(const int *)a - *(const int *)b;
}

/* A callback out of libc. */
static void *sorts(void *unused)
{
    int numbers[256];
    for (unsigned seed = 1;; seed++) {
        for (unsigned i = 0; i < 256; i++)
            numbers[i] = (int)((seed * 2654435761u) >> (i % 24) & 0xffff);
        qsort(numbers, 256, sizeof(numbers[0]), compare);
    }
    return unused;
}

__attribute__((noinline)) static unsigned recurse(unsigned depth)
{
    char room[24];
    memset(room, (int)depth, sizeof(room));
    spin(depth % 5);
    return depth == 0 ? 0 : recurse(depth - 1) + (unsigned)room[depth % 24];
}

static void *recurses(void *unused)
{
    for (;;)
        sink += recurse(400);
    return unused;
}

__attribute__((noinline)) static unsigned uses_room(unsigned size, unsigned depth)
{
    char *room = alloca(size);
    memset(room, 1, size);
    spin(20);
    return depth ? uses_room(size * 3 % 977 + 1, depth - 1) + (unsigned char)room[size - 1] : 0;
}

static void *allocates_on_stack(void *unused)
{
    for (;;)
        sink += uses_room(100, 8);
    return unused;
}

/* Frames that align themselves. */
__attribute__((noinline)) static void aligned(unsigned depth)
{
    _Alignas(64) volatile char line[128];
    line[depth] = 1;
    spin(15);
    if (depth)
        aligned(depth - 1);
    sink += (unsigned long)line[depth];
}

__attribute__((noinline)) static void aligned_and_varying(unsigned size)
{
    _Alignas(64) volatile char line[64];
    char *room = alloca(size);
    memset(room, 0, size);
    line[0] = room[size / 2];
    aligned(size % 7);
    sink += (unsigned long)line[0];
}

static void *aligns(void *unused)
{
    for (unsigned size = 1;; size = size % 300 + 1)
        aligned_and_varying(size);
    return unused;
}

static void *prints(void *unused)
{
    char text[200];
    for (int i = 0;; i++) {
        snprintf(text, sizeof(text), "%d %s %.6f %lx", i, "word", i / 7.0, (unsigned long)i);
        sink += strlen(text) + (unsigned long)strtol(text, NULL, 10);
        free(realloc(malloc((size_t)i % 5000 + 1), (size_t)i % 7000 + 1));
    }
    return unused;
}

static void *asks_the_time(void *unused)
{
    struct timespec now;
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink += (unsigned long)now.tv_nsec + (unsigned long)time(NULL);
    }
    return unused;
}

static void *sleeps(void *unused)
{
    for (;;)
        usleep(500);
    return unused;
}

static void handle(int number)
{
    (void)number;
    spin(20000);
    recurse(5);
}

/* Struck by a signal at any instruction. */
static void *is_struck(void *unused)
{
    for (;;) {
        recurse(3);
        aligned(2);
    }
    return unused;
}

static void *strikes(void *struck)
{
    for (;;) {
        pthread_kill(*(pthread_t *)struck, SIGUSR1);
        usleep(300);
    }
}

int main(void)
{
    static void *(*const work[])(void *) = {
        sorts, recurses, allocates_on_stack, aligns, prints, asks_the_time, sleeps};
    pthread_t thread, struck;
    signal(SIGUSR1, handle);
    for (unsigned i = 0; i < sizeof(work) / sizeof(work[0]); i++)
        pthread_create(&thread, NULL, work[i], NULL);
    pthread_create(&struck, NULL, is_struck, NULL);
    pthread_create(&thread, NULL, strikes, &struck);
    for (;;)
        recurse(10);
}
