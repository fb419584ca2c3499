/* SPDX-License-Identifier: Apache-2.0 */
/* Two libraries from one source, for programs that load one where the other was: LIBRARY is alpha
 * or beta, and REVERSED swaps the order of the functions, so that no address means the same in
 * both. */
#include <stdlib.h>

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN_(a, b, c)
#define SITE(n)        JOIN(JOIN(site_, LIBRARY, _), n, )

#define DEFINE_SITE(n, padding)                                                                    \
    __attribute__((noinline, noclone)) static void *SITE(n)(size_t size)                           \
    {                                                                                              \
        char room[padding];                                                                        \
        __asm__ volatile("" ::"r"(room) : "memory");                                               \
        void *at = malloc(size);                                                                   \
        __asm__ volatile("" ::"r"(room) : "memory");                                               \
        return at;                                                                                 \
    }

#ifdef REVERSED
DEFINE_SITE(3, 24)
DEFINE_SITE(2, 136)
DEFINE_SITE(1, 40)
DEFINE_SITE(0, 200)
#else
DEFINE_SITE(0, 72)
DEFINE_SITE(1, 264)
DEFINE_SITE(2, 8)
DEFINE_SITE(3, 104)
#endif

void *library_make(unsigned site, size_t size);
void *library_make(unsigned site, size_t size)
{
    static void *(*const sites[4])(size_t) = {SITE(0), SITE(1), SITE(2), SITE(3)};
    void *at = sites[site % 4](size);
    __asm__ volatile("" ::: "memory");
    return at;
}
