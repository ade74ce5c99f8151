package binaries

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"

	"vedette.dev/testenv/internal/controlplane"
)

// recipe has all inputs of a build.
type recipe struct {
	programs []controlplane.Program
	versions controlplane.Versions
	goos     string
	goarch   string
	// goVersion is the Go version of this program. The go command that builds is the same in all but odd cases, and asking it would
	// make it a condition for using programs that are built already.
	goVersion string
	// patched is the source of Vedette that the programs' client-go runs on, nil for client-go as it was published.
	patched *tree
}

func currentRecipe(programs ...controlplane.Program) (recipe, error) {
	v, err := controlplane.ReadVersions()
	if err != nil {
		return recipe{}, err
	}
	return recipe{programs: programs, versions: v, goos: runtime.GOOS, goarch: runtime.GOARCH, goVersion: runtime.Version()}, nil
}

// key names the set, for people (versions) and without doubt (hash).
func (r recipe) key() string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q", controlplane.Content(), r.flags())
	goVersion, _, _ := strings.Cut(r.goVersion, " ") // "go1.26.8 X:..." where experiments are on
	fmt.Fprintf(hash, " %q", r.goVersion)
	var name strings.Builder
	name.WriteString(r.variant())
	if r.patched != nil {
		fmt.Fprintf(hash, " %q %q", r.patched.sum, programPackages)
	}
	for _, p := range r.programs {
		fmt.Fprintf(&name, "%s-%s-", p.Name, r.versions.Of(p))
	}
	return fmt.Sprintf("%s%s-%s-%s-%.4x", &name, r.goos, r.goarch, goVersion, hash.Sum(nil))
}

// variant begins the keys of programs that are not as they were published.
func (r recipe) variant() string {
	if r.patched == nil {
		return ""
	}
	return "on-vedette-"
}

func (r recipe) String() string {
	var each []string
	for _, p := range r.programs {
		each = append(each, p.Name+" "+r.versions.Of(p))
	}
	text := strings.Join(each, " and ")
	if r.patched != nil {
		text += " on Vedette"
	}
	return text
}

func (r recipe) names() (names []string) {
	for _, p := range r.programs {
		names = append(names, p.Name)
	}
	return names
}

// flags are those of go build and, as its questions must be about the same build, of go list.
func (r recipe) flags() []string {
	return []string{"-trimpath", "-buildvcs=false", "-ldflags=" + r.linkerFlags()}
}

// linkerFlags leave symbols out and set the version, without which the server believes that it is v0.0.0.
func (r recipe) linkerFlags() string {
	const version = "k8s.io/component-base/version."
	major, minor := controlplane.MajorMinor(r.versions.Kubernetes)
	return strings.Join([]string{
		"-s -w",
		"-X " + version + "gitVersion=" + r.versions.Kubernetes,
		"-X " + version + "gitMajor=" + major,
		"-X " + version + "gitMinor=" + minor,
	}, " ")
}

// environ is for the go command: nothing of the user's workspace or flags gets in, while proxies and caches stay theirs.
func (r recipe) environ(base []string, tmp string) []string {
	return append(base,
		"GOWORK=off",
		"GOFLAGS=-mod=readonly", // not empty: that would fall back to what `go env -w` has set
		"CGO_ENABLED=0",
		"GOOS="+r.goos,
		"GOARCH="+r.goarch,
		"GOTMPDIR="+tmp, // so that a build that is killed leaves nothing in the system's folder
	)
}
