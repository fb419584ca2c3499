/* SPDX-License-Identifier: Apache-2.0 */
/* Needs own_allocator.c and gives its blocks back by free, which is called for the first time by
 * library_use. */
#include <stdlib.h>

void *own_make(size_t size);

void library_use(void);
void library_use(void)
{
    for (int i = 0; i < 10; i++) {
        void *block = own_make(100);
        free(block);
    }
}
