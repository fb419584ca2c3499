#!/usr/bin/env bash
# The disk of the recording is full: the program does not notice, the recorder says so in a sentence.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

says() { # says CASE PATTERN: a line of the report
    if grep -qE "$2" report.txt; then ok "$1"; else not_ok "$1" "$(cat report.txt)"; fi
}

# In a mount namespace of its own, so that nothing is left behind whatever happens.
if [ "${1:-}" != inside ]; then
    if ! "${with_own_mounts[@]}" true 2>/dev/null; then
        skip full-disk "this user may not make a mount namespace"
        exit 0
    fi
    exec "${with_own_mounts[@]}" "$0" inside
fi
mkdir -p small
if ! mount -t tmpfs -o size=128k tmpfs small; then
    skip full-disk "this user may not mount a small disk"
    exit 0
fi

"$MEMOIR" run -o small/full.memoir -- "$subjects/subject-generator" --threads 2 --ops 1000000 --all \
    --churn-threads 200 --books "$PWD/books" >out 2>err
equal status 1 $?
at_least program-finished 1 "$(grep -c '^total' books)"
equal output "" "$(cat out)"
grep -i "space" err >space
equal sentences 2 "$(grep -c . space)" # when it happens, and at the end
head -n 1 space >first
one_sentence sentence first 'no space|full'
equal not-called-recorded 0 "$(grep -c 'see it with' err)"
cp small/full.memoir .
"$MEMOIR" report full.memoir --json >report.json 2>report.err
equal recording-opens 0 $?
at_least says-from-when 1 "$(jq .quality.unwritten_from_ns report.json)"
at_most but-not-later "$(jq .recording.duration_ns report.json)" "$(jq .quality.unwritten_from_ns report.json)"
"$MEMOIR" report full.memoir >report.txt
if grep -q 'quality.*could not be written (No space left' report.txt; then ok says-why; else not_ok says-why "$(grep quality report.txt)"; fi
says calls-say-until-when '^ *calls .* until [0-9.]+ m?s, when the disk was full'
says peak-says-until-when '^ *peak .* until [0-9.]+ m?s, when the disk was full'
says live-says-until-when '^ *live .*, until [0-9.]+ m?s, when the disk was full'
says rows-say-until-when '^warning: these rows go until [0-9.]+ m?s, when the disk was full'
equal no-whole-run 0 "$(grep -c 'in all;\|still live at the end' report.txt)"
equal json-says-until-when 1 "$(jq '[.quality.notes[] | select(test("until .*, when the disk was full"))] | length' report.json)"
equal rows-agree "$(jq .summary.heap.peak_bytes report.json)" "$(jq '[.summary.heap.peak_bytes, .summary.heap.leaked_bytes] | max' report.json)"
equal calls-agree "$("$MEMOIR" report full.memoir --metric heap.allocated --json | jq .total.count)" "$(jq .summary.heap.calls report.json)"
equal frames-have-names 0 "$("$MEMOIR" report full.memoir --json | jq .quality.unresolved_frames.no_symbols)"
equal no-debug-symbols-asked 0 "$(grep -c 'install its debug symbols' report.txt)"

# No room even for the beginning: nothing is run, or it is run and ends well.
dd if=/dev/zero of=small/rest bs=1k count=128 2>/dev/null
"$MEMOIR" run -o small/none.memoir -- "$subjects/subject-exits" 0 >out 2>err
equal no-room-at-all 1 $?
equal no-room-sentences 2 "$(grep -c . err)"
head -n 1 err >first
one_sentence no-room-why first 'no space.*without being recorded'
equal no-room-no-guess "memoir: nothing was recorded for $subjects/subject-exits" "$(tail -n 1 err)"
if [ -e small/none.memoir ]; then not_ok no-room-no-file "an empty file stays"; else ok no-room-no-file; fi
