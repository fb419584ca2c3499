#!/usr/bin/env bash
# sqlite3, python3, clang and redis, recorded: the same output and status as without memoir, and the
# stack of at least 999 of 1000 allocations known to its outer end.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null' EXIT

judge() { # judge CASE FILE
    at_least "$1-complete-stacks" 0.999 "$(quality "$2" complete_stacks_share)"
    equal "$1-nothing-lost" 0 "$(quality "$2" lost_events)"
    at_least "$1-calls" 1000 "$(summary "$2" calls)"
}

# Runs it twice and compares.
both() { # both CASE COMMAND…
    same_as_native "$@"
    judge "$1" "$1.memoir"
}

sql_load() {
    echo 'create table t(id integer primary key, name text, value real);'
    echo 'begin;'
    awk 'BEGIN { for (i = 0; i < 20000; i++) printf "insert into t values(%d, \"name%d\", %f);\n", i, i * 7919 % 20011, i / 3 }'
    echo 'commit; create index by_name on t(name);'
    echo 'select count(*), sum(value), max(name) from t;'
    awk 'BEGIN { for (i = 0; i < 500; i++) printf "select id from t where name like \"%%%d%%\" order by value desc limit 3;\n", i }'
}

python_load='
import json, re
text = json.dumps([{"n": i, "s": str(i) * 3, "l": list(range(i % 17))} for i in range(20000)])
back = json.loads(text)
print(len(text), sum(len(x["l"]) for x in back), len(re.findall(r"\d{4}", text)))
print(sorted({x["s"][:2] for x in back})[:10])
'

write_c() {
    echo '#include <stdio.h>'
    awk 'BEGIN { for (i = 0; i < 300; i++)
        printf "struct s%d { int a, b; double c[%d]; };\nint f%d(struct s%d *x, int n) { int r = 0; for (int i = 0; i < n; i++) r += x[i].a * (int)x[i].c[i %% %d] + %d; return r; }\n", i, i % 7 + 1, i, i, i % 7 + 1, i }'
    echo 'int main(void) { return puts("x"); }'
}

if command -v sqlite3 >/dev/null; then
    sql_load >load.sql
    both sqlite3 sqlite3 :memory: '.read load.sql'
else
    skip sqlite3 "not installed"
fi

if [ -x /usr/bin/python3 ]; then
    PYTHONMALLOC=malloc both python3 /usr/bin/python3 -c "$python_load"
else
    skip python3 "not installed"
fi

if command -v clang >/dev/null; then
    write_c >program.c
    both clang clang -O1 -c program.c -o program.o
    cp program.o recorded.o
    clang -O1 -c program.c -o program.o
    same_text clang-object program.o recorded.o
else
    skip clang "not installed"
fi

redis_talk() { # redis_talk NAME: a session with fixed answers, after a few hundred thousand requests
    if ! wait_until 30 redis-cli -s ./redis.sock ping; then
        not_ok "redis-$1-answers" "no answer within 30 s"
        return
    fi
    redis-benchmark -s ./redis.sock -q -n 40000 -r 10000 -t set,get,lpush,lrange_100,hset >/dev/null 2>&1
    {
        printf 'set greeting hello\nget greeting\nincrby count 5\nsadd s a b c\nscard s\nlpush l 1 2 3\nlrange l 0 -1\n' |
            redis-cli -s ./redis.sock
        redis-cli -s ./redis.sock shutdown nosave
    } >"redis.$1" 2>&1
}

redis_options=(--port 0 --unixsocket ./redis.sock --save '' --appendonly no --daemonize no)
if command -v redis-server >/dev/null; then
    redis-server "${redis_options[@]}" >native.log 2>&1 &
    server=$!
    redis_talk native
    wait $server
    native=$?
    rm -f redis.sock
    "$MEMOIR" run -o redis.memoir -- redis-server "${redis_options[@]}" >recorded.log 2>redis.err &
    server=$!
    redis_talk recorded
    wait $server
    equal redis-status $native $?
    server=
    same_text redis-answers redis.native redis.recorded
    judge redis redis.memoir
else
    skip redis "not installed"
fi
