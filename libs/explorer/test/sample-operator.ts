import { configMaps, createClient, isApiError, statefulSets } from '@ordinal/client';
import { awaitChange, controller, createManager, requeueAfter, resourceVersionChanged } from '@ordinal/runtime';
import type { ReconcileContext } from '@ordinal/runtime';
import type { FetchLike, OperatorStart, TestCluster } from '@ordinal/simulator';
import type { Scenario } from '../src/index.ts';

/** How the sample operator misbehaves, to see whether a search finds it. */
export interface Mistakes {
  /** Registers without a token, so that a repetition registers twice. */
  readonly forgetsToken?: boolean;
  /** Writes its status again and again. */
  readonly chatters?: boolean;
}

/**
 * A small operator on the runtime: each ConfigMap with an `image` becomes a StatefulSet of three pods, and is registered with an external monitor once
 * they are ready.
 */
export function sampleOperator(mistakes: Mistakes = {}): OperatorStart {
  return async ({ transport, clock, random, http, identity }) => {
    const client = createClient({ transport, clock, random, userAgent: 'operator' });
    const manager = createManager({
      client,
      clock,
      random,
      name: 'sample.example.com/operator',
      identity,
      events: { publish: () => undefined },
    });
    const sample = controller('sample')
      .for(configMaps, { predicate: resourceVersionChanged })
      .owns(statefulSets)
      .writes(statefulSets, ['create', 'update'])
      .reconcile(async (key, context) => {
        const owner = context.cache.get(configMaps, key);
        const image = owner?.data?.['image'];
        if (owner === undefined || image === undefined) return awaitChange();
        const sets = context.client(statefulSets).namespace(key.namespace);
        const set = context.cache.get(statefulSets, key);
        if (set === undefined) {
          try {
            await sets.create(desired(owner.metadata.uid, key, image));
          } catch (error) {
            // A stale cache: what is there will be seen.
            if (!isApiError(error, 'AlreadyExists')) throw error;
          }
          return awaitChange();
        }
        if (set.spec.template.spec?.containers[0]?.image !== image) {
          await sets.patch(key.name, {
            type: 'json',
            operations: [
              // Decided on what was seen: whoever has been overtaken meanwhile changes nothing.
              { op: 'test', path: '/metadata/resourceVersion', value: set.metadata.resourceVersion },
              { op: 'replace', path: '/spec/template/spec/containers/0/image', value: image },
            ],
          });
          return awaitChange();
        }
        if (set.status?.readyReplicas !== 3 || set.status.updatedReplicas !== 3) return awaitChange();
        const maps = context.client(configMaps).namespace(key.namespace);
        if (mistakes.chatters === true) {
          await maps.patch(key.name, {
            type: 'merge',
            body: { metadata: { annotations: { seen: String(context.clock.now()) } } },
          });
          return requeueAfter(10_000);
        }
        if (owner.metadata.annotations?.['registered'] !== undefined) return awaitChange();
        const token = mistakes.forgetsToken === true ? String(context.random()) : owner.metadata.uid;
        const reply = await register(http, token, context).catch(() => undefined);
        if (reply?.status !== 201) return requeueAfter(5000);
        await maps.patch(key.name, {
          type: 'merge',
          body: { metadata: { annotations: { registered: await reply.text() } } },
        });
        return awaitChange();
      });
    manager.add(sample);
    void manager.start();
    return { stop: () => manager.stop() };
  };
}

/** One attempt, of ten seconds at most. */
async function register(
  http: FetchLike,
  token: string,
  { clock, signal: ending }: ReconcileContext,
): Promise<Response> {
  const deadline = new AbortController();
  const timer = clock.after(10_000, () => deadline.abort(new Error('no answer within 10 s')));
  try {
    // As many a program joins signals: Node keeps such a one for as long as anybody listens to it.
    const signal = AbortSignal.any([ending, deadline.signal]);
    return await http('http://monitor.example/register', { method: 'POST', body: token, signal });
  } finally {
    timer.cancel();
  }
}

function desired(
  ownerUid: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  image: string,
) {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: ownerUid, controller: true }],
    },
    spec: {
      replicas: 3,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      updateStrategy: { type: 'RollingUpdate' },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
    },
  } as const;
}

/** The registrations that the monitor holds, by token. */
export const registrations = new WeakMap<TestCluster, Map<string, number>>();

/** Three pods come up, are registered, and get another image. */
export function sampleScenario(mistakes: Mistakes = {}): Scenario {
  return {
    name: 'three pods get another image',
    operator: sampleOperator(mistakes),
    setUp: async (cluster) => {
      const registered = new Map<string, number>();
      registrations.set(cluster, registered);
      cluster.image('app:1', { startsIn: 500 });
      cluster.image('app:2', { startsIn: 500 });
      cluster.external('http://monitor.example', ({ body }) => {
        registered.set(body, (registered.get(body) ?? 0) + 1);
        return { status: 201, body: 'm-1' };
      });
      await cluster
        .client()(configMaps)
        .namespace('default')
        .create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'app', namespace: 'default' },
          data: { image: 'app:1' },
        });
    },
    drive: async (cluster, until) => {
      await until(() => cluster.objects.find(statefulSets, 'default', 'app')?.status?.readyReplicas === 3);
      await cluster
        .client()(configMaps)
        .namespace('default')
        .patch('app', { type: 'merge', body: { data: { image: 'app:2' } } });
    },
    isDone: (cluster) => {
      const set = cluster.objects.find(statefulSets, 'default', 'app');
      const isUpdated = set?.spec.template.spec?.containers[0]?.image === 'app:2';
      const status = set?.status;
      return (
        isUpdated &&
        status?.updatedReplicas === 3 &&
        status.readyReplicas === 3 &&
        status.observedGeneration === set?.metadata.generation
      );
    },
    leaks: (cluster) => {
      const tokens = [...(registrations.get(cluster)?.keys() ?? [])];
      return tokens.length > 1 ? [`${tokens.length} registrations of one object`] : [];
    },
  };
}
