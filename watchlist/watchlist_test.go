package watchlist_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes/fake"
	"vedette.dev/watchlist"
)

func TestOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		in   metav1.ListOptions
		want bool
		err  bool
	}{
		"none":                {want: true},
		"selectors":           {in: metav1.ListOptions{LabelSelector: "a=b", FieldSelector: "metadata.name=x"}, want: true},
		"version":             {in: metav1.ListOptions{ResourceVersion: "5"}, want: true},
		"not older than":      {in: metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "NotOlderThan"}, want: true},
		"limit at version 0":  {in: metav1.ListOptions{ResourceVersion: "0", Limit: 500}, want: true},
		"page":                {in: metav1.ListOptions{Limit: 500}},
		"next page":           {in: metav1.ListOptions{Continue: "c"}},
		"exact":               {in: metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "Exact"}},
		"match of no version": {in: metav1.ListOptions{ResourceVersionMatch: "NotOlderThan"}},
		"bad selector":        {in: metav1.ListOptions{LabelSelector: "a b"}, err: true},
	} {
		got, ok, err := watchlist.PrepareWatchListOptionsFromListOptions(tt.in)
		if ok != tt.want || (err != nil) != tt.err {
			t.Errorf("%s: %t, %v", name, ok, err)
		}
		if !ok {
			if got != (metav1.ListOptions{}) {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if !got.Watch || !got.AllowWatchBookmarks || got.SendInitialEvents == nil || !*got.SendInitialEvents || got.Limit != 0 ||
			got.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan || got.ResourceVersion != tt.in.ResourceVersion || got.LabelSelector != tt.in.LabelSelector {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

type client bool

func (c client) IsWatchListSemanticsUnSupported() bool { return bool(c) }

func TestClients(t *testing.T) {
	for c, want := range map[any]bool{nil: false, "x": false, client(true): true, client(false): false, fake.NewSimpleClientset(): false} {
		if watchlist.DoesClientNotSupportWatchListSemantics(c) != want {
			t.Errorf("%T: not %t", c, want)
		}
	}
}
