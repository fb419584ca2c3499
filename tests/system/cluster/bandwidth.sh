#!/usr/bin/env bash
# Bandwidth of runs that were made up, so that every number is known: the exact cases in which the scripts that came before were wrong.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

bandwidth() { "$MEMOIR" bandwidth "$@" 2>err; }
summary() { bandwidth "$@" | grep 'summary:'; }

# answer FOLDER NICK STAMP SENT RECEIVED [POOL]: an answer of algod
answer() {
    {
        printf '# HELP algod_network_sent_bytes_total bytes\n# TYPE algod_network_sent_bytes_total counter\nalgod_network_sent_bytes_total %s\n' "$4"
        printf '# TYPE algod_network_received_bytes_total counter\nalgod_network_received_bytes_total %s\n' "$5"
        printf '# TYPE algod_network_sent_bytes_TX counter\nalgod_network_sent_bytes_TX %s\n' $(($4 / 2))
        printf '# TYPE algod_network_received_bytes_AV counter\nalgod_network_received_bytes_AV %s\n' $(($5 / 4))
        [ -z "${6:-}" ] || printf '# TYPE algod_tx_pool_count gauge\nalgod_tx_pool_count %s\n' "$6"
    } >"$1/$2.$3.metrics"
}
header() { # header FOLDER NICK STAMP ROUND TRANSACTIONS
    printf '{"block":{"rnd":%s,"tc":%s,"ts":1},"cert":{"rnd":7,"x":[1,{"tc":9}]}}\n' "$4" "$5" >"$1/$2.$3.blockinfo.json"
}
golden() { # golden FOLDER NICK: four snapshots, 10 s apart
    local i
    mkdir -p "$1"
    for i in 0 1 2 3; do
        answer "$1" "$2" "20261116_0100${i}0" $((5000 + 10000 * i)) $((7000 + 20000 * i)) $i
        header "$1" "$2" "20261116_0100${i}0" $((100 + 3 * i)) $((1000 + 100 * i))
    done
}

golden one Primary
cat >want <<'END'
1 nodes: [Primary]
ws traffic per tag
	tx B/s	rx B/s
total	1000	2000
AV	0	500
TX	500	0
p2p traffic per tag
	tx B/s	rx B/s
txnpool(2 2 2 2 3)
summary: 10.00 TPS, 3.33s/block, tx 1.00kB/s, rx 2.00kB/s, p2p tx 0.00B/s, p2p rx 0.00B/s
END
bandwidth one >got
same_text '18.3 golden numbers' want got
equal 'W13 the total is no tag' '1000 TX' \
    "$(bandwidth one --json | jq -r '.groups[0].traffic | "\(.total.sent_bytes_per_s) \(.tags[-1].tag)"')"

