#!/usr/bin/env bash
# memoir blocks with real nodes: three connected monerod, one of which is stopped and started again, and anvil, whose chain is reorganised.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

declare -A running
follower=''
ends() {
    local pid
    for pid in "${running[@]}" $follower; do kill -9 "$pid" 2>/dev/null; done
    true
}
trap ends EXIT

# Free ones, all taken at once so that they differ.
free_ports() { # free_ports COUNT
    python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])' "$1"
}
rpc() { # rpc PORT METHOD PARAMETERS
    curl -s --max-time 60 -H 'content-type: application/json' "http://127.0.0.1:$1${path:-}" \
        --data "{\"jsonrpc\":\"2.0\",\"id\":\"0\",\"method\":\"$2\",\"params\":$3}"
}
decode() { # decode FILE
    "$BUILD/tests/read-blocks" "$1"
}
last_height() { # last_height FILE
    decode "$1" | tail -n 1 | cut -d ' ' -f 1
}
reaches() { # reaches FILE HEIGHT
    [ "$(last_height "$1")" -ge "$2" ]
}
finish() {
    kill -TERM "$follower"
    wait "$follower"
    status=$?
    follower=''
}

monero_address=42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm
start_monero() { # start_monero NUMBER
    local peers=() j
    for j in 0 1 2; do [ "$j" = "$1" ] || peers+=(--add-exclusive-node "127.0.0.1:${ports[$j]}"); done
    monerod --regtest --data-dir "monero$1" --p2p-bind-ip 127.0.0.1 --p2p-bind-port "${ports[$1]}" --rpc-bind-port "${ports[$1 + 3]}" \
        --no-zmq --no-igd --hide-my-port "${peers[@]}" --allow-local-ip --fixed-difficulty 1 --non-interactive \
        --disable-dns-checkpoints --check-updates disabled >"monero$1.log" 2>&1 &
    running[monero$1]=$!
}
monero_height() { # monero_height NUMBER: of its newest block
    path=/json_rpc rpc "${ports[$1 + 3]}" get_info '{}' | jq '.result.height - 1'
}
monero_is_at() { # monero_is_at NUMBER HEIGHT
    [ "$(monero_height "$1")" = "$2" ]
}
monero_is_connected() { # monero_is_connected NUMBER
    [ "$(path=/json_rpc rpc "${ports[$1 + 3]}" get_info '{}' | jq '.result | .outgoing_connections_count + .incoming_connections_count > 0')" = true ]
}
generate() { # generate NUMBER BLOCKS
    local answer
    answer=$(path=/json_rpc rpc "${ports[$1 + 3]}" generateblocks "{\"amount_of_blocks\":$2,\"wallet_address\":\"$monero_address\",\"starting_nonce\":0}")
    [ "$(jq '.result.height > 0' <<<"$answer")" = true ] || not_ok generate "node $1 made no blocks: $answer"
}

monero() {
    local i height
    read -ra ports <<<"$(free_ports 6)"
    for i in 0 1 2; do start_monero $i; done
    for i in 0 1 2; do
        wait_until 90 monero_is_connected $i || { not_ok monero-begins "node $i: $(tail -n 1 "monero$i.log")"; return; }
    done
    generate 0 4
    cat >nodes.yaml <<EOF
nodes:
  - {name: m0, class: monero, base_url: "http://127.0.0.1:${ports[3]}"}
  - {name: m1, class: monero, base_url: "http://127.0.0.1:${ports[4]}"}
  - {name: m2, class: monero, base_url: "http://127.0.0.1:${ports[5]}"}
EOF
    "$MEMOIR" blocks nodes.yaml --all --every 100ms -o monero 2>follow.err &
    follower=$!
    for i in 0 1 2; do wait_until 60 reaches monero/name_m${i}_127.0.0.1.blockhistory 4 || not_ok monero-followed "node $i"; done
    kill "${running[monero2]}"
    wait "${running[monero2]}" 2>/dev/null
    wait_until 30 has_line follow.err 'm2: .*asking again' || not_ok monero-away-told "$(cat follow.err)"
    generate 0 3
    start_monero 2
    wait_until 90 monero_is_connected 2
    wait_until 60 monero_is_at 1 "$(monero_height 0)" # else they would make two chains
    generate 1 2
    height=$(monero_height 1)
    for i in 0 1 2; do
        wait_until 60 monero_is_at $i "$height" && wait_until 60 reaches monero/name_m${i}_127.0.0.1.blockhistory "$height"
    done
    finish
    equal monero-ended 0 $status
    for i in 0 1 2; do
        decode monero/name_m${i}_127.0.0.1.blockhistory >m$i.txt
        equal "monero-$i every height exactly once" "$(seq -s ' ' 0 "$height")" "$(cut -d ' ' -f 1 m$i.txt | tr '\n' ' ' | sed 's/ $//')"
        path=/json_rpc rpc "${ports[$i + 3]}" get_block_headers_range "{\"start_height\":0,\"end_height\":$height}" |
            jq -r '.result.headers[] | "\(.height) \(.hash)"' >own.txt
        cut -d ' ' -f 1,2 m$i.txt >ours.txt
        same_text "monero-$i as the node says" own.txt ours.txt
    done
    equal monero-no-holes 0 "$("$MEMOIR" blocks stats monero/*.blockhistory --json | jq '[.files[].missing] | add')"
}

