package wirefilter_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/wire/wirefilter"
)

func Example() {
	f, err := wirefilter.Keep(&corev1.Pod{}, "spec.nodeName", "spec.containers.image")
	if err != nil {
		panic(err)
	}
	pod := `{"metadata":{"name":"web","managedFields":[{}]},"spec":{"nodeName":"n1","containers":[{"name":"a","image":"nginx"},{"name":"b"}]}}`
	left, err := f.JSON(nil, []byte(pod))
	fmt.Println(string(left), err)

	_, err = wirefilter.Keep(&corev1.Pod{}, "spec.nodename")
	fmt.Println(err)
	// Output:
	// {"metadata":{"name":"web"},"spec":{"nodeName":"n1","containers":[{"image":"nginx"},{}]}} <nil>
	// pods have no field spec.nodename; did you mean spec.nodeName?
}
