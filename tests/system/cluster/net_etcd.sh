#!/usr/bin/env bash
# memoir net up etcd-3: three real members with load, watched and recorded; what is left afterwards, and that the numbers are etcd's.
# shellcheck source=/dev/null disable=SC2154,SC2317
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/net.bash"
export PPROF_TMPDIR=$PWD

for program in etcd go jq ss; do
    if ! command -v $program >/dev/null || [ ! -x "$BUILD/memoir-cluster" ]; then
        skip net-etcd "memoir-cluster or $program is missing"
        exit 0
    fi
done

(PATH=$PWD/nowhere "$MEMOIR" net up etcd-3 -o none) 2>missing.err
one_sentence missing-etcd missing.err 'needs the program etcd, .*apt-get install etcd-server'

up net etcd-3 --fresh --tps 30 --cpu --watch --every 2s
equal up 0 "$status"
equal three-nodes-two-generators "3 2" "$(jq -r '[.parts[] | select(.state == "ready") | .kind] | "\(map(select(. == "node")) | length) \(map(select(. == "load")) | length)"' net/net.json)"
three_snapshots() { [ "$(find net/heaps -name 'm2.*.heap' | wc -l)" -ge 3 ]; }
if wait_until 60 three_snapshots; then ok snapshots; else not_ok snapshots "$(ls net/heaps)"; fi

all=$(pids_of net)
"$MEMOIR" net down net >down.out 2>down.err
equal down 0 $?
nothing_left nothing-left net "$all"
if [ -e net/data ]; then not_ok no-data-left "$(ls net/data)"; else ok no-data-left; fi

# What the original's start and stop leave.
equal heaps-of-all "m0 m1 m2" "$(find net/heaps -name '*.heap' -printf '%f\n' | cut -d. -f1 | sort -u | xargs)"
equal rss-of-all "m0.heap.csv m1.heap.csv m2.heap.csv" "$(find net/heaps -name '*.heap.csv' -printf '%f\n' | sort | xargs)"
equal nobody-else-reads "" "$(find net -perm /077 -printf '%p ')"
for kind in inuse inuse_diff; do
    at_least "pictures-$kind" 3 "$(find net/heaps -name "*.heap.$kind.svg" | wc -l)"
done
at_least rss-is-kib 10000 "$(tail -n 1 net/heaps/m0.heap.csv | cut -d, -f3)"

# Heap totals are those of go tool pprof, to the byte.
"$MEMOIR" ram net/heaps --csv >ram.csv 2>ram.err
for node in m0 m1 m2; do
    file=$(find net/heaps -name "$node.*.heap" | sort | tail -n 1)
    stamp=$(basename "$file" .heap)
    stamp=${stamp#*.}
    go tool pprof -top -unit=B "$file" 2>/dev/null | sed -n 's/.* of \([0-9]*\)B total.*/\1/p' >go.total
    ours=$(awk -F, -v want="$node#pprof_inuse_space" -v stamp="$stamp" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) column = i } $1 == stamp { print $column }' ram.csv)
    equal "heap-total-as-go-$node" "$(cat go.total)" "$ours"
done

# The generators kept their rate, nothing failed, and etcd counted what they say.
for load in load0 load1; do
    tail -n 1 net/$load.log >last
    equal "$load-is-final" true "$(jq .final last)"
    equal "$load-errors" "0 0" "$(jq -r '"\(.errors) \(.left_out)"' last)"
    equal "$load-all-sent" "$(jq .due last)" "$(jq .sent last)"
    equal "$load-lines-add-up" "$(jq .ok last)" "$(jq -s 'map(select(.final != true) | .ok) | add' net/$load.log | awk -v all="$(jq .ok last)" '{ print (all - $1 <= 16 && all >= $1) ? all : $1 }')"
    at_least "$load-rate" 14.5 "$(jq .tps last)"
    at_most "$load-rate-not-more" 15.5 "$(jq .tps last)"
done
"$MEMOIR" bandwidth net/heaps --json >bandwidth.json 2>bandwidth.err
tps=$(jq -r '[.. | .tps? // empty | numbers] | first' bandwidth.json)
at_least report-tps 27 "$tps"
at_most report-tps-not-more 33 "$tps"

# One recording of all, a flame graph and a call graph of the cluster and of each node.
for picture in cpu m0.cpu m1.cpu m2.cpu; do
    for kind in flame graph; do
        if grep -q '</svg>' "net/$picture.$kind.svg" 2>/dev/null; then ok "$picture-$kind"; else not_ok "$picture-$kind" "$(tail -n 1 down.err) $(tail -n 1 net/cpu-recorder.log)"; fi
    done
done
equal a-root-per-node 3 "$("$MEMOIR" report net/cpu.memoir --metric cpu.on --by stack --top 100000 --json | jq '[.rows[].stack[-1].function] | unique | length')"
true
