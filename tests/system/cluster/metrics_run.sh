#!/usr/bin/env bash
# Any metric of a run: made-up runs whose numbers are known, real answers of prometheus and etcd, and promtool as the judge of the export.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

metrics() { "$MEMOIR" metrics "$@" 2>err; }
values() { metrics "$@" --csv | sed 1d | sed 's/.*,//' | paste -sd ' '; }

samples_in() { promtool tsdb list "$1" | awk 'NR > 1 { s += $5 } END { printf "%.0f\n", s }'; } # of blocks of Prometheus

# Two relays and a leaf, four answers 10 s apart; Node n1 misses a gauge once, and r1 restarts, with its labels in another order.
mkdir run
printf '[name_r1]\n10.0.0.1\n[name_r2]\n10.0.0.11\n[name_n1]\n10.0.0.2\n' >run/terraform-inventory.host
for i in 0 1 2 3; do
    stamp=20261116_0100${i}0
    calls=$((100 * i)) labels='a="1",b="x,y=z}"'
    [ $i -lt 2 ] || { calls=$((30 + 50 * (i - 2))) labels='b="x,y=z}",a="1"'; }
    printf '# HELP calls of "it" \\\\ here\n# TYPE calls counter\ncalls{%s} %s\ncalls{a="2"} %s\n# TYPE level gauge\nlevel %s.5\n' "$labels" $calls $((i * 20)) $i >run/10.0.0.1:8580.$stamp.metrics
    printf '# TYPE calls counter\ncalls{a="1",b="x,y=z}"} %s\n# TYPE level gauge\nlevel 7\n# TYPE other gauge\nother 2\n' $((i * 10)) >run/10.0.0.11:8580.$stamp.metrics
    {
        [ $i = 1 ] || printf '# TYPE level gauge\nlevel %s\n' $((i * 4))
        printf '# TYPE other gauge\nother 3\n'
    } >run/10.0.0.2:8580.$stamp.metrics
done
equal 'W6 counters over a restart' '10 3 5' "$(values run calls -t n=r1 -t a=1)"
equal 'C.2 reset: 100 150 30 80 gains 130' 130 "$(
    mkdir reset
    i=0
    for v in 100 150 30 80; do
        printf '# TYPE c counter\nc %s\n' $v >"reset/a.20261116_0100${i}0.metrics"
        i=$((i + 1))
    done
    values reset --delta c | tr ' ' '\n' | awk '{ s += $1 } END { printf "%.0f\n", s }'
)"
equal 'W15 labels in another order are one series' 1 "$(metrics run calls -t n=r1 -t a=1 --json | jq '.curves | length')"
equal 'W4 labels keep all nodes' 'relay r1|relay r2' \
    "$(metrics run level --label relay:name_r --json | jq -r '.curves[] | "\(.label) \(.node)"' | paste -sd '|')"
equal 'W10 a gap stays a gap' '0 null 8 12' "$(metrics run level -t n=n1 --json | jq -r '.curves[0].points[][1]' | paste -sd ' ')"
metrics run level other --plot=gaps.svg
equal 'W10 the line is interrupted' null "$(grep -o '"y":\[0,null,8,12\]' gaps.svg | grep -o null)"
equal 'W10 each metric in its chart' 'level other' "$(grep -o 'class="b"[^<]*>[a-z]*' gaps.svg | sed 's/.*>//' | paste -sd ' ')"
equal 'W10 as many lines as have it' '3 2' "$(sed -n '/id="data"/,/<\/script>/p' gaps.svg | sed '1d; s/<\/script>//' | jq -r '[.lanes[].lines | length] | "\(.[0]) \(.[1])"')"
equal '--sum adds labels up' '12 5 7' "$(values run calls --sum -t n=r1)"
equal '--raw' '0 100 30 80' "$(values run calls --raw -t n=r1 -t a=1)"
equal '--diff' '5 5 5 5' "$(values run --diff level other -t n=r2)"
equal '--diff is named' level_-_other "$(metrics run --diff level other --json | jq -r '.curves[0].metric')"
equal '-t one label, several values' 2 "$(metrics run level -t n=r1 -t n=n1 --json | jq '.curves | length')"
equal '-t role' 'r1 r2' "$(metrics run level -t role=relay --json | jq -r '.curves[].node' | paste -sd ' ')"
equal '--avg-max: the mean is over nodes, of all their counters' 'calls: mean of max 95 over 2 nodes' "$(metrics run calls --avg-max | tail -n 1)"
equal '--avg-max-min: the same' 'calls: mean of max-min 95 over 2 nodes' "$(metrics run calls --avg-max-min | tail -n 1)"
equal '--avg-max --sum: of the sums of each node' 'r1 calls: count 4, max 140, min 0, max-min 140|r2 calls: count 4, max 30, min 0, max-min 30|calls: mean of max-min 85 over 2 nodes' \
    "$(metrics run calls --avg-max-min --sum | paste -sd '|')"
