#!/usr/bin/env bash
# Profiles of pprof, read without Go: those of a real Go program in both forms, of gperftools and of jemalloc, single and as a run; every number is the one that Go's own
# pprof tells.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

total() { # total FILE [OPTION…]: "METRIC VALUE COUNT"
    "$MEMOIR" report "$@" --json 2>>errors | jq -r '"\(.metric) \(.total.value) \(.total.count)"'
}
of() { # of FUNCTION FILE [OPTION…]: "VALUE COUNT", of the function itself
    local function=$1
    shift
    "$MEMOIR" report "$@" --by function --json 2>>errors | jq -r --arg f "$function" '.rows[] | select(.stack[0].function == $f) | "\(.value) \(.count)"'
}
refuse() { # refuse CASE FILE PATTERN
    if "$MEMOIR" report "$2" >refused.out 2>refused.err; then
        not_ok "$1" "it was read"
    else
        one_sentence "$1" refused.err "$3"
    fi
}

# --- one sample, byte by byte: 4096 bytes in main.work, called by main.main
printf '\x0a\x04\x08\x01\x10\x02\x12\x0e\x0a\x02\x01\x02\x12\x02\x80\x20\x1a\x04\x08\x02\x18\x40\x22\x0d\x08\x01\x18\x80\xa0\x80\x02\x22\x04\x08\x01\x10\x0c\x22\x0d\x08\x02\x18\x80\xa2\x80\x02\x22\x04\x08\x02\x10\x1e\x2a\x08\x08\x01\x10\x03\x18\x03\x20\x04\x2a\x08\x08\x02\x10\x05\x18\x05\x20\x04\x32\x00\x32\x0binuse_space\x32\x05bytes\x32\x09main.work\x32\x07main.go\x32\x09main.main\x32\x05space\x48\x80\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17\x5a\x04\x08\x06\x10\x02\x60\x80\x80\x20' >minimal.heap
equal minimal-total 'heap.live 4096 0' "$(total minimal.heap)"
equal minimal-own-and-with-callees 'main.main 0 4096|main.work 4096 4096' \
    "$("$MEMOIR" report minimal.heap --by function --json | jq -r '[.rows[] | "\(.stack[0].function) \(.value) \(.total_value)"] | sort | join("|")')"
printf 'heap profile: 1: 64 [1: 64] @ heapprofile\n1: 64 [1: 64] @ 0x11 0x11 0x21\n#\t0x10\tmain.again+0x1\t/m.go:1\n#\t0x20\tmain.main+0x1\t/m.go:2\n' >recursion.heap
equal recursion-counts-once 'main.again 64 64|main.main 0 64' \
    "$("$MEMOIR" report recursion.heap --by function --json | jq -r '[.rows[] | "\(.stack[0].function) \(.value) \(.total_value)"] | sort | join("|")')"
gzip -nk minimal.heap && gzip -nc minimal.heap.gz >twice.heap
equal gzip-in-gzip 'heap.live 4096 0' "$(total twice.heap)"
cat minimal.heap.gz minimal.heap.gz >two.heap
refuse two-in-one two.heap 'two profiles'
head -c 100 minimal.heap.gz >cut.heap
refuse cut-short cut.heap 'cut short'
head -c 100 minimal.heap >short.heap
refuse short-message short.heap 'byte'
: >empty.heap
refuse empty empty.heap 'empty.heap'

