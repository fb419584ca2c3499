#!/usr/bin/env bash
# Recordings that were cut anywhere, have damaged parts, or whose recorder was killed while it wrote or coarsened: what is left
# agrees with itself, row by row and in sum.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

bad=0
# Rows against the first lines; what is live against the peak; and what was allocated minus what was freed.
agrees() { # agrees NAME FILE
    local name=$1 file=$2 said
    "$MEMOIR" report "$file" --json --metric heap.allocated >allocated.json 2>report.err || {
        grep -q 'only the beginning\|not a memoir recording\|is empty' report.err || {
            bad=$((bad + 1))
            not_ok "$name-status" "$(cat report.err)"
        }
        return
    }
    "$MEMOIR" report "$file" --json --metric heap.leaked >leaked.json
    said=$(jq -r --slurpfile leaked leaked.json '.summary.heap as $heap | $leaked[0].total.value as $live
        | if .total.value != $heap.allocated_bytes then "rows have \(.total.value) bytes, the sum is \($heap.allocated_bytes)"
          elif .total.count != $heap.calls then "rows have \(.total.count) calls, the sum is \($heap.calls)"
          elif $live != $heap.leaked_bytes then "rows have \($live) live, the sum is \($heap.leaked_bytes)"
          elif $heap.allocated_bytes - $heap.freed_bytes != $live + $heap.suppressed_bytes then "\($heap.allocated_bytes) - \($heap.freed_bytes) is not \($live)"
          elif $heap.leaked_bytes_low > $heap.peak_bytes_high then "\($live) live is more than the peak, \($heap.peak_bytes)"
          else "" end' allocated.json)
    if [ -n "$said" ]; then
        bad=$((bad + 1))
        not_ok "$name" "$said"
    fi
}

# Grows and shrinks, so that a missing part matters.
"$MEMOIR" run --quiet -o whole.memoir -- "$subjects/subject-churns" 300000 3000 400 3 >/dev/null &
first=$!
"$MEMOIR" run --quiet -o phases.memoir -- "$subjects/subject-works_in_phases" >/dev/null
wait $first
for file in whole phases; do
    size=$(stat -c %s $file.memoir)
    for ((i = 1; i <= 25; i++)); do
        head -c $((size * i / 25)) $file.memoir >cut.memoir
        agrees "$file-cut-$i" cut.memoir
        { head -c $((size * i / 26)) $file.memoir && printf 'nonsense' && tail -c +$((size * i / 26 + 9)) $file.memoir; } >damaged.memoir
        agrees "$file-damaged-$i" damaged.memoir
    done
done
equal cut-and-damaged 0 $bad

# Killed while the file is made coarser again and again.
bad=0
for ((i = 0; i < 6; i++)); do
    rm -f killed.memoir
    "$MEMOIR" run --quiet --max-size 64K -o killed.memoir -- "$subjects/subject-generator" --threads 2 --ops 30000000 --paths 64 >/dev/null 2>&1 &
    recorder=$!
    wait_until 20 test -s killed.memoir
    sleep "1.$((i * 137 % 1000))"
    programs=$(descendants $recorder)
    kill -9 $recorder
    wait $recorder 2>/dev/null
    # shellcheck disable=SC2086 # a list of numbers
    kill $programs 2>/dev/null
    agrees "killed-$i" killed.memoir
done
equal killed 0 $bad

head -c 30 whole.memoir >thirty.memoir
"$MEMOIR" report thirty.memoir >thirty.txt 2>thirty.err
equal thirty-bytes-status 1 $?
one_sentence thirty-bytes thirty.err 'only the beginning'

# Names and a first state, but nothing of what was recorded.
size=$(stat -c %s whole.memoir)
zeros=0
no_symbols=0
unnamed=0
for ((i = 30; i < size && i < 20000; i += 97)); do
    head -c $i whole.memoir >cut.memoir
    "$MEMOIR" report cut.memoir >cut.txt 2>/dev/null || continue
    ! grep -q 'calls  *0 allocations' cut.txt || zeros=$((zeros + 1))
    ! grep -Eq 'which has (no|few) symbols' cut.txt || no_symbols=$((no_symbols + 1))
    grep -q 'makes (churns.c' cut.txt || unnamed=$((unnamed + 1))
done
equal no-report-of-zeros 0 $zeros
# Where names come after addresses, and the cut is in between, they are looked up in the binaries; and nobody says that these have none.
equal no-lack-of-symbols 0 $no_symbols
equal names-are-there-or-looked-up 0 $unnamed
