/** A step of a path with its parent: a field, the key of a map, or an index. */
export type FieldPath = { readonly parent: FieldPath | undefined } & (
  { readonly child: string } | { readonly key: string } | { readonly index: number }
);

/** The path as `field.Path` of k8s.io/apimachinery prints it: `spec.ports[0].labels[app]`; the root is `<nil>`. */
export function fieldPath(path: FieldPath | undefined): string {
  if (path === undefined) return '<nil>';
  const steps: string[] = [];
  for (let at: FieldPath | undefined = path; at !== undefined; at = at.parent) {
    if ('child' in at) steps.push(at.parent === undefined ? at.child : `.${at.child}`);
    else steps.push('key' in at ? `[${at.key}]` : `[${String(at.index)}]`);
  }
  return steps.reverse().join('');
}
