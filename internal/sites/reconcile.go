package sites

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/ownwrites"
)

// finalizer keeps a site until its pages are deleted.
const finalizer = Group + "/pages"

// Reconcile creates and updates the pages of a site, and writes their number to its status. For a deleted site, it deletes the pages.
func (o *Operator) Reconcile(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
	site, err := o.sites.Lister().ByNamespace(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return controller.Result{}, nil // its pages were deleted before it
	}
	if err != nil {
		return controller.Result{}, err
	}
	if site.DeletionTimestamp != nil {
		return controller.Result{}, o.remove(ctx, site)
	}
	if !slices.Contains(site.Finalizers, finalizer) {
		if err := o.setFinalizers(ctx, site, append(slices.Clone(site.Finalizers), finalizer)); err != nil {
			return controller.Result{}, err
		}
	}
	count, err := o.writePages(ctx, site)
	return controller.Result{}, errors.Join(err, o.writeStatus(ctx, site, count, err))
}

// writePages creates, updates and deletes pages according to the spec of a site, and returns how many are up to date.
func (o *Operator) writePages(ctx context.Context, site *Site) (count int, err error) {
	pages, err := o.pagesOf(site)
	if err != nil {
		return 0, err
	}
	there := make(map[string]*corev1.ConfigMap)
	for _, page := range pages {
		there[page.Name] = page
	}
	for i := range site.Spec.Pages {
		name := fmt.Sprintf("%s-%d", site.Name, i)
		if err := o.writePage(ctx, site, name, there[name]); err != nil {
			return count, err
		}
		delete(there, name)
		count++
	}
	for _, page := range there { // the surplus
		if err := o.deletePage(ctx, site, page); err != nil {
			return count, err
		}
	}
	return count, nil
}

func (o *Operator) writePage(ctx context.Context, site *Site, name string, page *corev1.ConfigMap) error {
	api := ownwrites.Client(o.config.Client.CoreV1().ConfigMaps(site.Namespace), o.own)
	switch {
	case page == nil:
		page = &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{site.OwnerReference(o.config.Resource)}},
			Data:       map[string]string{"text": site.Spec.Text},
		}
		_, err := api.Create(ctx, page, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("config map %s/%s exists and is not a page of this site; remove or rename one of them: %w", site.Namespace, name, err)
		}
		if err == nil {
			o.eventf(site, "Created", "created page %s", name)
		}
		return err
	case page.Data["text"] != site.Spec.Text:
		page = page.DeepCopy() // objects of the cache are shared
		page.Data = map[string]string{"text": site.Spec.Text}
		_, err := api.Update(ctx, page, metav1.UpdateOptions{})
		return err
	}
	return nil
}

func (o *Operator) deletePage(ctx context.Context, site *Site, page *corev1.ConfigMap) error {
	api := ownwrites.Client(o.config.Client.CoreV1().ConfigMaps(site.Namespace), o.own)
	// Do not delete another object of the same name.
	err := api.Delete(ctx, page.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(page.UID))})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		o.eventf(site, "Deleted", "deleted page %s", page.Name)
	}
	return err
}

// remove deletes the pages of a deleted site, and then removes the finalizer.
func (o *Operator) remove(ctx context.Context, site *Site) error {
	if !slices.Contains(site.Finalizers, finalizer) {
		return nil
	}
	pages, err := o.pagesOf(site)
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := o.deletePage(ctx, site, page); err != nil {
			return err
		}
	}
	rest := slices.DeleteFunc(slices.Clone(site.Finalizers), func(f string) bool { return f == finalizer })
	err = o.setFinalizers(ctx, site, rest)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// setFinalizers writes the finalizers, unless the site has changed since it was read.
func (o *Operator) setFinalizers(ctx context.Context, site *Site, finalizers []string) error {
	return o.patch(ctx, site, map[string]any{
		"metadata": map[string]any{"finalizers": finalizers, "resourceVersion": site.ResourceVersion, "uid": site.UID},
	})
}

// writeStatus writes the status if it has changed.
func (o *Operator) writeStatus(ctx context.Context, site *Site, count int, problem error) error {
	status := SiteStatus{Pages: count, ObservedGeneration: site.Generation}
	if problem != nil {
		status.Message = problem.Error()
	}
	if status == site.Status {
		return nil
	}
	return o.patch(ctx, site, map[string]any{"status": status}, "status")
}

func (o *Operator) patch(ctx context.Context, site *Site, patch map[string]any, subresources ...string) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = o.config.API.In(site.Namespace).Patch(ctx, site.Name, types.MergePatchType, data, metav1.PatchOptions{}, subresources...)
	return err
}