# --- gperftools: all blocks are in its file; jemalloc: one in 4096 bytes
cat >holds.c <<'END'
#include <stdlib.h>
#include <string.h>
#ifdef GPERFTOOLS
extern int HeapProfilerStart(const char *), ProfilerStart(const char *);
extern void HeapProfilerDump(const char *), HeapProfilerStop(void), ProfilerStop(void);
#endif
static void *held[5000];
volatile double number;
__attribute__((noinline)) static void keep(void)
{
    for (int i = 0; i < 5000; i++)
        held[i] = memset(malloc(1000), 1, 1000);
}
__attribute__((noinline)) static void waste(void)
{
    for (int i = 0; i < 3000; i++) {
        void *volatile block = malloc(500);
        free(block);
    }
}
__attribute__((noinline)) static void burn(void)
{
    for (long i = 0; i < 100000000; i++)
        number += 1.5 * (double)i;
}
int main(void)
{
#ifdef GPERFTOOLS
    ProfilerStart("gp.prof");
    burn();
    ProfilerStop();
    HeapProfilerStart("gp");
#else
    (void)burn;
#endif
    keep();
    waste();
#ifdef GPERFTOOLS
    HeapProfilerDump("end");
    HeapProfilerStop();
#endif
    return held[0] == NULL;
}
END
if gcc -g -O1 -fno-omit-frame-pointer -DGPERFTOOLS holds.c -o holds_tc -ltcmalloc_and_profiler 2>gcc.err && ./holds_tc 2>gp.err; then
    equal gperftools-heap '5000000 5000' "$(of keep gp.0001.heap)"
    equal gperftools-allocated '1500000 3000' "$(of waste gp.0001.heap --metric heap.allocated)"
    at_least gperftools-cpu 3 "$(of burn gp.prof | cut -d ' ' -f 2)"
    "$MEMOIR" report gp.0001.heap >gp.txt
    if grep -q 'keep (holds.c:1[0-9])' gp.txt; then ok gperftools-names; else not_ok gperftools-names "$(cat gp.txt)"; fi
else
    skip gperftools "not built: $(head -c 200 gcc.err)"
fi
if gcc -g -O1 holds.c -o holds_je -ljemalloc 2>gcc.err && MALLOC_CONF=prof:true,prof_final:true,lg_prof_sample:12,prof_prefix:je ./holds_je 2>je.err && ls je.*.heap >/dev/null 2>&1; then
    live=$(of keep je.*.heap | cut -d ' ' -f 1)
    at_least jemalloc-scaled 4000000 "$live" # an estimate: 5000 blocks that jemalloc rounds to 1024 bytes, ±5 % in 95 of 100 cases
    at_most jemalloc-not-too-much 6300000 "$live"
else
    skip jemalloc "not built, or without profiles: $(head -c 200 gcc.err)"
fi

# --- Go
if ! command -v go >/dev/null || ! GOCACHE="$PWD/gocache" GO111MODULE=off go build -o go_profiles "$TOP/tests/runtimes/go_profiles/main.go" 2>go.err ||
    ! GOCACHE="$PWD/gocache" GO111MODULE=off go build -o go_heaps "$TOP/tests/runtimes/go_heaps/main.go" 2>go.err; then
    skip go "no Go here: $(head -c 200 go.err 2>/dev/null)"
    exit 0
fi
mkdir out
./go_profiles out
raw() { # raw FILE: the sums of all columns, by Go's own pprof
    go tool pprof -raw "$1" 2>/dev/null | awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 }
        on && /:/ { split($0, half, ":"); n = split(half[1], value, " "); if (value[1] ~ /^-?[0-9]+$/) { columns = n; for (i = 1; i <= n; i++) sum[i] += value[i] } }
        END { for (i = 1; i <= columns; i++) printf "%.0f%s", sum[i], i < columns ? " " : "\n" }'
}
for form in '' .txt; do
    read -r calls bytes live_calls live_bytes <<<"$(raw out/heap$form)"
    equal "W11 heap total is exact${form:+, as text}" "heap.live $live_bytes $live_calls" "$(total out/heap$form)"
    equal "heap-allocated$form" "heap.allocated $bytes $calls" "$(total out/heap$form --metric heap.allocated)"
    for kind in mutex block; do
        read -r waits delay <<<"$(raw out/$kind$form)"
        equal "$kind$form" "cpu.off $delay $waits" "$(total out/$kind$form)"
    done
    equal "goroutine$form" "goroutine $(raw out/goroutine$form) 0" "$(total out/goroutine$form)"
done
# Written again, a profile has what it had: every column, every sample, every label.
samples_of() { # samples_of FILE
    go tool pprof -raw "$1" 2>/dev/null | sed -n '/^Samples/,/^Locations/p' | sed -e 's/:.*//' -e 's/\[dflt\]//' | grep -v '^Loc' | sort
}
for kind in heap allocs cpu mutex block goroutine; do
    "$MEMOIR" export out/$kind --to pprof -o "rewritten.$kind" 2>rewritten.err || not_ok "rewritten-$kind" "$(cat rewritten.err)"
    equal "rewritten-$kind-samples" "$(samples_of out/$kind)" "$(samples_of "rewritten.$kind")"
    equal "rewritten-$kind-labels" "$(go tool pprof -tags out/$kind 2>/dev/null)" "$(go tool pprof -tags "rewritten.$kind" 2>/dev/null)"
    equal "rewritten-$kind-shows" "$(total out/$kind)" "$(total "rewritten.$kind")"