# The node from npm, once per build folder, as tests/system/cluster/inside_nodes.sh has it.
anvil_version=1.7.1
fetch_anvil() {
    local folder=$BUILD/downloads/anvil-$anvil_version
    anvil=$folder/package/bin/anvil
    [ ! -x "$anvil" ] || return 0
    command -v npm >/dev/null || return 1
    mkdir -p "$folder"
    (cd "$folder" && timeout 120 npm pack --silent "@foundry-rs/anvil-linux-amd64@$anvil_version" >/dev/null 2>npm.err &&
        tar xzf ./*.tgz && rm -f ./*.tgz)
}
giver=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 taker=0x70997970C51812dc3A010C7d01b50e0d17dc79C8
send() { # send NONCE
    rpc "$port" eth_sendTransaction "[{\"from\":\"$giver\",\"to\":\"$taker\",\"value\":\"0x1\",\"nonce\":\"$1\"}]" >/dev/null
}

ethereum() {
    port=$(free_ports 1)
    "$anvil" --port "$port" --no-mining >anvil.log 2>&1 &
    running[anvil]=$!
    wait_until 60 rpc "$port" eth_blockNumber '[]' || { not_ok anvil-begins "$(tail -n 1 anvil.log)"; return; }
    rpc "$port" anvil_mine '["0x5"]' >/dev/null
    "$MEMOIR" blocks "http://127.0.0.1:$port" --class ethereum --all --every 100ms -o anvil.blockhistory 2>anvil.err &
    follower=$!
    wait_until 30 reaches anvil.blockhistory 5
    send 0x0
    send 0x1
    rpc "$port" anvil_mine '["0x1"]' >/dev/null
    wait_until 30 reaches anvil.blockhistory 6
    rpc "$port" anvil_mine '["0x4"]' >/dev/null
    wait_until 30 reaches anvil.blockhistory 10
    rpc "$port" anvil_reorg '[3, []]' >reorg.json
    rpc "$port" anvil_mine '["0x2"]' >/dev/null
    wait_until 30 has_line anvil.err 'reorganised' || not_ok anvil-reorganised-told "$(cat anvil.err reorg.json)"
    wait_until 30 reaches anvil.blockhistory 12
    finish
    equal anvil-ended 0 $status
    decode anvil.blockhistory >anvil.txt
    equal 'anvil every height once' "$(seq -s ' ' 0 12)" "$(awk '!($1 in seen) { seen[$1] = 1; printf "%s%s", sep, $1; sep = " " }' anvil.txt)"
    equal 'anvil replaced heights are told' '8 9 10' "$(awk '$3 != "-" { printf "%s%s", sep, $1; sep = " " }' anvil.txt)"
    equal 'anvil what is replaced' "$(awk '$3 == "-" && $1 >= 8 && $1 <= 10 { print $2 }' anvil.txt)" "$(awk '$3 != "-" { print $3 }' anvil.txt)"
    awk '{ hash[$1] = $2 } END { for (h = 0; h <= 12; h++) print h, hash[h] }' anvil.txt >ours.txt
    for h in $(seq 0 12); do
        rpc "$port" eth_getBlockByNumber "[\"$(printf '0x%x' "$h")\",false]" | jq -r "\"$h \" + .result.hash"
    done >own.txt
    same_text 'anvil in the end as the node says' own.txt ours.txt
    equal anvil-transactions '2 13 0' "$("$MEMOIR" blocks stats anvil.blockhistory --json | jq -r '.files[0] | "\(.transactions_total) \(.blocks) \(.missing)"')"
}

if command -v monerod >/dev/null && command -v curl >/dev/null; then
    monero
else
    skip monero "monerod or curl is not installed"
fi
if fetch_anvil; then
    ethereum
else
    skip anvil "the npm registry did not give it"
fi
ok end
