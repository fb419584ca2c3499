#!/usr/bin/env bash
# memoir report --metric A,B: several metrics in one table or tree, each with the numbers that it has alone.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

says() { # says CASE FILE TEXT
    if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1" "no '$3' in $2"; fi
}

"$BUILD/tests/make-moments" timed.memoir <<'END'
program /usr/bin/grinder
thread 100 main
thread 101 worker
length 4000
on 0 1000 10 100 main;handle;parse
on 2000 2500 10 101 main;handle;hash
off 1500 500 100 main;handle;read;[waits: disk]
END
"$MEMOIR" report timed.memoir --metric cpu.on,cpu.off --json >both.json
equal both-handle '1500000000 500000000' "$(jq -r '.rows[] | select(.frame.function == "handle") | "\(.values[0].total_value) \(.values[1].total_value)"' both.json)"
equal both-ratio 0.3333333333 "$(jq -r '.rows[] | select(.frame.function == "handle") | .ratios[0] * 10000000000 | round / 10000000000' both.json)"
"$MEMOIR" report timed.memoir --metric cpu.on,cpu.off --between 0,1s --json >early.json
equal between-cuts-both '1000000000 0' "$(jq -r '[.metrics[].value] | join(" ")' early.json)"
"$MEMOIR" report timed.memoir --metric cpu.on,cpu.off --sort cpu.off --csv >sorted.csv
equal sorted-first '[waits: disk]' "$(sed -n 2p sorted.csv | cut -d, -f10)"
"$MEMOIR" report timed.memoir --metric cpu.on,cpu.off --by thread >threads.txt
says threads threads.txt 'worker (tid 101)'
"$MEMOIR" report timed.memoir --metric cpu.on,cpu.off --top-down >tree.txt
says tree tree.txt '[waits: disk]'

# A real program: each column is what the metric alone tells.
record real.memoir -- python3 -c 'import json, argparse; [json.dumps(list(range(100))) for i in range(100)]'
"$MEMOIR" report real.memoir --metric heap.allocated,heap.calls --json >real.json
"$MEMOIR" report real.memoir --metric heap.allocated --by function --json >bytes.json
"$MEMOIR" report real.memoir --metric heap.calls --by function --json >calls.json
alone() { # alone FILE: "FUNCTION MODULE SELF TOTAL"
    jq -r '.rows[] | "\(.stack[0].function) \(.stack[0].module) \(.value) \(.total_value)"' "$1" | sort
}
beside() { # beside INDEX
    jq -r --argjson i "$1" '.rows[] | select(.values[$i].total_count != 0) | "\(.frame.function) \(.frame.module) \(.values[$i].value) \(.values[$i].total_value)"' real.json | sort
}
alone bytes.json >bytes.alone
alone calls.json >calls.alone
beside 0 >bytes.beside
beside 1 >calls.beside
same_text bytes-as-alone bytes.alone bytes.beside
same_text calls-as-alone calls.alone calls.beside
at_least many-rows 50 "$(wc -l <bytes.beside)"
equal whole "$(jq .total.value bytes.json) $(jq .total.value calls.json)" "$(jq -r '[.metrics[].value] | join(" ")' real.json)"

refuse() { # refuse CASE PATTERN COMMAND…
    local name=$1 pattern=$2
    shift 2
    "$MEMOIR" "$@" >refused.out 2>refused.err
    equal "$name-status" 2 $?
    one_sentence "$name" refused.err "$pattern"
}
"$MEMOIR" report real.memoir --metric heap.live,heap.nonsense >refused.out 2>refused.err
equal unknown-status 1 $? # a file may have metrics of its own
one_sentence unknown refused.err 'no metric "heap.nonsense"'
refuse sort 'one of the metrics' report real.memoir --metric heap.live,heap.calls --sort cpu.on
refuse sort-alone 'several metrics' report real.memoir --sort heap.live
refuse by-stack 'side by side by function' report real.memoir --metric heap.live,heap.calls --by stack
refuse tree-csv 'csv prints a table' report real.memoir --metric heap.live,heap.calls --top-down --csv
refuse many 'at most' report real.memoir --metric heap.live,heap.calls,heap.live,heap.calls,heap.live,heap.calls,heap.live
refuse picture 'one metric here' flame real.memoir -o a.svg --metric heap.live,heap.calls
