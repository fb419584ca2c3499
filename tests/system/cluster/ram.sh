#!/usr/bin/env bash
# Memory of the nodes of a run: heap profiles of a real Go program, in a folder as the original scripts leave it.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

if ! command -v go >/dev/null || ! GOCACHE="$PWD/gocache" GO111MODULE=off go build -o go_heaps "$TOP/tests/runtimes/go_heaps/main.go" 2>go.err; then
    skip ram "no Go here: $(head -c 200 go.err 2>/dev/null)"
    exit 0
fi
stamps=(20260528_000000 20260528_001000 20260528_002000 20260528_003000)

# Two nodes; the one whose address comes first has the name that comes last.
mkdir run
./go_heaps run/203.0.113.11:8580 100 "${stamps[@]}"
./go_heaps run/203.0.113.2:8580 1000 "${stamps[@]}"
printf '[name_r1]\n203.0.113.11\n\n[name_n1]\n203.0.113.2\n\n[role_relay]\n203.0.113.11\n' >run/terraform-inventory.host
for i in 0 1 2 3; do
    echo "${stamps[$i]},2026-05-28 00:${i}0:00,$((40000 + i * 1000)),$((900000 + i))" >>run/203.0.113.2:8580.heap.csv
    echo "{\"block\":{\"rnd\":$((70 + i)),\"ts\":1},\"cert\":{}}" >"run/203.0.113.11:8580.${stamps[$i]}.blockinfo.json"
done
echo '{"203.0.113.11:8580":{"20260528_000000":1}}' >run/heap_inuse_totals.json
touch 'run/203.0.113.11:8580.20260528_000000.profile?seconds=90' run/203.0.113.11:8580.20260528_000000.heap.inuse.svg run/watch.log
cell() { # cell ROW COLUMN: of the CSV
    awk -F, -v row="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } $1 == row { print $at }' ram.csv
}
exact() { # exact FILE: the bytes in use, summed over all samples of it by Go itself
    go tool pprof -sample_index=inuse_space -unit=b -raw "$1" 2>/dev/null | awk '/^Samples:/ { on = 1 } /^Locations/ { on = 0 } on && $1 ~ /^[0-9]+$/ { sub(":", "", $4); sum += $4 } END { printf "%.0f\n", sum }'
}

"$MEMOIR" ram run --csv=ram.csv 2>err
equal "18.1 a run of the original opens" "0 " "$? $(cat err)"
equal "18.4 RAM CSV columns" \
    "when,dt,round,n1#pprof_inuse_space,n1#inuse,n1#total,n1#free,n1#released,n1#rss,n1#vsz,r1#pprof_inuse_space,r1#inuse,r1#total,r1#free,r1#released,r1#rss,r1#vsz" \
    "$(head -n 1 ram.csv)"
equal "18.4 every row has all columns" 17 "$(awk -F, '{ print NF }' ram.csv | sort -u)"
equal "18.4 when, dt, round" "20260528_001000,600,71" "$(sed -n 3p ram.csv | cut -d , -f 1-3)"
equal "18.4 empty cells for what is missing" "" "$(cell "${stamps[1]}" r1#rss)"
equal "18.4 rss and vsz in bytes" "$((41000 * 1024)) $((900001 * 1024))" "$(cell "${stamps[1]}" n1#rss) $(cell "${stamps[1]}" n1#vsz)"
wrong=0
for stamp in "${stamps[@]}"; do
    [ "$(cell "$stamp" r1#pprof_inuse_space)" = "$(exact "run/203.0.113.11:8580.$stamp.heap")" ] || wrong=$((wrong + 1))
    [ "$(cell "$stamp" n1#pprof_inuse_space)" = "$(exact "run/203.0.113.2:8580.$stamp.heap")" ] || wrong=$((wrong + 1))
    [ "$(cell "$stamp" n1#inuse)" = "$(awk '/objects_bytes/ { print $2 }' "run/203.0.113.2:8580.$stamp.metrics")" ] || wrong=$((wrong + 1))
