import type { ResourceDescriptor } from '../descriptor.ts';
import type { KubernetesObject, KubernetesObjectInput } from '../object.ts';

/** The same shape, read-only all the way down: objects are values, and those in a cache are frozen. */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends readonly (infer Entry)[]
    ? readonly DeepReadonly<Entry>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

/** What the published types of every built-in kind share. */
interface Published {
  apiVersion?: string;
  kind?: string;
  metadata?: unknown;
}

type Body<Kind extends Published> = DeepReadonly<Omit<Kind, keyof Published>>;
interface Identity<Kind extends Published> {
  readonly apiVersion: NonNullable<Kind['apiVersion']>;
  readonly kind: NonNullable<Kind['kind']>;
}

/**
 * A built-in kind as the server returns it: with its identity and the metadata that the server fills in. `Always` names the fields that the
 * server never leaves out.
 */
export type BuiltInRead<Kind extends Published, Always extends keyof Kind = never> = KubernetesObject &
  Identity<Kind> &
  Omit<Body<Kind>, Always> & { readonly [Field in Always]-?: DeepReadonly<NonNullable<Kind[Field]>> };

/** A built-in kind as it is written. */
export type BuiltInWrite<Kind extends Published> = KubernetesObjectInput & Identity<Kind> & Body<Kind>;

/** The descriptor of a built-in kind. */
export type BuiltIn<Kind extends Published, Always extends keyof Kind = never> = ResourceDescriptor<
  BuiltInRead<Kind, Always>,
  BuiltInWrite<Kind>
>;

/** The scale subresource as the built-in workloads have it. */
export const workloadScale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } as const;
