#!/usr/bin/env bash
# memoir graph: what it writes can be read by those it is for, its numbers are those counted by hand, and names stay names.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

if [ ! -x "$BUILD/memoir-graph" ]; then
    skip graph "memoir-graph was not built: libgraphviz-dev is missing"
    exit 0
fi
maker=$BUILD/tests/make-moments

says() { # says CASE FILE TEXT
    if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1" "no '$3' in $2"; fi
}

# 1 s in all: walk, which calls itself, is in 700 ms, read in 300 of those; small has 2 ms, tiny 1.
"$maker" known.memoir <<'END'
program /usr/bin/grinder
thread 100 main
length 2000
on 0 300 10 100 main;walk;walk;walk;read
on 300 700 10 100 main;walk
on 700 990 10 100 main;ping;pong;ping
on 990 997 1 100 main;other
on 997 999 1 100 main;small;deep
on 999 1000 1 100 main;tiny
END
for kind in svg html png dot; do
    "$MEMOIR" graph known.memoir -o "known.$kind" >known.out 2>&1
    equal "writes-$kind" "0 0" "$? $(stat -c %s known.out)"
done
is_xml() { # is_xml FILE
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" 2>&1 && echo yes
}
equal svg-is-xml yes "$(is_xml known.svg)"
says svg-total known.svg 'cpu.on (ns): 1.00 s in 109 samples'
says svg-left-out known.svg 'not shown: 3 functions, which themselves have 3.00 ms (0.3 %)'
says png-is-png known.png PNG
says page known.html '<!DOCTYPE html>'

label() { # label FUNCTION: the numbers in the box of it
    sed -n "s/.*label=\"[^\"]*\\\\n$1\\\\n\([^\"]*\)\".*/\1/p" known.dot
}
equal recursion '70.0 %  700 ms\n(self 40.0 %  400 ms)\n70 samples, recursive' "$(label walk)"
equal leaf '30.0 %  300 ms\n(self 30.0 %  300 ms)\n30 samples' "$(label read)"
equal cycle '29.0 %  290 ms\n(self 29.0 %  290 ms)\n29 samples, cycle 1' "$(label ping)"
equal outermost '100.0 %  1.00 s\n(self 0.0 %  0 ns)\n109 samples' "$(label main)"
equal threshold '' "$(label small)"
"$MEMOIR" graph known.memoir -o known.dot -n 0 -e 0
equal without-threshold '0.2 %  2.00 ms\n(self 0.0 %  0 ns)\n2 samples' "$(label small)"
"$MEMOIR" graph known.memoir -o known.dot --root '^walk$'
equal root '' "$(label main)"
says root-says-so known.dot 'shown stacks have 700 ms, 70.0 %'
"$MEMOIR" graph known.memoir -o known.dot --leaf '^read$'
equal leaf-only '30.0 %  300 ms\n(self 0.0 %  0 ns)\n30 samples, recursive' "$(label walk)"
"$MEMOIR" graph known.memoir -o known.dot --path '^(main|read)$'
says indirect known.dot 'style="dashed"'
"$MEMOIR" graph known.memoir -o known.dot --between 0,500ms
says between known.dot '500 ms in 50 samples'
"$MEMOIR" graph known.memoir -o known.dot --by module
says by-module known.dot 'label="grinder'
"$MEMOIR" graph known.memoir -o known.json
equal json-node "700000000 400000000 70 true" "$(jq -r '.nodes[] | select(.function == "walk") | "\(.total) \(.self) \(.total_count) \(.recursive)"' known.json)"
equal json-edge "700000000 300000000" "$(jq -r '[.nodes[].function] as $n | [.edges[] | select($n[.to] == "walk") | .value] | join(" ")' known.json)"
equal json-left-out "3 3000000" "$(jq -r '.left_out | "\(.nodes) \(.self)"' known.json)"
"$MEMOIR" graph known.memoir -o known.json --focus read
equal focus "300000000 1000000000 main,read,walk" "$(jq -r '"\(.total.value) \(.all.value) \([.nodes[].function] | sort | join(","))"' known.json)"
"$MEMOIR" graph known.memoir -o known.dot --focus rea
equal focus-is-the-whole-name '' "$(label read)"
for theme in pink gray bw print; do
    "$MEMOIR" graph known.memoir -o "$theme.svg" --theme $theme --skew 0.1 --color-nodes-by-selftime
    equal "theme-$theme" "0 yes" "$? $(is_xml "$theme.svg")"
