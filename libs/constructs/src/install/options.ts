import type { InstallValues } from './generated/values.ts';
import schema from './values.schema.json' with { type: 'json' };

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What the operator may do, by where it may do it. */
export interface Permissions {
  /** In every namespace that it watches. */
  readonly watched: readonly PolicyRule[];
  /** On cluster-scoped kinds. */
  readonly cluster: readonly PolicyRule[];
  /** In its own namespace: leases, its certificates, events. */
  readonly own: readonly PolicyRule[];
}

export type { PodSecurityLevel } from './generated/values.ts';

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** How the operator is installed: the values of {@link valuesSchema}, and what is no value of a Helm chart. */
export interface OperatorInstallOptions extends DeepReadonly<InstallValues> {
  /** The operator's own namespace; `ordinal-system` by default. With Helm it is the release's. */
  readonly namespace?: string;
  /** Whether the namespace is made too. True by default. With Helm, `--create-namespace` makes it. */
  readonly createNamespace?: boolean;
  /** What the operator may do. Derived from what its controllers declare, by default. */
  readonly permissions?: Permissions;
}

/** What of a JSON Schema describes one value of an installation. */
export interface ValueSchema {
  readonly description: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** The JSON Schema (draft 7) of the values of an installation: the source of the types of the options, and `values.schema.json` of the Helm chart. */
export const valuesSchema: { readonly properties: Readonly<Record<keyof InstallValues, ValueSchema>> } = schema;

/** The ports that the program listens on in its pod. */
export const ports = { metrics: 8080, health: 8081, webhooks: 9443 } as const;

/** What an installation is called by default. */
export const operatorName = 'ordinal-operator';

/** An installation among others of the cluster. */
export interface Installation {
  readonly name: string;
  /** The operator's own namespace. */
  readonly namespace: string;
}

/** The labels that select the operator's pods. */
export function operatorLabels({ name }: Pick<Installation, 'name'>): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'ordinal' };
}
