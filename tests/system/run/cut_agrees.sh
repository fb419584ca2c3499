#!/usr/bin/env bash
# What is left of a recording that was cut, or whose recorder was killed: totals, peak, live memory, events, series, marks and owners
# agree in all answers, and each answer says that the end is missing.  CUTS and KILLS are how often of each: 200 and 20 take minutes.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/holds.bash"
cuts=${CUTS:-5}
kills=${KILLS:-2}

# A peak that moves on; snapshots of the pages; samples and waits; marks and threads.
"$MEMOIR" run --quiet -o grows.memoir -- "$subjects/subject-works_in_phases" >/dev/null &
"$MEMOIR" run --quiet --map-every 300ms -o looks.memoir -- "$subjects/subject-works_in_phases" >/dev/null &
"$MEMOIR" run --quiet --cpu=199 --off-cpu -o works.memoir -- "$subjects/subject-works_for_seconds" 3 >/dev/null 2>&1 &
"$MEMOIR" run --quiet -o marks.memoir -- "$subjects/subject-phases" >/dev/null
wait

# Beginnings of chunks, where nothing shows that more should come, and places in between.
places() { # places FILE
    local size
    size=$(stat -c %s "$1")
    {
        LC_ALL=C grep -obUaP '\x8fMCK' "$1" | cut -d : -f 1
        seq 30 211 $((size - 1))
    } | sort -nu | awk -v cuts="$cuts" '{ at[NR] = $1 }
        END { for (i = 1; i <= cuts; i++) { n = int(NR * (i - 0.5) / cuts) + 1; if (at[n] != last) print last = at[n] } }'
}

for name in grows looks works marks; do
    said=
    for at in $(places $name.memoir); do
        head -c "$at" $name.memoir >cut.memoir
        found=$(contradictions cut.memoir | head -n 3)
        [ -z "$found" ] || said+="at $at: $found; "
    done
    equal $name-cut "" "$said"
done

said=
left=0
for ((i = 0; i < kills; i++)); do
    rm -f killed.memoir
    "$MEMOIR" run --quiet -o killed.memoir -- "$subjects/subject-generator" --threads 2 --ops 30000000 --paths 64 >/dev/null 2>&1 &
    recorder=$!
    wait_until 20 test -s killed.memoir
    sleep "$((i % 2)).$((i * 137 % 900 + 100))"
    programs=$(descendants $recorder)
    kill -9 $recorder
    wait $recorder 2>/dev/null
    # shellcheck disable=SC2086 # a list of numbers
    kill $programs 2>/dev/null
    [ ! -s killed.memoir ] || left=$((left + 1))
    found=$(contradictions killed.memoir | head -n 3)
    [ -z "$found" ] || said+="kill $i: $found; "
done
equal killed "" "$said"
equal killed-left-something "$kills" "$left"
