package custominformer_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/gentype"
	"vedette.dev/informers/custominformer"
)

// An informer for a struct of your own: no scheme, no DeepCopy, nothing generated.
func Example() {
	server, err := apitest.Start(apitest.Config{InProcess: true, Kinds: []apitest.Kind{widgetKind}})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())

	client, err := gentype.NewForConfig[Widget](server.RESTConfig(), gentype.Resource{
		Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets",
	})
	if err != nil {
		panic(err)
	}
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: WidgetSpec{Size: 3}}
	if _, err := client.In("default").Create(ctx, widget, metav1.CreateOptions{}); err != nil {
		panic(err)
	}

	widgets, err := custominformer.New(client, custominformer.Config{})
	if err != nil {
		panic(err)
	}
	done := make(chan struct{})
	go func() { widgets.Informer().RunWithContext(ctx); close(done) }()
	cache.WaitFor(ctx, "widgets", widgets.Informer().HasSyncedChecker())

	found, err := widgets.Lister().ByNamespace("default").Get("one")
	fmt.Println(found.Name, found.Spec.Size, err)
	_, err = widgets.Lister().ByNamespace("default").Get("two")
	fmt.Println(err)
	cancel()
	<-done
	// Output:
	// one 3 <nil>
	// widgets.example.com "two" not found
}
