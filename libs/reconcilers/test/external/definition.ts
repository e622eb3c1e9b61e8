import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A CRD of the project, without its CEL rules unless a history is about them: they take time, and a search has thousands of histories. */
export function definition(file: string, { rules = false }: { readonly rules?: boolean } = {}): object {
  const text = readFileSync(new URL(`../../../api/crds/${file}`, import.meta.url), 'utf8');
  const parsed = parse(text) as unknown;
  return (rules ? parsed : withoutRules(parsed)) as object; // A CRD file holds one object.
}

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'x-kubernetes-validations');
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutRules(child)]));
}
