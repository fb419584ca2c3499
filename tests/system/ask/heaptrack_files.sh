#!/usr/bin/env bash
# heaptrack's own files, recorded here, in every packing and format: the same numbers as heaptrack_print,
# where that is right, in all and for every call stack.  Our own exports read back.  Damage.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

command -v heaptrack >/dev/null || { skip all "heaptrack is not installed" && exit; }
interpret=$(PATH=$PATH:/usr/lib/heaptrack/libexec:/usr/lib/x86_64-linux-gnu/heaptrack/libexec command -v heaptrack_interpret)

unpack() { # unpack FILE
    case $1 in
        *.zst) zstd -dcq "$1" ;;
        *.gz) gzip -dc "$1" ;;
        *) cat "$1" ;;
    esac
}

# Leaves NAME.ht, not packed.
heaptrack_of() { # heaptrack_of NAME PROGRAM…
    local name=$1
    shift
    heaptrack -o "$name" "$@" >"$name.out" 2>"$name.err"
    unpack "$(ls "$name".zst "$name".gz 2>/dev/null)" >"$name.ht"
}

# heaptrack takes a free of its first kind of block for temporary when any other free came before it.
temporary_too_many() { # temporary_too_many FILE
    awk '/^\+ /{ last = $2 } /^- /{ if (last == "" && $2 == "0") n++; last = "" } END { print n + 0 }' "$1"
}

printed() { # printed FILE PATTERN: what heaptrack_print says
    sed -n "s/^$2: \([^ ]*\).*/\1/p" "$1.printed"
}

check_totals() { # check_totals CASE FILE: our summary against heaptrack_print's
    heaptrack_print --disable-builtin-suppressions "$2" >"$2.printed" 2>&1
    equal "$1-calls" "$(printed "$2" "calls to allocation functions")" "$(summary "$2" calls)"
    equal "$1-peak" "$(printed "$2" "peak heap memory consumption")" \
        "$(heaptrack_bytes "$(summary "$2" peak_bytes)")"
    equal "$1-leaked" "$(printed "$2" "total memory leaked")" \
        "$(heaptrack_bytes "$(summary "$2" leaked_bytes)")"
    equal "$1-rss" "$(printed "$2" "peak RSS (including heaptrack overhead)")" \
        "$(heaptrack_bytes "$(fact "$2" .summary.rss_peak_bytes)")"
    equal "$1-temporary" "$(printed "$2" "temporary memory allocations")" \
        "$(($(summary "$2" temporary_calls) + $(temporary_too_many "$2")))"
}

# The sums per stack of two folded files: prints how many stacks there are, and which differ.
# heaptrack_print turns inlined functions around, so names count in any order; it writes files behind
# names, starts at main, and shows the allocator's own frames.
differing_stacks() { # differing_stacks THEIRS OURS
    awk '
        FNR == 1 { file++ }
        {
            value = $NF
            sub(/;? [-0-9]+$/, "")
            gsub(/ \([^();]*\)/, "")
            count = split($0, names, ";")
            first = 1
            for (i = 1; i <= count; i++)
                if (names[i] ~ /^(main|__libc_start_main|__static_initialization_and_destruction_0)$/) first = i
            sum = squares = counted = 0
            for (i = first; i <= count; i++) {
                if (names[i] ~ /^(malloc|calloc|realloc)$/) continue
                counted++
                sub(/^[^;]*\+0x/, "0x", names[i])
                if (!(names[i] in number)) number[names[i]] = ++numbers
                sum += number[names[i]]
                squares += number[names[i]] * number[names[i]]
            }
            key = sum " " squares " " counted
            stack[key] = $0
            total[file, key] += value
        }
        END {
            for (key in stack) {
                different = total[1, key] != total[2, key]
                if (different) printf "%.0f %.0f %.200s\n", total[1, key], total[2, key], stack[key]
                same += !different && total[1, key]
            }
            print same + 0, "the same"
        }' "$1" "$2" | sort -n | tail -n 8
}

check_stacks() { # check_stacks CASE FILE COST…
    local name=$1 file=$2 metric cost
    shift 2
    for cost; do
        metric=${cost/allocations/calls}
        metric=${metric/leaked/live} # at the end, with what is suppressed of leaks
        heaptrack_print --disable-builtin-suppressions -F theirs.folded --flamegraph-cost-type "$cost" "$file" \
            >/dev/null 2>&1
        "$MEMOIR" export "$file" --to folded --metric "heap.$metric" -o ours.folded
        differing_stacks theirs.folded ours.folded >stacks
        if [[ $(cat stacks) =~ ^[1-9][0-9]*\ the\ same$ ]]; then ok "$name-stacks-$cost"; else
            not_ok "$name-stacks-$cost" "theirs, ours, where:"
            cat stacks
        fi
    done
}

