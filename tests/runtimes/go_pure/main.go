// SPDX-License-Identifier: Apache-2.0
// Words in a map.
package main

import "fmt"

func main() {
	words := map[string][]int{}
	for i := 0; i < 100000; i++ {
		key := fmt.Sprint("word ", i%1000)
		words[key] = append(words[key], i)
	}
	fmt.Println(len(words), "words")
}
