package podcache

import (
	"iter"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods"
	"vedette.dev/cache"
)

const readPods = 20_000

// BenchmarkReads is the price of each read, by storage: the time for one, and for each object that it returns.
func BenchmarkReads(b *testing.B) {
	for _, s := range []struct {
		name    string
		storage cache.Storage
	}{
		{"live", cache.Storage{}},
		{"packed", cache.Storage{Packed: true}},
		{"projected", cache.Storage{Packed: true, Keep: FiveFields}},
	} {
		r, err := PrepareSynced(Config{Side: harness.Vedette, Encoding: pods.Protobuf, Pods: readPods, Storage: s.storage, Keys: true})
		if err != nil {
			b.Fatal(err)
		}
		v := r.informer.(*vedette)
		if err := v.AddIndexers(cache.Indexers{"node": cache.IndexByField("spec.nodeName")}); err != nil {
			b.Fatal(err)
		}
		lister := cache.NewTypedLister[*corev1.Pod](v.GetIndexer(), corev1.Resource("pods"))
		fields, err := lister.Fields("metadata.labels", "spec.nodeName")
		if err != nil {
			b.Fatal(err)
		}
		first := pods.New(0)
		selected := oneInAHundred(b)

		many := func(read func() (int, error)) func(b *testing.B) {
			return func(b *testing.B) {
				n := 0
				for b.Loop() {
					one, err := read()
					if err != nil || one == 0 {
						b.Fatalf("%d objects, %v", one, err)
					}
					n += one
				}
				b.ReportMetric(float64(n)/float64(b.N), "objects")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/object")
			}
		}
		next := 0
		b.Run(s.name+"/get", func(b *testing.B) {
			for b.Loop() {
				key := pods.Key(next * 7919 % readPods)
				next++
				if _, err := lister.ByNamespace(key.Namespace).Get(key.Name); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.name+"/get-again", func(b *testing.B) {
			for b.Loop() {
				if _, err := lister.ByNamespace(first.Namespace).Get(first.Name); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.name+"/get-fields", func(b *testing.B) {
			for b.Loop() {
				key := pods.Key(next * 7919 % readPods)
				next++
				if _, err := fields.ByNamespace(key.Namespace).Get(key.Name); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.name+"/index", many(func() (int, error) {
			list, err := v.GetIndexer().ByIndex("node", first.Spec.NodeName)
			return len(list), err
		}))
		b.Run(s.name+"/namespace", many(func() (int, error) {
			list, err := lister.ByNamespace(first.Namespace).List(labels.Everything())
			return len(list), err
		}))
		b.Run(s.name+"/list", many(func() (int, error) {
			list, err := lister.List(labels.Everything())
			return len(list), err
		}))
		b.Run(s.name+"/all", many(func() (int, error) { return count(lister.All(labels.Everything())) }))
		b.Run(s.name+"/all-fields", many(func() (int, error) { return count(fields.All(labels.Everything())) }))
		b.Run(s.name+"/all-metadata", many(func() (int, error) {
			return count[*metav1.PartialObjectMetadata](lister.Metadata().All(labels.Everything()))
		}))
		b.Run(s.name+"/selector", many(func() (int, error) {
			list, err := lister.List(selected)
			return len(list), err
		}))
		if err := r.End(); err != nil {
			b.Fatal(err)
		}
	}
}

func count[T any](all iter.Seq2[T, error]) (n int, err error) {
	for _, err := range all {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// oneInAHundred selects the 20 pods of every hundredth ReplicaSet.
func oneInAHundred(b *testing.B) labels.Selector {
	const label = "app.kubernetes.io/instance"
	var values []string
	for i := 0; i < readPods; i += 2000 {
		values = append(values, pods.New(i).Labels[label])
	}
	requirement, err := labels.NewRequirement(label, selection.In, values)
	if err != nil {
		b.Fatal(err)
	}
	return labels.NewSelector().Add(*requirement)
}
