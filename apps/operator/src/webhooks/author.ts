import type { Client, KubernetesObject } from '@ordinal/client';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';

/** Kinds whose resources become pods of whatever image and service account their author writes down. */
const buildWorkloads: ReadonlySet<string> = new Set(['ClusteredCache', 'KVStoreCluster', 'MonitoredStatefulSet']);

/**
 * Refuses a spec out of which the operator would build a StatefulSet that its author may not create: else whoever may write one of our kinds could run
 * what the cluster's own permissions keep from them (privileges by deputy). Asked only where the spec is new or has changed.
 */
export async function admitAuthor(
  request: AdmissionRequest,
  client: Client,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { kind, namespace = '', object, oldObject, userInfo } = request;
  if (!buildWorkloads.has(kind.kind) || specOf(object) === specOf(oldObject)) return undefined;
  const verb = oldObject === null ? 'create' : 'update';
  const review = (await client.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    signal,
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: userInfo.username ?? '',
        ...(userInfo.uid === undefined ? {} : { uid: userInfo.uid }),
        groups: userInfo.groups ?? [],
        // Scopes of a token, for authorizers that know some: without them the question would be about another user.
        ...(userInfo.extra === undefined ? {} : { extra: userInfo.extra }),
        resourceAttributes: { group: 'apps', resource: 'statefulsets', verb, namespace },
      },
    },
  })) as { readonly status?: { readonly allowed?: boolean } }; // The reply to a review is the review with its status.
  if (review.status?.allowed === true) return undefined;
  return {
    allowed: false,
    code: 403,
    reason: 'Forbidden',
    message: `a ${kind.kind} becomes a StatefulSet, and ${userInfo.username ?? 'its author'} may not ${verb} statefulsets.apps in namespace ${namespace}: grant that first`,
  };
}

function specOf(object: KubernetesObject | null): string {
  // Every kind that is sent here has a spec.
  return JSON.stringify((object as { readonly spec?: unknown } | null)?.spec);
}
