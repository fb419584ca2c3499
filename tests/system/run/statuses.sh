#!/usr/bin/env bash
# Runs beside others.
# One rule for the exit status of every command: 0 it is done; 1 it cannot be done, or what was asked for does not hold; 2 the
# command line is wrong, whatever the files say.  Whatever is not 0 says why in one sentence.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

"$MEMOIR" run --quiet --map-every off -o heap.memoir -- "$subjects/subject-leaks_100_blocks" >/dev/null
"$MEMOIR" cpu --quiet -o time.memoir -- "$subjects/subject-burns_shares" >/dev/null 2>&1
mkdir folder

number=0
row() { # row STATUS PATTERN COMMAND…: one row of the table
    local expected=$1 pattern=$2 name
    shift 2
    number=$((number + 1))
    name=$number-$(printf '%s-' "${@:1:4}" | tr -c 'a-zA-Z0-9.\n-' _)
    timeout 60 "$MEMOIR" "$@" >out 2>said </dev/null
    equal "${name}status" "$expected" $?
    [ "$expected" = 0 ] || one_sentence "${name}says" said "$pattern"
}

commands=$("$MEMOIR" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -vx memoir)
at_least commands 29 "$(wc -w <<<"$commands")"
for command in $commands; do
    row 0 '' "$command" --help
    row 2 'no (option --|"--)nonsense' "$command" --nonsense
done
for command in report explain info flame graph plot diff export history bandwidth agreement topology set mark detach attach; do
    row 2 . "$command" # the word that it cannot do without
done
row 2 'no command' reprot
row 2 'needs an alert' run --alert-exec true -- true
row 1 'not a database' run --history heap.memoir -- true
row 2 'no option' net up --nonsense

