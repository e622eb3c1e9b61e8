import type { Case, Json, Session } from '../case.ts';
import { service, paths } from './objects.ts';
import { until } from './until.ts';

const slices = '/apis/discovery.k8s.io/v1/namespaces/:ns/endpointslices';
const endpoints = '/api/v1/namespaces/:ns/endpoints';

interface Slice {
  readonly metadata: Json;
  readonly addressType: string;
  readonly endpoints: readonly Json[];
  readonly ports: readonly Json[];
}

const itemsOf = (list: Json): readonly Slice[] => list['items'] as readonly Slice[];
const textOf = (value: unknown): string => JSON.stringify(value);

/** Slices without the names that a world makes up, in the order of what stands in them; a world walks a set of addresses in any order. */
async function shapes(s: Session): Promise<readonly Json[]> {
  const { body } = await s.world.send({ method: 'GET', path: slices.replace(':ns', s.namespace) });
  return itemsOf(body as Json)
    .map(({ metadata, addressType, endpoints: own, ports }) => ({
      addressType,
      ports,
      endpoints: [...own].sort((left, right) => (textOf(left['addresses']) < textOf(right['addresses']) ? -1 : 1)),
      labels: metadata['labels'],
      annotations: metadata['annotations'],
      owners: (metadata['ownerReferences'] as readonly Json[]).map(({ kind, name, controller }) => [
        kind,
        name,
        controller,
      ]),
    }))
    .sort((left, right) =>
      textOf([left.addressType, left.ports]) < textOf([right.addressType, right.ports]) ? -1 : 1,
    );
}

const count = (wanted: number) => (_: number, list: Json) => itemsOf(list).length === wanted;

const subsets = [
  {
    addresses: [
      { ip: '192.0.2.1', hostname: 'one' },
      { ip: '192.0.2.2', nodeName: 'node-a' },
    ],
    notReadyAddresses: [{ ip: '2001:db8::1' }],
    ports: [{ name: 'http', port: 8080, appProtocol: 'http' }],
  },
  { addresses: [{ ip: '192.0.2.3' }], ports: [{ name: 'http', port: 9090 }] },
];
const object = (metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'outside', ...metadata },
  subsets,
});

/** What becomes of Endpoints that a user writes, and where the server says it is: for worlds whose controllers run. */
export const mirroredSliceCases: readonly Case[] = [
  {
    name: 'endpoints: mirrored to slices',
    async body(s) {
      await s.create(paths.services, service('outside', { selector: null }));
      await s.create(endpoints, object({ labels: { mine: 'yes' }, annotations: { note: 'kept' } }));
      await until(s, slices, count(3));
      s.record('mirrored', await shapes(s));
      await s.world.send({
        method: 'PATCH',
        path: `${endpoints}/outside`.replace(':ns', s.namespace),
        contentType: 'application/merge-patch+json',
        body: {
          subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 80 }] }],
          metadata: { labels: { mine: 'no' } },
        },
      });
      await until(s, slices, count(1));
      s.record('changed', await shapes(s));
      await s.world.send({
        method: 'PATCH',
        path: `${endpoints}/outside`.replace(':ns', s.namespace),
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } },
      });
      await until(s, slices, count(0));
      s.record('left out', await shapes(s));
    },
  },
  {
    name: 'endpoints: not mirrored without a Service, or with a selector',
    async body(s) {
      await s.create(endpoints, object());
      await new Promise((resolve) => setTimeout(resolve, 1500));
      s.record('without a Service', await shapes(s));
      await s.create(paths.services, service('outside', { selector: null }));
      await until(s, slices, count(3));
      s.record('with one', await shapes(s));
      await s.delete(`${paths.services}/outside`);
      await until(s, slices, count(0));
      s.record('once more without', await shapes(s));
    },
  },
  {
    name: 'endpoints: those of the server',
    async body(s) {
      for (const path of [
        '/api/v1/namespaces/default/endpoints/kubernetes',
        '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
      ]) {
        const { body, warnings } = await s.world.send({ method: 'GET', path });
        // Where a server is, is its own affair.
        const text = JSON.stringify(body)
          .replaceAll(/"(ip)":"[^"]+"|"addresses":\["[^"]+"\]/g, '"$1":"<address>"')
          .replaceAll(/"port":\d+/g, '"port":"<port>"');
        s.record(path, { body: JSON.parse(text) as unknown, warnings });
      }
    },
  },
];
