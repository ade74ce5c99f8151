package migrate

import (
	"go/ast"
	"go/token"
)

// forwarded are packages that register metrics of work queues and electors with client-go. bridge.ForwardMetrics makes those of Vedette count
// there, and needs no configuration for it, as the metrics of requests do.
var forwarded = map[string]bool{
	"k8s.io/component-base/metrics/prometheus/workqueue":               true,
	"k8s.io/component-base/metrics/prometheus/clientgo/leaderelection": true,
}

// forwardMetrics adds a call of bridge.ForwardMetrics to a file that registers metrics by an import: at the begin of main, or in an init function.
func (m *migration) forwardMetrics(s *source, at func(token.Pos) Place) {
	name := s.importNamed(bridgePath, "bridge")
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && s.file.Name.Name == "main" && f.Recv == nil && f.Name.Name == "main" && f.Body != nil {
			s.insert(f.Body.Lbrace+1, "\n\t"+name+".ForwardMetrics() // metrics of queues and electors are registered with client-go\n")
			m.report.Forwarded = append(m.report.Forwarded, at(f.Pos()))
			return
		}
	}
	s.insert(s.file.FileEnd, "\n// Metrics of queues and electors are registered with client-go.\nfunc init() { "+name+".ForwardMetrics() }\n")
	m.report.Forwarded = append(m.report.Forwarded, at(s.file.Package))
}
