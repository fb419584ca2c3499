# shellcheck shell=bash disable=SC2034
# What holds of a recording whose end, or a part in the middle, is missing: all answers tell the same,
# and none tells of more than is left.  Sourced after common.bash.

# Inputs are answers as JSON: default, info, rows of heap.allocated, heap.freed, heap.leaked,
# heap.peak, cpu.on and cpu.off, the series, phases, owners.  An answer that was refused is empty.
contradictions_jq='
    def sum(f): map(f) | add // 0;
    def bad($cond; $text): if $cond then $text else empty end;
    $default[0] as $all | $all.recording as $about | $all.summary.heap as $heap | $all.quality as $quality
    | $about.duration_ns as $until
    | ($quality.sample_rate_bytes == 0) as $exact
    | ($all.summary.pools == null) as $plain
    | ($allocated[], $freed[], $leaked[], $peak[], $on[], $off[] |
        bad(.recording != $about or .summary != $all.summary; "\(.metric) has another summary"),
        bad((.quality | del(.doubts)) != ($quality | del(.doubts)); "\(.metric) has another quality"),
        bad((.rows | sum(.value)) != .total.value or (.rows | sum(.count)) != .total.count;
            "rows of \(.metric) are not its total \(.total)"),
        bad(.range.to_ns > $until; "\(.metric) goes to \(.range.to_ns) of \($until)")),
      ($info[0] |
        bad(.recording != $about; "info has another recording"),
        bad(.quality.events != $quality.events; "info has other events"),
        (.pins[] | bad(.time_ns > $until; "pin at \(.time_ns) of \($until)")),
        (.ladder[] | bad(.to_ns > $until; "buckets to \(.to_ns) of \($until)")),
        (.threads[] | bad(.last_ns > $until or .first_ns > .last_ns; "thread to \(.last_ns) of \($until)")),
        (.marks[] | bad(.time_ns > $until or (.end_ns // 0) > $until; "mark at \(.time_ns) of \($until)"))),
      ($allocated[] | .total | bad(.value != $heap.allocated_bytes or .count != $heap.calls;
        "allocated \(.), but \($heap.allocated_bytes) in \($heap.calls)")),
      ($freed[] | .total | bad(.value != $heap.freed_bytes or .count != $heap.freed_calls;
        "freed \(.), but \($heap.freed_bytes) in \($heap.freed_calls)")),
      ($leaked[] | .total | bad(.value != $heap.leaked_bytes or .count != $heap.leaked_calls;
        "leaked \(.), but \($heap.leaked_bytes) in \($heap.leaked_calls)")),
      ($peak[] | .total |
        bad(.value > $heap.peak_bytes; "rows of the peak have \(.value) of \($heap.peak_bytes)"),
        bad(.value != $heap.peak_bytes and ($quality.notes | any(test("the stacks of the peak")) | not);
            "rows of the peak have \(.value) of \($heap.peak_bytes), and nobody says so"),
        bad(.value == $heap.peak_bytes and .count != $heap.peak_calls; "peak in \(.count) blocks, or \($heap.peak_calls)")),
      bad($heap.allocated_bytes - $heap.freed_bytes != $heap.leaked_bytes + $heap.suppressed_bytes;
        "\($heap.allocated_bytes) - \($heap.freed_bytes) is not \($heap.leaked_bytes)"),
      bad($heap.leaked_bytes > $heap.peak_bytes; "\($heap.leaked_bytes) live, peak \($heap.peak_bytes)"),
      bad($heap.peak_bytes > $heap.allocated_bytes; "peak \($heap.peak_bytes) of \($heap.allocated_bytes)"),
      bad($heap.peak_bytes > 0 and $heap.peak_calls == 0; "a peak of \($heap.peak_bytes) in 0 blocks"),
      bad(($heap.peak_calls // 0) > $heap.calls; "peak in \($heap.peak_calls) of \($heap.calls) blocks"),
      bad($heap.freed_calls > $heap.calls; "\($heap.freed_calls) frees of \($heap.calls)"),
      bad($heap.temporary_calls > $heap.freed_calls; "\($heap.temporary_calls) temporary of \($heap.freed_calls)"),
      bad($heap.peak_time_ns > $until; "peak at \($heap.peak_time_ns) of \($until)"),
      ($all.summary.maps | bad(.unmapped_bytes > .mapped_bytes or .mapped_bytes - .unmapped_bytes > .peak_bytes
        or .peak_bytes > .mapped_bytes or .peak_time_ns > $until; "maps \(.)")),
      ($all.summary.pools // empty | bad(.freed_bytes > .allocated_bytes or .peak_bytes > .allocated_bytes
        or .allocated_bytes - .freed_bytes > .peak_bytes or .peak_time_ns > $until; "pools \(.)")),
      bad($exact and $heap.calls + $heap.freed_calls > $quality.events;
        "\($heap.calls) calls and \($heap.freed_calls) frees in \($quality.events) events"),
      bad($exact and ($quality.sources | any(.name == "heap" and .stacks > $heap.calls)) and $plain; "more stacks than calls"),
      bad($exact and $plain and ($all.histogram.sizes | sum(.count)) > $heap.calls; "more sizes than calls"),
      ($quality.time // empty |
        (.samples as $samples | $on[] | bad(.total.count != $samples; "\($samples) samples, rows have \(.total.count)")),
        (.wait_ns as $waits | $off[] | bad(.total.value != $waits; "waits of \($waits) ns, rows have \(.total.value)"))),
      ($series[] |
        bad(any(.snapshots[]; .time_ns > $until); "a snapshot after the end"),
        (select(.metric == "heap.live") |
          bad(([.snapshots[].useful_bytes] | max) > $heap.peak_bytes; "a snapshot is larger than the peak"),
          bad(.snapshots[-1].useful_bytes != $heap.leaked_bytes; "the last snapshot is not what is live"))),
      ($phases[] | .phases // [] | bad(any(.to_ns > $until or .from_ns > .to_ns); "a phase after the end")),
      ($owners[] | bad(.residency.at_ns > $until; "owners at \(.residency.at_ns) of \($until)"),
        bad((.owners | sum(.value)) != .residency.resident_bytes; "owners are not what is resident")),
      bad($quality.complete or ($quality.notes | any(test("the file was cut")) | not); "no note says that the end is missing")'

refused=0
# Prints what contradicts; nothing if the file is refused with a sentence, which counts as $refused.
contradictions() { # contradictions FILE
    local file=$1 name metric said
    local -A metrics=([allocated]=heap.allocated [freed]=heap.freed [leaked]=heap.leaked
        [peak]=heap.peak [on]=cpu.on [off]=cpu.off)
    local -a rows=("$MEMOIR" report "$file" --json --top 1000000 --no-default-suppressions) answers=()
    if ! "${rows[@]}" >holds.default 2>holds.err; then
        grep -q 'only the beginning\|not a memoir recording\|is empty' holds.err || echo "refused: $(cat holds.err)"
        ! "$MEMOIR" report "$file" >holds.txt 2>/dev/null || echo "only JSON is refused"
        ! "$MEMOIR" info "$file" >holds.txt 2>/dev/null || echo "info is not refused"
        refused=$((refused + 1))
        return
    fi
    for name in "${!metrics[@]}"; do
        metric=${metrics[$name]}
        "${rows[@]}" --metric "$metric" >"holds.$name" 2>holds.err || : >"holds.$name"
        answers+=(--slurpfile "$name" "holds.$name")
    done
    "$MEMOIR" info "$file" --json >holds.info
    "$MEMOIR" report "$file" --massif-like --json >holds.series 2>/dev/null || : >holds.series
    "$MEMOIR" report "$file" --by phase --json >holds.phases 2>/dev/null || : >holds.phases
    "$MEMOIR" explain "$file" --json >holds.owners 2>/dev/null || : >holds.owners
    for name in default info series phases owners; do
        answers+=(--slurpfile "$name" "holds.$name")
    done
    jq -rn "${answers[@]}" "$contradictions_jq" 2>&1
    "$MEMOIR" report "$file" >holds.txt || echo "the text is refused"
    ! grep -q 'nothing lost' holds.txt || echo "nothing lost of a file that was cut"
    grep -q 'the file was cut' holds.txt || echo "the text does not say that the end is missing"
    "$MEMOIR" info "$file" | grep -q 'the file was cut' || echo "info does not say that the end is missing"
    ! [ -s holds.owners ] || "$MEMOIR" explain "$file" | grep -q 'the file was cut' ||
        echo "explain does not say that the end is missing"
    for name in peak leaked; do
        [ -s "holds.$name" ] && "$MEMOIR" export "$file" --to folded --metric "heap.$name" -o holds.folded 2>/dev/null || continue
        said=$(awk '{ sum += $NF } END { printf "%.0f", sum }' holds.folded)
        [ "$said" = "$("$MEMOIR" report "$file" --json --metric "heap.$name" --top 1 | jq .total.value)" ] ||
            echo "folded heap.$name has $said"
        rm -f holds.folded
    done
}