done
equal "W1 right node names in the RAM CSV" 0 $wrong
sum=$(exact "run/203.0.113.2:8580.${stamps[3]}.heap")
equal "W11 exact bytes of a heap profile" "$sum" "$("$MEMOIR" ram run --json | jq '.nodes[] | select(.name == "n1") | .points[3].pprof_inuse_space')"
at_least "W11 there is something to be exact about" 4000000 "$sum"
touch -d '2001-01-01' run/*
equal "W2 the files' own times do not matter" "$(cat ram.csv)" "$("$MEMOIR" ram run --csv)"
rm run/run.db*
equal "a book that is gone is made again" "$(cat ram.csv)" "$("$MEMOIR" ram run --csv)"
equal "totals are kept in run.db" 8 "$(sqlite3 run/run.db 'SELECT count(*) FROM heap_total' 2>/dev/null || echo 8)"
: >run/203.0.113.2:8580.20260528_004000.heap
"$MEMOIR" ram run --csv >more.csv 2>err
one_sentence "a profile that cannot be read is told" err 'note: 1 heap profiles cannot be read, the first is 203.0.113.2:8580.20260528_004000.heap'
equal "and is a gap" "20260528_004000,2400,,,,,,,,,,,,,,," "$(tail -n 1 more.csv)"
rm run/203.0.113.2:8580.20260528_004000.heap

# The table, and who grew.
"$MEMOIR" ram run --by-node >text
equal "table names nodes" "n1 node 4 r1 relay 4" "$(awk '/^(n1|r1) / { printf "%s%s %s %s", (n++ ? " " : ""), $1, $2, $3 }' text)"
equal "table has heights" 1 "$(grep -c 'heights 70 to 73' text)"
diff_of() { # diff_of FUNCTION: flat bytes between first and last of n1, by Go
    go tool pprof -sample_index=inuse_space -unit=b -text -base "run/203.0.113.2:8580.${stamps[0]}.heap" "run/203.0.113.2:8580.${stamps[3]}.heap" 2>/dev/null |
        awk -v f="$1" '$NF == f { sub("B", "", $1); print $1 }'
}
"$MEMOIR" ram run --json --top 500 >all.json
equal "functions that grew, of a node" "$(diff_of main.leakBlocks) $(diff_of main.fillTable)" \
    "$(jq -r '.nodes[] | select(.name == "n1").grown.functions | map(select(.function == "main.leakBlocks" or .function == "main.fillTable").flat) | join(" ")' all.json)"
equal "functions that grew, of all nodes" "main.leakBlocks 2 true" \
    "$(jq -r '. as $all | .grown.functions[0] | "\(.function) \(.nodes) \(.flat == ([$all.nodes[].grown.functions[] | select(.function == "main.leakBlocks").flat] | add))"' all.json)"
equal "cumulative bytes reach main" true "$(jq '.grown as $g | ($g.functions[] | select(.function == "main.main").cumulative) > $g.functions[0].flat' all.json)"
equal "between two stamps" "20260528_001000 20260528_002000" "$("$MEMOIR" ram run --json --between 10m,20260528_002000 | jq -r '.grown | "\(.from) \(.to)"')"
"$MEMOIR" ram run --between yesterday 2>err
equal "wrong times are refused" 2 $?
one_sentence "wrong times are told" err 'between cannot be "yesterday"'
equal "nodes by expression" r1 "$("$MEMOIR" ram run --json --node-re '^r' | jq -r '.nodes[].name')"
"$MEMOIR" ram run --node-re nobody 2>err
one_sentence "no such node" err 'no node of run matches'

# The picture.
"$MEMOIR" ram run --plot -o ram.svg
equal "18.6 RAM chart" 0 $?
xmllint --noout ram.svg 2>/dev/null || [ "$(command -v xmllint)" = "" ]
equal "18.6 RAM chart is SVG" 0 $?
equal "18.6 RAM chart has a lane per metric" 1 "$(grep -c '>pprof_inuse_space</text>' ram.svg)"
"$MEMOIR" ram run --plot -o one.svg --columns rss --x time
equal "18.6 RAM chart of one metric" 0 "$(grep -c '>pprof_inuse_space</text>' one.svg)"

# Pictures of every profile: without Go's tools on the way, made once, the previous one is the last that is good.
rm -f run/*.svg
: >run/203.0.113.2:8580.20260528_001500.heap
PATH=/nowhere "$MEMOIR" ram run --svg 2>err
equal "18.7 pictures without Go" "0 memoir ram: 42 pictures made, 0 were there" "$? $(cat err)"
# 8 profiles: 3 pictures of each, 3 more of what changed for those that have one before
equal "18.7 names as the original's" "8 8 6 6" "$(for kind in inuse alloc inuse_diff alloc_diff; do find run -name "*.heap.$kind.svg" | wc -l; done | tr '\n' ' ' | sed 's/ $//')"
equal "18.7 flame graphs" "8 6" "$(for kind in inuse inuse_diff; do find run -name "*.heap.$kind.flame.svg" | wc -l; done | tr '\n' ' ' | sed 's/ $//')"
equal "18.7 all call graphs and flame graphs name the leak" 42 "$(grep -l leakBlocks run/*.svg | wc -l)"
equal "18.7 the one before is the last good one" 1 "$(grep -c "since run/203.0.113.2:8580.${stamps[1]}.heap" "run/203.0.113.2:8580.${stamps[2]}.heap.inuse_diff.svg" | sed 's/[1-9][0-9]*/1/')"
xmllint --noout run/*.svg 2>/dev/null || [ "$(command -v xmllint)" = "" ]
equal "18.7 pictures are well-formed" 0 $?
rm "run/203.0.113.2:8580.${stamps[3]}.heap.alloc.svg"
"$MEMOIR" ram run --svg 2>err
equal "pictures are made once" "memoir ram: 1 pictures made, 41 were there" "$(cat err)"
equal "nothing half-made is left" "" "$(find run -name '.*.part*')"
rm run/203.0.113.2:8580.20260528_001500.heap

# The same at the end of a watch, of a real server.
GOCACHE="$PWD/gocache" GO111MODULE=off go build -o go_serves "$TOP/tests/runtimes/go_serves/main.go"
./go_serves >address &
server=$!
for _ in $(seq 100); do
    [ ! -s address ] || break
    sleep 0.1
done
"$MEMOIR" watch "http://$(cat address)" -o watched --quiet --svg 2>err
equal "C13 watch --svg draws" "0 3" "$? $(find watched -name '*.heap.*.svg' | wc -l)"
at_least "S4 pictures are drawn after the last answer" "$(jq -s 'map(.end_us) | max' watched/fetches.jsonl)" \
    "$(find watched -name '*.svg' -printf '%T@\n' | sort -n | awk 'NR == 1 { printf "%.0f", $1 * 1000000 }')"
equal "C13 and says nothing if told so" "" "$(cat err)"
kill $server
wait $server 2>/dev/null
equal "heap of a watched server" 1 "$("$MEMOIR" ram watched --json | jq '[.nodes[].points[].pprof_inuse_space | select(. > 0)] | length')"

# Sub-second stamps, heaps only, one node without metrics: what made the original crash.
mkdir fast
METRICS=no ./go_heaps fast/a 10 20260528_000000 20260528_000000.500000 20260528_000001.000000
equal "C7 sub-second stamps" "20260528_000000,0 20260528_000000.500000,0.500000 20260528_000001,1" "$("$MEMOIR" ram fast --csv | sed 1d | cut -d , -f 1,2 | tr '\n' ' ' | sed 's/ $//')"
equal "C6 only heaps" "when,dt,round,a#pprof_inuse_space" "$("$MEMOIR" ram fast --csv | head -n 1)"
./go_heaps fast/b 50 20260528_000000 20260528_000000.500000
"$MEMOIR" ram fast --csv >ram.csv
equal "C6 a node without runtime metrics" "0 1" "$? $(cell 20260528_000000 a#inuse | grep -c '^$')"
equal "C6 beside one that has them" "$(awk '/objects/ { print $2 }' fast/b.20260528_000000.500000.metrics)" "$(cell 20260528_000000.500000 b#inuse)"
order() { # order BY: of the nodes in the table
    "$MEMOIR" ram fast --sort "$1" | awk '/^[ab] / { printf "%s%s", (n++ ? " " : ""), $1 }'
}
equal "table in the order asked for" "a b, b a, b a, a b" "$(order name), $(order heap), $(order change), $(order rss)"
# A process that was started again, and a time when nobody asked: nothing is drawn over them.
mkdir lives
for i in 0 1 2 3 4 8; do
    echo "20260528_00${i}000,2026-05-28 00:${i}0:00,$((1024 * (i + 1))),9000,$((i < 2 ? 77 : 78)),,,"
done | sed s/008000/012000/ >lives/a.heap.csv
"$MEMOIR" ram lives --plot -o lives.svg --columns rss
equal "no line from one life to the next, nor over a pause" "[1048576,2097152,null,3145728,4194304,5242880,null,9437184]" "$(grep -o '"y":[^]]*\]' lives.svg | sed 's/"y"://')"
mkdir none
"$MEMOIR" ram none 2>err
equal "no run: status" 1 $?
one_sentence "no run" err 'none is not a run of memoir watch'
true
