import { readdirSync, readFileSync } from 'node:fs';
import { SimulatedCluster } from '@ordinal/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import samples from './seed-samples.json' with { type: 'json' };

const folder = new URL('../crds/', import.meta.url);
const crds = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));

/** A table, as `kubectl get` asks for it; columns of a priority other than 0 are those of `-o wide`. */
interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

let cluster: SimulatedCluster;
beforeAll(async () => (cluster = await SimulatedCluster.start({ crds, nodes: 0, events: false })));
afterAll(() => cluster.stop());

/** What `kubectl get` shows of the seed's sample, by column. */
async function shown(kind: string, plural: string): Promise<Readonly<Record<string, unknown>>> {
  const sample = samples.find(({ object, status }) => object.kind === kind && status !== undefined);
  if (sample === undefined) throw new Error(`no sample of ${kind} has a status`);
  const { object, status } = sample;
  const path = `/apis/${object.apiVersion}/namespaces/default/${plural}`;
  const transport = cluster.transport();
  const send = async (method: 'GET' | 'POST' | 'PATCH', at: string, body?: object): Promise<unknown> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const accept = method === 'GET' ? 'application/json;as=Table;v=v1;g=meta.k8s.io' : 'application/json';
    const headers = { accept, 'content-type': type };
    const reply = await transport.send({ method, path: at, headers, ...(body && { body: JSON.stringify(body) }) });
    let text = '';
    for await (const chunk of reply.body) text += new TextDecoder().decode(chunk);
    expect(reply.status, text).toBeLessThan(300);
    return JSON.parse(text) as unknown;
  };
  await send('POST', path, object);
  await send('PATCH', `${path}/${object.metadata.name}/status`, { status });
  const table = (await send('GET', path)) as Table; // What the API server answers to such a request.
  const cells = table.rows.map((row) => row.cells)[0] ?? [];
  return Object.fromEntries(
    table.columnDefinitions.flatMap(({ name, priority }, index) => (priority === 0 ? [[name, cells[index]]] : [])),
  );
}

test.each([
  ['ClusteredCache', 'clusteredcaches', { Replicas: 3, Ready: '2', Version: 'cache:1', Status: 'UpgradeFailed' }],
  ['KVStoreCluster', 'kvstoreclusters', { Version: '1.0.0', Replicas: 3, Ready: 3, Status: 'Upgrading' }],
  ['CloudDatabase', 'clouddatabases', { Engine: 'postgres', Size: 'small', Status: 'Provisioning' }],
])('kubectl get shows the columns of the seed, and what the status says: %s', async (kind, plural, columns) => {
  expect(await shown(kind, plural)).toMatchObject(columns);
});