# The same report from another packing or format, but for what it says about the file.
same_report() { # same_report CASE FILE OTHER
    for file in "$2" "$3"; do
        "$MEMOIR" report "$file" --json --metric heap.calls --top 100000 | jq 'del(.recording.source, .quality.notes)' \
            >"$file.whole"
    done
    same_text "$1" "$2.whole" "$3.whole"
}

# The same file with its kinds of blocks numbered from 1, where heaptrack_print counts temporary ones right.
numbered_from_1() { # numbered_from_1 FILE
    perl -pe 's/^/a 0 0\n/ if /^a / && !$seen++; s/^([+-]) ([0-9a-f]+)$/sprintf("%s %x", $1, hex($2) + 1)/e' "$1"
}

older_format() { # older_format FORMAT FILE: as heaptrack 1.0 or 1.1 would have written it
    awk -v format="$1" '
        NR == 1 { print "v", format == 1 ? "10000" : "10100", format; next }
        /^s / { sub(/^s [0-9a-f]+ /, "s "); print; next }
        /^i / && format == 1 { print $1, $2, $3 (NF > 3 ? " " $4 : "") (NF > 5 ? " " $5 " " $6 : ""); next }
        { print }' "$2"
}

# Few different sizes: on many pairs of size and stack heaptrack 1.4.0 grows without end.
rows="create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c where x < 5000)
    insert into t select x, hex(x) from c; create index i on t(b);"
words='x = [[i, str(i) * 3, {"a": i}] for i in range(20000)]; y = x[:100]; del x'
python=$(PATH=/usr/bin:$PATH command -v python3)
heaptrack_of leaks "$subjects/subject-leaks_100_blocks"
heaptrack_of sqlite sqlite3 :memory: "$rows"
PYTHONMALLOC=malloc heaptrack_of python "$python" -S -c "$words"
for name in leaks sqlite python; do
    check_totals $name $name.ht
    check_stacks $name $name.ht allocations peak leaked
    numbered_from_1 $name.ht >$name.from-1
    check_totals $name-from-1 $name.from-1
    check_stacks $name-from-1 $name.from-1 temporary
done
equal leaks-site "100000 100" "$(site leaks.ht heap.leaked leak_here main)"
equal leaks-by-heaptrack "heaptrack 1." "$(fact leaks.ht .recording.source | head -c 12)"

gzip -kc sqlite.ht >sqlite.gzip
zstd -qfc sqlite.ht >sqlite.zstd
same_report gzip sqlite.ht sqlite.gzip
same_report zstd sqlite.ht sqlite.zstd
for format in 1 2; do
    older_format $format python.ht >python.v$format
    check_totals format-$format python.v$format
    check_stacks format-$format python.v$format allocations peak leaked
done

