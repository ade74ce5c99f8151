//go:build !perturb

package perturb

// Point does nothing.
func Point() {}
