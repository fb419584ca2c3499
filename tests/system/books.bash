# shellcheck shell=bash disable=SC2034,SC2154
# Compares a recording of the generator with the books that the generator kept of itself, to the byte and the count, per
# call path.  Sourced after common.bash; $generator is the program.
generator=$subjects/subject-generator

# The same table as the books, made from the recording.  A call path is the first site_ function and the hop_ functions around it.
# What has no site_ frame was made by libc for itself and is called "other".
table() { # table FILE
    local metric files=()
    for metric in calls allocated freed live peak temporary; do
        files+=("$(json_of "$1" heap.$metric)")
    done
    jq -r '
        def path: [.stack[] | select(.inlined | not) | .function // ""] as $f
            | ($f | map(startswith("site_")) | index(true)) as $i
            | if $i == null then "other" else
                $f[$i] + "/" + ([label $stop | $f[$i + 1:][] | if startswith("hop_") then .[4:5] else break $stop end] | join(""))
              end;
        (input_filename | split(".")[-2]) as $metric | .rows[]? | [$metric, path, .value, .count] | @tsv' "${files[@]}" |
        awk -F '\t' '
            # %.0f: the %d of mawk ends at 2^31
            { seen[$2] = 1; value[$1, $2] += $3; count[$1, $2] += $4 }
            END {
                for (p in seen)
                    printf "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", p, value["calls", p], value["allocated", p],
                        count["freed", p], value["freed", p], count["live", p], value["live", p],
                        count["peak", p], value["peak", p], value["temporary", p]
            }' | sort
}

# Every number of the summary is the books' total plus what libc did for itself.
compare_summary() { # compare_summary CASE FILE BOOKS TABLE
    local expected actual
    expected=$(awk -F '\t' '
        (FNR == NR && $1 == "total") || (FNR != NR && $1 == "other") { for (i = 2; i <= NF; i++) sum[i] += $i }
        END { printf "calls %.0f, allocated_bytes %.0f, freed_calls %.0f, leaked_calls %.0f, leaked_bytes %.0f, peak_bytes %.0f, temporary_calls %.0f",
                  sum[2], sum[3], sum[4], sum[6], sum[7], sum[9], sum[10] }' "$3" "$4")
    actual=$(fact "$2" '.summary.heap | . as $heap | [("calls", "allocated_bytes", "freed_calls", "leaked_calls", "leaked_bytes",
        "peak_bytes", "temporary_calls") | "\(.) \($heap[.])"] | join(", ")')
    equal "$1" "$expected" "$actual"
}

compare() { # compare CASE GENERATOR_OPTIONS…
    local name=$1
    shift
    record "$name.memoir" -- "$generator" --books "$name.books" "$@"
    equal "$name-status" 0 "$status"
    equal "$name-silent" "" "$(cat "$name.memoir.out")"
    compare_books "$name"
}

# Each path, nothing lost, and the summary.
compare_books() { # compare_books CASE: CASE.memoir and CASE.books
    local name=$1
    if [ ! -s "$name.books" ] || [ ! -s "$name.memoir" ]; then
        not_ok "$name" "no books or no recording: $(head -n 3 "$name.memoir.err")"
        return
    fi
    table "$name.memoir" >"$name.table"
    grep -v '^other' "$name.table" >"$name.ours"
    sed -e 1d -e '/^total/d' "$name.books" | sort >"$name.theirs"
    if cmp -s "$name.ours" "$name.theirs"; then
        ok "$name"
    else
        not_ok "$name" "$(diff "$name.theirs" "$name.ours" | grep -c '^<') of $(wc -l <"$name.theirs") paths differ"
        sed -n 1p "$name.books"
        diff "$name.theirs" "$name.ours" | head -n 24 # < the books, > the recording
    fi
    equal "$name-nothing-lost" 0 "$(quality "$name.memoir" lost_events)"
    compare_summary "$name-summary" "$name.memoir" "$name.books" "$name.table"
    rm -f "$name.memoir".*.json
}
