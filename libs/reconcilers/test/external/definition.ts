import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A CRD of the project, without its CEL rules: a search of thousands of histories is not about validation. */
export function definition(file: string): object {
  const text = readFileSync(new URL(`../../../api/crds/${file}`, import.meta.url), 'utf8');
  return withoutRules(parse(text)) as object; // A CRD file holds one object.
}

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'x-kubernetes-validations');
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutRules(child)]));
}
