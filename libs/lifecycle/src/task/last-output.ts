import type { Client, Pod } from '@ordinal/client';
import { controllerOf, isApiError, pods } from '@ordinal/client';
import { unreadyCause } from '../rollout/unready.ts';

/** How much of a Job's output is read, in bytes: its last lines say how it ended. */
const outputBytes = 64 * 1024;

/** Whose output is read. */
export interface OutputOf {
  readonly namespace: string;
  readonly jobUid: string;
  readonly container: string;
}

/** Reads the last lines that the newest pod of a Job has printed; undefined where there is none, or its container has never started. Errors of the API server are thrown. */
export async function lastOutput(
  client: Client,
  { namespace, jobUid, container }: OutputOf,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await client(pods)
    .namespace(namespace)
    .list({ labelSelector: `batch.kubernetes.io/controller-uid=${jobUid}`, signal });
  const newest = [...items]
    .sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))
    .at(-1);
  if (!newest) return undefined;
  try {
    return await client.pods.logs(
      { namespace, pod: newest.metadata.name, container },
      { tailLines: 50, limitBytes: outputBytes, signal },
    );
  } catch (cause) {
    // The container never started, so it has printed nothing.
    if (isApiError(cause, 'BadRequest', 'NotFound')) return undefined;
    throw cause;
  }
}

/** What keeps a pod of this Job from running: an image that can't be pulled, no node that takes it. Undefined where nothing is known to. Pure. */
export function causeOfJob(present: readonly Pod[], job: string): string | undefined {
  const atWork = present.filter(
    (pod) => controllerOf(pod)?.name === job && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
  );
  return atWork.map(unreadyCause).find((text) => text !== undefined);
}

/** The same sentence with what keeps a pod of this Job from running, where something does. Pure. */
export function withCauseOfJob(present: readonly Pod[], job: string, sentence: string): string {
  const cause = causeOfJob(present, job);
  return cause === undefined ? sentence : `${sentence}; ${cause}`;
}
