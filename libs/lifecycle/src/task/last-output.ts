import type { Client, Job, Pod } from '@ordinal/client';
import { controllerOf, isApiError, pods } from '@ordinal/client';
import type { ReconcileContext } from '@ordinal/runtime';
import { hasEnded } from './task.ts';
import { unreadyCause } from '../rollout/unready.ts';

/** How much of a Job's output is read, in bytes: its last lines say how it ended. */
const outputBytes = 64 * 1024;

/** Whose output is read. */
interface OutputOf {
  readonly namespace: string;
  readonly jobUid: string;
  readonly container: string;
}

/** Reads the last lines that the newest pod of a Job has printed; undefined where there is none, or its container has never started. Errors of the API server are thrown. */
async function lastOutput(
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

/** Which Jobs are read. */
export interface OutputsWanted {
  readonly jobs: readonly Job[];
  readonly container: string;
  /** Whether what this Job has printed is to be recorded, once it has ended. */
  readonly isWanted: (job: Job) => boolean;
}

/** What these Jobs have printed, by their names. That it can't be read is no failure: the result stands in the Job itself. */
export async function outputsOf(
  { jobs, container, isWanted }: OutputsWanted,
  { client, clock, signal, log }: Pick<ReconcileContext, 'client' | 'clock' | 'signal' | 'log'>,
): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  for (const job of jobs) {
    const { name, namespace = '', uid } = job.metadata;
    if (!hasEnded(job, clock.now()) || !isWanted(job)) continue;
    try {
      const output = await lastOutput(client, { namespace, jobUid: uid, container }, signal);
      if (output !== undefined) outputs.set(name, output);
    } catch (cause) {
      log.warn({ job: name, cause: String(cause) }, 'the output of a Job could not be read');
    }
  }
  return outputs;
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
