// busy.go - goroutines that allocate, sort, speak through channels, and call the system.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"time"
)

var sink interface{}

func dig(depth int) []byte {
	if depth == 0 {
		return make([]byte, 2000)
	}
	return append(dig(depth-1), byte(depth))
}

func sorts() {
	for {
		words := strings.Fields(strings.Repeat("the quick brown fox ", 200))
		sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
		sink = words
	}
}

func hashes() {
	block := bytes.Repeat([]byte("x"), 4096)
	for {
		sum := sha256.Sum256(block)
		sink = fmt.Sprintf("%x", sum)
	}
}

func digs() {
	for {
		sink = dig(60)
	}
}

func speaks() {
	words := make(chan string)
	go func() {
		for i := 0; ; i++ {
			words <- fmt.Sprint(i)
		}
	}()
	counts := map[string]int{}
	for word := range words {
		counts[word]++
		if len(counts) > 10000 {
			counts = map[string]int{}
		}
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	go sorts()
	go hashes()
	go digs()
	go speaks()
	for {
		_, _ = os.Stat("/")
		time.Sleep(100 * time.Microsecond)
		runtime.GC()
	}
}
