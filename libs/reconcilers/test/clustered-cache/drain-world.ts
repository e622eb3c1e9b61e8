import type { TestCluster } from '@ordinal/simulator';
import { App } from 'cdk8s';
import { OperatorInstall, operatorName, operatorUser, webhookNames } from '@ordinal/constructs';
import type { CacheReader, Manager } from '@ordinal/runtime';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import { SimulatedCluster } from '@ordinal/simulator';
import type { OperatorStart } from '@ordinal/simulator';
import { DisruptionGate } from '@ordinal/lifecycle';
import { clusteredCacheController, protectCaches } from '../../src/clustered-cache/index.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../operator/parts.ts';
import { cacheCluster, installImages } from './cache-world.ts';

const namespace = 'ordinal-system';

/** The user that the operator is. */
export const operator = operatorUser({ name: operatorName, namespace });
/** Where the API server asks the operator's webhooks. What is answered is noted on the way. */
export const asked = `https://${webhookNames(operatorName).service}.${namespace}.svc`;
/** Where the operator answers. */
export const answered = 'https://gate.ordinal-system.svc';

/** An installation of the operator, and the part of the caches that it keeps: all, unless a shard is given. */
interface Installed {
  readonly name: string;
  readonly shard?: string;
}

/** What is installed in the cluster. */
export interface DrainWorldOptions {
  /** How many replicas each installation has. */
  readonly replicas?: number;
  readonly installations?: readonly Installed[];
}

/** A cluster with the webhooks of an installation, which replicas of the operator answer in turn; one of them leads. */
export interface DrainWorld {
  readonly cluster: SimulatedCluster;
  /** How many requests each replica has answered. */
  readonly asked: readonly number[];
}

/** Builds the world. Nothing moves before the cluster runs. */
export async function drainWorld({
  replicas = 2,
  installations = [{ name: operatorName }],
}: DrainWorldOptions = {}): Promise<DrainWorld> {
  const cluster = await SimulatedCluster.start({ ...cacheCluster, seed: 1 });
  installImages(cluster);
  const asked: number[] = [];
  for (const [place, installed] of installations.entries()) {
    await install(cluster, installed, { replicas, asked, from: place * replicas });
  }
  return { cluster, asked };
}

/** What of the world belongs to one installation: its replicas are counted from a number on. */
interface Part {
  readonly replicas: number;
  readonly asked: number[];
  readonly from: number;
}

async function install(cluster: TestCluster, installed: Installed, { replicas, asked, from }: Part): Promise<void> {
  const gates: DisruptionGate[] = [];
  let turn = 0;
  cluster.external(`https://${webhookNames(installed.name).service}.${namespace}.svc`, async ({ body }) => {
    const index = turn++ % gates.length;
    asked[from + index] = (asked[from + index] ?? 0) + 1;
    const request = readReview(body ?? '');
    const verdict = await gates[index]?.admit(request, new AbortController().signal);
    return { status: 200, body: JSON.stringify(reviewReply(request.uid, verdict ?? { allowed: true })) };
  });
  for (let index = 0; index < replicas; index += 1) {
    const identity = `${installed.name}-${index}`;
    cluster.operator(identity, replica(identity, installed, gates), {
      name: operatorUser({ name: installed.name, namespace }),
      groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
    });
  }
  await register(cluster, installed);
}

function replica(identity: string, { name, shard }: Installed, gates: DisruptionGate[]): OperatorStart {
  return (given) => {
    const environment = { ...given, identity };
    const client = clientOf(environment);
    const probes = probesOf(environment, client);
    const lease = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
    const manager = managerOf(environment, client, {
      leaderElection: { client, namespace: 'default', name, ...lease },
      ...(shard === undefined ? {} : { shard: { labelSelector: shard } }),
    });
    manager.add(clusteredCacheController({ probes, seals }));
    const operator = operatorUser({ name, namespace });
    gates.push(
      new DisruptionGate({
        ...{ client, probes, outside: manager.outside, clock: environment.clock, operator },
        protection: protectCaches({ reader: readerOf(manager, 'clustered-cache'), seals }),
        ...(shard === undefined ? {} : { shard }),
      }),
    );
    return start(manager);
  };
}

/** Reads what a controller of a manager reads, also before it runs. */
export function readerOf(manager: Manager, controller: string): CacheReader {
  const reader = (): CacheReader => manager.reader(controller);
  return {
    get: (descriptor, key) => reader().get(descriptor, key),
    list: (descriptor, options) => reader().list(descriptor, options),
    byIndex: (descriptor, index, value) => reader().byIndex(descriptor, index, value),
    countByIndex: (descriptor, index, value) => reader().countByIndex(descriptor, index, value),
    ownedBy: (descriptor, uid) => reader().ownedBy(descriptor, uid),
  };
}

/** The webhook configuration that the installation brings, word for word, for the pods. */
export async function register(cluster: TestCluster, { name }: Installed): Promise<void> {
  const manifests = new OperatorInstall(new App(), 'install', { name, crds: false }).toJson() as {
    readonly kind: string;
    readonly webhooks?: readonly { readonly name: string }[];
  }[];
  const configuration = manifests.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const ofPods = configuration?.webhooks?.filter(({ name }) =>
    ['pods.ordinal.dev', 'set-pods.ordinal.dev', 'evictions.ordinal.dev'].includes(name),
  );
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: { ...configuration, webhooks: ofPods },
  });
}
