#!/usr/bin/env bash
# Marks and phases that a program tells through memoir.h: what is between two of them is exact.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

phase_rows() { # phase_rows FILE OPTIONS…: "NAME KIND CALLS BYTES FREES" per row
    local file=$1
    shift
    "$MEMOIR" report "$file" --by phase --json "$@" |
        jq -r '.rows[] | "\(.name // "-")|\(.kind)|\(.exact)|\(.calls)|\(.allocated_bytes)|\(.freed_calls)"'
}

# The numbers are in the head of phases.c.  Threads make the difference, so it is run several times.
expected_rounds() {
    local n
    for n in $(seq 1 50); do echo "round $n|mark|true|$((4 * n))|$((64 * n))|$((4 * (n - 1)))"; done
}
expected_rounds >expected
for run in 1 2 3 4 5; do
    record phases.memoir -- "$subjects/subject-phases"
    phase_rows phases.memoir >rows
    grep '^round ' rows >rounds
    same_text "phases-rounds-$run" expected rounds
done
# The same when there is so much to do that most events have no time of their own.
for n in $(seq 1 400); do echo "round $n|mark|true|$((4 * (n + 200)))|$((4 * (n - 1 + 200)))"; done >expected
for run in 1 2 3; do
    record busy.memoir -- "$subjects/subject-phases" busy
    phase_rows busy.memoir | grep '^round ' | cut -d '|' -f 1-4,6 >rounds
    same_text "phases-busy-$run" expected rounds
done

equal phases-before "-|mark|true|5|5000|0" "$(head -n 1 rows)"
equal phases-block-1 "block 1|mark|true|10|1000|0" "$(grep '^block 1|' rows)"
equal phases-block-2 "block 2|mark|true|20|2000|5" "$(grep '^block 2|' rows)"
equal phases-compaction "compaction|phase|true|3|192|3 compaction|phase|true|3|192|3" \
    "$(grep '^compaction' rows | xargs echo)"
equal phases-nothing-lost 0 "$(quality phases.memoir lost_events)"

# The same times split every report.
total() { # total OPTIONS…: "VALUE COUNT"
    "$MEMOIR" report phases.memoir --json "$@" | jq -r '"\(.total.value) \(.total.count)"'
}
equal phases-at-mark "6000 15" "$(total --metric heap.live --at 'mark:block 2')"
equal phases-between "3000 30" "$(total --metric heap.allocated --between 'mark:block 1,mark:block 3')"
equal phases-of-a-phase "192 3" "$(total --metric heap.allocated --between phase:compaction)"
equal phases-second-of-a-name "192 3" "$(total --metric heap.allocated --between 'phase:compaction#2')"
equal phases-to-the-end-of-one "384 6" \
    "$(total --metric heap.allocated --between 'phase:compaction,phase-end:compaction#last')"
equal phases-comma-in-a-name "112 7" \
    "$(total --metric heap.allocated --filter work_here --between 'mark:round 1,mark:end, of all' |
        awk '{ print ($1 == 16 * 5100) * 112, ($2 == 5100) * 7 }')"
equal phases-filter "5100" "$(phase_rows phases.memoir --filter work_here | awk -F '|' '{ n += $4 } END { printf "%.0f\n", n }')"
"$MEMOIR" report phases.memoir --between 'mark:blok 1,end' 2>error
equal phases-unknown-name-status 1 $?
one_sentence phases-unknown-name error 'did you mean "block 1"'
equal phases-csv "block 2,mark" \
    "$("$MEMOIR" report phases.memoir --by phase --csv | grep '^block 2' | cut -d , -f 1,2)"
"$MEMOIR" plot phases.memoir -o plot.svg && grep -q '>block 1</text>' plot.svg
equal phases-in-the-plot 0 $?
"$MEMOIR" diff phases.memoir --between 'mark:block 1,mark:block 2' --with 'mark:block 2,mark:block 3' --json >diff.json
equal phases-diff "1000 2000" "$(jq -r '"\(.before.value) \(.after.value)"' diff.json)"

# More marks than anybody can look at: bounded, and said.
record many.memoir -- "$subjects/subject-phases" many
equal many-status 0 "$status"
at_least many-kept 4096 "$(phase_rows many.memoir | wc -l)"
at_most many-bounded 5000 "$(phase_rows many.memoir | wc -l)"
at_most many-file-bytes 2000000 "$(stat -c %s many.memoir)"
"$MEMOIR" report many.memoir --by phase >many.txt
has_line many.txt 'marks more came than can be kept'
equal many-said 0 $?
record leaks.memoir -- "$subjects/subject-leaks_100_blocks"
"$MEMOIR" report leaks.memoir --by phase >none.txt
has_line none.txt 'no marks or phases'
equal none-said 0 $?

# From another terminal.
rm -f lines
mkfifo lines
"$MEMOIR" run --quiet -o outside.memoir -- "$subjects/subject-grows_on_demand" <lines >outside.out &
run=$!
exec 7>lines
wait_until 10 has_line outside.out ready
program=$(descendants $run | head -n 1)
grow() { # grow LINES: until the program has done it
    echo >&7
    wait_until 10 has_line outside.out "^$1\$"
}
grow 100
"$MEMOIR" mark "$program" "first line"
equal outside-status 0 $?
"$MEMOIR" mark "$program" "load" --begin
grow 200
grow 300
"$MEMOIR" mark "$program" "load" --end
"$MEMOIR" mark "$program" "load" --end 2>error
equal outside-nothing-to-end 1 $?
one_sentence outside-nothing-to-end-said error 'no phase of that name is open'
exec 7>&-
wait $run
phase_rows outside.memoir >rows
equal outside-mark "first line|mark|true|200|200000|0" "$(grep '^first' rows)"
equal outside-phase "load|phase|true|200|200000|0" "$(grep '^load' rows)"
equal outside-before "-|mark|true|100|100000|0" "$(head -n 1 rows)"
"$MEMOIR" mark $$ "nobody records this" 2>error
equal outside-nobody-status 1 $?
one_sentence outside-nobody error 'is not being recorded'
