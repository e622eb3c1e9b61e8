import type { Event, Instant, KubernetesObject } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { causeOfJob } from '@ordinal/lifecycle';
import type { Surroundings } from '../cluster/surroundings.ts';
import { lastSeen } from '../cluster/surroundings.ts';
import { ourFinalizer } from './finalizers.ts';

/** Something of Kubernetes, or of another client, that is in the way. */
export interface Hindrance {
  /** Such as `Pod orders-2`. */
  readonly about: string;
  /** What is wrong with it: the end of a sentence that begins with `about`. */
  readonly says: string;
  readonly since?: string | undefined;
  /** A command that shows more, or that helps. */
  readonly command?: string | undefined;
}

/** How long an event counts that reports something that is still so, in milliseconds: controllers repeat theirs at least this often. */
const eventsCountMs = 30 * 60_000;

const named = ({ kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): string => `${kind} ${metadata.name}`;

const inNamespace = ({ resource }: Surroundings): string => `-n ${resource.metadata.namespace ?? 'default'}`;

function warningAbout(around: Surroundings, uid: string | undefined, now: Instant): Event | undefined {
  const isRecent = (event: Event): boolean => now - (instantOf(lastSeen(event)) ?? 0) < eventsCountMs;
  return around.events.find((event) => event.type === 'Warning' && event.regarding?.uid === uid && isRecent(event));
}

/** The command that helps about what an admission check or a quota has said. */
function commandFor(note: string, around: Surroundings): string | undefined {
  const quota = /exceeded quota: ([\w.-]+)/.exec(note)?.[1];
  if (quota !== undefined) return `kubectl describe quota ${quota} ${inNamespace(around)}`;
  if (/webhook/.test(note)) return 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations';
  return undefined;
}

/** In what way the API server has refused something, in front of its words. */
function refusalOf(note: string): string {
  if (/exceeded quota/.test(note)) return 'is refused by a full quota';
  if (/failed calling webhook/.test(note)) return 'is refused, since a webhook does not answer';
  if (/admission webhook .* denied/.test(note)) return 'is refused by a webhook';
  return 'is refused';
}

/** What the API server refuses the workload: members that are not there. */
function refusedMembers(around: Surroundings, now: Instant): readonly Hindrance[] {
  const { set, members } = around;
  if (!set || members.length >= (set.spec?.replicas ?? 1)) return [];
  const event = warningAbout(around, set.metadata.uid, now);
  const { note = '' } = event ?? {};
  if (event === undefined || note === '') return [];
  const about = `a new pod or volume of StatefulSet ${set.metadata.name}`;
  return [{ about, says: `${refusalOf(note)}: “${note}”`, since: lastSeen(event), command: commandFor(note, around) }];
}

/** What is to go, and is kept by a finalizer of another client. */
export function keptByOthers(objects: readonly KubernetesObject[], namespace = 'default'): readonly Hindrance[] {
  return objects.flatMap((object) => {
    const { deletionTimestamp: since, finalizers = [] } = object.metadata;
    const foreign = finalizers.filter((finalizer) => !ourFinalizer(finalizer));
    if (since === undefined || foreign.length === 0) return [];
    const says = `is being deleted and is kept by the finalizer ${foreign.join(', ')}, which its own controller has to remove`;
    const command = `kubectl get ${object.kind.toLowerCase()} ${object.metadata.name} -n ${namespace} -o jsonpath='{.metadata.finalizers}'`;
    return [{ about: named(object), says, since, command }];
  });
}

function unreadyMembers(around: Surroundings): readonly Hindrance[] {
  return around.members.flatMap(({ object, cause, since }) =>
    cause === undefined
      ? []
      : [
          {
            about: named(object),
            says: `is not ready: ${cause}`,
            since: new Date(since).toISOString(),
            command: `kubectl describe pod ${object.metadata.name} ${inNamespace(around)}`,
          },
        ],
  );
}

function unboundVolumes(around: Surroundings, now: Instant): readonly Hindrance[] {
  const claims = around.members.flatMap(({ claims: of }) => of);
  return claims.flatMap((claim) => {
    const command = `kubectl describe pvc ${claim.metadata.name} ${inNamespace(around)}`;
    const { note } = warningAbout(around, claim.metadata.uid, now) ?? {};
    const because = note === undefined ? '' : `: “${note}”`;
    if (claim.status?.phase !== 'Bound')
      return [
        { about: named(claim), says: `has no volume yet${because}`, since: claim.metadata.creationTimestamp, command },
      ];
    const failed = claim.status.conditions?.find(({ type, status }) => /Resize.*Error/.test(type) && status === 'True');
    if (failed)
      return [
        {
          about: named(claim),
          says: `does not grow: “${failed.message ?? failed.reason ?? ''}”`,
          since: failed.lastTransitionTime,
          command,
        },
      ];
    const wanted = claim.spec?.resources?.requests?.['storage'] ?? '';
    const present = claim.status.capacity?.['storage'] ?? '';
    if (wanted === present) return [];
    const grows = `is to grow from ${present} to ${wanted}, and has not yet`;
    return [{ about: named(claim), says: note === undefined ? grows : `does not grow: “${note}”`, command }];
  });
}

function stuckJobs(around: Surroundings, now: Instant): readonly Hindrance[] {
  return around.jobs.flatMap((job) => {
    const { name, uid } = job.metadata;
    const isOver = job.status?.conditions?.some(
      ({ type, status }) => /^(Complete|Failed)$/.test(type) && status === 'True',
    );
    if (isOver) return [];
    const command = `kubectl describe job ${name} ${inNamespace(around)}`;
    const cause = causeOfJob(around.jobPods, name);
    if (cause !== undefined)
      return [{ about: named(job), says: `does not get on: ${cause}`, since: job.status?.startTime, command }];
    const { note } = warningAbout(around, uid, now) ?? {};
    return note === undefined
      ? []
      : [
          {
            about: `a pod of ${named(job)}`,
            says: `${refusalOf(note)}: “${note}”`,
            command: commandFor(note, around) ?? command,
          },
        ];
  });
}

/** What the operator is refused, or fails to do, while the resource waits for something else by its status. */
export function failedWork(
  around: Surroundings,
  {
    reason,
    message,
    since,
  }: { readonly reason: string; readonly message: string; readonly since?: string | undefined },
): Hindrance {
  return { about: 'the operator', says: `fails (${reason}): ${message}`, since, command: commandFor(message, around) };
}

/** What the operator was refused, or failed to do, before its time was up: the failure names the wait alone. It is known from its event. */
export function failedBefore(around: Surroundings, at: string | undefined): readonly Hindrance[] {
  const { uid } = around.resource.metadata;
  const failedAt = instantOf(at);
  const event = around.events.find(({ type, reason, regarding }) => type === 'Warning' && reason === 'ProcessingError' && regarding?.uid === uid); // prettier-ignore
  if (failedAt === undefined || event === undefined) return [];
  const { note = '' } = event;
  const since = lastSeen(event);
  const before = failedAt - (instantOf(since) ?? 0);
  if (before < -1_000 || before > eventsCountMs) return [];
  return [{ about: 'the operator', says: `failed before: “${note}”`, since, command: commandFor(note, around) }];
}

/** What is in the way that is not the operator's: pods, volumes, Jobs, quotas, webhooks and finalizers of others, the nearest cause first. Pure. */
export function hindrancesOf(around: Surroundings, now: Instant): readonly Hindrance[] {
  const members = around.members.map(({ object }) => object);
  const claims = around.members.flatMap(({ claims: of }) => of);
  const all: readonly KubernetesObject[] = [
    ...members,
    ...claims,
    ...around.otherClaims,
    ...around.jobs,
    ...(around.set ? [around.set] : []),
  ];
  return [
    ...keptByOthers(all, around.resource.metadata.namespace),
    ...refusedMembers(around, now),
    ...unboundVolumes(around, now),
    ...unreadyMembers(around),
    ...stuckJobs(around, now),
  ];
}
