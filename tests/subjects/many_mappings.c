/* SPDX-License-Identifier: Apache-2.0 */
/* many_mappings PAIRS: so many resident pages, each with one without rights behind it; a thread
 * with a small stack among them when there is a second word.  Prints "ready" and waits for the
 * end of its input. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE        4096u
#define STACK_PAGES 16u

static void *wait_for_end(void *unused)
{
    pause();
    return unused;
}

int main(int argc, char **argv)
{
    size_t const pairs = argc > 1 ? (size_t)atol(argv[1]) : 1000;
    char *memory =
        mmap(NULL, 2 * pairs * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 2;
    for (size_t i = 0; i < pairs; i++) {
        memory[2 * i * PAGE] = 1;
        if (mprotect(memory + (2 * i + 1) * PAGE, PAGE, PROT_NONE) < 0)
            return 3;
    }
    if (argc > 2) {
        pthread_attr_t attributes;
        pthread_t thread;
        char *stack = memory + pairs / 2 * 2 * PAGE;
        mprotect(stack, STACK_PAGES * PAGE, PROT_READ | PROT_WRITE);
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, STACK_PAGES * PAGE);
        pthread_create(&thread, &attributes, wait_for_end, NULL);
    }
    puts("ready");
    fflush(stdout);
    char line[8];
    while (fgets(line, sizeof(line), stdin))
        ;
    return 0;
}
