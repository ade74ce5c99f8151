package kinds

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// printerColumn is a column that a definition asks for.
type printerColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
	JSONPath    string `json:"jsonPath"`
}

// ageColumn is what definitions have that ask for none.
var ageColumn = printerColumn{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
	Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]}

func (c *customKind) printed() []printerColumn {
	if len(c.columns) == 0 {
		return []printerColumn{ageColumn}
	}
	return c.columns
}

func (c *customKind) columnDefinitions() []metav1.TableColumnDefinition {
	columns := defaultColumns()[:1]
	for _, p := range c.printed() {
		columns = append(columns, metav1.TableColumnDefinition{Name: p.Name, Type: p.Type, Format: p.Format,
			Priority:    p.Priority,
			Description: or(p.Description, "Custom resource definition column (in JSONPath format): "+p.JSONPath)})
	}
	return columns
}

func (k *Kind) unstructuredCells(u *unstructured.Unstructured) []any {
	switch {
	case k.custom != nil:
		cells := []any{u.GetName()}
		for _, p := range k.custom.printed() {
			cells = append(cells, p.cell(u))
		}
		return cells
	case k.Kind == "APIService":
		return apiServiceCells(u)
	}
	return defaultCells(u)
}

// cell is null where there is nothing, or nothing of the right type.
func (p printerColumn) cell(u *unstructured.Unstructured) any {
	values, err := findPath(u.Object, p.JSONPath)
	if err != nil || len(values) == 0 {
		return nil
	}
	switch v := values[0].(type) {
	case string:
		if p.Type == "date" {
			return dateCell(v)
		}
		if p.Type == "string" {
			return v
		}
	case int64:
		switch p.Type {
		case "integer":
			return v
		case "number":
			return float64(v)
		}
	case float64:
		switch p.Type {
		case "integer":
			return int64(v)
		case "number":
			return v
		}
	case bool:
		if p.Type == "boolean" {
			return v
		}
	}
	if p.Type == "string" {
		return textCell(values[0])
	}
	return nil
}

func dateCell(text string) any {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<invalid>"
	}
	return age(metav1.NewTime(t))
}

func textCell(value any) any {
	switch value.(type) {
	case map[string]any, []any:
		text, err := json.Marshal(value)
		if err != nil {
			return nil
		}
		return string(text)
	}
	return fmt.Sprint(value)
}

func apiServiceCells(u *unstructured.Unstructured) []any {
	service, available := "Local", "Unknown"
	if name, ok, _ := unstructured.NestedString(u.Object, "spec", "service", "name"); ok {
		namespace, _, _ := unstructured.NestedString(u.Object, "spec", "service", "namespace")
		service = namespace + "/" + name
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if fields, _ := c.(map[string]any); fields["type"] == "Available" {
			available = fmt.Sprint(fields["status"])
			if reason := fields["reason"]; available != "True" && reason != nil {
				available += fmt.Sprintf(" (%v)", reason)
			}
		}
	}
	return []any{u.GetName(), service, available, age(u.GetCreationTimestamp())}
}
