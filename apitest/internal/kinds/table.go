package kinds

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Table is objects as rows, with the columns and cells that the real server makes, which are those that kubectl shows. The
// objects are not changed.
func (k *Kind) Table(objs []runtime.Object, list metav1.ListMeta, include metav1.IncludeObjectPolicy) (*metav1.Table, error) {
	t := &metav1.Table{
		TypeMeta:          metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"},
		ListMeta:          list,
		ColumnDefinitions: k.columns(),
		Rows:              make([]metav1.TableRow, 0, len(objs)),
	}
	for _, obj := range objs {
		row, err := k.row(obj, include)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// recordedColumns are by path and name: "api/v1/pods".
var recordedColumns = sync.OnceValue(func() (columns map[string][]metav1.TableColumnDefinition) {
	recorded().decode("columns.json", &columns)
	return columns
})

func (k *Kind) columns() []metav1.TableColumnDefinition {
	if k.custom != nil {
		return k.custom.columnDefinitions()
	}
	if columns, ok := recordedColumns()[pathOf(k.GroupVersion())+"/"+k.Plural]; ok {
		return columns
	}
	return defaultColumns()
}

// defaultColumns are the columns of kinds without their own.
func defaultColumns() []metav1.TableColumnDefinition {
	docs := metav1.ObjectMeta{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: docs["name"]},
		{Name: "Created At", Type: "date", Description: docs["creationTimestamp"]},
	}
}

func (k *Kind) row(obj runtime.Object, include metav1.IncludeObjectPolicy) (metav1.TableRow, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return metav1.TableRow{}, fmt.Errorf("cannot convert a %T to a row: %w", obj, err)
	}
	row := metav1.TableRow{Cells: k.cells(obj, m), Conditions: rowConditions(obj)}
	switch include {
	case metav1.IncludeNone:
	case metav1.IncludeObject:
		whole := obj.DeepCopyObject()
		whole.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
		row.Object.Object = whole
	default:
		partial := meta.AsPartialObjectMetadata(m)
		partial.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		row.Object.Object = partial
	}
	return row, nil
}

func (k *Kind) cells(obj runtime.Object, m metav1.Object) []any {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return k.unstructuredCells(u)
	}
	if own := cellsOf(obj); own != nil {
		return own
	}
	return defaultCells(m)
}

func defaultCells(m metav1.Object) []any {
	return []any{m.GetName(), m.GetCreationTimestamp().UTC().Format(time.RFC3339)}
}

// age is how long ago something was, in a few characters.
func age(t metav1.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(t.Time))
}

// or is what to show in place of nothing.
func or(text, nothing string) string {
	if text == "" {
		return nothing
	}
	return text
}

// orPtr is what to show in place of nothing.
func orPtr[T any](value *T, nothing string) string {
	if value == nil {
		return nothing
	}
	return fmt.Sprint(*value)
}
