package sites

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/gentype"
	"vedette.dev/informers"
	"vedette.dev/informers/custominformer"
	"vedette.dev/kubernetes"
	"vedette.dev/ownwrites"
	"vedette.dev/record"
)

// Config configures an operator. All fields but Recorder are required.
type Config struct {
	// Resource is the resource of sites, and API their client.
	Resource gentype.Resource
	API      *gentype.Custom[Site]
	// Client is for the pages. Factory has the informers of both; the caller starts it.
	Client  kubernetes.Interface
	Factory *informers.Factory
	// Recorder receives the events of sites. It may be nil.
	Recorder record.EventRecorder
}

func (c *Config) validate() error {
	switch {
	case c.Resource.Kind == "":
		return errors.New("sites: Config.Resource is empty; it must be what Resource returns")
	case c.API == nil:
		return errors.New("sites: Config.API is nil; it must be the client of the sites")
	case c.Client == nil:
		return errors.New("sites: Config.Client is nil; it must be the client of the pages")
	case c.Factory == nil:
		return errors.New("sites: Config.Factory is nil; it must be the factory of the informers")
	}
	return nil
}

// Operator creates the pages of sites.
type Operator struct {
	config Config
	sites  *custominformer.Informer[*Site]
	pages  cache.TypedSharedIndexInformer[*corev1.ConfigMap]
	own    *ownwrites.Tracker
	// known has the pages of the informer and the later writes of this program.
	known cache.TypedIndexer[*corev1.ConfigMap]
}

// byOwner is the index of pages by the UID of their site.
const byOwner = "owner"

// New returns an operator. It uses informers of the factory, so call it before the factory is started.
func New(config Config) (*Operator, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	sites, err := custominformer.New(config.API, custominformer.Config{Share: config.Factory.Pool})
	if err != nil {
		return nil, err
	}
	pages := config.Factory.Core().V1().ConfigMaps().TypedInformer()
	err = pages.AddTypedIndexers(cache.TypedIndexers[*corev1.ConfigMap]{byOwner: func(page *corev1.ConfigMap) ([]string, error) {
		if uid := Of(page); uid != "" {
			return []string{string(uid)}, nil
		}
		return nil, nil
	}})
	if err != nil {
		return nil, err
	}
	own, err := ownwrites.New(pages, ownwrites.Config{})
	if err != nil {
		return nil, err
	}
	return &Operator{
		config: config, sites: sites, pages: pages, own: own, known: cache.NewTypedIndexer[*corev1.ConfigMap](own.Indexer()),
	}, nil
}

// Close ends the tracking of own writes. Call it when the controller has stopped.
func (o *Operator) Close() error { return o.own.Close() }

// Sources returns the sources of the controller: sites whose spec has changed, and pages that others have changed.
func (o *Operator) Sources() []controller.Source[cache.ObjectName] {
	return []controller.Source[cache.ObjectName]{
		controller.For(o.sites.Informer(), controller.GenerationChanged[*Site]()),
		controller.Owns(o.pages, controller.Owner{Group: o.config.Resource.Group, Kind: o.config.Resource.Kind},
			controller.ByOthers[*corev1.ConfigMap](o.own)),
	}
}

// Informers returns the informers of sites and pages.
func (o *Operator) Informers() (sites cache.TypedSharedIndexInformer[*Site], pages cache.TypedSharedIndexInformer[*corev1.ConfigMap]) {
	return o.sites.Informer(), o.pages
}

// eventf records an event of a site.
func (o *Operator) eventf(site *Site, reason, format string, args ...any) {
	if o.config.Recorder != nil {
		o.config.Recorder.Eventf(site.Reference(o.config.Resource), corev1.EventTypeNormal, reason, format, args...)
	}
}

// pagesOf returns the pages of a site.
func (o *Operator) pagesOf(site metav1.Object) ([]*corev1.ConfigMap, error) {
	return o.known.ByTypedIndex(byOwner, string(site.GetUID()))
}
