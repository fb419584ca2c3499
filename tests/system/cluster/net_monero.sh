#!/usr/bin/env bash
# memoir net up monero-3: three connected regtest nodes, blocks at a rate; a node that is stopped and comes back has them all.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154,SC2317
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/net.bash"

if ! command -v monerod >/dev/null || [ ! -x "$BUILD/memoir-cluster" ]; then
    skip net-monero "memoir-cluster or monerod is missing"
    exit 0
fi

up net monero-3 --fresh --restart --tps 0.5
equal up 0 "$status"
height() { # height NODE
    curl -s --max-time 5 "$(part net "$1" url)/get_info" | jq '.height // 0'
}
is_at() { # is_at NODE HEIGHT
    [ "$(height "$1")" -ge "$2" ]
}
for node in x0 x1 x2; do
    if wait_until 60 is_at $node 4; then ok "blocks-reach-$node"; else not_ok "blocks-reach-$node" "height $(height $node)"; fi
done

# A node is killed; it is told, started again as asked, and has all blocks.
kill -KILL "$(part net x2 pid)"
restarted() { [ "$(part net x2 restarts)" = 1 ] && [ "$(part net x2 state)" = ready ]; }
if wait_until 60 restarted; then ok restarted; else not_ok restarted "$(part net x2 state)"; fi
if has_line net/keeper.log '^x2 was ended by signal 9'; then ok crash-is-told; else not_ok crash-is-told "$(cat net/keeper.log)"; fi
goal=$(($(height x0) + 2))
if wait_until 60 is_at x2 $goal; then ok catches-up; else not_ok catches-up "height $(height x2) of $goal"; fi
header() { # header NODE HEIGHT
    curl -s "$(part net "$1" url)/json_rpc" -d "{\"jsonrpc\":\"2.0\",\"id\":\"0\",\"method\":\"get_block_header_by_height\",\"params\":{\"height\":$2}}" | jq -r .result.block_header.hash
}
equal same-chain "$(header x0 $((goal - 1)))" "$(header x2 $((goal - 1)))"

# Blocks are what the generator says it had made, and the first one.
all=$(pids_of net)
at_most no-more-blocks-than-asked "$(($(jq -s 'map(.sent) | add' net/miner.log) + 4))" "$(height x0)"
"$MEMOIR" net down net >down.out 2>down.err
equal down 0 $?
nothing_left nothing-left net "$all"
tail -n 1 net/miner.log >last
equal all-calls-accounted-for "$(jq .sent last)" "$(jq ".ok + .errors + .under_way" last)"
equal no-errors 0 "$(jq .errors last)"
if [ -e net/data ]; then not_ok no-data-left "$(ls net/data)"; else ok no-data-left; fi
true
