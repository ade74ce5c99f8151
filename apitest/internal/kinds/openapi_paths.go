package kinds

// addPaths adds the paths of a custom kind. kubectl finds the schema of a kind by them, and asks there whether a server
// understands dryRun and fieldValidation.
func (k *Kind) addPaths(paths object) {
	root := "/apis/" + k.Group + "/" + k.Version + "/"
	collection := root + k.Plural
	if k.Namespaced {
		collection = root + "namespaces/{namespace}/" + k.Plural
		paths[root+k.Plural] = object{"get": k.operation("list", k.custom.listKind)}
	}
	paths[collection] = object{
		"get":    k.operation("list", k.custom.listKind),
		"post":   k.operation("post", k.Kind, "dryRun", "fieldManager", "fieldValidation"),
		"delete": k.operation("deletecollection", "", "dryRun"),
	}
	one := collection + "/{name}"
	paths[one] = k.itemPaths(k.schemaName(k.Kind), object{
		"delete": k.operation("delete", "", "dryRun"),
	})
	for _, s := range k.Subresources {
		name := k.schemaName(k.Kind)
		if s.Name == "scale" {
			name = "io.k8s.api.autoscaling.v1.Scale"
		}
		paths[one+"/"+s.Name] = k.itemPaths(name, object{})
	}
}

func (k *Kind) itemPaths(schema string, item object) object {
	item["get"] = k.answering("get", schema)
	item["put"] = k.answering("put", schema, "dryRun", "fieldManager", "fieldValidation")
	item["patch"] = k.answering("patch", schema, "dryRun", "fieldManager", "fieldValidation", "force")
	return item
}

func (k *Kind) operation(action, kind string, parameters ...string) object {
	if kind == "" {
		return k.answering(action, "io.k8s.apimachinery.pkg.apis.meta.v1.Status", parameters...)
	}
	return k.answering(action, k.schemaName(kind), parameters...)
}

// answering is an operation whose answer has a schema.
func (k *Kind) answering(action, schema string, parameters ...string) object {
	content := object{}
	for _, media := range []string{jsonMedia, yamlMedia} {
		content[media] = object{"schema": object{"$ref": componentPrefix + schema}}
	}
	var list []any
	for _, name := range parameters {
		kind := "string"
		if name == "force" {
			kind = "boolean"
		}
		list = append(list, object{"name": name, "in": "query", "schema": object{"type": kind, "uniqueItems": true}})
	}
	op := object{
		"responses": object{
			"200": object{"description": "OK", "content": content},
			"401": object{"description": "Unauthorized"},
		},
		"x-kubernetes-action":             action,
		"x-kubernetes-group-version-kind": object{"group": k.Group, "version": k.Version, "kind": k.Kind},
	}
	if list != nil {
		op["parameters"] = list
	}
	return op
}
