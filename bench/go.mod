module vedette.dev/bench

go 1.26.8

require (
	golang.org/x/time v0.16.0
	golang.org/x/tools v0.51.0
	k8s.io/client-go v0.37.2
	vedette.dev v0.0.0
)

require (
	github.com/go-logr/logr v1.4.4 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	k8s.io/apimachinery v0.37.2 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/utils v0.0.0-20260707023825-cf1189d6abe3 // indirect
)

replace vedette.dev => ../
