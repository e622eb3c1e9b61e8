import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import type { ApiServer, WatchEvent } from '../src/index.ts';
import {
  configMaps,
  createClient,
  customResourceDefinitions,
  httpTransport,
  isApiError,
  metadataOnly,
  pods,
  statefulSets,
} from '../src/index.ts';
import { kubeconfigServer } from '../src/kubeconfig.ts';

// A control plane without nodes is enough: `npm run cluster -- control-plane`, then KUBECONFIG as it says.
const kubeconfig = process.env['KUBECONFIG'];
const namespace = 'default';

describe('against a real API server', async () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  const server = await kubeconfigServer({ files: [kubeconfig] });
  const clients = [true, false].map((compression) => ({
    form: compression ? 'compressed' : 'plain',
    client: createClient({
      transport: httpTransport(server, { compression }),
      fieldManager: 'client-test',
    }),
  }));
  afterAll(() => Promise.all(clients.map(({ client }) => client.close())));
  const name = (what: string): string => `client-test-${what}-${process.pid}`;

  describe.each(clients)('with $form replies', ({ client, form }) => {
    const maps = client(configMaps).namespace(namespace);
    const suffix = form;
    const map = (what: string, data: Record<string, string>) =>
      ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: name(`${what}-${suffix}`), labels: { test: suffix } },
        data,
      }) as const;

    it('creates, reads, patches, applies and deletes', async () => {
      const written = await maps.create(map('crud', { a: '1' }));
      expect((await maps.get(written.metadata.name)).data).toEqual({ a: '1' });
      await maps.patch(written.metadata.name, {
        type: 'json',
        operations: [{ op: 'add', path: '/data/b', value: '2' }],
      });
      await maps.patch(written.metadata.name, { type: 'strategic', body: { data: { c: '3' } } });
      const conflict = await maps
        .apply(map('crud', { a: 'other' }), { fieldManager: 'else' })
        .catch((error: unknown) => error);
      expect(isApiError(conflict, 'Conflict') && conflict.status.details?.causes?.map(({ field }) => field)).toEqual([
        '.data.a',
      ]);
      const applied = await maps.apply(map('crud', { a: 'other' }), { fieldManager: 'else', force: true });
      expect(applied.data).toEqual({ a: 'other', b: '2', c: '3' });
      await expect(maps.update(written)).rejects.toMatchObject({ code: 'Conflict' });
      await expect(maps.delete(written.metadata.name, { preconditions: { uid: 'another' } })).rejects.toMatchObject({
        code: 'Conflict',
      });
      expect(await maps.delete(written.metadata.name, { preconditions: { uid: written.metadata.uid } })).toEqual({
        outcome: 'deleted',
      });
      expect(await maps.find(written.metadata.name)).toBeUndefined();
    });

    it('lists in pages, and with the metadata alone', async () => {
      for (const index of [0, 1, 2]) await maps.create(map(`list${index}`, { index: String(index) }));
      const selection = { labelSelector: `test=${suffix}`, limit: 2 };
      expect((await maps.list(selection)).items.map(({ kind, data }) => `${kind} ${data?.['index']}`)).toEqual([
        'ConfigMap 0',
        'ConfigMap 1',
        'ConfigMap 2',
      ]);
      const [partial] = (await client(metadataOnly(configMaps)).namespace(namespace).list(selection)).items;
      expect(partial).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { test: suffix } } });
      expect(partial).not.toHaveProperty('data');
      await maps.deleteCollection({ labelSelector: `test=${suffix}` });
      expect((await maps.list(selection)).items).toEqual([]);
    });

    it('watches from the present state on', async () => {
      await maps.create(map('watch', {}));
      const seen: string[] = [];
      const events: AsyncIterable<WatchEvent<{ metadata: { name: string } }>> = maps.watch({
        sendInitialEvents: true,
        labelSelector: `test=${suffix}`,
      });
      for await (const { type } of events) {
        seen.push(type);
        if (type === 'BOOKMARK') await maps.delete(map('watch', {}).metadata.name);
        if (type === 'DELETED') break;
      }
      expect(seen).toEqual(['ADDED', 'BOOKMARK', 'DELETED']);
    });

    it('scales, and stores nothing in a dry run', async () => {
      const sets = client(statefulSets).namespace(namespace);
      const labels = { app: name(suffix) };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } };
      const set = {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: name(suffix) },
        spec: { serviceName: '', replicas: 0, selector: { matchLabels: labels }, template },
      } as const;
      await client.dryRun()(statefulSets).namespace(namespace).create(set);
      expect(await sets.find(set.metadata.name)).toBeUndefined();
      await sets.create(set);
      await client.dryRun()(statefulSets).namespace(namespace).scale.update(set.metadata.name, 5);
      expect((await sets.scale.get(set.metadata.name)).spec.replicas ?? 0).toBe(0);
      expect((await sets.status.get(set.metadata.name)).kind).toBe('StatefulSet');
      await sets.delete(set.metadata.name, { propagationPolicy: 'Foreground' });
    });

    it('keeps integers that a number can not hold', async () => {
      const crds = client(customResourceDefinitions).cluster();
      const plural = `bigs${suffix}`;
      const group = 'client-test.ordinal.dev';
      const schema = {
        type: 'object',
        properties: { spec: { type: 'object', properties: { big: { type: 'integer', format: 'int64' } } } },
      };
      const names = { plural, kind: `Big${suffix}` };
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
      await crds.apply(
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `${plural}.${group}` },
          spec: { group, scope: 'Namespaced', names, versions },
        },
        { fieldManager: 'client-test' },
      );
      const path = `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
      const body = {
        apiVersion: `${group}/v1`,
        kind: names.kind,
        metadata: { name: 'a' },
        spec: { big: 9007199254740993n },
      };
      await expect
        .poll(
          () =>
            client.request('GET', path).then(
              () => true,
              () => false,
            ),
          { timeout: 10_000 },
        )
        .toBe(true);
      await client.request('POST', path, { body });
      expect(await client.request('GET', `${path}/a`)).toMatchObject({ spec: { big: 9007199254740993n } });
      await crds.delete(`${plural}.${group}`);
    });

    it('acts as another user', async () => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const other = client.impersonate({ name: 'ann', groups: ['one', 'two'] });
      expect(
        await other.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: review }),
      ).toMatchObject({
        status: { userInfo: { username: 'ann', groups: ['one', 'two', 'system:authenticated'] } },
      });
      await expect(other(pods).namespace(namespace).list()).rejects.toMatchObject({
        code: 'Forbidden',
        retry: 'wait',
      });
    });

    it('goes on after its connections were cut', async () => {
      const sockets: Socket[] = [];
      const cuttable: ApiServer = {
        ...server,
        async openTunnel({ host, port }) {
          const socket = connect(port, host);
          sockets.push(socket);
          await once(socket, 'connect');
          return socket;
        },
      };
      const transport = httpTransport(cuttable);
      const cutClient = createClient({ transport });
      const watching = (async () => {
        for await (const { type } of cutClient(configMaps).watch({ sendInitialEvents: true })) {
          if (type === 'BOOKMARK') for (const socket of sockets) socket.resetAndDestroy();
        }
      })();
      await expect(watching).rejects.toMatchObject({ name: 'TransportError', code: 'ConnectionFailed' });
      expect((await cutClient(configMaps).namespace(namespace).get('kube-root-ca.crt')).kind).toBe('ConfigMap');
      for (const socket of sockets) socket.resetAndDestroy();
      expect((await cutClient(configMaps).namespace(namespace).get('kube-root-ca.crt')).kind).toBe('ConfigMap');
      await cutClient.close();
    });

    it('says why a pod’s logs, command, eviction or proxy can not be had', async () => {
      const address = { namespace, pod: 'absent' };
      await expect(client.pods.logs(address)).rejects.toMatchObject({ code: 'NotFound' });
      await expect(client.pods.exec(address, ['ls'])).rejects.toMatchObject({ code: 'NotFound' });
      await expect(client.pods.evict(address)).rejects.toMatchObject({ code: 'NotFound' });
      const target = { kind: 'pods', namespace, name: 'absent', port: 80, path: '/' } as const;
      await expect(client.pods.proxy(target)).rejects.toMatchObject({ code: 'NotFound' });
    });
  });
});
