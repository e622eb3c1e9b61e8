import type { KubernetesObject } from '@ordinal/client';

/** A Secret or ConfigMap that something names, and the keys of it that it names. */
export interface Named {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly keys: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where pod templates, and our own kinds, name a Secret or a ConfigMap; and which field has its name. */
const places: Readonly<Record<string, readonly [kind: Named['kind'], field: 'name' | 'secretName']>> = {
  secretKeyRef: ['Secret', 'name'],
  secretRef: ['Secret', 'name'],
  credentialsSecretRef: ['Secret', 'name'],
  providerRef: ['Secret', 'name'],
  configMapKeyRef: ['ConfigMap', 'name'],
  configMapRef: ['ConfigMap', 'name'],
  configMap: ['ConfigMap', 'name'],
};

function* found(value: unknown): Generator<Named> {
  if (Array.isArray(value)) for (const item of value) yield* found(item);
  if (!isObject(value)) return;
  for (const [field, part] of Object.entries(value)) {
    yield* found(part);
    if (!isObject(part)) continue;
    // A volume names a Secret otherwise than a projection.
    const secret = part['secretName'] === undefined ? 'name' : 'secretName';
    const [kind, nameField] = field === 'secret' ? (['Secret', secret] as const) : (places[field] ?? []);
    const name = nameField === undefined ? undefined : part[nameField];
    // That one is in each namespace.
    if (kind === undefined || typeof name !== 'string' || name === 'kube-root-ca.crt') continue;
    yield { kind, name, keys: typeof part['key'] === 'string' ? [part['key']] : [] };
  }
}

/** The Secrets and ConfigMaps that these objects name, each once, with all keys that are named. Pure. */
export function namedIn(objects: readonly KubernetesObject[]): readonly Named[] {
  const all = new Map<string, Named>();
  for (const one of objects.flatMap((object) => [...found(object)])) {
    const key = `${one.kind} ${one.name}`;
    all.set(key, { ...one, keys: [...new Set([...(all.get(key)?.keys ?? []), ...one.keys])] });
  }
  return [...all.values()];
}
