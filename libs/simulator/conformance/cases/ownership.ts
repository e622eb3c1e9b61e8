import type { Case, Json, Session } from '../case.ts';
import { configMap, deployment, job, paths, pod, service } from './objects.ts';
import { until } from './until.ts';

const replicaSets = '/apis/apps/v1/namespaces/:ns/replicasets';
const namespace = '/api/v1/namespaces/:ns';

interface Owned {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Json;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly kind: string; readonly controller?: boolean }[];
  };
}

const itemsOf = (list: Json): readonly Owned[] => list['items'] as readonly Owned[];
const isOwned = ({ metadata }: Owned): boolean => metadata.ownerReferences !== undefined;

/** Objects in the order of what stands in them, whatever the order of their fields. */
const byText = (objects: readonly Json[]): readonly Json[] => {
  const textOf = (object: Json): string => [...JSON.stringify(object)].sort().join('');
  return [...objects].sort((left, right) => (textOf(left) < textOf(right) ? -1 : 1));
};

/** Waits until so many objects of a list have a controller, and gives the list. */
async function whenOwned(s: Session, path: string, count: number): Promise<readonly Owned[]> {
  await until(s, path, (_, list) => itemsOf(list).filter(isOwned).length === count);
  const { body } = await s.world.send({ method: 'GET', path: path.replaceAll(':ns', s.namespace) });
  return itemsOf(body as Json);
}

/** Who owns what, without the names that a world makes up. */
const ownership = (objects: readonly Owned[]): readonly string[] =>
  objects
    .map(({ metadata: { labels, finalizers, ownerReferences = [] } }) => {
      const owners = ownerReferences.map(({ kind, controller }) => `${kind}${controller === true ? ' controls' : ''}`);
      return `${String(labels?.['app'] ?? 'none')} ${owners.join(',')} ${(finalizers ?? []).join(',')}`;
    })
    .sort();

const replicationController = (spec: Json): Json => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'web' },
  spec,
});

