import { items, texts } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';

/** A rule of a role that allows one verb for one thing. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly verbs: readonly string[];
}

/** The rules of a role, as they stand in it. */
export function rulesIn(list: unknown): readonly Rule[] {
  return items(list).map((rule: JsonObject) => ({
    apiGroups: texts(rule['apiGroups']),
    resources: texts(rule['resources']),
    resourceNames: texts(rule['resourceNames']),
    nonResourceURLs: texts(rule['nonResourceURLs']),
    verbs: texts(rule['verbs']),
  }));
}

const noRule: Rule = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], verbs: [] };

/** What a rule allows, each thing by itself. */
function single({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: Rule): readonly Rule[] {
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((own) => ({
          ...noRule,
          apiGroups: [group],
          resources: [resource],
          verbs: [verb],
          resourceNames: own,
        })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ ...noRule, nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...ofResources, ...ofPaths];
}

const all = (set: readonly string[], wanted: readonly string[]): boolean =>
  set.includes('*') || wanted.every((value) => set.includes(value));

const hasResource = (set: readonly string[], resource: string): boolean =>
  set.includes('*') ||
  set.includes(resource) ||
  (resource.includes('/') && set.includes(`*/${resource.slice(resource.indexOf('/') + 1)}`));

const hasPath = (set: readonly string[], path: string): boolean =>
  set.some((own) => own === path || (own.endsWith('*') && path.startsWith(own.replace(/\*+$/, ''))));

function covers(rule: Rule, wanted: Rule): boolean {
  return (
    all(rule.verbs, wanted.verbs) &&
    all(rule.apiGroups, wanted.apiGroups) &&
    wanted.resources.every((resource) => hasResource(rule.resources, resource)) &&
    wanted.nonResourceURLs.every((path) => hasPath(rule.nonResourceURLs, path)) &&
    (rule.resourceNames.length === 0 ||
      (wanted.resourceNames.length > 0 && wanted.resourceNames.every((name) => rule.resourceNames.includes(name))))
  );
}

/** What of the wanted rules none of the held ones allows, each thing by itself. */
export function missingRules(held: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  return wanted.flatMap(single).filter((one) => !held.some((rule) => covers(rule, one)));
}

const list = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

function text({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: Rule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const shown = parts.filter(([, values]) => values.length > 0).map(([name, values]) => `${name}:${list(values)}`);
  return `{${shown.join(', ')}}`;
}

/** Rules in the server's words, a line each. Those that differ by their verb are one. */
export function describedRules(rules: readonly Rule[]): string {
  const byThing = new Map<string, Rule>();
  for (const rule of rules) {
    // Paths stay apart, as on a real server.
    const key = text(rule.nonResourceURLs.length > 0 ? rule : { ...rule, verbs: [] });
    const known = byThing.get(key);
    byThing.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] });
  }
  return [...new Set([...byThing.values()].map(text))].sort().join('\n');
}
