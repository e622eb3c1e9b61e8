import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { reviewReply, readReview } from '@ordinal/runtime/webhooks';
import type { TestCluster } from '@ordinal/simulator';
import { registerForeignWebhook } from '../../../libs/reconcilers/test/clustered-cache/foreign-webhook.ts';
import { pass } from './pass.ts';

/** Another owner's webhook on deletions, and how long it takes: time passes between what is allowed, or announced, and what is done. */
const audit = 'https://audit.example';
const auditMs = 300;

/** Registers another owner's webhook on deletions, which takes its time. */
export async function registerAudit(cluster: TestCluster): Promise<void> {
  cluster.external(audit, async ({ body }) => {
    await new Promise<void>((resolve) => void cluster.clock.after(auditMs, resolve));
    return { status: 200, body: JSON.stringify(reviewReply(readReview(body).uid, { allowed: true })) };
  });
  const rule = { apiGroups: [''], operations: ['DELETE'], resources: ['pods'] };
  await registerForeignWebhook(cluster, { name: 'slow.audit.example', url: audit, rule });
}

/** Who drains nodes: nothing of the cluster's own may pass a gate that people may not. */
const autoscaler = {
  name: 'system:serviceaccount:kube-system:cluster-autoscaler',
  groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
};

/** Which members are drained. */
export interface Drain {
  readonly members: () => readonly Pod[];
  readonly uids: readonly string[];
  /** Whether to go on while some are left. Always, unless given. */
  readonly wants?: () => boolean;
  /** How long until one that may not go yet is tried again, in milliseconds. */
  readonly pauseMs?: () => number;
}

/** Members are evicted or deleted, in turn; one that may not go yet is tried again, until all are gone or the drain is given up. */
export async function drain(
  cluster: TestCluster,
  until: (condition: () => boolean) => Promise<void>,
  { members, uids, wants = () => true, pauseMs = () => 700 }: Drain,
): Promise<void> {
  const left = (): readonly Pod[] => members().filter(({ metadata }) => uids.includes(metadata.uid));
  const client = cluster.client()(pods).namespace('default');
  while (left().length > 0 && wants()) {
    const present = left().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    await Promise.all(
      present.map(({ metadata: { name, uid } }, place) =>
        (place % 2 === 0
          ? cluster.client(autoscaler).pods.evict({ namespace: 'default', pod: name })
          : client.delete(name, { preconditions: { uid } })
        ).catch(() => undefined),
      ),
    );
    await pass(cluster, until, pauseMs());
  }
}
