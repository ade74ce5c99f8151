package serve

import (
	"strings"
	"testing"
)

// Whatever a client makes up, the list stays within its namespace, and what we make up can be read.
func FuzzContinueToken(f *testing.F) {
	f.Add(encodeToken("default/a\x00", "default", 7), "default")
	f.Add(encodeToken("default/a\x00", "", -1), "")
	f.Add("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi93MiJ9", "default")
	f.Add("!!", "x")
	f.Fuzz(func(t *testing.T, token, namespace string) {
		start, version, err := decodeToken(token, namespace)
		if err != nil {
			return
		}
		if version == 0 {
			t.Fatal("a version of 0")
		}
		if !strings.HasPrefix(start, prefixOf(namespace)) {
			t.Fatalf("%q gets out of the namespace %q", start, namespace)
		}
		if !strings.HasPrefix(start, prefixOf(namespace)+"/") { // a key of ours
			again, v, err := decodeToken(encodeToken(start, namespace, version), namespace)
			if err == nil && (again != start || v != version) {
				t.Fatalf("%q, %d became %q, %d", start, version, again, v)
			}
		}
	})
}

func FuzzShardSelector(f *testing.F) {
	f.Add("shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')")
	f.Add("shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000') || shardRange(object.metadata.namespace, '0x1', '0x2')")
	f.Add("shardRange(")
	f.Fuzz(func(t *testing.T, text string) {
		selector, err := parseShardSelector(text)
		if err != nil {
			return
		}
		again, err := parseShardSelector(selector.String())
		if err != nil || again.String() != selector.String() {
			t.Fatalf("%q became %q: %v", text, selector, err)
		}
	})
}

func FuzzAccept(f *testing.F) {
	f.Add("application/json;as=Table;v=v1;g=meta.k8s.io, application/vnd.kubernetes.protobuf;q=0.5, */*")
	f.Add(",;=/*")
	f.Fuzz(func(t *testing.T, header string) {
		clauses := parseAccept(header)
		for i := 1; i < len(clauses); i++ {
			if clauses[i].quality > clauses[i-1].quality {
				t.Fatal("a better clause after a worse one")
			}
		}
	})
}
