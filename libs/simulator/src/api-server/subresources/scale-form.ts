import { items, part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';

/** The names of a path: `.spec.replicas` has two. */
export const steps = (path: string): readonly string[] => path.split('.').filter((step) => step !== '');

function valueAt(object: unknown, path: string): unknown {
  return steps(path).reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), object);
}

/** A label selector as text, as the scale subresource shows it. */
export function selectorText(selector: unknown): string | undefined {
  if (typeof selector === 'string') return selector === '' ? undefined : selector;
  if (!isObject(selector)) return undefined;
  const labels = Object.entries(part(selector, 'matchLabels')).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }));
  const expressions = items(selector['matchExpressions']).map((expression) => ({
    key: String(expression['key']),
    text: expressionText(expression),
  }));
  const all = [...labels, ...expressions].sort((left, right) => (left.key < right.key ? -1 : 1));
  return all.map(({ text }) => text).join(',');
}

function expressionText(expression: JsonObject): string {
  const key = String(expression['key']);
  const values = (Array.isArray(expression['values']) ? expression['values'].map(String) : []).sort().join(',');
  switch (expression['operator']) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}

/** An object in the form of the scale subresource. */
export function scaleOf(resource: ServerResource, object: StoredObject): JsonObject {
  const { scale } = resource;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = Number(valueAt(object, scale?.specReplicasPath ?? '') ?? 0);
  const selected = scale?.labelSelectorPath && valueAt(object, scale.labelSelectorPath);
  // A ReplicationController selects by labels alone.
  const selector = selectorText(resource.storage === 'replicationcontrollers' ? { matchLabels: selected } : selected);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: Number(valueAt(object, scale?.statusReplicasPath ?? '') ?? 0),
      ...(selector !== undefined && selector !== '' && { selector }),
    },
  };
}
