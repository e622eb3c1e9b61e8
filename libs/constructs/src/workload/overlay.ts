import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists whose entries are distinguished by a key, as strategic merge does for pods, and how two entries of one key become one. */
const lists: Readonly<Record<string, { readonly key: string; readonly entries: 'merge' | 'replace' }>> = {
  containers: { key: 'name', entries: 'merge' },
  initContainers: { key: 'name', entries: 'merge' },
  ports: { key: 'containerPort', entries: 'merge' },
  env: { key: 'name', entries: 'replace' },
  volumes: { key: 'name', entries: 'replace' },
  volumeMounts: { key: 'mountPath', entries: 'replace' },
  volumeDevices: { key: 'devicePath', entries: 'replace' },
  imagePullSecrets: { key: 'name', entries: 'replace' },
  hostAliases: { key: 'ip', entries: 'replace' },
};

/** Of these, an object has one at most: an overlay that names another one takes its place. */
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

const withoutHandlers = (base: Json): Json =>
  Object.fromEntries(Object.entries(base).filter(([key]) => !handlers.some((handler) => handler === key)));

function mergeList(base: readonly unknown[], overlay: readonly unknown[], field: string): readonly unknown[] {
  const rule = lists[field];
  if (!rule) return overlay;
  const keyOf = (entry: unknown): unknown => (isRecord(entry) ? entry[rule.key] : undefined);
  const counterpart = (entry: unknown): unknown => overlay.find((other) => keyOf(other) === keyOf(entry));
  const merged = base.map((entry) => {
    const other = counterpart(entry);
    if (other === undefined) return entry;
    return rule.entries === 'merge' ? merge(entry, other, '') : other;
  });
  return [...merged, ...overlay.filter((entry) => !base.some((other) => keyOf(other) === keyOf(entry)))];
}

function merge(base: unknown, overlay: unknown, field: string): unknown {
  if (overlay === undefined) return base;
  if (Array.isArray(base) && Array.isArray(overlay)) return mergeList(base, overlay, field);
  if (!isRecord(base) || !isRecord(overlay)) return overlay;
  const below = handlers.some((handler) => handler in overlay) ? withoutHandlers(base) : base;
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(overlay)) merged[key] = merge(below[key], value, key);
  return merged;
}

/** A part of a pod template: nothing in it is required. */
export interface PodTemplateOverlay {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
}

/**
 * Merges what a user says of a pod over the generated pod. Containers, ports, environment variables, volumes and mounts are merged by their key, as
 * strategic merge does it; a probe or a lifecycle hook of the overlay replaces the generated action and keeps its timing; every other list replaces
 * the generated one. Generated labels win, because selectors depend on them.
 */
export function overlayPodTemplate(
  generated: PodTemplateSpec,
  overlay: PodTemplateOverlay | undefined,
): PodTemplateSpec {
  if (!overlay) return generated;
  const merged = merge(generated, overlay, '') as PodTemplateSpec; // A merge of two parts of pod templates has the shape of one.
  const labels = { ...merged.metadata?.labels, ...generated.metadata?.labels };
  return { ...merged, metadata: { ...merged.metadata, labels } };
}
