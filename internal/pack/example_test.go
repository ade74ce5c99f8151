package pack_test

import (
	"fmt"

	"vedette.dev/internal/pack"
)

func Example() {
	p := pack.New(pack.Config{})
	const group = 1 // of a real object: a hash of its owner's UID
	var packed []pack.Packed
	for i := range 100 {
		object := fmt.Appendf(nil, `{"kind":"Widget","metadata":{"name":"widget-%d","namespace":"production"},"spec":{`+
			`"description":"all that widgets of one group have in common, which is a lot","colour":"green","size":"large",`+
			`"selector":{"matchLabels":{"app.kubernetes.io/name":"widgets","app.kubernetes.io/part-of":"the example"}}}}`, i)
		packed = append(packed, p.Pack(object, group))
	}
	x := packed[42]
	object, err := x.AppendTo(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s...\n", object[:50])
	fmt.Println(x.Size() < x.Len()/5)
	// Output:
	// {"kind":"Widget","metadata":{"name":"widget-42","n...
	// true
}
