#!/usr/bin/env bash
# Logs of nodes: the agreement events of all in order of time, and who is connected to whom.  The logs are made up after the reference: algod cannot be had here.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

event() { # event TIME TYPE ROUND MORE
    printf '{"Context":"Agreement","Type":"%s","Round":%s,"Period":0,"Step":1,"level":"info","msg":"x"%s,"time":"2026-05-28T%s"}\n' "$2" "$3" "${4:-}" "$1"
}

mkdir logs
{
    event 10:00:01.000000-05:00 RoundStart 7
    event 10:00:02.500000-05:00 VoteAccepted 7 ',"ObjectRound":7,"ObjectPeriod":0,"ObjectStep":2,"Weight":12,"WeightTotal":40,"Hash":"ABCDEFGHIJKL","Sender":"SENDERSENDERSENDER"'
    event 10:00:02.600000-05:00 ProposalAccepted 7 ',"Hash":"ABCDEFGHIJKL","Weight":1,"WeightTotal":2'
    event 10:00:03.250000-05:00 RoundConcluded 7
    event 10:00:03.300000-05:00 Persisted 7
    echo '{"msg":"something else","time":"2026-05-28T15:00:01Z"}'
    event 10:00:09.000000-05:00 RoundStart 8
} >logs/relay1-node.log
{
    event 15:00:01.500000Z RoundStart 7
    echo "no JSON at all"
    event 15:00:02.750000Z RoundConcluded 7
} >logs/node2-node.log

"$MEMOIR" agreement logs >text 2>err
equal agreement-status 0 $?
equal agreement-quiet "" "$(cat err)"
equal agreement-order "RoundStart RoundStart VoteAccepted ProposalAccepted RoundConcluded RoundConcluded RoundStart" \
    "$("$MEMOIR" agreement logs --json | jq -r '[.events[].type] | join(" ")')"
equal agreement-merged "relay1 node2 relay1 relay1 node2 relay1 relay1" "$("$MEMOIR" agreement logs --json | jq -r '[.events[].node] | join(" ")')"
equal agreement-utc 15:00:02.500000 "$(awk '/VoteAccepted/ { print $1 }' text)"
equal agreement-columns "(7,0,1) (7,0,2) 12|40 relay1 VoteAccepted ABCDEFGH SENDERSENDER" "$(awk '/VoteAccepted/ { $1 = ""; print substr($0, 2) }' text)"
equal agreement-no-weight-of-proposals 0 "$(grep ProposalAccepted text | grep -c '|')"
equal agreement-round-took "1250.000 ms 2250.000 ms" "$(grep -o '[0-9.]* ms' text | tr '\n' ' ' | sed 's/ $//')"
equal agreement-end-round 6 "$("$MEMOIR" agreement logs -e 7 --json | jq '.events | length')"
equal agreement-csv "time,node,type,round 7" "$("$MEMOIR" agreement logs --csv | awk -F, 'NR == 1 { printf "%s,%s,%s,%s ", $1, $2, $3, $4 } END { print NR - 1 }')"
mkdir alike
cp logs/relay1-node.log alike/nonParticipatingNode1-node.log
cp logs/node2-node.log alike/nonParticipatingNode2-node.log
equal agreement-names-stay-apart "nonParticipatingNode1 nonParticipatingNode2" "$("$MEMOIR" agreement alike | grep -o 'nonParti[^ ]*' | sort -u | paste -sd ' ')"
gzip -k logs/relay1-node.log
equal "C10 plain JSON log" 7 "$("$MEMOIR" agreement logs/node2-node.log logs/relay1-node.log --json | jq '.events | length')"
equal agreement-packed 5 "$("$MEMOIR" agreement logs/relay1-node.log.gz --json | jq '.events | length')"
rm logs/relay1-node.log.gz
{
    echo "=== RUN TestX"
    echo "    fixture.go:376: Primary/node.log:"
    sed 's/^/        fixture.go:377: /' logs/relay1-node.log
    echo "    fixture.go:376: Node1/node.log:"
    cat logs/node2-node.log
} >e2e.log
equal agreement-headings "Node1 Primary" "$("$MEMOIR" agreement e2e.log --json | jq -r '[.events[].node] | unique | join(" ")')"
script -qec "TERM=xterm '$MEMOIR' agreement logs" /dev/null >colours 2>/dev/null
equal agreement-colours 2 "$(grep -o $'\033\\[[39][1-6]m' colours | sort -u | wc -l)"
echo '{"msg":"x"}' >empty.log
"$MEMOIR" agreement empty.log 2>err
equal agreement-nothing-status 1 $?
one_sentence agreement-nothing err 'no event of agreement in 1 lines'
"$MEMOIR" agreement nowhere 2>err
one_sentence agreement-no-file err 'cannot open nowhere'

