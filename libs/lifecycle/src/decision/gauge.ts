/** Gauges by name: what each says, and its labels beside the namespace and the name of the resource. */
export type Gauges = Readonly<Record<string, { readonly help: string; readonly labels?: readonly string[] }>>;

/** One sample of a gauge. */
export interface GaugeSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
