package browsertest

import "testing"

// Screenshots are made of the views that people see first.
func TestScreenshots(t *testing.T) {
	b := open(t, newProgram(t, true))
	dir := t.ArtifactDir()
	b.visit("")
	b.until(stage + `.dataset.level === "failing"`)
	for _, screen := range []struct {
		name          string
		width, height int64
	}{{"laptop", 1360, 850}, {"phone", 390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(screen.width, screen.height, scheme)
			for name, view := range map[string]string{
				"pipeline": "", "charts": "charts", "objects": "objects?informer=core/v1.Pod&sort=largest", "queues": "queues", "shards": "shards",
				"explain": "explain?controller=pod-labels&key=shop/" + stuckPod, "secret": "object?informer=core/v1.Secret&key=shop/database",
			} {
				b.visit(view)
				if name == "charts" {
					b.until(`document.querySelectorAll("canvas").length >= 6`)
				}
				b.screenshot(dir, name+"-"+screen.name+"-"+scheme)
			}
		}
	}
	t.Log("the screenshots are in", dir)
}
