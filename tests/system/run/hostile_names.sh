#!/usr/bin/env bash
# What a program says about itself is not believed: its name moves no terminal and runs in no shell, and nobody is told to end
# a process that it names.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

control=$'[\001-\010\013-\037\177]'
tame() { # tame CASE FILE
    if LC_ALL=C grep -q "$control" "$2"; then echo "not ok $1: $(cat -v "$2")"; else echo "ok $1"; fi
}

mkdir runs
name=$'e\033[31mRED\007;$(id) x'
cp "$subjects/subject-leaks_100_blocks" "runs/$name"
(cd runs && "$MEMOIR" run -- "./$name") >run.out 2>run.err
tame run-says-nothing-else run.err
found=$(find runs -name '*.memoir' -printf '%f\n')
equal run-file "e__31mRED____id__x" "$(sed 's/\.[0-9]*\.memoir$//; s/\.memoir$//' <<<"$found")"

name=$'w\033[2J\007'
cp "$subjects/subject-steps_on_request" "runs/$name"
mkfifo input
"runs/$name" <input >steps.out 2>&1 &
pid=$!
exec 7>input
"$MEMOIR" attach --for 1s -o attached.memoir "$pid" >attach.out 2>attach.err
exec 7>&-
kill "$pid" 2>>kill.err
wait "$pid"
tame attach-says-nothing-else attach.err
equal attach-names-it yes "$(grep -q 'attached to w?' attach.err && echo yes)"

mkfifo other
"$subjects/subject-says_to_be_recorded" <other >other.out &
pid=$!
exec 7>other
until grep -q ready other.out; do sleep 0.05; done
"$MEMOIR" attach -o liar.memoir "$pid" >liar.out 2>liar.err
exec 7>&-
wait "$pid"
equal liar-is-refused yes "$(grep -q 'is recorded already' liar.err && echo yes)"
equal liar-names-nobody no "$(grep -q 'with pid 1;' liar.err && echo yes || echo no)"

# A program of which every name is hostile: escapes, bidi and C1 controls, invalid UTF-8, the beginning of a formula.
evil=$'=e\033[31m\u202ev\u009b\177\xffil'
cat >named.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memoir.h"

__attribute__((noinline)) void function_to_rename(void)
{
    for (int i = 0; i < 1000; i++)
        memset(malloc(1000), 1, 1000);
}

static void *work(void *name)
{
    pthread_setname_np(pthread_self(), name);
    function_to_rename();
    return NULL;
}

int main(int argc, char **argv)
{
    const char *name = argv[1];
    char text[16], line[16];
    struct memoir_pool pool;
    pthread_t thread;
    snprintf(text, sizeof(text), "%s", name);
    pthread_create(&thread, NULL, work, text);
    pthread_join(thread, NULL);
    void *there = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(there, 1, 1 << 20);
    memoir_region(there, 1 << 20, name);
    memoir_pool_create(&pool, name);
    memoir_pool_alloc(&pool, there, 4096);
    memoir_mark(name);
    memoir_phase_begin(name);
    usleep(200000);
    memoir_phase_end(name);
    return argc > 2 && fgets(line, sizeof(line), stdin) == NULL;
}
END
gcc -D_GNU_SOURCE -O1 -I "$TOP/include" -c named.c -o named.o && objcopy --redefine-sym "function_to_rename=$evil" named.o &&
    gcc named.o -o "$evil" -lpthread
steers=$'[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
is_tame() { # is_tame FILE
    ! LC_ALL=C grep -qP "$steers" "$1" && iconv -f utf-8 -t utf-8 "$1" >/dev/null 2>&1
}
# all_tame CASE WORD…: what memoir WORD… and `memoir WORD…` with further options say, on both ways out.
all_tame() {
    local name=$1
    timeout 60 "$MEMOIR" "${@:2}" >said.out 2>said.err </dev/null
    if is_tame said.out && is_tame said.err; then ok "$name"; else not_ok "$name" "$(cat said.out said.err | cat -v | tail -c 300)"; fi
}

"$MEMOIR" run --history h.db --history-name "$evil" --map-every 100ms -o "$evil.memoir" -- "./$evil" "$evil" >said.out 2>said.err
if is_tame said.err && [ -s "$evil.memoir" ]; then ok run-evil; else not_ok run-evil "$(cat -v said.err)"; fi
for metric in heap.allocated region.live pool.live; do
    for form in "" --csv --json "--by line" "--by thread" "--by phase" "--by module --csv" --top-down; do
        # shellcheck disable=SC2086
        all_tame "report-$metric${form// /}" report "$evil.memoir" --metric $metric $form
    done
done
for form in "" --json; do all_tame "info$form" info "$evil.memoir" $form; done
for form in folded massif callgrind heaptrack; do all_tame "export-$form" export "$evil.memoir" --to $form; done
for form in "" --csv --json; do all_tame "history$form" history h.db $form; done
all_tame diff diff "$evil.memoir" "$evil.memoir" --csv
all_tame diff-folded diff "$evil.memoir" "$evil.memoir" --folded
all_tame side-by-side report "$evil.memoir" --metric heap.live,heap.allocated --csv
all_tame explain explain "$evil.memoir"
all_tame no-such-file report "$evil-none"
all_tame no-such-metric report "$evil.memoir" --metric "$evil"
all_tame no-such-pattern report "$evil.memoir" --filter "$evil("
all_tame no-such-command "$evil"
all_tame no-such-option report "--$evil"
all_tame no-such-program run -- "./$evil-none"

mkfifo last
"./$evil" "$evil" x <last &
pid=$!
exec 7>last
for form in "" --csv --json --folded; do all_tame "map$form" map $pid $form; done
all_tame map-by-name map "$evil"
all_tame doctor doctor $pid
all_tame attach attach --for 1s -o "a$evil.memoir" $pid
"$MEMOIR" attach -o b.memoir $pid >attached.out 2>attached.err &
attached=$!
until "$MEMOIR" top $pid --once >said.out 2>&1; do sleep 0.1; done
all_tame top top $pid --once
all_tame mark mark $pid "$evil"
all_tame detach detach $pid
wait $attached
if is_tame attached.err; then ok attached; else not_ok attached "$(cat -v attached.err)"; fi
exec 7>&-
wait $pid

# What nodes say, and what they are called.
printf 'nodes:\n  - {name: "%s", url: "http://127.0.0.1:1"}\n' 'e\e[31m\u202Ev\x9bil' >nodes.yaml
if "$MEMOIR" watch --help >said.out 2>&1; then
    for form in "" --csv --json; do all_tame "nodes$form" watch nodes.yaml --list $form; done
    all_tame watch watch nodes.yaml -o watched --every 1s --for 1s --metrics
fi

# No cell of a table is a formula.
"$MEMOIR" report "$evil.memoir" --metric heap.allocated --by function --csv >cells.csv 2>said.err
equal no-formula "" "$(grep -E '(^|,)"?[=+@]' cells.csv)"
equal formula-is-text yes "$(grep -q ",'=e" cells.csv && echo yes)"
