/** The value of `app.kubernetes.io/managed-by` on all that the operator creates. */
export const managedBy = 'ordinal-operator';

/** Whose children the labels mark. */
export interface Labelled {
  /** The kind in kebab case: `clustered-cache`. */
  readonly application: string;
  /** The resource's name. */
  readonly instance: string;
}

/** The labels by which the pods of a resource are selected. They never change, because a StatefulSet's selector can't. */
export function selectorLabels({ application, instance }: Labelled): Record<string, string> {
  return { app: instance, 'app.kubernetes.io/name': application, 'app.kubernetes.io/instance': instance };
}

/** The recommended labels of every child of a resource. */
export function childLabels(of: Labelled): Record<string, string> {
  return { ...selectorLabels(of), 'app.kubernetes.io/managed-by': managedBy };
}

/** Labels as a selector's text: `a=b,c=d`. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
