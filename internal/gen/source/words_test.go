package source

import "testing"

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"Pods":           "pods",
		"ReplicaSets":    "replica sets",
		"CSIDrivers":     "CSI drivers",
		"ServiceCIDRs":   "service CIDRs",
		"IPAddresses":    "IP addresses",
		"LeaseCandidate": "lease candidate",
	} {
		if got := words(name); got != want {
			t.Errorf("words(%q) = %q, want %q", name, got, want)
		}
	}
}
