import type { OrdinalResource } from '../kinds.ts';

/** Something that members are asked, as a spec says. */
export interface AskedCheck {
  /** Of a gate, its name. */
  readonly name: string;
  readonly role: 'gate' | 'handoff' | 'role' | 'sync' | 'analysis';
  readonly path?: string | undefined;
  readonly port?: number | undefined;
  readonly scheme?: 'HTTP' | 'HTTPS' | undefined;
  readonly method?: 'GET' | 'POST' | undefined;
  readonly command?: readonly string[] | undefined;
  /** How long a member may take to answer, as the spec says it. */
  readonly timeout?: string | undefined;
  readonly metric?:
    { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly max: number } | undefined;
  /** Of a role: what a leader says. */
  readonly leaderValue?: string | undefined;
}

/** A check as it stands in a spec. */
interface SpecCheck {
  readonly http?: {
    readonly path?: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly method?: 'GET' | 'POST';
  };
  readonly exec?: { readonly command: readonly string[] };
  readonly metric?: {
    readonly path?: string;
    readonly port?: number;
    readonly scheme?: 'HTTP' | 'HTTPS';
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly max: number | string;
  };
  readonly timeout?: string;
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

/** The port of checks that name none. */
const portOf = (resource: OrdinalResource): number | undefined =>
  resource.kind === 'MonitoredStatefulSet'
    ? resource.spec.statefulSetSpec.template.spec?.containers[0]?.ports?.[0]?.containerPort
    : specOf(resource).port;

/** How it is known which member leads: by the value of a label, or of an answer. Undefined where the spec does not say. */
export function roleOf(
  resource: OrdinalResource,
): { readonly label?: string | undefined; readonly leader: string } | undefined {
  const { role } = specOf(resource).upgrade ?? {};
  return role && { label: role.label, leader: role.leaderValue ?? 'leader' };
}

/** The label that says which member leads, and its value; undefined where the spec names none. */
export function roleLabelOf(
  resource: OrdinalResource,
): { readonly label: string; readonly leader: string } | undefined {
  const { label, leader = 'leader' } = roleOf(resource) ?? {};
  return label === undefined ? undefined : { label, leader };
}

function asked(check: SpecCheck, as: Pick<AskedCheck, 'name' | 'role'>, port: number | undefined): AskedCheck {
  const { http, exec, metric, timeout } = check;
  const at = http ?? metric;
  return {
    ...as,
    ...(timeout !== undefined && { timeout }),
    ...(at && { path: at.path ?? (metric ? '/metrics' : '/ready-for-shutdown'), port: at.port ?? port }),
    ...(at && { scheme: at.scheme ?? 'HTTP', method: http?.method ?? 'GET' }),
    ...(exec && { command: exec.command }),
    ...(metric && { metric: { name: metric.name, labels: metric.labels ?? {}, max: Number(metric.max) } }),
  };
}

/** All that the members of a resource are asked. Pure. */
export function checksOf(resource: OrdinalResource): readonly AskedCheck[] {
  const { upgrade = {}, canary } = specOf(resource);
  const port = portOf(resource);
  const { gates, handoff, role, sync } = upgrade;
  const analysis = upgrade.canary?.analysis ?? canary?.analysis;
  // Without gates, the peers of a cache are asked this, where a port is given.
  const without =
    resource.kind === 'ClusteredCache' && port !== undefined ? [{ name: 'ready-for-shutdown', http: {} }] : [];
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
