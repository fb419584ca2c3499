#!/usr/bin/env bash
# Real nodes with an allocator of their own.  anvil, in Rust, has jemalloc under a prefix in its executable: it makes blocks
# and answers as without memoir, and every allocation and free is seen.  redis has jemalloc as a library, and says itself
# how much is allocated.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

node='' port=''
trap '[ -z "$node" ] || kill -9 "$node" 2>/dev/null' EXIT

# Nothing was missed: a block that appears where another is live, or is freed and was never seen, would be counted.
whole() { # whole CASE FILE
    equal "$1-no-free-missed" 0 "$(quality "$2" implied_frees)"
    equal "$1-no-block-missed" 0 "$(quality "$2" unknown_frees)"
    equal "$1-nothing-lost" 0 "$(quality "$2" lost_events)"
    at_least "$1-complete-stacks" 0.999 "$(quality "$2" complete_stacks_share)"
}

# The node from npm, once per build folder: 19 MB.
anvil_version=1.7.1
fetch_anvil() {
    local folder=$BUILD/downloads/anvil-$anvil_version
    anvil=$folder/package/bin/anvil
    [ ! -x "$anvil" ] || return 0
    mkdir -p "$folder"
    (cd "$folder" && timeout 120 npm pack --silent "@foundry-rs/anvil-linux-amd64@$anvil_version" >/dev/null 2>npm.err &&
        tar xzf ./*.tgz && rm -f ./*.tgz)
}

ask() { # ask METHOD PARAMETERS
    curl -s --max-time 10 -H 'content-type: application/json' "http://127.0.0.1:$port" \
        --data "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}"
}

giver=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 taker=0x70997970C51812dc3A010C7d01b50e0d17dc79C8

# Requests of fifty calls: forty transfers, numbered, for a node takes the calls of a request in any order, and ten questions.
batch() { # batch NUMBER
    local nonces
    nonces=$(printf '"0x%x",' $(seq $(($1 * 40)) $(($1 * 40 + 39))))
    jq -nc --arg from $giver --arg to $taker --argjson nonces "[${nonces%,}]" '
        [$nonces[] | {jsonrpc: "2.0", id: ., method: "eth_sendTransaction",
            params: [{from: $from, to: $to, value: "0x1", nonce: .}]}]
        + [range(10) | {jsonrpc: "2.0", id: ., method: "eth_getBlockByNumber", params: ["latest", true]}]'
}

has_block() { # has_block NUMBER: in the chain already
    [ "$(($(ask eth_blockNumber '[]' | jq -r .result)))" -ge "$1" ]
}

has_all() { # has_all TRANSACTIONS: in blocks already; a busy machine makes them late
    [ "$(($(ask eth_getTransactionCount "[\"$giver\",\"latest\"]" | jq -r .result)))" -ge "$1" ]
}

# The same work every time; what can differ (times, hashes) is left out of the answers.
work() { # work ANSWERS
    local i
    if ! wait_until 60 ask eth_chainId '[]'; then
        echo "no answer" >"$1"
        return
    fi
    for ((i = 0; i < 12; i++)); do
        batch $i | curl -s --max-time 20 -H 'content-type: application/json' --data @- "http://127.0.0.1:$port" |
            jq '[.[] | select(.error)] | length'
    done >"$1"
    wait_until 20 has_block 4
    ask anvil_mine '["0x5"]' | jq -c .result >>"$1"
    wait_until 60 has_all 480
    {
        ask eth_chainId '[]'
        ask eth_getTransactionCount "[\"$giver\",\"latest\"]"
        ask eth_getBalance "[\"$taker\",\"latest\"]"
        ask web3_clientVersion '[]'
    } | jq -c .result >>"$1"
}

free_port() {
    local try
    for try in $(shuf -i 20000-29999 -n 50); do
        (exec 3<>"/dev/tcp/127.0.0.1/$try") 2>/dev/null || {
            echo "$try"
            return
        }
    done
}

come_and_go() { # come_and_go PID: until the work is done
    wait_until 60 ask eth_chainId '[]'
    : >attach.failed
    until [ -e attached.worked ]; do
        "$MEMOIR" attach --for 1s -o attached.memoir "$1" 2>attach.err || cat attach.err >>attach.failed
    done
}

run_anvil() { # run_anvil NAME COMMAND…: works with it and ends it; its status is in $status
    local name=$1
    shift
    port=$(free_port)
    "$@" "$anvil" --port "$port" --block-time 1 --silent >"$name.out" 2>"$name.err" &
    node=$!
    [ "$name" != attached ] || come_and_go $node &
    work "$name.answers"
    touch "$name.worked"
    wait $!
    kill -INT $node
    wait $node
    status=$?
    node=
}

if ! command -v npm >/dev/null || ! command -v curl >/dev/null; then
    skip anvil "npm or curl is not installed"
elif ! fetch_anvil; then
    skip anvil "the npm registry did not give it"
else
    run_anvil native env
    native=$status
    run_anvil recorded "$MEMOIR" run -o anvil.memoir --
    equal anvil-status "$native" "$status"
    same_text anvil-answers native.answers recorded.answers
    equal anvil-worked '"0x1e0"' "$(sed -n 15p recorded.answers)"
    equal anvil-no-doubt 0 "$(quality anvil.memoir 'doubts | length')"
    equal anvil-note 'jemalloc inside anvil is recorded through 6 functions' "$(quality anvil.memoir 'notes[0]')"
    at_least anvil-calls 100000 "$(summary anvil.memoir calls)"
    at_least anvil-frees 0.8 "$(fact anvil.memoir '.summary.heap | .freed_calls / .calls')"
    # What is live is in resident memory, with little else.
    at_most anvil-live "$(fact anvil.memoir .summary.rss_peak_bytes)" "$(summary anvil.memoir peak_bytes)"
    whole anvil anvil.memoir
    # The same while a recorder comes and goes.
    run_anvil attached env
    equal attached-status "$native" "$status"
    same_text attached-answers native.answers attached.answers
    equal attached-note 'jemalloc inside anvil is recorded through 6 functions' "$(quality attached.memoir 'notes[0]')"
    at_least attached-calls 100 "$(summary attached.memoir calls)"
    at_least attached-stacks 0.999 "$(quality attached.memoir complete_stacks_share)"
    equal attached-nothing-missed "0 0" "$(quality attached.memoir implied_frees) $(quality attached.memoir lost_events)"
    equal attached-failures "" "$(cat attach.failed)"
fi

# redis, whose jemalloc tells in INFO what is allocated: usable bytes, and without caches nothing that is free.
if command -v redis-server >/dev/null && ldd "$(command -v redis-server)" | grep -q jemalloc; then
    MALLOC_CONF=tcache:false "$MEMOIR" run -o redis.memoir -- redis-server --port 0 --unixsocket ./redis.sock --save '' --appendonly no \
        --daemonize no >redis.log 2>redis.err &
    node=$!
    wait_until 30 redis-cli -s ./redis.sock ping
    redis-benchmark -s ./redis.sock -q -n 60000 -r 20000 -t set,lpush,hset,sadd >/dev/null 2>&1
    sleep 1 # it looks ten times a second, and lets its clients go
    said=$(redis-cli -s ./redis.sock info memory | tr -d '\r' | awk -F : '$1 == "allocator_allocated" { print $2 }')
    kill -9 "$(redis-cli -s ./redis.sock info server | tr -d '\r' | awk -F : '$1 == "process_id" { print $2 }')"
    wait $node
    equal redis-status 137 $?
    node=
    seen=$(($(summary redis.memoir leaked_bytes) + $(summary redis.memoir suppressed_bytes) +
        $(jq '[.rows[].value] | add' "$(json_of redis.memoir heap.slack)")))
    at_most redis-near-its-own-count 0.03 "$(awk -v a="$said" -v b="$seen" 'BEGIN { d = (a - b) / a; print d < 0 ? -d : d }')"
    whole redis redis.memoir
else
    skip redis "there is no redis-server with jemalloc"
fi
