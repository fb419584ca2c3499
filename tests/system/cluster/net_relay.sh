#!/usr/bin/env bash
# memoir net up etcd-relay --watch, end to end, alone in a network namespace: what the report says the leaves got is what etcd counts, and what the kernel counts less
# the protocol; transactions are those of the generator's log.
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2016
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/net.bash"

if [ "$(id -u)" != 0 ] || ! command -v etcd ip ss >/dev/null || [ ! -x "$BUILD/memoir-cluster" ]; then
    skip net-relay "it needs root, iproute2, etcd-server and memoir-cluster"
    exit 0
fi
ns=memoirr$$
if ! ip netns add $ns 2>ns.err; then
    skip net-relay "no network namespace can be made: $(cat ns.err)"
    exit 0
fi
end_all() {
    take_all_down
    ip netns del $ns 2>/dev/null
    true
}
trap end_all EXIT
ip -n $ns link set lo up
inside() { ip netns exec $ns "$@"; }

nets+=(net)
inside "$MEMOIR" net up etcd-relay -o net --fresh --watch --every 2s --no-heap >net.out 2>net.err
equal up 0 $?
equal "C12 three relays and eight leaves" 11 "$(jq '[.parts[] | select(.kind == "node" and .state == "ready")] | length' net/net.json)"

# What relays sent to their clients, by etcd; what leaves got from relays, by the kernel's account of their connections; all that went over the namespace's interface.
relays='r0 r1 r2'
ports=$(for relay in $relays; do part net "$relay" ports.client; done | xargs)
leaves=$(jq -r '.parts[] | select(.role == "node") | .pid' net/net.json | xargs)
etcd_sent() {
    for relay in $relays; do inside curl -s "$(part net "$relay" url)/metrics"; done | awk '/^etcd_network_client_grpc_sent_bytes_total/ { sum += $2 } END { printf "%.0f", sum }'
}
kernel_got() {
    inside ss -tinpHO | awk -v ports="$ports" -v leaves="$leaves" '
        BEGIN { n = split(ports, list, " "); for (i = 1; i <= n; i++) wanted[list[i]] = 1
                n = split(leaves, list, " "); for (i = 1; i <= n; i++) leaf[list[i]] = 1 }
        { port = $5; sub(/.*:/, "", port); pid = ""
          if (match($0, /pid=[0-9]+/)) pid = substr($0, RSTART + 4, RLENGTH - 4)
          if (wanted[port] && leaf[pid] && match($0, /bytes_received:[0-9]+/)) sum += substr($0, RSTART + 15, RLENGTH - 15) }
        END { printf "%.0f", sum }'
}
interface_got() { inside awk '/lo:/ { print $2 }' /proc/net/dev; }
calls() { jq -s 'map(select(.final != true) | .ok) | add // 0' net/load.log; }

etcd0=$(etcd_sent) kernel0=$(kernel_got) lo0=$(interface_got) calls0=$(calls)
more_calls() { [ $(($(calls) - calls0)) -ge 160 ]; }
if wait_until 60 more_calls; then ok load-goes; else not_ok load-goes "$(tail -n 1 net/load.log)"; fi
etcd1=$(etcd_sent) kernel1=$(kernel_got) lo1=$(interface_got) calls1=$(calls)
etcd=$((etcd1 - etcd0)) kernel=$((kernel1 - kernel0)) lo=$((lo1 - lo0)) calls=$((calls1 - calls0))
# The generator writes once a second, and calls go on while the counters are read, one after the other: two seconds of calls at the most.
slack=80
at_least leaves-got-what-relays-sent $etcd $kernel
at_most less-the-protocol $((etcd + (calls + slack) * 200)) $kernel
at_least interface-has-all-of-it $kernel $lo

three_snapshots() { [ "$(find net/heaps -name 'r2.*.metrics' | wc -l)" -ge 4 ]; }
if wait_until 60 three_snapshots; then ok snapshots; else not_ok snapshots "$(ls net/heaps)"; fi
all=$(pids_of net)
lo_end=$(interface_got)
inside "$MEMOIR" net down net >down.out 2>down.err
equal down 0 $?
nothing_left nothing-left net "$all"
equal no-port-left "" "$(inside ss -Hltn)"

# The report: bytes per second times the time are exactly what etcd's own counters gained between the first and the last snapshot.
counter() { # counter NAME WHICH: of all relays, in the first (head) or last (tail) snapshot
    for relay in $relays; do
        file=$(find net/heaps -name "$relay.*.metrics" | sort | $2 -n 1)
        awk -v name="$1" '$1 ~ "^" name "({|$)" { printf "%.0f\n", $2 }' "$file"
    done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}
"$MEMOIR" metrics net/heaps --delta etcd_network_client_grpc_sent_bytes_total --csv >delta.csv 2>delta.err
"$MEMOIR" bandwidth net/heaps --json >bandwidth.json 2>bandwidth.err
gained() { echo $(($(counter "$1" tail) - $(counter "$1" head))); }
equal leaves-got-as-etcd-counts "$(gained etcd_network_client_grpc_sent_bytes_total)" "$(awk -F, 'NR > 1 { sum += $7 } END { printf "%.0f", sum }' delta.csv)"
for way in sent received; do
    equal "report-$way-as-etcd-counts" "$(($(gained etcd_network_client_grpc_${way}_bytes_total) + $(gained etcd_network_peer_${way}_bytes_total)))" \
        "$(jq -r "[.nodes[] | select(.role == \"relay\") | .intervals[] | .${way}_bytes_per_s * .seconds] | add | round" bandwidth.json)"
done
# The leaves have rows of their own, by the kernel's account of their connections: all that relays sent to clients went to them, and what they sent and received
# is at least the payload of every call, to the generator and to a relay.
leaf_sum() { jq -r "[.nodes[] | select(.role == \"node\") | .intervals[] | .$1_bytes_per_s * .seconds] | add | round" bandwidth.json; }
equal leaves-in-the-report 8 "$(jq '[.nodes[] | select(.role == "node" and (.intervals | length) >= 2)] | length' bandwidth.json)"
at_least leaves-received "$(gained etcd_network_client_grpc_sent_bytes_total)" "$(leaf_sum received)"
at_least leaves-sent "$(gained etcd_network_client_grpc_received_bytes_total)" "$(leaf_sum sent)"
at_most leaves-received-no-more-than-the-interface "$lo_end" "$(leaf_sum received)"
tps=$(jq -r '[.. | .tps? // empty | numbers] | first' bandwidth.json)
tail -n 1 net/load.log >last
equal load-errors "0 0" "$(jq -r '"\(.errors) \(.left_out)"' last)"
at_least tps-as-the-generator "$(jq '.tps * 0.95' last)" "$tps"
at_most tps-as-the-generator-not-more "$(jq '.tps * 1.05' last)" "$tps"
true