done
"$MEMOIR" export out/heap --to folded -o heap.folded 2>folded.err
equal folded-is-what-report-shows "$(total out/heap | cut -d ' ' -f 2)" "$(awk '{ s += $NF } END { printf "%.0f", s }' heap.folded)"
"$MEMOIR" export out/cpu --to heaptrack -o cpu.zst 2>heaptrack.err
equal no-heaptrack-of-time "1 no" "$? $([ -e cpu.zst ] && echo yes || echo no)"
head -c $(($(stat -c %s out/heap.txt) / 3)) out/heap.txt >third.txt
equal cut-heap-is-told 1 "$("$MEMOIR" report third.txt | tr -s '\n ' ' ' | grep -c 'lines of it are missing')"
at_least heap-is-what-was-kept 8500000 "$(of main.keep out/heap | cut -d ' ' -f 1)" # 10,000,000, as sampling tells it
equal goroutines-that-wait 7 "$("$MEMOIR" report out/goroutine --json | jq -r '.rows[] | select(any(.stack[]; .function == "main.main.func2")) | .value')"
read -r samples ns <<<"$(raw out/cpu)"
equal cpu "cpu.on $ns $samples" "$(total out/cpu)"
"$MEMOIR" report out/cpu >cpu.txt
if grep -q 'labels, such as request' cpu.txt; then ok labels-told; else not_ok labels-told "$(cat cpu.txt)"; fi
equal allocs-shows-what-it-wants heap.allocated "$(total out/allocs | cut -d ' ' -f 1)"
equal "as pprof -top has it" "$(go tool pprof -top -sample_index=inuse_space -unit=b out/heap 2>/dev/null | awk '$NF == "main.keep" { sub("B", "", $1); print $1 }')" \
    "$("$MEMOIR" report out/heap --by function --json | jq -r '.rows[] | select(.stack[0].function == "main.keep") | .value')"

# Two of one program: what came between them.
read -r _ _ _ later <<<"$(raw out/heap2)"
"$MEMOIR" diff out/heap out/heap2 --json >diff.json
equal diff-exact "$live_bytes $later" "$(jq -r '"\(.before.value) \(.after.value)"' diff.json)"
at_least diff-finds 9000000 "$(jq -r '.rows[0] | select(.kind == "grown" and .stack[0].function == "main.keep") | .change' diff.json)"
for command in flame graph plot; do
    for file in heap cpu goroutine mutex; do
        "$MEMOIR" $command out/$file -o $command-$file.svg 2>$command.err || { not_ok "$command-$file" "$(cat $command.err)"; continue; }
        if grep -q '</svg>' $command-$file.svg; then ok "$command-$file"; else not_ok "$command-$file" 'no picture'; fi
    done
done
"$MEMOIR" flame out/heap2 --diff out/heap -o delta.svg && ok flame-delta
if "$MEMOIR" info out/heap | grep -q 'pprof, heap'; then ok info; else not_ok info "$("$MEMOIR" info out/heap)"; fi

# What memoir writes it reads back as what it was.
for file in heap cpu goroutine; do
    "$MEMOIR" export out/$file --to pprof -o again.$file.pb.gz 2>export.err || not_ok "again-$file" "$(cat export.err)"
    "$MEMOIR" report out/$file --csv >first.csv
    "$MEMOIR" report again.$file.pb.gz --csv >second.csv
    same_text "again-$file" first.csv second.csv
done
record own.memoir -- "$subjects/subject-leaks_100_blocks"
at_least own-recorded 1 "$(total own.memoir | cut -d " " -f 2)"
"$MEMOIR" export own.memoir --to pprof -o own.pb.gz
for metric in heap.live heap.allocated heap.peak; do
    equal "own-$metric" "$(total own.memoir --metric $metric)" "$(total own.pb.gz --metric $metric)"
done

