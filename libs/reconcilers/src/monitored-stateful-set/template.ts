import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import { hashOf, templateHashAnnotation } from '@ordinal/constructs';
import { asServed, controllerRevisionLabel, driftOf } from '@ordinal/lifecycle';
import { previousTemplateAnnotation } from '../annotations.ts';
import type { Upgradable } from '../upgrade/upgradable.ts';
import type { Version, WantedVersion } from '../upgrade/version.ts';
import { wantedVersion } from '../upgrade/version.ts';
import { withoutNulls } from './without-nulls.ts';

/** The template of the pods, as it is written. */
export type PodTemplate = MonitoredStatefulSet['spec']['statefulSetSpec']['template'];

type TemplateVersion = Version<PodTemplate>;

/** A template as it is read. */
interface ContainersOf {
  readonly spec?: { readonly containers: readonly { readonly image?: string }[] };
}

/** What a template is called for people: the images of its containers. */
const imagesIn = (template: ContainersOf): string =>
  (template.spec?.containers ?? []).map(({ image = '' }) => image).join(', ');

const versionOf = (template: PodTemplate, revision: string): TemplateVersion => ({
  ...{ template, revision, image: imagesIn(template) },
});

/** What the spec asks for. */
export function askedTemplate({ spec }: MonitoredStatefulSet): TemplateVersion {
  const template = withoutNulls(spec.statefulSetSpec.template) as PodTemplate; // What stays is of the same shape.
  return versionOf(template, hashOf(template));
}

/** What a StatefulSet makes members of. Its annotation says the hash of what was written; what the server shows has defaults beside. */
function runningIn({ metadata, spec }: StatefulSet): TemplateVersion | undefined {
  const revision = metadata.annotations?.[templateHashAnnotation];
  return revision === undefined ? undefined : versionOf(spec.template as PodTemplate, revision); // It was made of one.
}

/** What a StatefulSet keeps beside; undefined where there is none that can be read: then there is nothing to return to. */
function keptIn({ metadata }: StatefulSet): TemplateVersion | undefined {
  const text = metadata.annotations?.[previousTemplateAnnotation];
  if (text === undefined) return undefined;
  try {
    const { revision, template } = JSON.parse(text) as TemplateVersion; // Written below.
    return versionOf(template, revision);
  } catch {
    return undefined;
  }
}

/**
 * What all members ran, where the StatefulSet that kept it was deleted: what the spec asks for, with the images that ran. Undefined where more than these images has changed since: no template of a
 * user is made up.
 */
function formerImages({ status }: Upgradable, { template }: TemplateVersion): TemplateVersion | undefined {
  const { currentVersion, currentRevision } = status ?? {};
  const { spec } = template;
  const images = currentVersion?.split(', ') ?? [];
  if (!spec || images.length !== spec.containers.length) return undefined;
  const containers = spec.containers.map((container, place) => ({ ...container, image: images[place] ?? '' }));
  const former = { ...template, spec: { ...spec, containers } };
  return hashOf(former) === currentRevision ? versionOf(former, currentRevision) : undefined;
}

/** What the members should run. */
export interface WantedTemplate extends WantedVersion<PodTemplate> {
  /** The StatefulSet's annotation that keeps the template that ran before. */
  readonly previous: string | undefined;
}

/** What the members of a set should run that the operator upgrades. */
export function wantedTemplate(
  object: Upgradable,
  asked: TemplateVersion,
  statefulSet: StatefulSet | undefined,
): WantedTemplate {
  const wanted = wantedVersion(object, {
    asked,
    running: statefulSet && runningIn(statefulSet),
    kept: statefulSet && keptIn(statefulSet),
    former: () => formerImages(object, asked),
  });
  const { leaving } = wanted;
  const text = leaving && JSON.stringify({ revision: leaving.revision, template: leaving.template });
  return { ...wanted, previous: text ?? statefulSet?.metadata.annotations?.[previousTemplateAnnotation] };
}

/** Revisions of the StatefulSet's controller by their names, each with the hash of its template. */
export type Revisions = ReadonlyMap<string, string>;

/** Whether the controller has looked at the StatefulSet as it is. */
const isObserved = ({ metadata, status }: StatefulSet): boolean => status?.observedGeneration === metadata.generation;

/**
 * The revisions that are known: those on record, and the one that the StatefulSet is made of now, where its controller says which one that is.
 *
 * **Guarantees.** A template that another client has changed (`kubectl set image`), whose hash such a change leaves as it was, is not taken for ours.
 */
export function revisionsOf(
  { status }: MonitoredStatefulSet,
  statefulSet: StatefulSet | undefined,
  { made }: Pick<WantedTemplate, 'made'>,
): Revisions {
  const known = new Map((status?.revisions ?? []).map(({ name, revision }) => [name, revision]));
  const name = statefulSet?.status?.updateRevision;
  const running = statefulSet && runningIn(statefulSet);
  if (!statefulSet || !running || name === undefined || !isObserved(statefulSet)) return known;
  const { template } = statefulSet.spec;
  if (running.revision === made.revision) {
    const isOurs = driftOf(template, asServed(made.template, template)) === undefined;
    if (isOurs) known.set(name, made.revision);
    else known.delete(name);
  } else if (!known.has(name)) known.set(name, running.revision);
  return known;
}

/** The name of the revision that a pod was made from. */
export const revisionNameOf = ({ metadata }: Pod): string => metadata.labels?.[controllerRevisionLabel] ?? '';

/**
 * What all members run, by a StatefulSet that has as many as it asks for, all made of its present template, or else what it keeps as what ran before: for a set of which nothing is on record. Undefined where that is
 * not known.
 */
export function whatRan(
  statefulSet: StatefulSet | undefined,
  pods: readonly Pod[],
): { readonly currentVersion: string; readonly currentRevision: string } | undefined {
  if (!statefulSet) return undefined;
  const { spec, status, metadata } = statefulSet;
  const members = pods.filter((pod) => controllerOf(pod)?.uid === metadata.uid);
  const isEverywhere =
    isObserved(statefulSet) &&
    members.length >= Math.max(1, spec.replicas ?? 1) &&
    members.every((pod) => revisionNameOf(pod) === status?.updateRevision);
  const version = isEverywhere ? runningIn(statefulSet) : keptIn(statefulSet);
  return version && { currentVersion: version.image ?? '', currentRevision: version.revision };
}
