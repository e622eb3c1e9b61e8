import type { OrdinalResource } from '../kinds.ts';

/** Something that members are asked, as a spec says. */
export interface AskedCheck {
  /** Of a gate, its name. */
  readonly name: string;
  readonly role: 'gate' | 'handoff' | 'role' | 'sync' | 'analysis';
  readonly path?: string | undefined;
  readonly port?: number | undefined;
  readonly command?: readonly string[] | undefined;
  readonly metric?:
    { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly max: number } | undefined;
  /** Of a role: what a leader says. */
  readonly leaderValue?: string | undefined;
}

/** A check as it stands in a spec. */
interface SpecCheck {
  readonly http?: { readonly path?: string; readonly port?: number };
  readonly exec?: { readonly command: readonly string[] };
  readonly metric?: {
    readonly path?: string;
    readonly port?: number;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly max: number | string;
  };
}

interface UpgradeChecks {
  readonly gates?: readonly (SpecCheck & { readonly name: string })[];
  readonly handoff?: SpecCheck;
  readonly role?: SpecCheck & { readonly leaderValue?: string; readonly label?: string };
  readonly sync?: SpecCheck;
  readonly canary?: { readonly analysis?: SpecCheck };
}

/** The part of a spec that says how members are asked: the same in every kind that has it. */
interface AskingSpec {
  readonly port?: number;
  readonly upgrade?: UpgradeChecks;
  readonly canary?: { readonly analysis?: SpecCheck };
}

const specOf = ({ spec }: OrdinalResource): AskingSpec => spec as AskingSpec; // The same fields in each kind that has them.

/** The label that says which member leads, and its value; undefined where the spec names none. */
export function roleLabelOf(
  resource: OrdinalResource,
): { readonly label: string; readonly leader: string } | undefined {
  const { label, leaderValue = 'leader' } = specOf(resource).upgrade?.role ?? {};
  return label === undefined ? undefined : { label, leader: leaderValue };
}

function asked(check: SpecCheck, as: Pick<AskedCheck, 'name' | 'role'>, port: number | undefined): AskedCheck {
  const { http, exec, metric } = check;
  const at = http ?? metric;
  return {
    ...as,
    ...(at && { path: at.path ?? (metric ? '/metrics' : '/ready-for-shutdown'), port: at.port ?? port }),
    ...(exec && { command: exec.command }),
    ...(metric && { metric: { name: metric.name, labels: metric.labels ?? {}, max: Number(metric.max) } }),
  };
}

/** All that the members of a resource are asked. Pure. */
export function checksOf(resource: OrdinalResource): readonly AskedCheck[] {
  const { port, upgrade = {}, canary } = specOf(resource);
  const { gates, handoff, role, sync } = upgrade;
  const analysis = upgrade.canary?.analysis ?? canary?.analysis;
  // Without gates, the peers of a cache are asked this.
  const without = resource.kind === 'ClusteredCache' ? [{ name: 'ready-for-shutdown', http: {} }] : [];
  return [
    ...(gates ?? without).map((gate) => asked(gate, { name: gate.name, role: 'gate' }, port)),
    ...(handoff ? [asked(handoff, { name: 'handoff', role: 'handoff' }, port)] : []),
    ...(role
      ? [{ ...asked(role, { name: 'role', role: 'role' }, port), leaderValue: role.leaderValue ?? 'leader' }]
      : []),
    ...(sync ? [asked(sync, { name: 'sync', role: 'sync' }, port)] : []),
    ...(analysis ? [asked(analysis, { name: 'analysis', role: 'analysis' }, port)] : []),
  ];
}

/** The gate that a resource waits for now, as its status says. */
export function closedGateOf({ status }: OrdinalResource): string | undefined {
  const { blockedBy } = (status as { readonly upgrade?: { readonly blockedBy?: string } } | undefined)?.upgrade ?? {};
  return /^gate ([^\s:]+)/.exec(blockedBy ?? '')?.[1];
}
