/* vec.h - an array that grows.  Embed `VEC(type) name;` in a struct and initialise it with zeroes.
 *
 * vec_push returns false if out of memory and leaves the vector unchanged. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, room;                                                                        \
    }

/* Makes room for at least `need` items of `size` bytes.  Returns the new block, or NULL with the
 * old block untouched. */
static inline void *vec_grow_items(void *items, size_t *room, size_t need, size_t size)
{
    size_t wanted = *room ? *room : 8;
    while (wanted < need)
        wanted *= 2;
    void *grown = reallocarray(items, wanted, size);
    if (grown)
        *room = wanted;
    return grown;
}

/* clang's analyzer does not see that a vector with room has a block. */
#ifdef __clang_analyzer__
#define vec_tell(condition) ((condition) ? (void)0 : __builtin_unreachable())
#else
#define vec_tell(condition) ((void)0)
#endif

/* Makes room for `extra` more items.  False if out of memory. */
#define vec_reserve(vec, extra)                                                                    \
    ({                                                                                             \
        bool vec_fits = (vec)->count + (extra) <= (vec)->room;                                     \
        if (!vec_fits) {                                                                           \
            void *vec_grown = vec_grow_items((vec)->items, &(vec)->room, (vec)->count + (extra),   \
                                             sizeof((vec)->items[0]));                             \
            if (vec_grown) {                                                                       \
                (vec)->items = vec_grown;                                                          \
                vec_fits = true;                                                                   \
            }                                                                                      \
        }                                                                                          \
        vec_tell(!vec_fits || (vec)->items);                                                       \
        vec_fits;                                                                                  \
    })

#define vec_push(vec, ...)                                                                         \
    (vec_reserve(vec, 1) ? ((vec)->items[(vec)->count++] = (__VA_ARGS__), true) : false)

/* A loop over all items; `item` is a pointer. */
#define vec_each(item, vec)                                                                        \
    for (__typeof__((vec)->items + 0) item = (vec)->items;                                         \
         (vec)->count && item < (vec)->items + (vec)->count; item++)

/* Returns how many items, from the first on, `is_before` holds for: an expression of `item`, a
 * pointer, that holds for none behind one for which it does not hold. */
#define vec_lower_bound(vec, item, is_before)                                                      \
    ({                                                                                             \
        size_t vec_low = 0, vec_high = (vec)->count;                                               \
        while (vec_low < vec_high) {                                                               \
            size_t const vec_middle = vec_low + (vec_high - vec_low) / 2;                          \
            const __typeof__((vec)->items[0]) *const item = &(vec)->items[vec_middle];             \
            if (is_before)                                                                         \
                vec_low = vec_middle + 1;                                                          \
            else                                                                                   \
                vec_high = vec_middle;                                                             \
        }                                                                                          \
        vec_low;                                                                                   \
    })

/* Frees unused room, if realloc can. */
#define vec_trim(vec)                                                                              \
    do {                                                                                           \
        void *vec_less = (vec)->count < (vec)->room                                                \
                             ? reallocarray((vec)->items, (vec)->count + !(vec)->count,            \
                                            sizeof((vec)->items[0]))                               \
                             : NULL;                                                               \
        if (vec_less) {                                                                            \
            (vec)->items = vec_less;                                                               \
            (vec)->room = (vec)->count + !(vec)->count;                                            \
        }                                                                                          \
    } while (0)

#define vec_free(vec)                                                                              \
    do {                                                                                           \
        free((vec)->items);                                                                        \
        (vec)->items = NULL;                                                                       \
        (vec)->count = (vec)->room = 0;                                                            \
    } while (0)
