#!/usr/bin/env bash
# The example node, without memoir: its books must agree with what its clients were told.
# Runs beside others.
set -u

start_node() {
    "$BUILD/examples/ledger-node" --workers 3 >node.log &
    node=$!
    for _ in $(seq 100); do
        port=$(sed -n 's/.* port //p' node.log)
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    echo "not ok starts: it printed no port within 10 s"
    exit 1
}

# Reads `name=number` words from load.log into variables of that name.
read_figures() {
    local figure
    while IFS= read -r figure; do
        declare -g "${figure%%=*}=${figure#*=}"
    done < <(grep -o '[a-z]*=[0-9]*' load.log)
}

report() { # report CASE CONDITION…
    local name=$1
    shift
    if "$@"; then
        echo "ok $name"
    else
        echo "not ok $name: $(tr '\n' ' ' <load.log)"
    fi
}

start_node
# shellcheck disable=SC2317 # called by the trap
stop() { kill "$node" 2>/dev/null; }
trap stop EXIT
requests=0 paid=0 refused=0 accounts=0 payments=0 rejected=0 blocks=0 cached=0 total=0

"$BUILD/examples/ledger-load" --port "$port" --requests 20003 --connections 5 >load.log
status=$?
read_figures
report load_ends_well [ $status -eq 0 ]
report all_requests_were_sent [ "$requests" -eq 20003 ]
report accepted_payments_agree [ "$payments" -eq "$paid" ]
report rejected_payments_agree [ "$rejected" -eq "$refused" ]
report some_payments_are_rejected [ "$rejected" -gt 1000 ]
report no_money_appears_or_vanishes [ "$total" -eq $((accounts * 1000)) ]
report every_1000th_request_closes_a_block [ "$blocks" -eq 20 ]
report the_cache_keeps_nearly_all [ "$cached" -gt $((payments * 9 / 10)) ]

exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'PAY ann bob 30\nPAY ann bob 9999\nBALANCE bob\nPAY ann\nBALANCE nobody\nQUIT\n' >&3
answers=$(timeout 10 cat <&3 | tr '\n' '|')
exec 3>&-
report protocol_answers [ "$answers" = "OK|NO|OK 1030|ERROR usage: PAY from to amount|NO such account|BYE|" ]

kill -TERM "$node"
wait "$node"
report sigterm_ends_it_cleanly [ $? -eq 0 ]
