import type { KubernetesObject } from '@ordinal/client';

/** Gauges by name: what each says, and its labels beside the namespace and the name of the resource. */
export type Gauges = Readonly<Record<string, { readonly help: string; readonly labels?: readonly string[] }>>;

/** One sample of a gauge. */
export interface GaugeSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What one resource says: the name of a gauge, its value (true is 1), and its labels beside the resource's. Without a value it is left out. */
export type GaugeValue<Name extends string = string> = readonly [
  name: Name,
  value: number | boolean | undefined,
  labels?: Readonly<Record<string, string>>,
];

/** The samples of one resource. Pure. */
export const samplesOf = <Name extends string>(
  { metadata: { namespace = '', name: resource } }: KubernetesObject,
  values: readonly GaugeValue<Name>[],
): GaugeSample[] =>
  values.flatMap(([name, value, labels]) =>
    value === undefined ? [] : [{ name, labels: { namespace, name: resource, ...labels }, value: Number(value) }],
  );
