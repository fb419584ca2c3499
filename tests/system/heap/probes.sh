#!/usr/bin/env bash
# The USDT probes otel_memory:alloc and free, as other tools find and read them.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

readelf -n "$BUILD/libmemoir.so" >notes 2>/dev/null
if ! grep -q 'Provider: otel_memory' notes; then
    skip probes "built without sys/sdt.h"
    exit 0
fi
# Three arguments and one, none of them behind a semaphore: a probe that nobody watches is one nop.
count_arguments() { # count_arguments NAME: how many each place has
    awk -v name="$1" '$1 == "Name:" { found = $2 == name } $1 == "Arguments:" && found { print NF - 1 }' notes |
        sort -u | xargs echo
}
equal probes-alloc-arguments 3 "$(count_arguments alloc)"
equal probes-free-arguments 1 "$(count_arguments free)"
equal probes-semaphores 0 "$(grep -c 'Semaphore: 0x0*[1-9a-f]' notes)"

# A debugger in the place of a tracer: what it reads at the probes is what the program did.
if ! command -v gdb >/dev/null; then
    skip probes-read "there is no gdb"
    exit 0
fi
cat >program.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    char *volatile blocks[100];
    char ready;
    if (read(0, &ready, 1) != 1)
        return 1;
    for (int i = 0; i < 100; i++)
        blocks[i] = malloc(1000 + i);
    for (int i = 0; i < 40; i++)
        free(blocks[i]);
    blocks[50] = realloc(blocks[50], 50000);
    blocks[51] = calloc(7, 9);
    blocks[52] = aligned_alloc(64, 128);
    return 0;
}
END
cat >commands <<'END'
set pagination off
set debuginfod enabled off
break -probe-stap otel_memory:alloc
commands
silent
printf "alloc %lu %lu %lu\n", $_probe_argc, $_probe_arg1, $_probe_arg2
continue
end
break -probe-stap otel_memory:free
commands
silent
printf "free %lu\n", $_probe_argc
continue
end
shell touch watching
continue
END
gcc -O1 -o program program.c
mkfifo go
"$MEMOIR" run --quiet -o probes.memoir -- ./program <go &
run=$!
exec 7>go
program_of() { pid=$(descendants $run | while read -r p; do [ "$(readlink "/proc/$p/exe")" = "$PWD/program" ] && echo "$p"; done) && [ -n "$pid" ]; }
wait_until 10 program_of
program_of
timeout 60 gdb -nx -batch -p "$pid" -x commands >seen 2>gdb.err &
debugger=$!
if wait_until 30 test -e watching; then
    echo >&7
    wait $run $debugger
    equal probes-read-allocs "103 155141 155141" \
        "$(awk '$1 == "alloc" && $2 == 3 { n++; size += $3; weight += $4 } END { print n + 0, size + 0, weight + 0 }' seen)"
    equal probes-read-frees 41 "$(grep -c '^free 1$' seen)"
else
    kill $debugger 2>/dev/null
    skip probes-read "gdb could not look at the program: $(head -c 200 gdb.err | tr '\n' ' ')"
    echo >&7
    wait $run $debugger
fi
exec 7>&-
