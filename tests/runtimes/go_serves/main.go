// SPDX-License-Identifier: Apache-2.0
// Serves net/http/pprof on a free port of loopback, which it prints; one goroutine works, others wait.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"sync"
)

var sum uint64

//go:noinline
func burnInGo(rounds int) {
	for i := 0; i < rounds; i++ {
		sum = sum*31 + uint64(i)
	}
}

func main() {
	var lock sync.Mutex
	lock.Lock()
	for i := 0; i < 3; i++ {
		go lock.Lock()
	}
	go func() {
		for {
			burnInGo(1000000)
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, nil))
}