for command in "report FILE" "info FILE" "explain FILE" "flame FILE -o x.svg" "graph FILE -o x.svg" "plot FILE -o x.svg" \
    "diff FILE FILE" "export FILE --to folded" "history FILE" "ram FILE" "bandwidth FILE" "metrics FILE" "agreement FILE" \
    "topology FILE" "metrics FILE nosuch" "top FILE" "serve FILE" "map FILE" "blocks FILE -o x"; do
    # shellcheck disable=SC2086
    row 1 . ${command//FILE/nosuch.memoir}
done
nobody_has=999999999
for command in attach detach cpu map doctor top; do
    row 1 . $command $nobody_has
done
row 1 . pages --quiet $nobody_has
row 1 . set $nobody_has --heap full
row 1 . mark $nobody_has x
row 2 . attach nonsense-that-is-no-pid
row 2 . detach x
for command in run cpu "pages --quiet --source perf"; do
    # shellcheck disable=SC2086
    row 127 . $command -o x.memoir -- ./nosuch # as a shell
    # shellcheck disable=SC2086
    row 126 . $command -o x.memoir -- ./folder
    # shellcheck disable=SC2086
    row 1 'choose another place' $command -o nosuch/x.memoir -- true
done
row 1 . run -o folder -- true

# What the recording has not measured is no 0.
time_sentence='no CPU time in this recording; record with --cpu'
heap_sentence='no heap in this recording; memoir run and memoir attach record it'
for command in "report FILE" "report FILE --by function" "report FILE --json" "flame FILE -o x.svg" "graph FILE -o x.svg" "plot FILE -o x.svg" \
    "diff FILE FILE" "export FILE --to folded"; do
    # shellcheck disable=SC2086
    row 1 "$time_sentence" ${command//FILE/heap.memoir} --metric cpu.on
    # shellcheck disable=SC2086
    row 1 "$heap_sentence" ${command//FILE/time.memoir} --metric heap.allocated
done
row 1 "$time_sentence" report heap.memoir --metric heap.peak,cpu.on
row 1 "$time_sentence" flame heap.memoir --by-thread -o x.svg
row 1 "$time_sentence" flame heap.memoir --heat -o x.svg
row 1 "$heap_sentence" report time.memoir --massif-like --metric heap.live
row 1 "heap.memoir: there is $time_sentence" diff time.memoir heap.memoir
row 1 "$time_sentence" flame time.memoir --diff heap.memoir --metric cpu.on -o x.svg
row 1 "$time_sentence" graph time.memoir --diff heap.memoir --metric cpu.on -o x.svg
row 1 "$time_sentence" diff heap.memoir heap.memoir --fail-if 'cpu.on>1s'
for metric in cpu.off resident pages.resident pages.cache heap.kept.touched pool.live region.live cpu.instructions cost; do
    row 1 'in this recording; ' report heap.memoir --metric $metric
done
for metric in heap.peak heap.temporary heap.slack maps.live heap.freed; do # measured, though it may be nothing
    row 0 '' report heap.memoir --metric $metric
done
if [ -e x.svg ]; then not_ok no-empty-picture "x.svg was written"; else ok no-empty-picture; fi
row 1 'no metric' report heap.memoir --metric nosuch
row 1 'no metric' flame heap.memoir --metric nosuch -o x.svg
row 1 'no metric' export heap.memoir --to folded --metric nosuch
row 2 'did you mean' report nosuch.memoir --metric heap.pek
row 2 'no option --bogus: --help' run --bogus -- true
row 2 'no option -5: --help' attach -5
for command in report info flame graph plot explain serve top; do
    row 1 'No such file or directory; memoir run -- PROGRAM makes a recording' $command nosuch
done
for command in cpu map attach detach explain "serve --pid" top; do
    # shellcheck disable=SC2086
    row 1 'no process 4194305.*.ps -ef. lists' $command 4194305 # more than the kernel gives out
done

for command in "run -o - -- true" "attach -o - 1" "cpu -o - 1" "pages -o - 1"; do
    # shellcheck disable=SC2086
    row 2 'a recording is a file, and not written to standard output' $command
done
for command in "report heap.memoir --json" "report heap.memoir --csv"; do
    # shellcheck disable=SC2086
    "$MEMOIR" $command >/dev/full 2>full.err
    equal "full-$command-status" 1 $?
    one_sentence "full-$command" full.err 'No space left on device'
done

# A time that this recording has not; and one that none can have.
for command in "report" "report --massif-like" "report --metric heap.live,heap.calls" "flame -o x.svg" "graph -o x.svg" \
    "diff heap.memoir" "export --to folded"; do
    # shellcheck disable=SC2086
    row 1 'past the end' ${command%% *} heap.memoir ${command#"${command%% *}"} --at 1h --metric heap.live
    # shellcheck disable=SC2086
    row 1 'before the beginning' ${command%% *} heap.memoir ${command#"${command%% *}"} --at -1h --metric heap.live
    # shellcheck disable=SC2086
    row 1 'nothing was recorded in that time' ${command%% *} heap.memoir ${command#"${command%% *}"} --between 1h,2h --metric heap.live
    # shellcheck disable=SC2086
    row 1 'no marks' ${command%% *} heap.memoir ${command#"${command%% *}"} --at mark:nosuch --metric heap.live
    # shellcheck disable=SC2086
    row 2 'cannot be' ${command%% *} nosuch ${command#"${command%% *}"} --at nonsense
    # shellcheck disable=SC2086
    row 2 'earlier and a later' ${command%% *} nosuch ${command#"${command%% *}"} --between 2h,1h
done
row 1 'has no snapshot of the pages' explain heap.memoir --at 1h
row 1 'nothing was recorded in that time' plot heap.memoir --between 1h,2h -o x.svg
row 2 'sort is one of' report heap.memoir --metric heap.peak,heap.live --sort cpu.on
row 2 . diff heap.memoir heap.memoir --by thread
row 1 'holds' diff heap.memoir heap.memoir --fail-if 'heap.peak>1'
row 2 . diff heap.memoir heap.memoir --fail-if 'nonsense'
row 0 '' report heap.memoir
row 0 '' diff heap.memoir heap.memoir
