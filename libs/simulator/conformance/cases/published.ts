import type { Case, Json, Session } from '../case.ts';
import { until } from './until.ts';
import { withWidgets } from './widgets.ts';

const path = '/openapi/v2';

/** Built-in kinds whose schemas are written in each way that there is. */
const builtin = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.core.v1.ContainerPort',
  'io.k8s.api.core.v1.ResourceRequirements',
  'io.k8s.api.policy.v1.PodDisruptionBudgetSpec',
  'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
];

/** Without descriptions of fields: they are prose, which the simulation has not. */
function withoutProse(schema: Json): Json {
  const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;
  const { description: _, ...rest } = schema;
  const all = (fields: Json) =>
    Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, withoutProse(each as Json)]));
  return {
    ...rest,
    ...(isJson(rest['properties']) && { properties: all(rest['properties']) }),
    ...(isJson(rest['items']) && { items: withoutProse(rest['items']) }),
    ...(isJson(rest['additionalProperties']) && { additionalProperties: withoutProse(rest['additionalProperties']) }),
  };
}

async function recordDefinitions(s: Session, names: readonly string[]): Promise<void> {
  const { body } = await s.world.send({ method: 'GET', path });
  const definitions = (body as Json)['definitions'] as Readonly<Record<string, Json>>;
  const found = names.map((name) => [
    name.replaceAll(s.namespace, '<ns>'),
    definitions[name] && withoutProse(definitions[name]),
  ]);
  s.record(
    `definitions at ${path}`,
    JSON.parse(JSON.stringify(Object.fromEntries(found)).replaceAll(s.namespace, '<ns>')),
  );
}

/** What OpenAPI v2 says of kinds. */
export const publishedCases: readonly Case[] = [
  {
    name: 'published: built-in kinds in OpenAPI v2',
    body: (s) => recordDefinitions(s, builtin),
  },
  ...withWidgets({
    'published in OpenAPI v2': async (s, { group }) => {
      const name = `${group.split('.').reverse().join('.')}.v1.Widget`;
      await until(s, path, (_status, body) => name in (body['definitions'] as Json));
      await recordDefinitions(s, [name]);
    },
  }),
];