metrics run level --avg-max >/dev/null
one_sentence '--avg-max of a gauge' err 'level is a gauge'

# Two ticks that a node did not answer, alone and beside others; and one that was started again.
mkdir missed lives
for i in 0 1 2 3 4 5; do
    printf '# TYPE level gauge\nlevel %s\n' $i >"missed/a.20261116_0100${i}0.metrics"
    [[ $i = [23] ]] || cp "missed/a.20261116_0100${i}0.metrics" "missed/b.20261116_0100${i}0.metrics"
    [ $i -lt 4 ] || rm "missed/a.20261116_0100${i}0.metrics"
    printf '# TYPE level gauge\nlevel %s\n# TYPE calls counter\ncalls %s\nprocess_start_time_seconds %s\n' $i $((i * 7)) $((i < 3 ? 1000 : 2000)) >"lives/a.20261116_0100${i}0.metrics"
done
# The first rate is known at the second answer: what is missing before it is missing all the same, and what is missing before a series begins is not its.
mkdir early
for i in 0 3 4 5 8; do
    printf '# TYPE early counter\nearly %s\n' $((i * 10)) >"early/a.20261116_010${i}00.metrics"
    [ $i -lt 4 ] || printf '# TYPE late counter\nlate %s\n' $i >>"early/a.20261116_010${i}00.metrics"
done
equal 'gaps before the first rate' 'early 4 4|late 3 2' "$(for name in early late; do metrics early $name | awk -v name=$name '/ a *$/ { print name, $(NF - 2), $(NF - 1) }'; done | paste -sd '|')"
equal 'answers that never came are gaps' 'a 4 2|b 4 2' "$(metrics missed level | awk '/ [ab] *$/ { print $NF, $(NF - 2), $(NF - 1) }' | paste -sd '|')"
equal 'also in JSON' '0 1 null null 4 5' "$(metrics missed level -t n=b --json | jq -r '.curves[0].points[][1]' | paste -sd ' ')"
equal 'and of the nodes' '2 2' "$(metrics missed --list-nodes --json | jq -r '.[].gaps' | paste -sd ' ')"
rm missed/a.*
equal 'also of a node alone' 2 "$(metrics missed level | awk '/ b *$/ { print $(NF - 1) }')"
metrics lives level calls --plot=lives.svg
equal 'no line from one life to the next' '[0,1,2,null,3,4,5]' "$(grep -o '"y":\[0,1,2[^]]*\]' lives.svg | sed 's/"y"://')"
equal 'nor of its counters' 1 "$(grep -c '"y":\[null,0.7,0.7,null,2.1,0.7,0.7\]' lives.svg)"
equal 'a life is no gap' '0 1 2 3 4 5' "$(metrics lives level --json | jq -r '.curves[0].points[][1]' | paste -sd ' ')"

# A node that tells no types, as VictoriaMetrics does, alone and beside one that does.
mkdir untold
for i in 0 1 2; do
    printf 'rows_total %s\nlevel_count %s\nsize_bytes 7\n' $((i * 50)) $((i * 3)) >"untold/v.20261116_0100${i}0.metrics"