# Time is the stamp's, whatever becomes of the files.
cp -r one touched
touch touched/*.metrics
equal 'W2 touched files change nothing' "$(bandwidth one)" "$(bandwidth touched)"
TZ=America/New_York bandwidth one --report - >report
equal 'W8 times are UTC' 'Primary,2026-11-16 01:00:10,1000,2000,,,10,3.33333,' "$(sed -n 2p report)"

# A run that says when it really asked: 11 s instead of 10 in the last step.
cp -r one timed
for i in 0 1 2 3; do
    begin=$((1794790800000000 + i * 10000000 + (i == 3) * 1000000))
    printf '{"stamp":"20261116_0100%s0","node":"Primary","kind":"metrics","begin_us":%s,"end_us":%s,"status":200}\n' $i $begin $((begin + 2000))
done >timed/fetches.jsonl
equal 'W2 real times of fetches' 909.091 "$(bandwidth timed --report - | sed -n 4p | cut -d , -f 3)"

# The header of another node, by stamp; and none at all.
golden borrowed Primary
for i in 0 1 2 3; do answer borrowed Node1 "20261116_0100${i}0" $((i * 30000)) $((i * 40000)); done
equal 'W3 headers are borrowed by stamp' 'another node' \
    "$(bandwidth borrowed --json | jq -r '.nodes[] | select(.nick == "Node1").blocks_from')"
equal 'W3 with the same TPS' 10 "$(bandwidth borrowed --json | jq '.nodes[] | select(.nick == "Node1").tps')"
cp -r borrowed bare
for i in 0 1 2 3; do mv "bare/Node1.20261116_0100${i}0.metrics" "bare/Node1.20261116_0100${i}5.metrics"; done
equal 'W5 a node without headers is no zero' 'summary: 10.00 TPS, 3.33s/block, tx 2.00kB/s, rx 3.00kB/s, p2p tx 0.00B/s, p2p rx 0.00B/s' \
    "$(summary bare)"
equal 'W5 and is counted' 1 "$(bandwidth bare | grep -c 'note: 1 of 2 nodes without block headers .*: Node1$')"

# A node that restarts: 100 -> 3 is a gain of 3.
mkdir restart
for step in '0 100 500' '1 1100 1500' '2 3 2500' '3 1003 3500'; do
    # shellcheck disable=SC2086
    set -- $step
    answer restart r "20261116_0100${1}0" "$2" "$3"
done
equal 'W6 a counter that begins anew' '100,0.3,100' "$(bandwidth restart --report - | sed -n '2,4p' | cut -d , -f 3 | paste -sd ,)"
equal 'W6 the restart is marked' ',1,' "$(bandwidth restart --report - | sed -n '2,4p' | sed 's/.*,//' | paste -sd ,)"
equal 'W6 and said' 1 "$(bandwidth restart | grep -c 'note: counters began at 0 again.*: r$')"
equal 'W6 no negative rate in any answer' 0 "$(bandwidth restart --csv --report - | grep -c -- '-[0-9]*\.[0-9]')"

# Lines of any kind cost themselves only.
golden lines Primary
for file in lines/*.metrics; do
    printf 'b 1e+06\nc NaN\nd +Inf\ne 1 1395066363000\nf{l="a,b=c}"} 1\n%s\n' 'this is {no line' | cat - "$file" >new
    mv new "$file"
done
equal 'W7 the rest of the file is read' "$(summary one)" "$(summary lines)"
equal 'W7 bad lines are counted' 4 "$(bandwidth lines --json | jq .bad_lines)"

# Two counters make one number: 300 ms for 60 proposals, on another node 900 for 90.
golden verify Primary
golden verify Other
for file in verify/*.metrics; do
    ms=300 good=60
    [[ $file != */Other* ]] || { ms=900 good=90; }
    printf '# TYPE algod_agreement_proposal_verify_ms counter\nalgod_agreement_proposal_verify_ms %s\n# TYPE algod_agreement_proposal_verify_good counter\nalgod_agreement_proposal_verify_good %s\n' $ms $good >>"$file"
done
equal '10.1 time to verify a proposal' 'verify ms (5/8/10)' "$(bandwidth verify | grep verify)"
equal '10.1 the same as JSON' 7.5 "$(bandwidth verify --json | jq '.groups[0].verify_ms.mean')"

# Nodes of two classes that take turns: each has the names of its own.
mkdir mixed
echo '{"nodes":[{"nick":"a","class":"one"},{"nick":"b","class":"two"},{"nick":"c","class":"one"},{"nick":"d","class":"two"}],
    "classes":[{"name":"one","sent":["out_total"],"received":["in_total"]},{"name":"two","sent":["up_total"],"received":["down_total"]}]}' >mixed/manifest.json
for i in 0 1 2; do
    for nick in a b c d; do
        out=out in=in
        [[ $nick != [bd] ]] || { out=up in=down; }
        printf '# TYPE %s_total counter\n%s_total %s\n# TYPE %s_total counter\n%s_total %s\n' $out $out $((i * 1000)) $in $in $((i * 3000)) >"mixed/$nick.20261116_0100${i}0.metrics"
    done
done
equal 'nodes of several classes' 'summary: tx 100.0B/s, rx 300.0B/s' "$(summary mixed)"

# Exactly two snapshots; a sample of the pool that is missing.
mkdir two missing
for i in 0 1; do
    answer two a "20261116_0100${i}0" $((i * 10000)) $((i * 20000)) $((i + 4))
    header two a "20261116_0100${i}0" $((i * 2)) $((i * 50))
done
equal 'C5 two snapshots' 'txnpool(4 4 4 4 5)' "$(bandwidth two | grep txnpool)"
equal 'C5 two snapshots, rates' 'summary: 5.00 TPS, 5.00s/block, tx 1.00kB/s, rx 2.00kB/s, p2p tx 0.00B/s, p2p rx 0.00B/s' "$(summary two)"
for i in 0 1 2 3; do answer missing a "20261116_0100${i}0" $((i * 10000)) $((i * 20000)) "$([ $i = 2 ] || echo $i)"; done
equal 'C5 a missing sample of the pool' 'txnpool(3 3 3 3 3)' "$(bandwidth missing | grep txnpool)"
mkdir single
answer single a 20261116_010000 5 5 1
bandwidth single >got
equal 'one snapshot has no rates and is no crash' 0 $?

