import type { ClusteredCache, KVStoreCluster } from '@ordinal/api';
import type { Client } from '@ordinal/client';
import { admitClusteredCache, problemsOf } from '@ordinal/reconcilers';
import { allow, deny } from '@ordinal/runtime/webhooks';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { admitAuthor } from './author.ts';

type Judge = (request: AdmissionRequest) => Verdict;

/** What each kind's reconciler would refuse too, were this webhook not there. The other kinds are judged by their schemas and rules alone. */
const judges: Readonly<Record<string, Judge>> = {
  // The webhook's configuration sends each kind with its own objects.
  ClusteredCache: (request) => admitClusteredCache(request as AdmissionRequest<ClusteredCache>),
  KVStoreCluster: (request) => admitKVStoreCluster(request as AdmissionRequest<KVStoreCluster>),
};

/** Judges a new or changed resource: first whether it makes sense, then whether its author may have what it asks for. */
export async function admitResource(request: AdmissionRequest, client: Client, signal: AbortSignal): Promise<Verdict> {
  const { object } = request;
  if (object === null || object.metadata.deletionTimestamp !== undefined) return allow();
  const verdict = judges[request.kind.kind]?.(request) ?? allow();
  if (!verdict.allowed) return verdict;
  return (await admitAuthor(request, client, signal)) ?? verdict;
}

function admitKVStoreCluster({ object, oldObject }: AdmissionRequest<KVStoreCluster>): Verdict {
  if (object === null || JSON.stringify(object.spec) === JSON.stringify(oldObject?.spec)) return allow();
  const problems = problemsOf(object.spec);
  if (problems.length === 0) return allow();
  const message = problems.map((problem) => `${problem.field}: ${problem.message}`).join('; ');
  return deny(message, { code: 422, reason: 'Invalid' });
}
