import { createSecretKey } from 'node:crypto';
import type { Job, KubernetesObject } from '@ordinal/client';
import { jobs } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import { SealedJobs, SealedStatuses } from '@ordinal/lifecycle';
import type { Seals } from '@ordinal/lifecycle';
import { jobMarks } from '@ordinal/reconcilers';
import { descriptorOf, ordinalKinds } from '../kinds.ts';
import type { OrdinalResource } from '../kinds.ts';
import type { LocalObjects } from './local-reader.ts';
import { PretendTransport } from './pretend.ts';

/** A key for this run alone: the operator's own is not needed, and what it has sealed is taken for its own. */
export const ownSeals: Seals = { keys: () => [key] };
const key = createSecretKey(Buffer.alloc(32, 'a plan is believed by itself'));

/** A resource with its status sealed for this run. */
export function withBelievedStatus(resource: OrdinalResource): OrdinalResource {
  const { status } = resource;
  if (status?.seal === undefined) return resource;
  const { seal: _seal, conditions: _conditions, ...item } = status;
  const statuses = new SealedStatuses(
    { descriptor: descriptorOf(resource), finalizer: '', forget: () => ({}) },
    ownSeals,
  );
  const seal = statuses.sealer(resource).sign({ purpose: 'status', item });
  return { ...resource, status: { ...status, seal } } as OrdinalResource;
}

/** Where the API server has a Job. */
export const jobPath = ({ metadata: { namespace = '', name } }: KubernetesObject): string =>
  `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;

/** A Job with a seal for this run, as one that the operator has made for an object. */
export async function withBelievedSeal(job: Job, owner: OrdinalResource): Promise<Job> {
  const nowhere = {
    send: () => Promise.reject(new Error('nothing is read here')),
    connect: () => Promise.reject(new Error('nothing is opened here')),
    close: () => Promise.resolve(),
  };
  const { signal } = new AbortController();
  const transport = new PretendTransport(nowhere, { now: () => '', ended: signal });
  const path = jobPath(job);
  transport.assume(path, job);
  await new SealedJobs(descriptorOf(owner), ownSeals, jobMarks)
    .of(owner)
    .adopt([job], { client: createClient({ transport }), signal });
  const { annotations = {} } = (transport.changed.get(path) ?? job)['metadata'] as Job['metadata']; // What was put there, with one more annotation.
  return { ...job, metadata: { ...job.metadata, annotations } };
}

/** What was read, as the operator would believe it. */
export async function believed(objects: LocalObjects, owner: OrdinalResource): Promise<LocalObjects> {
  const result = new Map(objects);
  for (const { plural, group } of ordinalKinds) {
    const of = result.get(`${plural}.${group}`) as readonly OrdinalResource[] | undefined; // Read as this kind.
    if (of) result.set(`${plural}.${group}`, of.map(withBelievedStatus));
  }
  const jobKey = `${jobs.plural}.${jobs.group}`;
  const made = (result.get(jobKey) ?? []) as readonly Job[]; // Read as this kind.
  const sealed: KubernetesObject[] = await Promise.all(made.map((job) => withBelievedSeal(job, owner)));
  result.set(jobKey, sealed);
  return result;
}
