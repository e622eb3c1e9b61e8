import type { Case, Json, Session } from '../case.ts';
import { configMap, deployment, job, paths, statefulSet } from './objects.ts';
import { until } from './until.ts';

const finalizer = 'example.com/stay';
const namespace = '/api/v1/namespaces/:ns';
const marked = { labels: { cascade: 'yes' } };

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly Json[];
}

const metadataOf = (body: Json): Metadata => body['metadata'] as Metadata;

const gone = (s: Session, path: string): Promise<void> => until(s, path, (status) => status === 404);
const going = (s: Session, path: string): Promise<void> =>
  until(s, path, (_, body) => metadataOf(body).deletionTimestamp !== undefined);
const free = (s: Session, path: string): Promise<void> =>
  until(s, path, (_, body) => metadataOf(body).ownerReferences === undefined);

const ownedBy = ({ name, uid }: Metadata, blocks: boolean): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  blockOwnerDeletion: blocks,
});

interface Family {
  /** Finalizers of the child. */
  readonly finalizers?: readonly string[];
  readonly blocks?: boolean;
}

/** An owner, its child, and the child's child. */
async function family(s: Session, { finalizers = [], blocks = true }: Family = {}): Promise<string> {
  const owner = await s.create(paths.configMaps, configMap('owner', {}, marked));
  const held = finalizers.length > 0 ? { finalizers } : {};
  const ownerReferences = [ownedBy(metadataOf(owner.body), blocks)];
  const child = await s.create(paths.configMaps, configMap('child', {}, { ...marked, ...held, ownerReferences }));
  await s.create(
    paths.configMaps,
    configMap('grandchild', {}, { ...marked, ownerReferences: [ownedBy(metadataOf(child.body), blocks)] }),
  );
  await seen();
  return String((child.body['metadata'] as Json)['resourceVersion']);
}

/** The garbage collector hears of objects by its watches: one that does not know a child yet lets its owner go at once. */
const seen = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1000));

/** What happened to each object, in its order; objects do not wait for each other. */
async function eventsByName(s: Session, since: string): Promise<void> {
  const query = `watch=true&timeoutSeconds=1&labelSelector=cascade%3Dyes&resourceVersion=${since}`;
  const { body } = await s.world.send({ method: 'GET', path: `/api/v1/namespaces/${s.namespace}/configmaps?${query}` });
  const byName: Record<string, Json[]> = {};
  for (const event of Array.isArray(body) ? (body as { readonly type: string; readonly object: Json }[]) : [])
    (byName[metadataOf(event.object).name] ??= []).push({ type: event.type, object: event.object });
  s.record('what watches saw, by name', byName);
}

const remove = (s: Session, path: string, propagationPolicy: string) =>
  s.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy });
const named = (name: string): string => `${paths.configMaps}/${name}`;
const release = (s: Session, name: string) => s.merge(named(name), { metadata: { finalizers: null } });

/** Workloads, and the descendants that their controllers make. */
const workloads: Readonly<Record<string, { readonly path: string; readonly body: Json; readonly child: string }>> = {
  Deployment: { path: paths.deployments, body: deployment('web', { replicas: 0 }), child: 'replicasets' },
  StatefulSet: { path: paths.statefulSets, body: statefulSet('web', { replicas: 0 }), child: 'controllerrevisions' },
};

