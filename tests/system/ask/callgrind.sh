#!/usr/bin/env bash
# callgrind.out: what we write, in callgrind_annotate; what valgrind writes, in our reports.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

command -v callgrind_annotate >/dev/null || { skip all "valgrind is not installed" && exit; }

export_of() { # export_of NAME [OPTIONS]: leaves NAME.cg, and what callgrind_annotate makes of it
    local name=$1
    shift
    "$MEMOIR" export "$name.memoir" --to callgrind -o "$name.cg" "$@" 2>"$name.notes"
    callgrind_annotate --inclusive=yes --threshold=100 --auto=no --show-percs=no "$name.cg" >"$name.inclusive" 2>"$name.cg.err"
    equal "$name-annotate" "0 " "$? $(cat "$name.cg.err")"
    callgrind_annotate --threshold=100 --auto=no --show-percs=no "$name.cg" >"$name.self" 2>/dev/null
}

# "FUNCTION COST" of one event, by its column.
costs() { # costs FILE COLUMN
    awk -v column="$2" '/PROGRAM TOTALS/ { on = 1; next } on && /:/ {
        cost = $column; sub(/ \[[^]]*\]$/, ""); sub(/.*:/, ""); gsub(",", "", cost); if (cost + 0 > 0) print $0, cost }' "$1" | sort
}

# The same from a report: by function, its own and with what it calls.
reported() { # reported FILE METRIC KEY
    "$MEMOIR" report "$1" --metric "$2" --by function --top 1000000 --threshold 0 --json |
        jq -r --arg key "$3" '.rows[] | select(.[$key] > 0) | "\(.stack[0].function) \(.[$key])"' | sort
}

totals() { # totals FILE: all events
    sed -n 's/ *PROGRAM TOTALS//p' "$1" | tr -d , | xargs
}

for subject in leaks_100_blocks deep_recursion; do
    record $subject.memoir -- "$subjects/subject-$subject"
    export_of $subject
    equal $subject-totals "$(summary $subject.memoir allocated_bytes) $(summary $subject.memoir calls) $(summary $subject.memoir peak_bytes)" \
        "$(totals $subject.inclusive | cut -d' ' -f1-3)"
    equal $subject-self "$(reported $subject.memoir heap.allocated value)" "$(costs $subject.self 1)"
    equal $subject-inclusive "$(reported $subject.memoir heap.allocated total_value)" "$(costs $subject.inclusive 1)"
done

if command -v sqlite3 >/dev/null; then
    record sqlite.memoir -- sqlite3 :memory: "create table t(a); with recursive n(i) as (select 1 union all select i+1 from n
        where i<20000) insert into t select i from n; create index x on t(a);"
    export_of sqlite --metric heap.peak
    equal sqlite-totals "$(summary sqlite.memoir peak_bytes)" "$(totals sqlite.inclusive)"
    equal sqlite-inclusive "$(reported sqlite.memoir heap.peak total_value)" "$(costs sqlite.inclusive 1)"
else
    skip sqlite "sqlite3 is not installed"
fi
# callgrind's own files, and others of the kind: the same totals and own costs as callgrind_annotate.
own_costs() { # own_costs FILE: "FUNCTION COST", as annotated, without what is unnamed
    callgrind_annotate --threshold=100 --auto=no --show-percs=no "$1" >"$1.self" 2>/dev/null
    costs "$1.self" 1 | sed 's/@@[^ ]*//' | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort
}
our_costs() { # our_costs FILE METRIC
    reported "$1" "$2" value | sed 's/@@[^ ]*//' | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort
}
for options in "" "--dump-instr=yes --collect-jumps=yes" "--compress-strings=no --compress-pos=no"; do
    case=read-callgrind-$(echo "${options:-plain}" | tr -dc '[:lower:]')
    # shellcheck disable=SC2086
    valgrind --tool=callgrind $options --callgrind-out-file=vg.cg "$subjects/subject-leaks_100_blocks" >/dev/null 2>&1
    equal "$case-total" "$(sed -n 's/^totals: //p' vg.cg)" "$("$MEMOIR" report vg.cg --json | jq .total.value)"
    equal "$case-lines" 0 "$("$MEMOIR" report vg.cg --json | jq '.quality.damaged_chunks // 0')"
    equal "$case-leak-here" "$(own_costs vg.cg | grep -E '^(leak_here|free_here|main|malloc|_int_malloc) ')" \
        "$(our_costs vg.cg cpu.instructions | grep -E '^(leak_here|free_here|main|malloc|_int_malloc) ')"
done
equal read-under-main 1 "$("$MEMOIR" export vg.cg --to folded | grep -c ';main;leak_here ')"
"$MEMOIR" report vg.cg >vg.txt
equal read-said 1 "$(grep -c 'has calls, but no stacks' vg.txt)"
valgrind --tool=cachegrind --cachegrind-out-file=vg.cache "$subjects/subject-leaks_100_blocks" >/dev/null 2>&1
equal read-cachegrind "$(sed -n 's/^summary: *\([0-9]*\) .*/\1/p' vg.cache)" "$("$MEMOIR" report vg.cache --json | jq .total.value)"
valgrind --xtree-memory=full --xtree-memory-file=vg.kcg "$subjects/subject-leaks_100_blocks" >/dev/null 2>&1
equal read-xtree "100000 100 138500 600" \
    "$(for metric in heap.live heap.allocated; do "$MEMOIR" report vg.kcg --metric $metric --json | jq -r '.total | "\(.value) \(.count)"'; done | xargs)"
gzip -k vg.cg
same_text read-packed vg.txt <("$MEMOIR" report vg.cg.gz)
"$MEMOIR" flame vg.cg -o vg.svg
at_least read-flame 1 "$(grep -c leak_here vg.svg)"
equal read-our-own "$(summary deep_recursion.memoir allocated_bytes) $(summary deep_recursion.memoir peak_bytes)" \
    "$(fact deep_recursion.cg .summary.heap.allocated_bytes) $(fact deep_recursion.cg .summary.heap.peak_bytes)"
exit 0
