package conformance

import (
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/retry"
)

// together runs n calls at once, and returns their errors.
func together(n int, call func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-begin
			errs[i] = call(i)
		})
	}
	close(begin)
	wg.Wait()
	return errs
}

// won counts those without an error; all others have to be of one kind.
func (e *env) won(errs []error, lost func(error) bool) (n int) {
	e.Helper()
	for _, err := range errs {
		switch {
		case err == nil:
			n++
		case !lost(err):
			e.Error(err)
		}
	}
	return n
}

var concurrency = []behaviour{
	{"of many writers on one version exactly one wins", func(e *env) {
		c := e.create(configMap("a", "k", "0"))
		errs := together(10, func(i int) error {
			mine := c.DeepCopy()
			mine.Data["k"] = fmt.Sprint("writer ", i)
			_, err := e.configMaps().Update(e.ctx, mine, metav1.UpdateOptions{})
			return err
		})
		if n := e.won(errs, apierrors.IsConflict); n != 1 {
			e.Errorf("%d writers won", n)
		}
	}},
	{"of many creators of one name exactly one wins", func(e *env) {
		e.namespace()
		errs := together(10, func(int) error {
			_, err := e.configMaps().Create(e.ctx, configMap("a"), metav1.CreateOptions{})
			return err
		})
		if n := e.won(errs, apierrors.IsAlreadyExists); n != 1 {
			e.Errorf("%d creators won", n)
		}
	}},
	{"of many who delete exactly one finds it", func(e *env) {
		e.create(configMap("a"))
		errs := together(10, func(int) error { return e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{}) })
		if n := e.won(errs, apierrors.IsNotFound); n != 1 {
			e.Errorf("%d deleted it", n)
		}
	}},
	{"many creators with generateName get names of their own", func(e *env) {
		e.namespace()
		errs := together(50, func(int) error {
			c := configMap("")
			c.GenerateName = "many-"
			_, err := e.configMaps().Create(e.ctx, c, metav1.CreateOptions{})
			return err
		})
		if n, l := e.won(errs, func(error) bool { return false }), e.list(metav1.ListOptions{}); n != 50 || len(l.Items) != 50 {
			e.Errorf("%d created, %d there", n, len(l.Items))
		}
	}},
	{"patches without a version all take effect", func(e *env) {
		e.create(configMap("a"))
		const n = 5 // the server tries each five times
		errs := together(n, func(i int) error {
			_, err := e.configMaps().Patch(e.ctx, "a", types.MergePatchType, []byte(fmt.Sprintf(`{"data":{"k%d":"v"}}`, i)), metav1.PatchOptions{})
			return err
		})
		if e.won(errs, func(error) bool { return false }); len(e.read("a").Data) != n {
			e.Errorf("%v", e.read("a").Data)
		}
	}},
	{"clients that retry after a conflict all succeed", func(e *env) {
		e.create(configMap("a"))
		errs := together(5, func(i int) error {
			return retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error {
				c, err := e.configMaps().Get(e.ctx, "a", metav1.GetOptions{})
				if err != nil {
					return err
				}
				if c.Data == nil {
					c.Data = map[string]string{}
				}
				c.Data[fmt.Sprint(i)] = "here"
				_, err = e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
				return err
			})
		})
		n := e.won(errs, apierrors.IsConflict) // an attempt may fail; no change may be lost
		if got := len(e.read("a").Data); got != n {
			e.Errorf("%d got through, %d changes are there", n, got)
		}
	}},
	{"a watch sees every one of many changes at once", func(e *env) {
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
		errs := together(30, func(i int) error {
			_, err := e.configMaps().Create(e.ctx, configMap(fmt.Sprint("c", i)), metav1.CreateOptions{})
			return err
		})
		e.won(errs, func(error) bool { return false })
		seen := map[string]bool{}
		var events []told
		for range 30 {
			event := w.next()
			events, seen[event.String()] = append(events, event), true
		}
		if e.grows(events); len(seen) != 30 {
			e.Errorf("%d of 30: %q", len(seen), words(events))
		}
	}},
}
