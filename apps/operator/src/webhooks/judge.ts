import type { CloudDatabase, ClusteredCache, KVStoreCluster, MonitoredStatefulSet } from '@ordinal/api';
import type { Client } from '@ordinal/client';
import {
  admitClusteredCache,
  admitCloudDatabase,
  admitKVStoreCluster,
  admitMonitoredStatefulSet,
} from '@ordinal/reconcilers';
import { allow, deny } from '@ordinal/runtime/webhooks';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import { maxSpecLength } from '../oversize.ts';
import { keptOutOf } from '../reserved.ts';
import { admitAuthor, specOf } from './author.ts';

/** What a judgement needs beside the request. */
export interface JudgeOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The namespaces in which the operator keeps no resources. */
  readonly reserved: readonly string[];
}

type Judge = (request: AdmissionRequest) => Verdict;

/** What each kind's reconciler would refuse too, were this webhook not there. The webhook's configuration sends each kind with its own objects. */
const judges: Readonly<Record<string, Judge>> = {
  ClusteredCache: (request) => admitClusteredCache(request as AdmissionRequest<ClusteredCache>),
  KVStoreCluster: (request) => admitKVStoreCluster(request as AdmissionRequest<KVStoreCluster>),
  MonitoredStatefulSet: (request) => admitMonitoredStatefulSet(request as AdmissionRequest<MonitoredStatefulSet>),
  CloudDatabase: (request) => admitCloudDatabase(request as AdmissionRequest<CloudDatabase>),
};

/**
 * Judges a new or changed spec: first whether it makes sense, then whether its author may have what it asks for. Whether the resource is being deleted counts for
 * nothing: it can be created like that, and until it is gone the operator does what its spec says. What leaves the spec as it is, such as a finalizer that goes,
 * always passes.
 */
export async function admitResource(
  request: AdmissionRequest,
  { client, signal, reserved }: JudgeOptions,
): Promise<Verdict> {
  const { object, oldObject, namespace = '' } = request;
  if (object === null) return allow();
  const spec = specOf(object);
  if (spec !== specOf(oldObject)) {
    if (reserved.includes(namespace)) return deny(keptOutOf(namespace), { code: 403, reason: 'Forbidden' });
    if (spec.length > maxSpecLength) return deny(tooLarge(spec.length), { code: 422, reason: 'Invalid' });
  }
  const verdict = judges[request.kind.kind]?.(request) ?? allow();
  if (!verdict.allowed) return verdict;
  return (await admitAuthor(request, client, signal)) ?? verdict;
}

const tooLarge = (length: number): string =>
  `spec takes ${length} characters as JSON, and the operator keeps at most ${maxSpecLength}: put large values into a ConfigMap or Secret`;