# Fractions of a second in the stamp.
mkdir fine
for i in 0 1 2 3; do answer fine a "20261116_010000.${i}00000" $((i * 100)) $((i * 200)); done
mv fine/a.20261116_010000.000000.metrics fine/a.20261116_010000.metrics
equal 'C7 stamps with fractions, the first without' 'summary: tx 1.00kB/s, rx 2.00kB/s, p2p tx 0.00B/s, p2p rx 0.00B/s' "$(summary fine)"
equal '18.11 no chain, no columns of it' null "$(bandwidth fine --json | jq '.groups[0].tps')"

# Deltas, reports of any name, HTML.
bandwidth one --deltas d.csv >/dev/null
equal 'C4 deltas' '2026-11-16 01:00:10,5000,20000,5000,10000' "$(sed -n 2p d.Primary.csv)"
bandwidth one --deltas d.csv.gz >/dev/null
equal 'C4 packed deltas' "$(cat d.Primary.csv)" "$(zcat d.Primary.csv.gz)"
bandwidth one --report any.name >/dev/null
equal 'C9 a report of any name' 'when,tx bytes/s,rx bytes/s,tx p2p bytes/s,rx p2p bytes/s,TPS,s/block,restart' "$(head -n 1 any.namePrimary.csv)"
bandwidth one --report r.csv >/dev/null
equal '10.4 minimum, mean, maximum, deviation' 'min,1000,2000,,,10,3.33333,|avg,1000,2000,,,10,3.33333,|max,1000,2000,,,10,3.33333,|std,0,0,,,0,0,' \
    "$(tail -n 4 rPrimary.csv | paste -sd '|')"
equal '10.4 two empty rows before them' 2 "$(grep -c '^$' rPrimary.csv)"
bandwidth one --html-summary page.html >/dev/null
equal '10.1 summary as HTML' 1 "$(grep -c '<div class="lh">all</div>' page.html)"

# Groups: by expression, by label, and by role without being told.
mkdir groups
printf '[name_r1]\n10.0.0.1\n[name_n1]\n10.0.0.2\n[name_npn1]\n10.0.0.11\n[role_relay]\n10.0.0.1\n[role_node]\n10.0.0.2\n[role_nonparticipatingnode]\n10.0.0.11\n' >groups/terraform-inventory.host
for i in 0 1 2 3; do
    answer groups 10.0.0.1:8580 "20261116_0100${i}0" $((i * 50000)) $((i * 10000))
    answer groups 10.0.0.2:8580 "20261116_0100${i}0" $((i * 20000)) $((i * 20000))
    answer groups 10.0.0.11:8580 "20261116_0100${i}0" $((i * 10000)) $((i * 30000))
    header groups 10.0.0.1:8580 "20261116_0100${i}0" $((100 + 3 * i)) $((1000 + 100 * i))
done
equal 'groups by role' 'all npn pn relay' "$(bandwidth groups --csv | sed 1d | cut -d , -f 1 | sort | paste -sd ' ')"
equal 'W12 names by whole address' 'tx 5.00kB/s|tx 2.00kB/s|tx 1.00kB/s' \
    "$(summary groups --label relay:name_r --label 'pn:name_n[0-9]' --label npn:name_npn | grep -o ', tx [^,]*' | cut -c 3- | paste -sd '|')"
equal 'labels stand before the summary' 'relay pn npn' \
    "$(summary groups --label relay:name_r --label 'pn:name_n[0-9]' --label npn:name_npn | cut -d ' ' -f 1 | paste -sd ' ')"
equal 'an expression may be the nick' 1 "$(bandwidth groups --node-re '10\.0\.0\.2' | grep -c '^1 nodes: \[n1\]')"
bandwidth groups --node-re nobody >/dev/null
one_sentence 'an expression that nobody matches' err 'no node of groups matches "nobody"'
bandwidth groups --label broken >/dev/null
one_sentence 'a label without expression' err 'LABEL:EXPRESSION'
equal '--mintps leaves quiet intervals out' 'tx 0.00B/s' "$(summary one --mintps 11 | grep -o ', tx [^,]*' | cut -c 3-)"

