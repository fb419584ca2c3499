#!/usr/bin/env bash
# Code without symbols: all that one function does is one row, named by where it begins.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cat >sites.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void take(void)
{
    void *volatile a = memset(malloc(1000), 1, 1000);
    void *volatile b = memset(malloc(2000), 1, 2000);
    void *volatile c = memset(malloc(3000), 1, 3000);
    (void)a, (void)b, (void)c;
}

__attribute__((noinline)) static double burn(int n)
{
    volatile double x = 1;
    for (int i = 0; i < n; i++) {
        x = x * 1.0000001 + i;
        x = i % 3 ? x + 3 : x / 1.1;
    }
    return x;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        take();
    while (clock() < CLOCKS_PER_SEC)
        burn(100000);
    return 0;
}
END
gcc -O1 sites.c -o sites
cp sites bare
strip bare
start_of() { printf 'bare+0x%x' "0x$(nm sites | awk -v name="$1" '$3 == name { print $1 }')"; }
rows() { # rows FILE METRIC: of functions of its own that do something themselves
    "$MEMOIR" report --json --by function --metric "$2" --top 1000 "$1" | python3 -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    name = row["stack"][0]["function"] if "stack" in row else row["function"]
    if row.get("self", row["value"]) > 0 and name.startswith("bare+"):
        print(name)'
}

record heap.memoir --cpu -- ./bare
equal status 0 "$status"
equal heap-site "6000000 3000" "$(site heap.memoir heap.leaked "$(start_of take)")"
equal heap-rows "$(start_of take)" "$(rows heap.memoir heap.leaked)"
equal time-rows "$(start_of burn)" "$(rows heap.memoir cpu.on)"
at_least unnamed-all-the-same 1 "$(quality heap.memoir unresolved_frames_share | awk '{ print int($1 * 100) }')"
. "$TOP/tests/system/agent.bash"
skip_without_agent stripped
begin_agent || not_ok agent-begins "$(cat agent.err)"
"$MEMOIR" pages --quiet --agent "$socket" -o pages.memoir -- ./bare
equal pages-rows 1 "$(rows pages.memoir pages.anon | grep -c "^$(start_of take)\$")"
end_agent
equal agent-ends 0 $?
