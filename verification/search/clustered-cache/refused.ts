import type { AdmissionRequest } from '@ordinal/runtime/webhooks';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { ClusteredCache } from '@ordinal/api';
import type { TestCluster } from '@ordinal/simulator';
import { clusteredCacheWebhook } from '../../../libs/reconcilers/src/clustered-cache/index.ts';
import { everyFault } from '../faults/faults.ts';
import { judgeSpecs } from '../../../libs/reconcilers/test/world/own-webhook.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  installImages,
  isSettled,
  members,
  said,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { registerForeignWebhook } from '../../../libs/reconcilers/test/clustered-cache/foreign-webhook.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';

const policy = 'https://policy.example';
const refusedMs = 1_200_000;

const allowed = new WeakSet<TestCluster>();

/** Another owner's policy refuses budgets for good, as far as the answer shows. */
async function registerPolicy(cluster: TestCluster): Promise<void> {
  cluster.external(policy, ({ body }) => {
    const { uid } = readReview(body);
    const no = { allowed: false, status: { code: 422, reason: 'Invalid', message: 'budgets are not wanted here' } };
    const reply = reviewReply(uid, { allowed: true }) as { readonly response: object }; // As `AdmissionReview` has it.
    const response = allowed.has(cluster) ? reply.response : { ...reply.response, ...no };
    return { status: 200, body: JSON.stringify({ ...reply, response }) };
  });
  const rule = { apiGroups: ['policy'], operations: ['CREATE', 'UPDATE'], resources: ['poddisruptionbudgets'] };
  await registerForeignWebhook(cluster, { name: 'budgets.policy.example', url: policy, rule });
}

/** The wrong template has failed, and all run the one before; or the way back has failed itself, as where a node is lost for longer than it may take. */
const isOver = (cluster: TestCluster): boolean =>
  said(cluster, 'Available') === 'True RolledBack' ||
  (cacheNow(cluster)?.status?.upgrade?.step === 'Failed' &&
    cacheNow(cluster)?.status?.upgrade?.revision !== cacheNow(cluster)?.status?.failedRevision);

/** What the API server shows otherwise than it was written: an empty value, what is so by default, and a quantity. */
const otherWords = {
  ...podTemplate,
  spec: {
    hostNetwork: false,
    containers: [
      {
        name: 'cache',
        env: [{ name: 'PREFIX', value: '' }],
        resources: { requests: { memory: '1024Mi', cpu: '1000m' } },
        livenessProbe: { httpGet: { path: '/', port: 6379 }, initialDelaySeconds: 0 },
      },
    ],
  },
} as const;

/** A child is refused for a while, in which the cache comes up and is upgraded, and nothing shows when that is over; then what is merged over the pods is wrong, is rolled back, and is corrected. In the end the spec is one that the operator's own webhook would refuse, which is no reason to refuse the deletion. */
export const refused: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 14_400_000,
    name: 'a child that is refused for a while, and a template that is wrong',
    setUp: async (cluster) => {
      installImages(cluster);
      await registerPolicy(cluster);
      const upgrade = { onFailure: 'Rollback', progressDeadline: '5m' } as const;
      await caches(cluster).create(cache({ podTemplate: otherWords, upgrade }));
    },
    drive: async (cluster, until) => {
      // What can't be made holds nothing up.
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await untilRunning(cluster, 'cache:2', until);
      await pass(cluster, until, refusedMs);
      allowed.add(cluster);
      await until(() => isSettled(cluster));
      await change(cluster, { podTemplate: { spec: { nodeSelector: { disk: 'none' } } } });
      await until(() => isOver(cluster));
      await change(cluster, {
        podTemplate: { metadata: { annotations: { team: 'data' } }, spec: { nodeSelector: null } },
      });
      await untilAllRun(cluster, 'cache:2', until);
      await change(cluster, { image: 'not an image' });
      await until(() => said(cluster, 'Degraded') === 'True InvalidSpec');
      await judgeSpecs(cluster, (request) => clusteredCacheWebhook.admit(request as AdmissionRequest<ClusteredCache>));
      await caches(cluster).delete('sessions');
    },
    isDone: (cluster) => cacheNow(cluster) === undefined && members(cluster).length === 0,
  },
};
