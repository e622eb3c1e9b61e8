import { hash } from 'node:crypto';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';

/** The annotation on pods that says from which template they were made. */
export const templateHashAnnotation = 'ordinal.dev/template-hash';

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, entry]) => [key, canonical(entry)]),
  );
};

/** Hashes of values that can't change any more. What is frozen is frozen inside too. */
const hashes = new WeakMap<object, string>();

/** The hash of a JSON value, whatever the order of its keys: ten hexadecimal digits. */
export function hashOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return computedHash(value);
  const known = hashes.get(value) ?? computedHash(value);
  hashes.set(value, known);
  return known;
}

const computedHash = (value: unknown): string => hash('sha256', JSON.stringify(canonical(value))).slice(0, 10);

/**
 * The template with its own hash in an annotation, so that each pod shows from which template it was made, whatever the StatefulSet's status knows
 * yet. Nothing but the template goes into the hash: a change of claims, of replicas or of the operator's flags replaces no pod.
 */
export function withTemplateHash(template: PodTemplateSpec): PodTemplateSpec {
  const annotations = { ...template.metadata?.annotations, [templateHashAnnotation]: hashOf(template) };
  return { ...template, metadata: { ...template.metadata, annotations } };
}

/** What of a pod template says its hash. */
interface Hashed {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The hash that a pod template says of itself; empty where it says none. */
export function hashIn(template: Hashed | undefined): string {
  return template?.metadata?.annotations?.[templateHashAnnotation] ?? '';
}
