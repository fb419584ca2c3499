#!/usr/bin/env bash
# Other programs open our exports and show our totals: heaptrack_print, go tool pprof, and whatever sums
# the last column of a folded file.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

check_folded() { # check_folded CASE FILE
    local metric key
    while read -r metric key; do
        "$MEMOIR" export "$2" --to folded --metric "heap.$metric" -o "$1.folded"
        equal "$1-folded-$metric" "$(summary "$2" "$key")" \
            "$(awk '{ sum += $NF } END { printf "%.0f", sum }' "$1.folded")"
    done <<'END'
allocated allocated_bytes
calls calls
peak peak_bytes
live leaked_bytes
END
}

check_heaptrack() { # check_heaptrack CASE FILE
    command -v heaptrack_print >/dev/null || { skip "$1-heaptrack" "not installed" && return; }
    "$MEMOIR" export "$2" --to heaptrack -o "$1.heaptrack.zst"
    heaptrack_print "$1.heaptrack.zst" >"$1.printed" 2>&1
    equal "$1-heaptrack-calls" "$(summary "$2" calls)" \
        "$(sed -n 's/^calls to allocation functions: \([0-9]*\).*/\1/p' "$1.printed")"
    equal "$1-heaptrack-peak" "$(heaptrack_bytes "$(summary "$2" peak_bytes)")" \
        "$(sed -n 's/^peak heap memory consumption: //p' "$1.printed")"
    equal "$1-heaptrack-leaked" "$(heaptrack_bytes "$(summary "$2" leaked_bytes)")" \
        "$(sed -n 's/^total memory leaked: //p' "$1.printed")"
    # heaptrack_gui takes it for granted that infos are first allocated in the order of their numbers, and crashes otherwise.
    zstdcat "$1.heaptrack.zst" | awk '$1 == "+" && !seen[$2]++ { print $2 }' >"$1.order"
    seq 0 $(($(wc -l <"$1.order") - 1)) | while read -r number; do printf '%x\n' "$number"; done >"$1.expected"
    same_text "$1-heaptrack-order" "$1.expected" "$1.order"
}

pprof_sum() { # pprof_sum FILE INDEX: the sum over all samples, as go sees them
    go tool pprof -raw "$1" 2>/dev/null | awk -v n="$2" '
        /^Locations/ { inside = 0 }
        inside && /^ *[-0-9]+ .*:/ { sum += $n }
        /^alloc_objects/ { inside = 1 }
        END { printf "%.0f", sum }'
}

check_pprof() { # check_pprof CASE FILE
    command -v go >/dev/null || { skip "$1-pprof" "there is no go" && return; }
    "$MEMOIR" export "$2" --to pprof -o "$1.pb.gz"
    equal "$1-pprof-calls" "$(summary "$2" calls)" "$(pprof_sum "$1.pb.gz" 1)"
    equal "$1-pprof-allocated" "$(summary "$2" allocated_bytes)" "$(pprof_sum "$1.pb.gz" 2)"
    equal "$1-pprof-peak" "$(summary "$2" peak_bytes)" "$(pprof_sum "$1.pb.gz" 4)"
    equal "$1-pprof-in-use" "$(summary "$2" leaked_bytes)" "$(pprof_sum "$1.pb.gz" 6)"
    go tool pprof -top -sample_index=peak_space "$1.pb.gz" >"$1.top" 2>&1
    equal "$1-pprof-top" 0 $?
    at_least "$1-pprof-top-names" 1 "$(grep -c "$3" "$1.top")"
}

record leaks.memoir -- "$subjects/subject-leaks_100_blocks"
record random.memoir -- "$subjects/subject-generator" --sharp --ops 200000 --paths 64
for name in leaks random; do
    check_folded $name $name.memoir
    check_heaptrack $name $name.memoir
done
check_pprof leaks leaks.memoir leak_here
check_pprof random random.memoir site_

# What is known to be no leak is left out by every view, and each says so.
record zone.memoir -- env TZ=:/usr/share/zoneinfo/Etc/UTC date
"$MEMOIR" report zone.memoir --json >zone.json
at_least leaked-suppressed 1 "$(jq .summary.heap.suppressed_bytes zone.json)"
leaked=$(jq .summary.heap.leaked_bytes zone.json)
"$MEMOIR" export zone.memoir --to folded --metric heap.leaked -o zone.folded 2>zone.err
equal leaked-folded "$leaked" "$(awk '{ sum += $NF } END { printf "%.0f", sum }' zone.folded)"
equal leaked-folded-says-so 1 "$(grep -c 'suppress them as leaks' zone.err)"
"$MEMOIR" export zone.memoir --to pprof --metric heap.leaked -o zone.pb.gz 2>zone.pprof.err
equal leaked-pprof-says-so 1 "$(grep -c 'suppress them as leaks' zone.pprof.err)"
equal leaked-pprof "$leaked" "$("$MEMOIR" report zone.pb.gz --metric heap.live --json | jq .total.value)"
"$MEMOIR" diff zone.memoir zone.memoir --metric heap.leaked >zone.diff
equal leaked-diff-says-so 2 "$(grep -c 'blocks suppressed' zone.diff)"
equal leaked-diff "$leaked" "$("$MEMOIR" diff zone.memoir zone.memoir --metric heap.leaked --json | jq .after.value)"
for view in flame graph; do
    "$MEMOIR" $view zone.memoir --metric heap.leaked -o zone.$view.svg
    at_least leaked-$view-says-so 1 "$(grep -c 'and [0-9.]* [KMi]*B suppressed' zone.$view.svg)"
done

# What a format does not tell is not shown as 0 when it is read back.
for format in callgrind pprof; do
    "$MEMOIR" export leaks.memoir --to $format -o back.$format 2>back.err
    "$MEMOIR" report back.$format >back.txt
    equal back-$format-no-zeros 0 "$(grep -Ec 'in 0 blocks| 0 \(0\.0 %\) temporary|, at 0 ns|of 0 events' back.txt)"
    equal back-$format-no-time-of-peak 0 "$(grep -Ec '^ *peak .*, at |^heap.peak: .*, at ' back.txt)"
    at_least back-$format-peak 1 "$(grep -c '^ *peak .*B' back.txt)"
done
