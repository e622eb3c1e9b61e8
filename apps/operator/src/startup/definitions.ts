import { customResourceDefinitions, isApiError } from '@ordinal/client';
import type { Client, CustomResourceDefinition, ResourceDescriptor } from '@ordinal/client';
import { declaredFields } from './generated/fields.ts';
import type { Missing } from './missing.ts';

/** The part of a schema that shows which fields there are. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** How many fields are named in a message. */
const named = 5;

/** Kubernetes' own groups have no CustomResourceDefinition: the core group, those without a dot, and those under k8s.io. */
const isCustom = (group: string): boolean => group.includes('.') && !group.endsWith('.k8s.io');

/** Which definitions of these kinds are not there, or not as this version of the operator needs them. */
export async function missingDefinitions(
  client: Client,
  kinds: readonly ResourceDescriptor[],
): Promise<readonly Missing[]> {
  const ours = [...new Set(kinds.filter(({ group }) => isCustom(group)))];
  const found = await Promise.all(ours.map((kind) => missingDefinition(client, kind)));
  return found.filter((missing) => missing !== undefined);
}

async function missingDefinition(client: Client, kind: ResourceDescriptor): Promise<Missing | undefined> {
  const name = `${kind.plural}.${kind.group}`;
  try {
    const found = await client(customResourceDefinitions).cluster().find(name);
    if (!found)
      return {
        what: 'definition',
        message: `the CustomResourceDefinition ${name} is not installed: apply the install manifest`,
      };
    return wrongVersion(name, kind, found) ?? lackingFields(name, kind, found);
  } catch (error) {
    // That it may not be looked at is missing itself, and said with the other permissions.
    if (isApiError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

const remedy = 'apply the install manifest of this version of the operator';

function wrongVersion(
  name: string,
  { version: wanted }: ResourceDescriptor,
  { spec }: CustomResourceDefinition,
): Missing | undefined {
  const served = spec.versions.filter((version) => version.served).map((version) => version.name);
  if (served.includes(wanted)) return undefined;
  const message = `the CustomResourceDefinition ${name} serves ${served.join(', ')} and not ${wanted}: ${remedy}`;
  return { what: 'version', message };
}

/** A definition of an older operator has the same version, and the API server drops without a word what it does not know. */
function lackingFields(
  name: string,
  { version: wanted }: ResourceDescriptor,
  { spec }: CustomResourceDefinition,
): Missing | undefined {
  const version = spec.versions.find((candidate) => candidate.name === wanted);
  const schema = version?.schema?.openAPIV3Schema as Schema | undefined; // Of its parts, those that matter here.
  const lacking = (declaredFields[name] ?? []).filter((path) => schema && !has(schema, path.split('.')));
  if (lacking.length === 0) return undefined;
  const rest = lacking.length > named ? ` and ${lacking.length - named} more` : '';
  const fields = `${lacking.slice(0, named).join(', ')}${rest}`;
  return {
    what: 'field',
    message: `the CustomResourceDefinition ${name} is older than the operator and lacks ${fields}: ${remedy}`,
  };
}

function has(schema: Schema, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const next = first === '[]' ? schema.items : first === '{}' ? values : schema.properties?.[first];
  return next !== undefined && has(next, rest);
}
