import type { Pod, StatefulSet } from '@ordinal/client';
import { asServed, driftOf } from '../decision/index.ts';
import type { Member } from './member.ts';
import { memberOf } from './member.ts';

type PodTemplate = NonNullable<StatefulSet['spec']>['template'];

/** The label by which the StatefulSet's controller says which revision of the template a pod was made from. */
export const controllerRevisionLabel = 'controller-revision-hash';

/** What of a pod template says its hash. */
interface Hashed {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The hash that a pod template says of itself; empty where it says none. */
const hashIn = (template: Hashed | undefined, annotation: string): string =>
  template?.metadata?.annotations?.[annotation] ?? '';

/** A set as it was seen, with the pods that bear its labels. */
export interface SeenSet {
  readonly statefulSet: StatefulSet | undefined;
  readonly pods: readonly Pod[];
  /** The annotation by which a template, and so each pod that is made from it, says its hash. */
  readonly revisionAnnotation: string;
  /** The finalizer by which members are held; empty where they are not. */
  readonly finalizer: string;
  /** What the set's template should be; undefined where that is not known. */
  readonly template: PodTemplate | undefined;
}

/**
 * The members of a set by ordinal. Pods of another set are none, whatever their name.
 *
 * **Guarantees.** A member says our hash of the template that it was made from; none where it was made while another client had changed the template, whose hash such a
 * change leaves as it was (`kubectl set image`). Such a member is outdated: the StatefulSet's controller replaces it only while it works (kubernetes#67250), and never
 * under `OnDelete` (I1).
 *
 * **Caveats.** It is known by the revision of the StatefulSet's controller, and only where set and pods fit together: seen at different times, members count as what
 * they say.
 */
export function membersOfSet({
  statefulSet,
  pods,
  revisionAnnotation,
  finalizer,
  template,
}: SeenSet): readonly Member[] {
  if (statefulSet === undefined) return [];
  const { uid: setUid, name: setName } = statefulSet.metadata;
  const membership = { setUid, setName, revisionAnnotation, finalizer };
  const members = pods.flatMap((pod) => memberOf(pod, membership) ?? []).sort((a, b) => a.ordinal - b.ordinal);
  if (!fits(statefulSet, members)) return members;
  const own = ownRevision(statefulSet, template, revisionAnnotation);
  const hash = hashIn(template, revisionAnnotation);
  return members.map((member) => {
    const isTheirs = own !== undefined && member.revision === hash && isOf(member, own) === false;
    return { ...member, ...(isTheirs && { revision: '' }), ...(isForeign(member, statefulSet) && { foreign: true }) };
  });
}

/** Whether a member was made from this revision; undefined where it does not say. */
function isOf({ labels }: Member, revision: string | undefined): boolean | undefined {
  const made = labels[controllerRevisionLabel];
  return made === undefined || revision === undefined ? undefined : made === revision;
}

/** The set makes no such members any more, whichever partition holds them. */
const isForeign = (member: Member, { status }: StatefulSet): boolean =>
  isOf(member, status?.updateRevision) === false && isOf(member, status?.currentRevision) === false;

/** What the set's controller calls the template that should be; undefined where the set has another one. */
function ownRevision(
  { spec, status }: StatefulSet,
  template: PodTemplate | undefined,
  annotation: string,
): string | undefined {
  if (template === undefined || hashIn(spec?.template, annotation) !== hashIn(template, annotation)) return undefined;
  return driftOf(spec?.template, asServed(template, spec?.template)) === undefined ? status?.updateRevision : undefined;
}

/** The set's controller has looked at the set as it is, and has seen no more members of its new revision than are seen here. */
const fits = ({ metadata, status }: StatefulSet, members: readonly Member[]): boolean =>
  status?.observedGeneration === metadata.generation &&
  members.filter((member) => isOf(member, status?.updateRevision) === true).length >= (status?.updatedReplicas ?? 0);
