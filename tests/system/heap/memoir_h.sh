#!/usr/bin/env bash
# memoir.h in every way a program is built: without a warning, without effect alone, and heard under memoir.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >main.c <<'END'
#include "memoir.h"
#ifdef __cplusplus
extern "C"
#endif
void other(char *memory);
static struct memoir_pool pool = MEMOIR_POOL("main");
int main(int argc, char **argv)
{
    static char memory[100];
    (void)argv;
    memoir_pool_alloc(&pool, memory, 10);
    memoir_pool_realloc(&pool, memory, memory, 20);
    memoir_pool_free(&pool, memory);
    memoir_pool_reset(&pool);
    memoir_pool_destroy(&pool);
    memoir_alloc(memory, 1);
    memoir_realloc(memory, memory + 50, 2);
    memoir_free(memory + 50);
    memoir_region(memory, sizeof(memory), "memory");
    memoir_region_end(memory, sizeof(memory));
    memoir_mark("mark");
    memoir_mark_number("number", argc);
    memoir_phase_begin("phase");
    memoir_phase_end("phase");
    other(memory);
    return memoir_is_there() ? 7 : 0;
}
END
cat >other.c <<'END'
#include "memoir.h"
void other(char *memory);
static struct memoir_pool pool;
void other(char *memory)
{
    memoir_pool_create(&pool, "other");
    memoir_pool_alloc(&pool, memory, 30);
}
END
cp main.c main.cc
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-align -Wundef -Werror -I "$TOP/include")

# Built, run alone, run under memoir.  LINK is dynamic, static or none.
try() { # try CASE LINK COMPILER ARGUMENTS…
    local name=$1 link=$2 program
    program=./$name
    shift 2
    if ! "$@" -o "$program" >"$name.log" 2>&1; then
        not_ok "$name" "it does not build: $(head -c 300 "$name.log")"
        return
    fi
    "$program"
    equal "$name-alone" 0 $?
    [ "$link" = dynamic ] || return 0
    record "$name.memoir" -- "$program"
    equal "$name" "7 63 5 3" "$status $(fact "$name.memoir" '"\(.summary.pools.allocated_bytes) \(.summary.pools.calls)"') $(
        "$MEMOIR" info "$name.memoir" --json | jq '.marks | length')"
}

try c99 dynamic gcc -std=c99 -O0 "${warnings[@]}" main.c other.c
try c17 dynamic gcc -std=c17 -O2 "${warnings[@]}" main.c other.c
try no-pie dynamic gcc -std=c99 -O2 -fno-pie -no-pie "${warnings[@]}" main.c other.c
try lto dynamic gcc -std=c99 -O2 -flto=1 "${warnings[@]}" main.c other.c
try sections dynamic gcc -std=c99 -O2 -ffunction-sections -fdata-sections -fvisibility=hidden -Wl,--gc-sections \
    -Wl,-z,defs -Wl,-z,now -s "${warnings[@]}" main.c other.c
try static static gcc -std=c99 -O2 -static "${warnings[@]}" main.c other.c
try static-pie static gcc -std=c99 -O2 -static-pie "${warnings[@]}" main.c other.c
gcc -std=c99 -O2 -c "${warnings[@]}" other.c -o other.o
for standard in c++98 c++11 c++20; do
    try "$standard" dynamic g++ -std=$standard -O2 "${warnings[@]}" main.cc other.o
done
if command -v clang >/dev/null; then
    try clang dynamic clang -std=c99 -O2 "${warnings[@]}" main.c other.c
    try clang++ dynamic clang++ -std=c++17 -O0 "${warnings[@]}" main.cc other.o
fi
if command -v ld.lld >/dev/null; then
    try lld dynamic clang -std=c99 -O2 -fuse-ld=lld -Wl,--gc-sections "${warnings[@]}" main.c other.c
fi
# Its other half in a library.
gcc -std=c99 -O2 -shared -fPIC -Wl,-z,defs "${warnings[@]}" other.c -o libother.so
try library dynamic gcc -std=c99 -O2 "${warnings[@]}" main.c -L. -lother -Wl,-rpath,"$PWD"

# Where memoir does not run, the calls are there and empty.
if gcc -std=c99 -fsyntax-only -U__linux__ -Ulinux "${warnings[@]}" main.c other.c 2>elsewhere.log; then
    ok elsewhere
else
    not_ok elsewhere "$(head -c 300 elsewhere.log)"
fi
