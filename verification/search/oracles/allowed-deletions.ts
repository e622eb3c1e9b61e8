import type { Pod } from '@ordinal/client';
import { readReview } from '@ordinal/runtime/webhooks';
import type { TestCluster } from '@ordinal/simulator';
import { answered, asked, operator } from '../../../libs/reconcilers/test/clustered-cache/drain-world.ts';
import { isReady } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';

/** A member that was allowed to be deleted: its UID, and when. */
export interface AllowedDeletion {
  readonly uid: string;
  readonly at: number;
}

/** How long a deletion may take from the answer to its request, in milliseconds. */
const deletionMs = 30_000;

/** The API server asks the operator's webhook; each question and its answer are noted on the way, but for those of an API server that has ended meanwhile, because its etcd was restored. */
export function noteAnswers(
  cluster: TestCluster,
  note: (cluster: TestCluster, question: string, answer: string) => void,
): void {
  cluster.external(asked, async ({ body }) => {
    const restores = cluster.restores.length;
    const reply = await cluster.http(answered, { method: 'POST', body });
    const text = await reply.text();
    if (cluster.restores.length === restores) note(cluster, body, text);
    return { status: reply.status, body: text };
  });
}

/**
 * The member that an answer allows to be deleted, and who asked. Undefined where the operator itself asked, and where the member is already being deleted or serves no client: it was lost
 * before, perhaps to a client that no gate stops, and allowing its deletion costs nothing more.
 */
export function allowedDeletion(
  members: readonly Pod[],
  question: string,
  answer: string,
): { readonly target: Pod; readonly username: string } | undefined {
  const { oldObject, userInfo, name: named } = readReview(question);
  const { response } = JSON.parse(answer) as { readonly response: { readonly allowed: boolean } };
  if (!response.allowed || userInfo.username === operator) return undefined;
  if (oldObject?.metadata.deletionTimestamp !== undefined) return undefined;
  // An eviction names a pod, and no more.
  const target = members.find(({ metadata }) =>
    oldObject ? metadata.uid === oldObject.metadata.uid : metadata.name === named,
  );
  return target && isReady(target) ? { target, username: userInfo.username ?? '' } : undefined;
}

/** A member that was allowed to be deleted, and serves half a minute later, was not deleted: the budget refused it, or no request came any more. */
export const isSpared = (cluster: TestCluster, members: readonly Pod[], { uid, at }: AllowedDeletion): boolean =>
  cluster.clock.now() >= at + deletionMs && members.some((pod) => pod.metadata.uid === uid && isReady(pod));