done
equal 'a total without a type is a rate' '5 5' "$(values untold rows_total)"
equal 'and said to be guessed' 'counter?' "$(metrics untold --list | awk '/rows_total/ { print $1 }')"
equal 'what nobody tells is a level' '7 7 7' "$(values untold size_bytes)"
printf '# TYPE level_count gauge\nlevel_count 1\n' >untold/w.20261116_010000.metrics
equal 'a type that another node tells' '0 3 6' "$(values untold level_count -t n=v)"
equal '--list' 'calls counter 3|level gauge 3|other gauge 2' "$(metrics run --list --json | jq -r '.metrics[] | "\(.name) \(.type) \(.series)"' | paste -sd '|')"
equal 'W12 --list-nodes' 'n1 10.0.0.2:8580|r1 10.0.0.1:8580|r2 10.0.0.11:8580' "$(metrics run --list-nodes | sed 1d | cut -f 1,2 | tr '\t' ' ' | paste -sd '|')"
metrics run level --rate >/dev/null
one_sentence 'a gauge has no rate' err 'level is a gauge'
metrics run levle >/dev/null
one_sentence 'a name that is not there' err 'did you mean "level"'
metrics run calls -t a=9 >/dev/null
one_sentence 'a label that is not there' err 'no series of "calls" in this run has those labels'
metrics run --diff level nosuch >/dev/null
one_sentence 'a difference names what is not there' err 'there is no metric "nosuch"'
metrics run --diff level other -t n=none >/dev/null
one_sentence 'a difference of nothing' err 'nothing to subtract'
metrics run --export openmetrics -t a=9 >none.om
equal 'an export of nothing fails' '1 0' "$? $(stat -c %s none.om)"
one_sentence 'an export of nothing is told' err 'nothing to export'
metrics run --plot=x.svg >/dev/null
one_sentence 'a plot of nothing' err 'name at least one metric'
equal 'S13 packed answers' "$(values run level)" "$(
    cp -r run packed
    gzip packed/*.metrics
    values packed level
)"
equal 'C7 stamps with fractions' '2 2' "$(
    mkdir fine
    for i in 0 5; do printf '# TYPE c counter\nc %s\nd 2\n' $i >"fine/a.20261116_010000.${i}00000.metrics"; done
    values fine d
)"

# A histogram: 10 calls below 0.1 s, 20 to 0.5 s, 10 to 1 s.
mkdir quantiles
for i in 0 1; do
    printf '# TYPE h histogram\nh_bucket{le="0.1"} %s\nh_bucket{le="0.50"} %s\nh_bucket{le="1"} %s\nh_bucket{le="+Inf"} %s\nh_sum %s\nh_count %s\n' \
        $((5 + i * 10)) $((5 + i * 30)) $((5 + i * 40)) $((5 + i * 40)) $i $((5 + i * 40)) >quantiles/a.20261116_0100${i}0.metrics
done
equal '--quantile 0.5' 0.3 "$(values quantiles h --quantile 0.5 | cut -c 1-3)"
equal '--quantile 1' 1 "$(values quantiles h --quantile 1)"

# The export: families once, grouped, in order of time, UTC, and promtool takes it.
TZ=America/New_York metrics run --export openmetrics -o all.om
equal 'W9 each family once' 3 "$(grep -c '^# TYPE' all.om)"
equal 'W9 counters end in _total' 'calls_total{n="r1",role="relay",a="1",b="x,y=z}"} 0 1794790800' "$(grep -m 1 '^calls_total.*n="r1"' all.om)"
equal 'W8 the export is in UTC' 1794790800 "$(grep -m 1 '^level' all.om | sed 's/.* //')"
equal 'W9 help is escaped' '# HELP calls of '"'it'"' \\ here' "$(grep '^# HELP calls' all.om)"
equal 'W9 it ends' '# EOF' "$(tail -n 1 all.om)"
if command -v promtool >/dev/null; then
    promtool tsdb create-blocks-from openmetrics all.om blocks >/dev/null 2>promtool.err
    equal '18.9 promtool makes blocks of it' 0 $?
    equal '18.9 with every sample' 31 "$(samples_in blocks)"
    promtool check metrics <all.om >/dev/null 2>lint.err
    status=$?
    equal '18.9 promtool check metrics reads it' 0 $((status == 3 ? 0 : status)) # 3: it would like other names and more help
    equal '18.9 and finds no error in it' 0 "$(grep -c 'error while\|parsing error\|unexpected' lint.err)"
else
    skip '18.9 promtool makes blocks of it' 'no promtool'
fi

# run.db: up to date with the files, again and again, also by two at once.
equal 'run.db is made' 1 "$(metrics run --export sqlite | grep -c '12 files of metrics were added')"
equal 'run.db for people' 'r1|relay|calls|{"a":"1","b":"x,y=z}"}|100' \
    "$(sqlite3 run/run.db "SELECT node, role, name, labels, value FROM metric WHERE node = 'r1' AND time = '2026-11-16 01:00:10.000' AND labels LIKE '%x,y%'")"
cp run/10.0.0.1:8580.20261116_010030.metrics run/10.0.0.1:8580.20261116_010040.metrics
metrics run --export sqlite >one.out &
beside=$!
"$MEMOIR" metrics run --export sqlite >two.out 2>two.err
wait $beside
equal 'run.db by two at once' 1 "$(cat one.out two.out | grep -c ' 1 files of metrics were added')"
equal 'run.db has the new file' 34 "$(sqlite3 run/run.db 'SELECT count(*) FROM metric')"
rm run/run.db
equal 'without run.db nothing is lost' '7 7 7 7' "$(values run level -t n=r2)"
if [ "$(id -u)" = 0 ]; then
    open_house
    mkdir "$house/sealed"
    cp run/10.0.0.11* "$house/sealed"
    as_nobody "$house/memoir" metrics "$house/sealed" --export sqlite >/dev/null 2>err
    one_sentence 'a folder that cannot be written has no book' err 'run.db'
else
    skip 'a folder that cannot be written has no book' 'only root can become somebody else'
fi

# Real answers.
port() { # a free port
    perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(0, INADDR_LOOPBACK)); print((sockaddr_in(getsockname(S)))[0])'
}
fetch() { # fetch URL FILE: until it answers
    for _ in $(seq 100); do
        curl -sf -m 2 "$1" >"$2" && return 0
        sleep 0.1
    done
    return 1
}
mkdir real
if command -v etcd >/dev/null && command -v prometheus >/dev/null && command -v curl >/dev/null; then
    client=$(port) peer=$(port) web=$(port)
    etcd --data-dir etcd.data --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
        --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
        --initial-cluster "default=http://127.0.0.1:$peer" >etcd.log 2>&1 &
    etcd=$!
    printf 'global: {}\n' >prometheus.yml
    prometheus --config.file=prometheus.yml --storage.tsdb.path=prometheus.data --web.listen-address="127.0.0.1:$web" >prometheus.log 2>&1 &
    prometheus=$!
    fetch "http://127.0.0.1:$client/metrics" real/etcd.20261116_010000.metrics
    fetch "http://127.0.0.1:$web/metrics" real/prometheus.20261116_010000.metrics
    fetch "http://127.0.0.1:$client/metrics" real/etcd.20261116_010010.metrics
    curl -sf "http://127.0.0.1:$web/metrics" >real/prometheus.20261116_010010.metrics
    kill $etcd $prometheus
    wait $etcd $prometheus 2>/dev/null
    for file in real/*.metrics; do grep -vc '^#' "$file"; done | awk '{ s += $1 } END { printf "%.0f\n", s }' >lines
    equal 'real answers: every sample of etcd and prometheus' "$(cat lines)" "$(metrics real --list --json | jq .samples)"
    equal 'real answers: no bad line' 0 "$(metrics real --list --json | jq .bad_lines)"
    metrics real --export openmetrics -o real.om
    equal 'real answers: exported' 0 $?
    promtool tsdb create-blocks-from openmetrics real.om real.blocks >/dev/null 2>promtool.err
    equal 'real answers: promtool makes blocks of them' "0 $(cat lines)" "$? $(samples_in real.blocks)"
else
    skip 'real answers' 'etcd, prometheus or curl are not here'
fi
true