# --- a run of two nodes, one of which is started anew
mkdir run
stamps=(20260528_000000 20260528_001000 20260528_002000 20260528_003000 20260528_004000 20260528_005000)
METRICS=no ./go_heaps run/203.0.113.11:8580 100 "${stamps[@]}"
METRICS=no ./go_heaps run/n2 200 "${stamps[@]:0:3}"
METRICS=no ./go_heaps run/n2 10 "${stamps[@]:3}"
cp out/cpu 'run/n2.20260528_000000.profile?seconds=90'
cp out/mutex run/n2.20260528_000000.mutex
cp out/goroutine run/n2.20260528_001000.goroutine
inuse() { # inuse NODE STAMP…: bytes in use, summed
    local sum=0 one node=$1
    shift
    for stamp; do
        read -r _ _ _ one <<<"$(raw "run/$node.$stamp.heap")"
        sum=$((sum + one))
    done
    echo "$sum"
}
equal run-at "$(inuse n2 20260528_002000)" "$(total run --node n2 --at 20m | cut -d ' ' -f 2)"
equal run-first "$(inuse n2 20260528_000000)" "$(total run --node n2 --at 0s | cut -d ' ' -f 2)"
equal run-after-restart "$(inuse n2 20260528_005000)" "$(total run --node n2 | cut -d ' ' -f 2)"
equal run-of-all "$(($(inuse n2 20260528_005000) + $(inuse 203.0.113.11:8580 20260528_005000)))" "$(total run | cut -d ' ' -f 2)"
equal run-growth "$(($(inuse 203.0.113.11:8580 20260528_004000) - $(inuse 203.0.113.11:8580 20260528_001000)))" \
    "$(total run --node 203.0.113.11:8580 --between 10m,40m --metric heap.live | cut -d ' ' -f 2)"
equal run-nodes-are-roots 'n2|203.0.113.11:8580' "$("$MEMOIR" export run --to folded --metric heap.live | cut -d ';' -f 1 | sort -ru | paste -sd '|')"
"$MEMOIR" report run --node n2 >run.txt
if grep -q 'started anew 1 times' run.txt; then ok run-restart-told; else not_ok run-restart-told "$(cat run.txt)"; fi
equal run-cpu "cpu.on $ns $samples" "$(total run --kind cpu)"
equal run-goroutine "goroutine $(raw out/goroutine) 0" "$(total run --kind goroutine)"
for command in plot flame graph; do
    if "$MEMOIR" $command run -o run-$command.svg 2>run.err && grep -q '</svg>' run-$command.svg; then ok "run-$command"; else not_ok "run-$command" "$(cat run.err)"; fi
done
equal run-diff "$(($(inuse n2 20260528_001000) - $(inuse n2 20260528_000000))) $(($(inuse n2 20260528_002000) - $(inuse n2 20260528_001000)))" \
    "$("$MEMOIR" diff run --node n2 --between 0s,10m --with 10m,20m --metric heap.live --json | jq -r '"\(.before.value) \(.after.value)"')"
printf 'no profile' >run/n2.20260528_010000.heap
"$MEMOIR" report run --node n2 >run.txt 2>run.err
if grep -q '1 of 7 profiles could not be read' run.txt; then ok run-with-a-bad-one; else not_ok run-with-a-bad-one "$(cat run.txt run.err)"; fi
"$MEMOIR" report run --node nobody 2>node.err
one_sentence run-no-such-node node.err 'no node "nobody"'
"$MEMOIR" report run --kind block 2>kind.err
one_sentence run-no-such-kind kind.err 'no block profiles'

# One process for all files, no Go: 300 profiles are read while go tool pprof would have started a few times.
mkdir many
mapfile -t minutes < <(for ((i = 0; i < 300; i++)); do printf '20260528_%02d%02d00\n' $((i / 60)) $((i % 60)); done)
METRICS=no ./go_heaps many/n1 5 "${minutes[@]}"
env -i PATH=/nonexistent "$MEMOIR" report many --json >many.json 2>many.err
equal 'S12 300 profiles in one process' "$(raw many/n1.20260528_045900.heap | cut -d ' ' -f 4)" "$(jq -r .total.value many.json)"
if grep -q '^  growth' <("$MEMOIR" report many); then ok run-growth-verdict; else not_ok run-growth-verdict "$("$MEMOIR" report many | head -n 20)"; fi
true