const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** What the garbage collector and the namespace controller do: these cases need both worlds' controllers to run. */
export const controllerCases: readonly Case[] = [
  {
    name: 'cascade: Background, nothing held',
    async body(s) {
      const since = await family(s);
      await remove(s, named('owner'), 'Background');
      await gone(s, named('grandchild'));
      await eventsByName(s, since);
    },
  },
  {
    name: 'cascade: Background, the child is held',
    async body(s) {
      const since = await family(s, { finalizers: [finalizer] });
      await remove(s, named('owner'), 'Background');
      await going(s, named('child'));
      await s.get(named('owner'));
      await s.get(named('grandchild'));
      await release(s, 'child');
      await gone(s, named('grandchild'));
      await eventsByName(s, since);
    },
  },
  {
    name: 'cascade: Foreground, nothing held',
    async body(s) {
      const since = await family(s);
      await remove(s, named('owner'), 'Foreground');
      await gone(s, named('owner'));
      await eventsByName(s, since);
    },
  },
  {
    name: 'cascade: Foreground, the child is held and blocks its owner',
    async body(s) {
      const since = await family(s, { finalizers: [finalizer] });
      await remove(s, named('owner'), 'Foreground');
      await going(s, named('child'));
      await s.get(named('owner'));
      await gone(s, named('grandchild'));
      await release(s, 'child');
      await gone(s, named('owner'));
      await eventsByName(s, since);
    },
  },
  {
    name: 'cascade: Foreground, the child is held and does not block its owner',
    async body(s) {
      await family(s, { finalizers: [finalizer], blocks: false });
      await remove(s, named('owner'), 'Foreground');
      await gone(s, named('owner'));
      await going(s, named('child'));
      await s.get(named('child'));
      await release(s, 'child');
      await gone(s, named('grandchild'));
    },
  },
  {
    name: 'cascade: Orphan',
    async body(s) {
      const since = await family(s, { finalizers: [finalizer] });
      await remove(s, named('owner'), 'Orphan');
      await gone(s, named('owner'));
      await free(s, named('child'));
      await s.get(named('child'));
      await s.get(named('grandchild'));
      await eventsByName(s, since);
    },
  },
  {
    name: 'cascade: the owner is held by a finalizer of its own',
    async body(s) {
      await family(s);
      await s.merge(named('owner'), { metadata: { finalizers: [finalizer] } });
      await remove(s, named('owner'), 'Foreground');
      await gone(s, named('child'));
      await until(s, named('owner'), (_, body) => metadataOf(body).finalizers?.length === 1);
      await s.get(named('owner'));
      await release(s, 'owner');
      await s.get(named('owner'));
    },
  },
  {
    name: 'cascade: two owners, of which one goes',
    async body(s) {
      const first = await s.create(paths.configMaps, configMap('first'));
      const second = await s.create(paths.configMaps, configMap('second'));
      const ownerReferences = [ownedBy(metadataOf(first.body), true), ownedBy(metadataOf(second.body), true)];
      await s.create(paths.configMaps, configMap('child', {}, { ownerReferences }));
      await seen();
      await remove(s, named('first'), 'Background');
      await until(s, named('child'), (_, body) => metadataOf(body).ownerReferences?.length === 1);
      await s.get(named('child'));
      await remove(s, named('second'), 'Background');
      await gone(s, named('child'));
    },
  },
  {
    name: 'cascade: an owner that never was',
    async body(s) {
      const uid = '11111111-2222-3333-4444-555555555555';
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid }];
      await s.create(paths.configMaps, configMap('child', {}, { ownerReferences }));
      await gone(s, named('child'));
      await s.get(named('child'));
    },
  },
  ...Object.entries(workloads).flatMap(([kind, { path, body, child }]) =>
    policies.map((policy): Case => ({
      name: `cascade: ${kind}, ${policy}`,
      async body(s) {
        await s.create(path, body);
        const children = `/apis/apps/v1/namespaces/:ns/${child}`;
        const count = (list: Json): number => (list['items'] as readonly Json[]).length;
        await until(s, children, (_, list) => count(list) === 1);
        await until(s, `${path}/web`, (_, set) => {
          const { observedGeneration } = (set['status'] ?? {}) as { readonly observedGeneration?: number };
          return observedGeneration === 1;
        });
        await seen();
        const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: policy };
        // The reply is not recorded: a Deployment's status names its ReplicaSet, whose hash is each world's own.
        await s.world.send({ method: 'DELETE', path: `${path.replace(':ns', s.namespace)}/web`, body: options });
        await gone(s, `${path}/web`);
        await until(s, children, (_, list) => count(list) === (policy === 'Orphan' ? 1 : 0));
        const { body: left } = await s.world.send({ method: 'GET', path: children.replace(':ns', s.namespace) });
        const metadata = ((left as Json)['items'] as readonly Json[]).map(metadataOf);
        s.record(
          'what is left',
          metadata.map(({ ownerReferences, finalizers }) => ({ ownerReferences, finalizers })),
        );
      },
    })),
  ),
  {
    name: 'namespace: ends with what is in it',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.create(paths.statefulSets, statefulSet('web', { replicas: 0 }));
      await s.create(paths.jobs, job('task', { suspend: true }));
      await s.delete(namespace);
      await gone(s, namespace);
      await s.get(namespace);
      await s.get(`${paths.statefulSets}/web`);
    },
  },
  {
    name: 'namespace: a finalizer holds its content',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', {}, { finalizers: [finalizer] }));
      await s.create(paths.configMaps, configMap('b', {}, { finalizers: [finalizer, 'example.com/more'] }));
      await s.delete(namespace);
      await until(s, namespace, (_, body) => {
        const { conditions = [] } = body['status'] as { conditions?: readonly Json[] };
        return conditions.some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True');
      });
      await s.get(namespace);
      await s.get(named('a'));
      await s.create(paths.configMaps, configMap('late'));
      await release(s, 'a');
      await release(s, 'b');
      await gone(s, namespace);
      await s.get(namespace);
    },
  },
];