# Peers by id.
a=12D3KooWaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b=12D3KooWbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
mkdir p2p ws
echo "{\"msg\":\"P2P host created: peer ID $a addrs [/ip4]\"}" >p2p/relay1-node.log
{
    echo "{\"msg\":\"P2P host created: peer ID $b addrs [/ip4]\"}"
    echo "{\"msg\":\"Made outgoing connection to peer $a\",\"local\":\"/ip4/1.2.3.4/tcp/9/p2p/$b\",\"time\":\"2026-05-28T10:00:00.5Z\"}"
} >p2p/nonParticipatingNode3-node.log
equal topology-p2p '{"mapping":{"'$a'":"R1","'$b'":"NPN3"},"nodes":["NPN3","R1"],"edges":[["NPN3","R1"]]}' "$("$MEMOIR" topology p2p --json | jq -c .)"
equal topology-p2p-times '[["NPN3","R1",{"dt":"2026-05-28T10:00:00.500000Z"}]]' "$("$MEMOIR" topology p2p --json -t | jq -c .edges)"
equal topology-time-list "10:00:00.500000 NPN3 -> R1" "$("$MEMOIR" topology p2p -t)"

# Websockets: names by DNS and by inventory.
echo '{"name_r1":["203.0.113.11"],"name_r2":["203.0.113.12"]}' >inventory.json
for i in 1 2 3; do
    echo '{"msg":"Made outgoing connection to peer 203.0.113.11:4560","remote":"203.0.113.11:4560"}'
    [ $i != 1 ] || echo '{"msg":"Made outgoing connection to peer r2.example.org:4560","remote":"r2.example.org:4560"}'
    echo '{"msg":"Accepted incoming connection from peer","remote":"203.0.113.99:4560"}'
done >ws/node1-node.log
echo '{"msg":"Made outgoing connection to peer 203.0.113.12:4560","remote":"203.0.113.12:4560"}' >ws/relay1-node.log
"$MEMOIR" topology ws -i inventory.json -o ws.json
equal topology-ws '["N1","R1","R2"] [["N1","R1"],["N1","R1"],["N1","R1"],["N1","R2"],["R1","R2"]]' "$(jq -c '.nodes, .edges' ws.json | tr '\n' ' ' | sed 's/ $//')"
# a triangle: everything is 1; load is 0 because each reaches the others directly
equal topology-measures "1.000000 1.000000 1.000000" "$("$MEMOIR" topology ws.json | awk '/^(transitivity|mean)/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) printf "%s%s", (n++ ? " " : ""), $i } END { print "" }')"
equal topology-csv "N1,0,2,1.000000,0.000000" "$("$MEMOIR" topology ws.json --csv | sed -n 2p)"
"$MEMOIR" topology ws.json --svg ws.svg
equal topology-svg "3 3" "$(grep -c '<circle data-n' ws.svg) $(grep -c 'class="e"' ws.svg)"
xmllint --noout ws.svg 2>/dev/null || [ "$(command -v xmllint)" = "" ]
equal topology-svg-well-formed 0 $?
"$MEMOIR" topology ws.json --svg ws.html && equal topology-html 1 "$(grep -ci '<!doctype html>' ws.html)"

# A test's output: addresses from what each says it serves; the rest is dropped, and told.
{
    echo "    Node/node.log:"
    echo '{"msg":"Made outgoing connection to peer","remote":"127.0.0.1:4161"}'
    echo '{"msg":"Made outgoing connection to peer","remote":"127.0.0.1:9"}'
    echo "    Primary/node.log:"
    echo '{"msg":"serving genesisID=v1 on \"http://127.0.0.1:4161\" with RandomID=x"}'
} >e2e-ws.log
equal topology-ws-e2e '[["Node","Primary"]]' "$("$MEMOIR" topology e2e-ws.log --json 2>err | jq -c .edges)"
one_sentence topology-ws-e2e-dropped err 'note: 1 connections lead to addresses that no node'
echo '{"nodes":3}' >bad.json
"$MEMOIR" topology bad.json 2>err
equal topology-bad-status 1 $?
one_sentence topology-bad err 'bad.json: the file is not a topology'
true
