import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runLua } from './lua.ts';

interface Actions {
  readonly 'discovery.lua': string;
  readonly definitions: readonly { readonly name: string; readonly 'action.lua': string }[];
}

const path = join(import.meta.dirname, '../../../../docs/operate/argocd-actions.yaml');
// What the pages of the documentation hold is looked at by the tests.
const argo = parse(readFileSync(path, 'utf8')) as { readonly data: Readonly<Record<string, string>> };

/** An object that Argo CD shows. */
export interface Shown {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

function actionsFor({ apiVersion, kind }: Shown): Actions {
  const [group = ''] = apiVersion.split('/');
  const text = argo.data[`resource.customizations.actions.${group}_${kind}`];
  if (text === undefined) throw new RangeError(`Argo CD has no actions for ${kind}`);
  return parse(text) as Actions; // Of this page.
}

const lines = (expression: string): string =>
  `(function() local text = ""; for key, value in pairs(${expression}) do text = text .. tostring(key) .. "=" .. tostring(value) .. "\\n" end; return text end)()`;

/** The actions that Argo CD offers for an object as it is now, in the order of the alphabet. */
export function offered(object: Shown): readonly string[] {
  const script = `${actionsFor(object)['discovery.lua']}`;
  const enabled = `(function()\nlocal on = {}\nfor name, action in pairs((function()\n${script}\nend)()) do if not action.disabled then on[name] = true end end\nreturn on\nend)()`;
  const said = runLua(object, { script: `return ${enabled}`, prints: lines('result') });
  return said.trim() === ''
    ? []
    : said
        .trim()
        .split('\n')
        .map((line) => line.replace('=true', ''))
        .sort();
}

/** The annotations that an object has after an action, as a merge patch would set them: null for those that it takes away. */
export function annotationsAfter(object: Shown, action: string): Readonly<Record<string, string | null>> {
  const script = actionsFor(object).definitions.find(({ name }) => name === action)?.['action.lua'];
  if (script === undefined) throw new RangeError(`Argo CD has no action ${action} for ${object.kind}`);
  const said = runLua(object, { script, prints: lines('result.metadata.annotations') });
  const after = said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/=(.*)/s).slice(0, 2));
  const { annotations: before = {} } = object.metadata as { readonly annotations?: Readonly<Record<string, string>> }; // Of every object.
  const gone = Object.fromEntries(Object.keys(before).map((name) => [name, null]));
  return { ...gone, ...(Object.fromEntries(after) as Readonly<Record<string, string>>) };
}
