import { App } from 'cdk8s';
import { OperatorInstall } from '@ordinal/constructs';
import { createClient } from '@ordinal/client';
import { createManager } from '@ordinal/runtime';
import type { CacheReader, Manager } from '@ordinal/runtime';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { SimulatedCluster } from '@ordinal/testing';
import type { OperatorStart } from '@ordinal/testing';
import { clusteredCacheController, DisruptionGate } from '../../src/clustered-cache/index.ts';
import { probesThrough } from '../../src/health-check/index.ts';
import { cacheCluster, installImages } from './cache-world.ts';

const namespace = 'ordinal-system';
const operatorUser = `system:serviceaccount:${namespace}:ordinal-operator`;
const webhooks = `https://ordinal-operator-webhooks.${namespace}.svc`;

/** A cluster with the webhooks of an installation, which replicas of the operator answer in turn; one of them leads. */
export interface DrainWorld {
  readonly cluster: SimulatedCluster;
  /** How many requests each replica has answered. */
  readonly asked: readonly number[];
}

/** Builds the world. Nothing moves before the cluster runs. */
export async function drainWorld(replicas = 2): Promise<DrainWorld> {
  const cluster = await SimulatedCluster.start({ ...cacheCluster, seed: 1 });
  installImages(cluster);
  const gates: DisruptionGate[] = [];
  const asked: number[] = [];
  let turn = 0;
  cluster.external(webhooks, async ({ body }) => {
    const index = turn++ % gates.length;
    asked[index] = (asked[index] ?? 0) + 1;
    const request = readReview(body ?? '');
    const verdict = await gates[index]?.admit(request, new AbortController().signal);
    return { status: 200, body: JSON.stringify(reviewReply(request.uid, verdict ?? { allowed: true })) };
  });
  for (let index = 0; index < replicas; index += 1)
    cluster.operator(`replica-${index}`, replica(`replica-${index}`, gates), {
      name: operatorUser,
      groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
    });
  await register(cluster);
  return { cluster, asked };
}

function replica(identity: string, gates: DisruptionGate[]): OperatorStart {
  return ({ transport, clock, random, http }) => {
    const client = createClient({ transport, clock, random });
    const probes = probesThrough(client, async (url, { method, signal }) => {
      const reply = await http(url, { method, signal });
      return { status: reply.status, body: await reply.text() };
    });
    const lease = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
    const manager = createManager({
      client,
      clock,
      random,
      name: 'test/operator',
      identity,
      events: { publish: () => undefined },
      leaderElection: { client, namespace: 'default', name: 'operator', ...lease },
    });
    manager.add(clusteredCacheController({ probes }));
    gates.push(new DisruptionGate({ reader: readerOf(manager), client, probes, clock, operator: operatorUser }));
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  };
}

function readerOf(manager: Manager): CacheReader {
  const reader = (): CacheReader => manager.reader('clustered-cache');
  return {
    get: (descriptor, key) => reader().get(descriptor, key),
    list: (descriptor, options) => reader().list(descriptor, options),
    byIndex: (descriptor, index, value) => reader().byIndex(descriptor, index, value),
    countByIndex: (descriptor, index, value) => reader().countByIndex(descriptor, index, value),
    ownedBy: (descriptor, uid) => reader().ownedBy(descriptor, uid),
  };
}

/** The webhook configuration that the installation brings, word for word, for the pods. */
async function register(cluster: SimulatedCluster): Promise<void> {
  const manifests = new OperatorInstall(new App(), 'install', { crds: false }).toJson() as {
    readonly kind: string;
    readonly webhooks?: readonly { readonly name: string }[];
  }[];
  const configuration = manifests.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const ofPods = configuration?.webhooks?.filter(({ name }) => name !== 'validate.ordinal.dev');
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: { ...configuration, webhooks: ofPods },
  });
}
