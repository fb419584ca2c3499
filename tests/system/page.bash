# What tests of the page share.  After common.bash and serve.bash.

packages=$TOP/web/node_modules

has_packages() {
    command -v node >/dev/null && [ -e "$packages/.package-lock.json" ]
}

# Ends the test as skipped where nothing can be made of the page.
need_packages() { # need_packages CASE
    has_packages && return
    skip "$1" "node or the packages of the page are missing: web/fetch brings them, where npm reaches them"
    exit 0
}

has_browser() {
    chromium=$(command -v chromium || command -v google-chrome)
    [ -x "$BUILD/memoir-serve" ] && has_packages && [ -n "$chromium" ]
}

# Ends the test as skipped where nothing can show the page.
need_browser() { # need_browser CASE
    has_browser && return
    skip "$1" "memoir-serve (libmicrohttpd-dev), node, the packages of the page (web/fetch) or Chromium are missing"
    exit 0
}

# Runs web/test/SCRIPT, in Chromium if it wants one; it prints cases of its own.  One that ends before it can say what is wrong has failed, too.
run_page_test() { # run_page_test SCRIPT ARGUMENT…
    local script=$1 status
    shift
    CHROMIUM=${chromium-} timeout 200 node "$TOP/web/test/$script" "$@" >browser.out 2>browser.err
    status=$?
    cat browser.out
    grep -q '^not ok' browser.out && ! grep -q '^Node.js v' browser.err && return # the latter: it ended early
    [ $status = 0 ] && grep -q '^ok' browser.out || not_ok "$script" "status $status: $(head -c 300 browser.err | tr '\n' ' ')"
}

# Two minutes of a program as heaptrack writes them: leak_here keeps 64 KiB a second, slow_here 16 KiB, churn_here keeps nothing;
# resident memory grows by 80 KiB a second on a machine of 16 MiB.
make_leaky() { # make_leaky FILE
    awk 'BEGIN {
        print "v 10400 3\nX /usr/bin/leaky\nI 1000 1000"
        n = split("leaky main leak_here slow_here churn_here leaky.c", names, " ")
        for (i = 1; i <= n; i++) printf "s %x %s\n", length(names[i]), names[i]
        print "i 1000 1 2 6 a\ni 2000 1 3 6 14\ni 3000 1 4 6 1e\ni 4000 1 5 6 28"
        print "t 1 0\nt 2 1\nt 3 1\nt 4 1\na 10000 2\na 4000 3\na 8000 4"
        for (s = 1; s <= 120; s++) printf "c %x\n+ 0\n+ 1\n+ 2\n- 2\nR %x\n", s * 1000, 500 + 20 * s
    }' >"$1"
}
