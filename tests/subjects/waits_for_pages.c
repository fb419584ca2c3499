/* SPDX-License-Identifier: Apache-2.0 */
/* waits_for_pages FILE SECONDS: reads a page here and a page there of a mapped file, all the
 * time, with a block of heap now and then.  In less memory than the file has, it waits for most
 * of them. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u

int main(int argc, char **argv)
{
    struct stat facts;
    int const fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &facts) < 0)
        return 2;
    size_t const pages = (size_t)facts.st_size / PAGE;
    const volatile char *bytes = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED || madvise((void *)bytes, pages * PAGE, MADV_RANDOM) < 0)
        return 2;
    time_t const end = time(NULL) + atoi(argv[2]);
    uint64_t random = 1;
    while (time(NULL) < end) {
        free(strdup(argv[1]));
        for (int i = 0; i < 1000; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            (void)bytes[(random >> 33) % pages * PAGE];
        }
    }
    return 0;
}
