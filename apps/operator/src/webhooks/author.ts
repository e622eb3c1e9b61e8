import type { Client, KubernetesObject } from '@ordinal/client';
import type { KindWebhook } from '@ordinal/reconcilers';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';

/** What the author of a request is looked up with. */
interface AuthorOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** What the operator creates for the resource. */
  readonly creates: ReturnType<KindWebhook<KubernetesObject>['creates']>;
}

/** What an author would have to be allowed. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: 'create' | 'update';
}

/**
 * Refuses a spec out of which the operator would build a StatefulSet or Jobs that its author may not create: else anyone who may write one of our kinds could run
 * what the cluster's own permissions keep from them (privileges by deputy). Asked where the spec is new or has changed, whatever else is so of the object.
 */
export async function admitAuthor(
  request: AdmissionRequest,
  { client, signal, creates }: AuthorOptions,
): Promise<Verdict | undefined> {
  const { kind, namespace = '', object, oldObject, userInfo } = request;
  if (object === null || specOf(object) === specOf(oldObject)) return undefined;
  const rights: Readonly<Record<(typeof creates)[number], Right>> = {
    StatefulSet: { group: 'apps', resource: 'statefulsets', verb: oldObject === null ? 'create' : 'update' },
    AdoptedStatefulSet: { group: 'apps', resource: 'statefulsets', verb: 'update' },
    // Each is a new Job, whatever has changed in the spec: its image may be that of the members.
    Job: { group: 'batch', resource: 'jobs', verb: 'create' },
  };
  for (const created of creates) {
    const right = rights[created];
    if (await isAllowed(request, right, { client, signal })) continue;
    const what = does[created];
    return {
      allowed: false,
      code: 403,
      reason: 'Forbidden',
      message: `a ${kind.kind} like this ${what}, and ${userInfo.username ?? 'its author'} may not ${right.verb} ${right.resource}.${right.group} in namespace ${namespace}: grant that first`,
    };
  }
  return undefined;
}

/** What becomes of a resource, for a sentence. */
const does = {
  StatefulSet: 'becomes a StatefulSet',
  AdoptedStatefulSet: 'takes over a StatefulSet',
  Job: 'asks for Jobs',
} as const;

/** Whether the API server would let the author of a request do this in the resource's namespace. */
async function isAllowed(
  { namespace = '', userInfo }: AdmissionRequest,
  right: Right,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<boolean> {
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
        resourceAttributes: { ...right, namespace },
      },
    },
  })) as { readonly status?: { readonly allowed?: boolean } }; // The reply to a review is the review with its status.
  return review.status?.allowed === true;
}

/** The spec of a resource as a text: of two that are alike it is the same. */
export function specOf(object: KubernetesObject | null): string {
  // Every kind that is sent here has a spec.
  return JSON.stringify((object as { readonly spec?: unknown } | null)?.spec);
}