/** What ReplicaSets, Jobs and Deployments adopt and release: for worlds whose controllers run. */
export const ownershipCases: readonly Case[] = [
  {
    name: 'ownership: a ReplicationController adopts, releases and replaces pods, and leaves them when it is deleted',
    async body(s) {
      const controllers = '/api/v1/namespaces/:ns/replicationcontrollers';
      const template = { metadata: { labels: { app: 'web' } }, spec: pod('web')['spec'] };
      await s.create(paths.pods, pod('orphan', {}, { labels: { app: 'web' } }));
      await s.create(controllers, replicationController({ replicas: 2, template }));
      const [first] = await whenOwned(s, paths.pods, 2);
      const path = `${namespace}/pods/${first?.metadata.name ?? ''}`.replaceAll(':ns', s.namespace);
      await s.world.send({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { app: 'other' } } },
      });
      await until(s, path, (_, body) => !isOwned(body as unknown as Owned));
      s.record('who owns what', ownership(await whenOwned(s, paths.pods, 2)));
      await s.world.send({ method: 'DELETE', path: `${controllers}/web`.replaceAll(':ns', s.namespace) });
      s.record('who owns what afterwards', ownership(await whenOwned(s, paths.pods, 0)));
    },
  },
  {
    name: 'ownership: a Deployment goes on from the revision of the ReplicaSet that it adopts, which may have 64 bits',
    async body(s) {
      const revision = 'deployment.kubernetes.io/revision';
      const labels = { app: 'web' };
      const spec = {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod('web')['spec'] },
      };
      const metadata = { name: 'old', labels, annotations: { [revision]: '3546343826724305832' } };
      await s.create(replicaSets, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec });
      const other = { metadata: { labels: { ...labels, new: 'yes' } }, spec: pod('web')['spec'] };
      await s.create(paths.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { ...spec, template: other },
      });
      let found: string | undefined;
      await until(s, `${paths.deployments}/web`, (_, body) => {
        found = (body as unknown as { metadata: { annotations?: Record<string, string> } }).metadata.annotations?.[
          revision
        ];
        return found !== undefined;
      });
      s.record('the revision', found);
    },
  },
  {
    name: 'ownership: a ReplicaSet releases a pod and replaces it',
    async body(s) {
      const template = { metadata: { labels: { app: 'web' } }, spec: pod('web')['spec'] };
      const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
      await s.create(replicaSets, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web' }, spec });
      const [first] = await whenOwned(s, paths.pods, 2);
      const path = `${namespace}/pods/${first?.metadata.name ?? ''}`.replaceAll(':ns', s.namespace);
      await s.world.send({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { app: 'other' } } },
      });
      await until(s, path, (_, body) => !isOwned(body as unknown as Owned));
      s.record('who owns what', ownership(await whenOwned(s, paths.pods, 2)));
    },
  },
  {
    name: 'ownership: a Job releases a pod with its finalizer',
    async body(s) {
      await s.create(paths.jobs, job('task'));
      const [first] = await whenOwned(s, paths.pods, 1);
      const path = `${namespace}/pods/${first?.metadata.name ?? ''}`.replaceAll(':ns', s.namespace);
      await s.world.send({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { 'batch.kubernetes.io/controller-uid': null, app: 'other' } } },
      });
      await until(s, path, (_, body) => !isOwned(body as unknown as Owned));
      s.record('who owns what', ownership(await whenOwned(s, paths.pods, 1)));
    },
  },
  {
    name: 'ownership: a Deployment adopts an orphan ReplicaSet',
    async body(s) {
      const body = deployment('web', { replicas: 0 });
      await s.world.send({ method: 'POST', path: paths.deployments.replace(':ns', s.namespace), body });
      await whenOwned(s, replicaSets, 1);
      await s.world.send({
        method: 'DELETE',
        path: `${paths.deployments}/web`.replace(':ns', s.namespace),
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' },
      });
      await whenOwned(s, replicaSets, 0);
      await s.world.send({ method: 'POST', path: paths.deployments.replace(':ns', s.namespace), body });
      s.record('who owns what', ownership(await whenOwned(s, replicaSets, 1)));
    },
  },
  {
    name: 'cascade: owners in a circle',
    async body(s) {
      const names = ['first', 'second', 'third'] as const;
      const uids: Record<string, unknown> = {};
      for (const name of names) {
        const { body } = await s.create(paths.configMaps, configMap(name));
        uids[name] = (body['metadata'] as Json)['uid'];
      }
      for (const [index, name] of names.entries()) {
        const owner = names[(index + 2) % names.length] ?? 'first';
        const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: uids[owner] };
        const ownerReferences = [{ ...reference, controller: true, blockOwnerDeletion: true }];
        await s.merge(`${paths.configMaps}/${name}`, { metadata: { ownerReferences } });
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await s.delete(`${paths.configMaps}/first`, { propagationPolicy: 'Foreground' });
      for (const name of names) await until(s, `${paths.configMaps}/${name}`, (status) => status === 404);
      for (const name of names) await s.get(`${paths.configMaps}/${name}`);
    },
  },
  {
    name: 'namespace: its certificates are put right',
    async body(s) {
      const path = `${paths.configMaps}/kube-root-ca.crt`;
      await until(s, path, (status) => status === 200);
      await s.world.send({
        method: 'PATCH',
        path: path.replace(':ns', s.namespace),
        contentType: 'application/merge-patch+json',
        body: { data: { 'ca.crt': 'mine', more: 'text' }, metadata: { annotations: { mine: 'kept' } } },
      });
      const keys = (body: Json): readonly string[] => Object.keys((body['data'] ?? {}) as Json);
      await until(s, path, (_, body) => keys(body).length === 1);
      const { body } = await s.world.send({ method: 'GET', path: path.replace(':ns', s.namespace) });
      s.record('keys and annotations', [keys(body as Json), ((body as Json)['metadata'] as Json)['annotations']]);
    },
  },
  {
    name: 'namespace: pods go first',
    async body(s) {
      await s.create(paths.configMaps, configMap('settings'));
      await s.create(paths.pods, pod('held', {}, { finalizers: ['example.com/stay'] }));
      await s.delete(namespace);
      await until(s, namespace, (_, body) => {
        const { conditions = [] } = body['status'] as { readonly conditions?: readonly Json[] };
        return conditions.length > 0;
      });
      await until(s, `${paths.pods}/held`, (_, body) => (body['metadata'] as Json)['deletionTimestamp'] !== undefined);
      await s.get(namespace);
      await s.get(`${paths.configMaps}/settings`);
      await s.world.send({
        method: 'PATCH',
        path: `${paths.pods}/held`.replace(':ns', s.namespace),
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
      });
      await until(s, namespace, (status) => status === 404);
      await s.get(namespace);
    },
  },
  {
    name: 'endpoints: named ports by pod',
    async body(s) {
      const ports = [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'admin', port: 81, targetPort: 'admin' },
        { name: 'fixed', port: 82, targetPort: 7000 },
      ];
      await s.create(paths.services, service('web', { ports, publishNotReadyAddresses: true }));
      const slices = '/apis/discovery.k8s.io/v1/namespaces/:ns/endpointslices';
      await until(s, slices, (_, list) => itemsOf(list).length === 1);
      const shapes = async (): Promise<readonly Json[]> => {
        const { body } = await s.world.send({ method: 'GET', path: slices.replace(':ns', s.namespace) });
        const all = (itemsOf(body as Json) as unknown as readonly Json[]).map(
          ({ endpoints, ports: own, metadata }) => ({
            endpoints: (endpoints as readonly Json[] | null)?.map(({ addresses, conditions }) => ({
              addresses,
              conditions,
            })),
            // The real controllers order ports by a hash.
            ports: own === null ? null : byText(own as readonly Json[]),
            labels: (metadata as { readonly labels: Json }).labels,
          }),
        );
        return byText(all);
      };
      s.record('without pods', await shapes());
      const numbers = { one: { http: 8080 }, two: { http: 9090 }, none: {} };
      for (const [index, [name, own]] of Object.entries(numbers).entries()) {
        const container = Object.entries(own).map(([portName, containerPort]) => ({ name: portName, containerPort }));
        const containers = [{ name: 'main', image: 'cache:1', ports: container }];
        const path = paths.pods.replace(':ns', s.namespace);
        await s.world.send({
          method: 'POST',
          path,
          body: pod(name, { containers, nodeName: 'node-a' }, { labels: { app: 'web' } }),
        });
        const ip = `10.9.0.${index + 1}`;
        await s.world.send({
          method: 'PATCH',
          path: `${path}/${name}/status`,
          contentType: 'application/merge-patch+json',
          body: { status: { podIP: ip, podIPs: [{ ip }] } },
        });
      }
      await until(s, slices, (_, list) => itemsOf(list).length === 3);
      s.record('with pods', await shapes());
      const endpoints = '/api/v1/namespaces/:ns/endpoints/web';
      const subsetsOf = (body: Json): readonly Json[] => (body['subsets'] ?? []) as readonly Json[];
      await until(s, endpoints, (_, body) => subsetsOf(body).length === 3);
      const { body } = await s.world.send({ method: 'GET', path: endpoints.replace(':ns', s.namespace) });
      const subsets = subsetsOf(body as Json).map(({ addresses, ports: own }) => ({
        addresses: (addresses as readonly Json[]).map(({ ip }) => ip),
        ports: byText(own as readonly Json[]),
      }));
      s.record('subsets', byText(subsets));
    },
  },
];
