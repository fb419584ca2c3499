"""What strangers send to memoir serve, byte by byte: serve_strangers.py PORT.  Prints one line per case."""
import socket
import sys
import time

PORT = int(sys.argv[1])
HOST = b"Host: 127.0.0.1\r\n"


def connect():
    return socket.create_connection(("127.0.0.1", PORT), timeout=20)


def ask(request):
    """The status of the answer to some bytes; "closed" when there is none."""
    with connect() as s:
        answer = b""
        try:
            s.sendall(request)
            s.shutdown(socket.SHUT_WR)
            while True:
                piece = s.recv(65536)
                if not piece:
                    break
                answer += piece
        except TimeoutError:
            return "no answer"
        except OSError:
            pass  # it was closed before all was sent
        if not answer.startswith(b"HTTP/"):
            return "closed" if not answer else "nonsense"
        return answer.split(b" ")[1].decode()


def is_well():
    return ask(b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n") == "200"


def case(name, request, *expected):
    try:
        status = ask(request)
    except OSError as error:
        status = repr(error)
    if status not in expected:
        print(f"not ok {name}: expected {' or '.join(expected)}, got {status}")
    elif not is_well():
        print(f"not ok {name}: the server does not answer afterwards")
    else:
        print(f"ok {name}")


def get(path, headers=HOST, version=b"HTTP/1.1"):
    return b"GET " + path + b" " + version + b"\r\n" + headers + b"Connection: close\r\n\r\n"


case("plain", get(b"/healthz"), "200")
case("wrong-host", get(b"/metrics", b"Host: evil.example\r\n"), "421")
case("wrong-host-that-looks-right", get(b"/metrics", b"Host: 127.0.0.1.evil.example\r\n"), "421")
case("no-host", get(b"/metrics", b""), "400", "421")
case("no-host-1.0", get(b"/metrics", b"", b"HTTP/1.0"), "421")
case("two-hosts", get(b"/metrics", b"Host: evil.example\r\n" + HOST), "400", "421")
case("odd-host", get(b"/metrics", b"Host: localhost\x00.evil\r\n"), "200", "400", "421", "closed")
case("host-in-the-line", get(b"http://evil.example/metrics"), "200", "400", "404", "421")
case("path-up", get(b"/../../etc/passwd"), "404")
case("path-up-encoded", get(b"/debug/pprof/%2e%2e/%2e%2e/%2e%2e/etc/passwd"), "404")
case("path-nul", get(b"/metrics%00.txt"), "200", "400", "404")
case("path-twice", get(b"//metrics"), "404")
case("long-url", get(b"/" + b"a" * 100000), "414", "431", "closed")
case("long-query", get(b"/metrics?" + b"a=b&" * 3000), "200", "414", "431", "closed")
case("many-headers", get(b"/metrics", HOST + b"X: y\r\n" * 5000), "413", "431", "closed")
case("long-header", get(b"/metrics", HOST + b"X: " + b"y" * 200000 + b"\r\n"), "413", "431", "closed")
for method in (b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"PATCH", b"BREW"):
    case("method-" + method.decode(), method + b" /metrics HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n", "405")
case("post-with-body", b"POST /metrics HTTP/1.1\r\n" + HOST + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000000, "405", "closed")
case("get-with-body", b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello", "200")
case("two-lengths", b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "200", "400", "closed")
case("chunks-of-nonsense", b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400", "405", "closed")
case("garbage", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 50, "400", "closed")
case("nothing", b"", "closed", "400", "408")
case("newlines", b"\r\n" * 5000, "closed", "400", "408", "413", "431")
case("no-version", b"GET /metrics\r\n\r\n", "400", "421", "200", "closed")
case("version-9", get(b"/metrics", HOST, b"HTTP/9.9"), "200", "400", "505", "closed")
case("seconds-too-many", get(b"/debug/pprof/heap?seconds=999999999999999999999"), "400")
case("seconds-negative", get(b"/debug/pprof/heap?seconds=-1"), "400")
case("top-too-many", get(b"/debug/memory?top=4294967297"), "400")
case("top-long", get(b"/debug/memory?top=" + b"9" * 2000), "200", "400")

# Hundreds who connect and say nothing, and hundreds who say half of it: others are served once those are cut off, or at once.
idle = []
for i in range(400):
    try:
        s = connect()
        s.sendall(b"GET /metrics HTT" if i % 2 else b"")
        idle.append(s)
    except OSError:
        break
began = time.monotonic()
while not_yet := time.monotonic() - began < 60:
    try:
        if is_well():
            break
    except OSError:
        pass
    time.sleep(0.2)
print("ok crowd-of-idle" if not_yet else "not ok crowd-of-idle: nobody else is served for a minute")

# A slow one that sends a byte now and then must not keep its connection for ever.
slow = idle[0]
cut = False
began = time.monotonic()
while time.monotonic() - began < 60:
    try:
        slow.sendall(b"G")
        slow.settimeout(0.2)
        if slow.recv(1) == b"":
            cut = True
            break
    except socket.timeout:
        time.sleep(0.5)
    except OSError:
        cut = True
        break
print("ok slow-is-cut" if cut else "not ok slow-is-cut: it is still there after a minute")
for s in idle:
    s.close()

# Many at once, all asking.
crowd = []
for i in range(200):
    s = connect()
    s.sendall(get(b"/metrics"))
    crowd.append(s)
served = 0
for s in crowd:
    try:
        served += s.recv(12).endswith(b"200")
    except OSError:
        pass
    s.close()
print("ok crowd-is-served" if served == 200 else f"not ok crowd-is-served: {served} of 200")

# Those who ask and never take the answer.
for i in range(50):
    s = connect()
    s.sendall(get(b"/debug/pprof/heap?debug=1") * 1)
    s.close()
began = time.monotonic()
while (status := ask(get(b"/healthz"))) != "200" and time.monotonic() - began < 30:
    time.sleep(0.2)
print("ok left-alone" if status == "200" else f"not ok left-alone: {status}")