for command in "report --top 5" "info --json" "flame -o flame.svg" "plot -o plot.svg" "export --to folded -o out.folded" \
    "export --to pprof -o out.pb.gz" "export --to heaptrack -o out.heaptrack.gz"; do
    # shellcheck disable=SC2086
    "$MEMOIR" ${command%% *} sqlite.ht ${command#* } >command.out 2>command.err
    equal "opens-in-${command// /-}" 0 $?
done
"$MEMOIR" diff sqlite.ht sqlite.zst >command.out 2>&1
equal opens-in-diff 0 $?

"$MEMOIR" report python.ht --json --top 100000 2>early.err | head -n 1 >early.out
equal reader-that-leaves-early "" "$(cat early.err)"

# Raw: the same events, with addresses.
raw_of() { # raw_of NAME PROGRAM…
    local name=$1
    shift
    heaptrack --raw -o "$name" "$@" >"$name.out" 2>"$name.err"
    unpack "$(ls "$name".raw.zst "$name".raw.gz 2>/dev/null)" >"$name.raw"
}

check_raw() { # check_raw NAME FUNCTION…: against what heaptrack_interpret makes of it
    local name=$1 key function
    shift
    "$interpret" <"$name.raw" >"$name.ht" 2>"$name.err"
    for key in calls allocated_bytes freed_bytes peak_bytes peak_calls leaked_bytes leaked_calls; do
        equal "$name-$key" "$(summary "$name.ht" $key)" "$(summary "$name.raw" $key)"
    done
    equal "$name-temporary" "$(awk '/temporary allocations:/{ print $NF }' "$name.err")" \
        "$(summary "$name.raw" temporary_calls)"
    for function; do
        at_least "$name-$function-some" 1 "$(site "$name.raw" heap.allocated "$function" | cut -d' ' -f2)"
        equal "$name-$function" "$(site "$name.ht" heap.allocated "$function")" \
            "$(site "$name.raw" heap.allocated "$function")"
    done
}

cp "$subjects/subject-leaks_100_blocks" moved-away
raw_of raw-leaks ./moved-away
raw_of raw-sqlite sqlite3 :memory: "$rows"
PYTHONMALLOC=malloc raw_of raw-python "$python" -S -c "$words"
if [ -x "$interpret" ]; then
    check_raw raw-leaks leak_here free_here main
    check_raw raw-python
    check_raw raw-sqlite sqlite3_step sqlite3_initialize
else
    skip raw "heaptrack_interpret was not found"
fi
raw="raw-leaks.raw"
equal raw-says-whose-names 1 "$(fact $raw '[.quality.notes[] | select(test("names are those of the binaries"))] | length')"
touch -d '1 hour ago' $raw
equal raw-says-newer 1 "$("$MEMOIR" report $raw | grep -c "moved-away was changed after")"
rm moved-away
equal raw-says-missing 1 "$("$MEMOIR" report $raw | tr -s '\n ' ' ' | grep -c "moved-away: open the file on the machine where it was recorded")"
at_least raw-without-names 1 "$("$MEMOIR" report $raw | grep -c 'moved-away+0x')"

# Rules the program brought.
heaptrack_of rules "$subjects/subject-brings_leak_rules"
equal rules-suppressed 300 "$("$MEMOIR" report rules.ht --json | jq '.suppressions[] | select(.pattern == "^known_leak$") | .bytes')"
equal rules-off 0 "$(summary rules.ht suppressed_bytes)"

# Our own exports come back.
record own.memoir -- "$subjects/subject-generator" --sharp --ops 200000 --paths 64 --threads 1
"$MEMOIR" export own.memoir --to heaptrack -o own.zst 2>own.notes
for metric in peak leaked calls temporary allocated; do
    for file in own.memoir own.zst; do
        jq '.rows | map({value, count, stack: [.stack[] | [.function, .file, .line, .inlined]]}) | sort' \
            "$(json_of $file heap.$metric)" >$file.rows
    done
    same_text "own-$metric" own.memoir.rows own.zst.rows
done
for file in own.memoir own.zst; do
    jq '.summary.heap | del(.slack_bytes, .peak_slack_bytes, .peak_time_ns)' "$(report_of $file facts --top 1)" >$file.summary
    jq '.recording | {program, command_line, pid, parent_pid, host, start, exit_status, page_bytes, machine_bytes}' \
        "$(report_of $file facts --top 1)" >$file.recording
done
same_text own-summary own.memoir.summary own.zst.summary
same_text own-recording own.memoir.recording own.zst.recording

# Cut, damaged, too new, nothing.
zstd -qc --fast python.ht | head -c 100000 >cut.zst
{ head -n 5000 sqlite.ht && printf '+ 1'; } >cut.ht
for file in cut.zst cut.ht; do
    "$MEMOIR" report $file >cut.out 2>cut.err
    equal "$file-opens" 0 $?
    equal "$file-says-where" 1 "$(tr -s '\n ' ' ' <cut.out | grep -c 'read up to line [0-9]')"
    at_least "$file-calls" 1 "$(summary $file calls)"
done
sed -e '100s/.*/garbage/' -e '$s/.*/+ zzz/' leaks.ht >damaged.ht
equal damaged-says-lines 1 "$("$MEMOIR" report damaged.ht | tr -s '\n ' ' ' | grep -c '2 damaged lines were skipped, the first of them line 100')"
printf 'v 20000 4\n+ 0\n' >new.ht
head -c 12 sqlite.zstd >nothing.zst
printf 'hello\n' | gzip >hello.gz
while read -r file pattern; do
    "$MEMOIR" report "$file" >/dev/null 2>sentence.err
    equal "$file-refused" 1 $?
    one_sentence "$file-sentence" sentence.err "$pattern"
done <<'END'
new.ht format 4
nothing.zst cut short
hello.gz memoir does not know this format
END

# 1 GB of events, in little memory.
{
    printf 'v 10400 3\nX ./many\nI 1000 100\na 10 0\na 20 0\n'
    yes $'+ 1\n+ 0\n- 1\n- 0' | head -c 1000000000
} | zstd -q1c >many.zst
(
    ulimit -v 100000
    "$MEMOIR" report many.zst --json >many.json 2>many.err
)
equal many-events-in-100-MB 125000000 "$(jq .summary.heap.calls many.json)"