# However many groups, a file is read once.
if strace -f -o trace -e trace=openat "$MEMOIR" bandwidth groups --label relay:name_r --label 'pn:name_n[0-9]' --label npn:name_npn >/dev/null 2>&1; then
    equal 'S11 every file is read once, however many groups' 12 "$(grep -c '\.metrics"' trace)"
else
    skip 'S11 every file is read once, however many groups' 'strace does not work here'
fi

# Single files of a folder.
equal 'single files' '2026-11-16 01:00:30' \
    "$(bandwidth one/Primary.20261116_01002?.metrics one/Primary.20261116_01003?.metrics --report - | sed -n 2p | cut -d , -f 2)"
bandwidth one/Primary.20261116_010000.metrics two/a.20261116_010000.metrics >/dev/null
one_sentence 'files of two folders' err 'are in two folders'

# etcd: names by class, peers as tags.
mkdir etcd
echo '{"nodes":[{"nick":"m1","name":"m1","role":"relay","class":"etcd"}],"classes":[{"name":"etcd","sent":["etcd_network_peer_sent_bytes_total","etcd_network_client_grpc_sent_bytes_total"],"received":["etcd_network_peer_received_bytes_total","etcd_network_client_grpc_received_bytes_total"],"transactions":"etcd_mvcc_put_total","height":"etcd_server_proposals_applied_total"}]}' >etcd/manifest.json
for i in 0 1 2; do
    cat >"etcd/m1.20261116_0100${i}0.metrics" <<END
# TYPE etcd_network_peer_sent_bytes_total counter
etcd_network_peer_sent_bytes_total{To="aa"} $((i * 1000))
etcd_network_peer_sent_bytes_total{To="bb"} $((i * 2000))
# TYPE etcd_network_client_grpc_sent_bytes_total counter
etcd_network_client_grpc_sent_bytes_total $((i * 7000))
# TYPE etcd_network_peer_received_bytes_total counter
etcd_network_peer_received_bytes_total{From="aa"} $((i * 500))
# TYPE etcd_network_client_grpc_received_bytes_total counter
etcd_network_client_grpc_received_bytes_total $((i * 500))
# TYPE etcd_mvcc_put_total counter
etcd_mvcc_put_total $((5 + i * 400))
# TYPE etcd_server_proposals_applied_total gauge
etcd_server_proposals_applied_total $((i * 400))
END
done
equal '18.11 etcd by the names of its class' 'summary: 40.00 TPS, 0.03s/block, tx 1.00kB/s, rx 100.0B/s' "$(summary etcd)"
equal 'etcd by peer' 'etcd_network_peer aa	100	50' "$(bandwidth etcd | grep 'peer aa')"

# Pictures.
bandwidth one --plot bw.svg --pool-plot pool >/dev/null
equal 'plots' 0 $?
equal 'plot has a lane for each' 'received sent' "$(grep -o '>sent<\|>received<' bw.svg | tr -d '<>' | sort | paste -sd ' ')"
xmllint --noout bw.svg pool.svg 2>/dev/null || [ "$(command -v xmllint)" = "" ]
equal 'plots are well-formed' 0 $?
equal 'pool as CSV' 'time,pool|2026-11-16 01:00:00,0' "$(head -n 2 poolPrimary.csv | paste -sd '|')"
bandwidth one --heap-plot heap.svg >/dev/null
one_sentence 'nothing to draw' err 'nothing to draw for heap.svg'

bandwidth restart --plot restart.svg >/dev/null
equal 'no line from one life to the next' 1 "$(grep -c '"y":\[100,null,0.3,100\]' restart.svg)"
golden alive Primary
i=0
for file in alive/*.metrics; do
    echo "process_start_time_seconds $((i++ < 2 ? 1000 : 5000))" >>"$file"
done
bandwidth alive --pool-plot alive.svg >/dev/null
equal 'nor of the pool' 1 "$(grep -c '"y":\[0,1,null,2,3\]' alive.svg)"

# Failures.
mkdir empty
bandwidth empty >/dev/null
one_sentence 'an empty folder' err 'empty'
bandwidth nowhere >/dev/null
one_sentence 'no folder' err 'nowhere'
bandwidth >/dev/null
one_sentence 'nothing given' err 'folder of a run'
true
