# shellcheck shell=bash disable=SC2034,SC2154
# Compares a recording of the generator with the books that the generator kept of itself, to the byte and the count, per
# call path.  Sourced after common.bash; $generator is the program.
generator=$subjects/subject-generator

# "PATH VALUE COUNT" per call path: the first site_ function and the hop_ functions around it.  What has no
# site_ frame was made by libc for itself and is called "other".
paths() { # paths FILE METRIC
    jq -r '
        def path: [.stack[] | select(.inlined | not) | .function // ""] as $f
            | ($f | map(startswith("site_")) | index(true)) as $i
            | if $i == null then "other" else
                $f[$i] + "/" + ([label $stop | $f[$i + 1:][] | if startswith("hop_") then .[4:5] else break $stop end] | join(""))
              end;
        .rows[]? | [path, .value, .count] | @tsv' "$(json_of "$1" "$2")" |
        awk -F '\t' '{ value[$1] += $2; count[$1] += $3 }
            END { for (p in value) printf "%s\t%d\t%d\n", p, value[p], count[p] }'
}

# The same table as the books, made from the recording.
table() { # table FILE
    local metric
    for metric in calls allocated freed live peak temporary; do
        paths "$1" heap.$metric | sed "s/^/$metric\t/"
    done | awk -F '\t' '
        { seen[$2] = 1; value[$1, $2] = $3; count[$1, $2] = $4 }
        END {
            for (p in seen)
                printf "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", p, value["calls", p], value["allocated", p],
                    count["freed", p], value["freed", p], count["live", p], value["live", p],
                    count["peak", p], value["peak", p], value["temporary", p]
        }' | sort
}

column() { # column FILE PATH NUMBER
    awk -F '\t' -v path="$2" -v n="$3" '$1 == path { print $n; found = 1 } END { if (!found) print 0 }' "$1"
}

# Every number of the summary is the books' total plus what libc did for itself.
compare_summary() { # compare_summary CASE FILE BOOKS TABLE
    local key number expected actual wrong=
    while read -r key number; do
        expected=$(($(column "$3" total "$number") + $(column "$4" other "$number")))
        actual=$(summary "$2" "$key")
        [ "$expected" = "$actual" ] || wrong="$wrong $key is $actual instead of $expected;"
    done <<'END'
calls 2
allocated_bytes 3
freed_calls 4
leaked_calls 6
leaked_bytes 7
peak_bytes 9
temporary_calls 10
END
    if [ -z "$wrong" ]; then ok "$1"; else not_ok "$1" "${wrong# }"; fi
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
