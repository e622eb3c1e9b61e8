import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Condition } from '@ordinal/client';
import { compileCondition } from '@ordinal/schema/cel';
import { lauxlib, lua, lualib, to_jsstring, to_luastring } from 'fengari';
import { parse } from 'yaml';

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

/** Runs the Lua as Argo CD does: with the basic library alone, and `obj`. Returns health and message. */
function argoOf(object: Deployed): readonly string[] {
  const [group = ''] = object.apiVersion.split('/');
  const script = argo.data[`resource.customizations.health.${group}_${object.kind}`];
  if (script === undefined) throw new RangeError(`Argo CD has no rules for ${object.kind}`);
  const state = lauxlib.luaL_newstate();
  lauxlib.luaL_requiref(state, to_luastring('_G'), lualib.luaopen_base, 1);
  const text = `obj = ${asLua(object)}\nlocal hs = (function()\n${script}\nend)()\nreturn hs.status, hs.message`;
  if (lauxlib.luaL_dostring(state, to_luastring(text))) throw new RangeError(to_jsstring(lua.lua_tostring(state, -1)));
  return [to_jsstring(lua.lua_tostring(state, -2)), to_jsstring(lua.lua_tostring(state, -1))];
}

/** A value of JSON as a constructor of Lua. */
function asLua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(asLua).join(',')}}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'nil' : (JSON.stringify(value) ?? 'nil');
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${entries.map(([key, part]) => `[${JSON.stringify(key)}]=${asLua(part)}`).join(',')}}`;
}
