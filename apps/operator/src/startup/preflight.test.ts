import type { Client } from '@ordinal/client';
import { kinds } from '@ordinal/reconcilers';
import { describe, expect, test } from 'vitest';
import { declaredControllers } from '../controllers.ts';
import { declaredFields } from './generated/fields.ts';
import { preflight, type PreflightOptions } from './preflight.ts';

const definitions = declaredControllers(kinds.filter(({ name }) => name === 'cloud-database'));

/** What a review asks about. */
interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface Cluster {
  /** The versions that the definition serves; undefined where it is not installed. */
  readonly served?: readonly string[];
  /** Whether something may be done. */
  readonly allows?: (attributes: Asked) => boolean;
  /** The fields that the definition has; those of this version by default. */
  readonly fields?: readonly string[];
}

/** A schema in which the fields are. */
function schemaOf(paths: readonly string[]): object {
  const inside = new Map<string, string[]>();
  for (const path of paths.filter((candidate) => candidate !== '')) {
    const [first = '', ...rest] = path.split('.');
    inside.set(first, [...(inside.get(first) ?? []), rest.join('.')]);
  }
  const {
    '[]': items,
    '{}': additionalProperties,
    ...properties
  } = Object.fromEntries([...inside].map(([name, rest]) => [name, schemaOf(rest)]));
  return { properties, ...(items ? { items } : {}), ...(additionalProperties ? { additionalProperties } : {}) };
}

const current = declaredFields['clouddatabases.db.example.com'] ?? [];

function clientOf({ served, allows = () => true, fields = current }: Cluster): {
  readonly client: Client;
  readonly max: () => number;
} {
  let running = 0;
  let max = 0;
  const found = served && {
    spec: { versions: served.map((name) => ({ name, served: true, schema: { openAPIV3Schema: schemaOf(fields) } })) },
  };
  const resource = () => ({ cluster: () => ({ find: () => Promise.resolve(found) }) });
  const request = async (_method: string, _path: string, { body }: { readonly body: never }): Promise<unknown> => {
    running += 1;
    max = Math.max(max, running);
    await Promise.resolve();
    running -= 1;
    const { resourceAttributes } = (body as { readonly spec: { readonly resourceAttributes: never } }).spec;
    return { status: { allowed: allows(resourceAttributes) } };
  };
  return { client: Object.assign(resource, { request }) as unknown as Client, max: () => max };
}

const needs = { name: 'ordinal-blue', namespace: 'operators', servesWebhooks: true, leaseNames: ['blue'] };

const look = (cluster: Cluster, namespaces: readonly string[] = [], options: Partial<PreflightOptions> = {}) =>
  preflight({ client: clientOf(cluster).client, definitions, namespaces, needs, ...options });

describe('what is looked at when the operator starts', () => {
  test('is nothing to speak of where all is there', async () => {
    expect(await look({ served: ['v1'] })).toEqual([]);
  });

  test('names a definition that is not installed', async () => {
    const [missing] = await look({});
    expect(missing).toMatchObject({ what: 'definition' });
    expect(missing?.message).toContain('clouddatabases.db.example.com');
  });

  test('names the versions that are served instead', async () => {
    const [missing] = await look({ served: ['v1beta1'] });
    expect(missing).toMatchObject({ what: 'version' });
    expect(missing?.message).toContain('serves v1beta1 and not v1');
  });

  test('names the fields that an older definition lacks', async () => {
    const fields = current.filter((path) => !path.startsWith('status.external.') && path !== 'spec.externalName');
    const [missing, ...more] = await look({ served: ['v1'], fields });
    expect(more).toEqual([]);
    expect(missing).toMatchObject({ what: 'field' });
    expect(missing?.message).toMatch(/lacks spec\.externalName, status\.external\.token, .* and \d+ more: apply/);
  });

  test('takes a newer definition with fields that this version does not know', async () => {
    expect(await look({ served: ['v1', 'v2'], fields: [...current, 'spec.later'] })).toEqual([]);
  });

  test.each([
    ['create leases.coordination.k8s.io in namespace operators', { resource: 'leases', verb: 'create' }],
    ['update leases.coordination.k8s.io blue in namespace operators', { resource: 'leases', verb: 'update' }],
    [
      'get secrets ordinal-blue-webhooks in namespace operators',
      { resource: 'secrets', verb: 'get', name: 'ordinal-blue-webhooks' },
    ],
    [
      'get secrets ordinal-blue-seal in namespace operators',
      { resource: 'secrets', verb: 'get', name: 'ordinal-blue-seal' },
    ],
    [
      'patch validatingwebhookconfigurations.admissionregistration.k8s.io ordinal-blue in the cluster',
      { resource: 'validatingwebhookconfigurations', verb: 'patch' },
    ],
    [
      'create subjectaccessreviews.authorization.k8s.io in the cluster',
      { resource: 'subjectaccessreviews', verb: 'create' },
    ],
    ['create events.events.k8s.io in namespace shop', { resource: 'events', verb: 'create' }],
    [
      'get customresourcedefinitions.apiextensions.k8s.io clouddatabases.db.example.com in the cluster',
      { resource: 'customresourcedefinitions', verb: 'get' },
    ],
  ])('tells what the program itself may not do: %s', async (what, withheld) => {
    const isWithheld = (asked: object): boolean =>
      Object.entries(withheld).every(([key, value]) => asked[key as keyof typeof asked] === value);
    const missing = await look({ served: ['v1'], allows: (asked) => !isWithheld(asked) }, ['shop']);
    expect(missing.map(({ message }) => message)).toEqual([
      `the operator may not ${what}: give it that in its Role or ClusterRole`,
    ]);
  });

  test('asks for no permission that the settings have no use for', async () => {
    const asked: string[] = [];
    const allows = ({ verb, resource, namespace = '', name = '' }: Asked): boolean => {
      asked.push(`${verb} ${namespace}/${resource} ${name}`.trim());
      return true;
    };
    const others = { ...needs, leaseNames: [] };
    await look({ served: ['v1'], allows }, ['shop'], { needs: { ...others, servesWebhooks: false } });
    // The key that seals statuses is needed whatever is set.
    expect(asked.filter((what) => /operators|leases|webhook|subjectaccess/.test(what)).sort()).toEqual([
      'create operators/secrets',
      'get operators/secrets ordinal-blue-seal',
    ]);
  });

  test('names each permission that is not given, by verb, resource and namespace', async () => {
    const allows = ({ verb, resource, namespace }: { verb: string; resource: string; namespace?: string }): boolean =>
      !(verb === 'watch' && resource === 'secrets' && namespace === 'shop');
    const missing = await look({ served: ['v1'], allows }, ['shop', 'stock']);
    expect(missing).toEqual([
      {
        what: 'permission',
        message: 'the operator may not watch secrets in namespace shop: give it that in its Role or ClusterRole',
      },
    ]);
  });

  test('is asked for a few at a time, so that no connection is opened for it that is not needed later', async () => {
    const { client, max } = clientOf({ served: ['v1'] });
    await preflight({ client, definitions, namespaces: ['a', 'b', 'c'], needs });
    expect(max()).toBeLessThanOrEqual(4);
  });
});
