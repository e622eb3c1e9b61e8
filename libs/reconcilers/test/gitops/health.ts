import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Condition } from '@ordinal/client';
import { compileCondition } from '@ordinal/schema/cel';
import { parse } from 'yaml';
import { runLua } from './lua.ts';

const folder = join(import.meta.dirname, '../../../../docs/operate');
// What the pages of the documentation hold is looked at by the tests.
const argo = parse(readFileSync(join(folder, 'argocd-health.yaml'), 'utf8')) as { data: Record<string, string> };
const flux = parse(readFileSync(join(folder, 'flux-health.yaml'), 'utf8')) as {
  spec: { healthCheckExprs: { apiVersion: string; kind: string; failed: string; current: string }[] };
};

/** An object of one of the four kinds, as a tool that deploys it reads it. */
export interface Deployed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** What each tool makes of an object. */
export interface Health {
  readonly argo: string;
  readonly message: string;
  readonly flux: 'InProgress' | 'Failed' | 'Current';
  readonly kstatus: 'Terminating' | 'InProgress' | 'Failed' | 'Current';
}

/** The health of an object by the three sets of rules. */
export function healthOf(object: Deployed): Health {
  const [argoHealth = '', message = ''] = argoOf(object);
  return { argo: argoHealth, message, flux: fluxOf(object), kstatus: kstatusOf(object) };
}

/** The rules of kstatus (sigs.k8s.io/cli-utils) for a kind that it does not know, in its order. */
function kstatusOf({ metadata, status }: Deployed): Health['kstatus'] {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation)
    return 'InProgress';
  const is = (type: string): string | undefined => status?.conditions?.find((one) => one.type === type)?.status;
  if (is('Reconciling') === 'True') return 'InProgress';
  if (is('Stalled') === 'True') return 'Failed';
  return (is('Ready') ?? 'True') === 'True' ? 'Current' : 'InProgress';
}

/** Flux asks whether it has failed, and then whether it is current. What can't be said is in progress. */
function fluxOf(object: Deployed): Health['flux'] {
  const rules = flux.spec.healthCheckExprs.find(({ kind }) => kind === object.kind);
  if (rules?.apiVersion !== object.apiVersion) throw new RangeError(`Flux has no rules for ${object.kind}`);
  const variables = { metadata: object.metadata, status: object.status ?? {} };
  const holds = (expression: string): boolean => {
    const result = compileCondition(expression, ['metadata', 'status'])(JSON.parse(JSON.stringify(variables)));
    if ('error' in result) throw new RangeError(result.error);
    return result.holds;
  };
  if (holds(rules.failed)) return 'Failed';
  return holds(rules.current) ? 'Current' : 'InProgress';
}

/** What the Lua for Argo CD says: health and message. */
function argoOf(object: Deployed): readonly string[] {
  const [group = ''] = object.apiVersion.split('/');
  const script = argo.data[`resource.customizations.health.${group}_${object.kind}`];
  if (script === undefined) throw new RangeError(`Argo CD has no rules for ${object.kind}`);
  const said = runLua(object, { script, prints: '(result.status or "") .. "\\n" .. (result.message or "")' });
  const end = said.indexOf('\n');
  return [said.slice(0, end), said.slice(end + 1)];
}