done

# What changed: walk lost 200 ms, ping got 100 more, fresh is new with 50.
"$maker" newer.memoir <<'END'
program /usr/bin/grinder
thread 100 main
length 2000
on 0 300 10 100 main;walk;walk;walk;read
on 300 500 10 100 main;walk
on 500 890 10 100 main;ping;pong;ping
on 890 897 1 100 main;other
on 897 899 1 100 main;small;deep
on 899 900 1 100 main;tiny
on 900 950 10 100 main;fresh
END
"$MEMOIR" graph newer.memoir --diff known.memoir -o known.dot -n 0
equal diff-shrunk '-57.1 %  -200 ms\n(self -57.1 %  -200 ms)\n-20 samples, recursive' "$(label walk)"
equal diff-new '14.3 %  50.0 ms\n(self 14.3 %  50.0 ms)\n5 samples' "$(label fresh)"
equal diff-same '' "$(label read)"
says diff-words known.dot 'change since known.memoir, from 1.00 s to 950 ms'
"$MEMOIR" graph newer.memoir --diff known.memoir -o change.html --normalise total
says diff-page change.html 'grown is red, shrunk is blue'

# Names that mean something to dot, SVG or HTML.
"$maker" hostile.memoir <<'END'
program /usr/bin/"evil" -> <b>
thread 100 main
length 1000
on 0 100 10 100 main;"] x -> y [label="
on 100 200 10 100 main;ends in backslash\
on 200 300 10 100 main;</title><script>alert(1)</script>
on 300 400 10 100 main;operator->(a<b>, c&d)
on 400 500 10 100 main;<TABLE><TR><TD>
on 500 600 10 100 main;&lt \N\G\l{}|
END
for kind in svg html dot; do
    "$MEMOIR" graph hostile.memoir -o "hostile.$kind"
done
equal hostile-svg yes "$(is_xml hostile.svg)"
equal hostile-script '0 0' "$(grep -c '<script>alert' hostile.svg) $(grep -c '<script>alert' hostile.html)"
if command -v dot >/dev/null; then
    dot -Tplain hostile.dot >hostile.plain 2>hostile.err
    equal hostile-dot "0 0" "$? $(stat -c %s hostile.err)"
    # 7 boxes (main and six), 6 lines between them, nothing that a name made
    equal hostile-dot-boxes "7 6" "$(grep -c '^node' hostile.plain) $(grep -c '^edge' hostile.plain)"
    dot -Txdot hostile.dot | sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' >hostile.xdot # without folded lines
    for word in 'ends in backslash' 'operator->(a<b>, c&d)' '&lt '; do
        says "dot-shows-$word" hostile.xdot "$word"
    done
else
    skip dot "graphviz is not installed"
fi

# A real program: as many boxes as can be read, and the rest told.
record real.memoir -- python3 -c 'import json, argparse, http.client'
"$MEMOIR" graph real.memoir -o real.svg --metric heap.allocated -n 0 --nodes 300
equal real-boxes 300 "$(grep -c 'class="n"' real.svg)"
says real-left-out real.svg 'not shown: '
equal real-xml yes "$(is_xml real.svg)"

refuse() { # refuse CASE STATUS PATTERN OPTIONS…
    local name=$1 wanted=$2 pattern=$3
    shift 3
    "$MEMOIR" graph "$@" >refused.out 2>refused.err
    equal "$name-status" "$wanted" $?
    one_sentence "$name" refused.err "$pattern"
}
refuse no-file 2 'give one FILE' -o a.svg
refuse ending 2 'must end in' known.memoir -o a.bmp
refuse theme 2 'color, pink, gray, bw or print' known.memoir -o a.svg --theme neon
refuse skew 2 'above 0' known.memoir -o a.svg --skew 0
refuse share 2 'percentage' known.memoir -o a.svg -n 200
refuse expression 2 'no regular expression' known.memoir -o a.svg --root '('
refuse focus 2 'name of a function' known.memoir -o a.svg --focus ''
refuse by 2 'function, line or module' known.memoir -o a.svg --by thread
refuse older-absent 1 'older.memoir' known.memoir -o a.svg --diff older.memoir
refuse absent 1 'absent.memoir' absent.memoir -o a.svg
"$MEMOIR" graph --help >help.txt
says help help.txt '--color-nodes-by-selftime'
