#!/usr/bin/env bash
# Coroutines with little stack, and a page behind it that nobody may touch: what is recorded there fits in 2.5 KiB.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >coroutine.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
static ucontext_t outside, inside;
static void work(void)
{
    void *volatile block = realloc(malloc(64), 5000);
    free(block);
    block = calloc(3, 9);
    free(block);
}
int main(int argc, char **argv)
{
    char *low = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || low == MAP_FAILED || mprotect(low, 4096, PROT_NONE))
        return 9;
    for (int i = 0; i < 100; i++) {
        getcontext(&inside);
        inside.uc_stack.ss_sp = low + 4096;
        inside.uc_stack.ss_size = atoi(argv[1]);
        inside.uc_link = &outside;
        makecontext(&inside, work, 0);
        swapcontext(&outside, &inside);
    }
    return 5;
}
END
# Bound at its start: the loader's own way to a function takes more stack than we do.
cc -O1 -g -Wl,-z,now -o coroutine coroutine.c || exit 1
for size in 8192 4096 2560; do
    same_as_native stack-$size ./coroutine $size
    equal stack-$size-ends 5 "$status"
    equal stack-$size-calls 300 "$(summary stack-$size.memoir calls)"
    at_least stack-$size-names-it 1 "$("$MEMOIR" report stack-$size.memoir --metric heap.allocated --by function | grep -c work)"
done
