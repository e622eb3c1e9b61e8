import type { ClusteredCache } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import type { CacheToBuild } from '@ordinal/constructs';
import { cachePodTemplate, hashIn } from '@ordinal/constructs';
import { retries } from '../annotations.ts';
import { apiVersionOf } from '@ordinal/client';
import { clusteredCaches } from '@ordinal/api';
import { isHookDone, isMended } from '../upgrade/hook-record.ts';
import type { Goal as UpgradeGoal } from '../upgrade/upgradable.ts';
import { previousTemplateAnnotation } from './names.ts';

type PodTemplate = ReturnType<typeof cachePodTemplate>;

/** What an upgrade leads to, as far as its progress is measured by it. */
export interface Goal extends UpgradeGoal {
  /** The template that members should run; undefined where it can't be built. */
  readonly template?: PodTemplate;
}

/** What the members should run. */
export interface WantedTemplate extends Goal {
  readonly template: PodTemplate;
  /** What the StatefulSet makes new members of: the template, or, where that has failed and nothing is to be done about it, the one that ran before. */
  readonly made: PodTemplate;
  /** The StatefulSet's annotation that keeps the template that ran before. */
  readonly previous: string | undefined;
}

/** What the children are built from. */
export function toBuild({ metadata, spec }: ClusteredCache): CacheToBuild {
  const { name, namespace = '', uid } = metadata;
  const owner = { apiVersion: apiVersionOf(clusteredCaches), kind: clusteredCaches.kind, name, namespace, uid };
  return { name, namespace, spec, owner };
}

/** A template as text: the same for the same template, in whichever order a server shows its fields. */
function textOf(template: object | undefined): string {
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(template, sorted);
}

/** A template that was kept as text; undefined where there is none that can be read. */
export function parseTemplate(text: string | undefined): PodTemplate | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as PodTemplate; // Written below, from a template.
  } catch {
    return undefined; // A user has edited the annotation: then there is nothing to return to.
  }
}

/** The way back where the StatefulSet that kept it was deleted: what the spec asks for, with the image that ran. */
function formerImage(cache: ClusteredCache): PodTemplate | undefined {
  const image = cache.status?.currentVersion;
  return image === undefined ? undefined : cachePodTemplate(toBuild({ ...cache, spec: { ...cache.spec, image } }));
}

/** Whether what has failed was left already: what members are brought to, or have all been brought to, is something else. */
const isLeft = ({ status }: ClusteredCache, failedRevision: string): boolean =>
  (status?.upgrade?.revision ?? status?.currentRevision) !== failedRevision;

/** Whether a template is what all members ran. One that another client has changed since (`kubectl set image`) says the same hash, but not the same image. */
function isWhatRan(template: PodTemplate | undefined, { status }: ClusteredCache): template is PodTemplate {
  return (
    template !== undefined &&
    hashIn(template) === status?.currentRevision &&
    imageIn(template) === status.currentVersion
  );
}

/** A template, as it is built or as it is read. */
interface ContainersOf {
  readonly spec?: { readonly containers: readonly { readonly name: string; readonly image?: string }[] };
}

/** The image of the cache's own container. */
export const imageIn = (template: ContainersOf | undefined): string | undefined =>
  template?.spec?.containers.find(({ name }) => name === 'cache')?.image;

/** Whether members are brought back to what ran. Those that have gone back stay there, also where `onFailure` says `Stop` by now: that stops, and tries nothing again. */
const isReturning = (cache: ClusteredCache, specRevision: string): boolean =>
  cache.spec.upgrade?.onFailure === 'Rollback' || isLeft(cache, specRevision);

/**
 * What to go back to; undefined where nothing ran before. What all members have run once is itself that: a member of it that can't be replaced is no failure of it. A
 * StatefulSet that was never brought to what has failed, because it could not be
 * written, is itself what all members run, and keeps what is older.
 */
function wayBack(cache: ClusteredCache, set: StatefulSet | undefined, specRevision: string): PodTemplate | undefined {
  if (specRevision === cache.status?.currentRevision) return undefined;
  const kept = parseTemplate(set?.metadata.annotations?.[previousTemplateAnnotation]);
  const former = formerImage(cache);
  const running = parseTemplate(textOf(set?.spec.template)); // In the words in which an upgrade would have kept it.
  return [kept, former, running].find((each) => isWhatRan(each, cache)) ?? former ?? kept;
}

/**
 * What new members are made of before the Job that comes before the first one has succeeded: what all run or, where another upgrade was under way, what the StatefulSet has. A
 * StatefulSet that was brought to what is wanted already stays so: it would bring back as an older version who is lost.
 */
function heldBack(cache: ClusteredCache, set: StatefulSet | undefined, wanted: PodTemplate): PodTemplate {
  const running = set?.spec.template;
  if (running && hashIn(running) === hashIn(wanted)) return wanted;
  const isBehind = running === undefined || hashIn(running) === cache.status?.currentRevision;
  const kept = isBehind ? wayBack(cache, set, hashIn(wanted)) : undefined;
  return kept ?? parseTemplate(textOf(running)) ?? wanted;
}

/**
 * What the members should run: what the spec asks for, or, where that has failed and a rollback is asked for, or was, what ran before. It depends on the spec
 * and on what is kept with the StatefulSet; the status says only what has failed, and whether it was left (I21).
 *
 * **Guarantees.** What has failed is never what a new member is made of (`made`), whatever `onFailure` says, unless nothing ran before: a member that is lost comes back as what ran. The
 * StatefulSet updates `OnDelete`, so that no member is replaced by that.
 */
export function wantedTemplate(cache: ClusteredCache, set: StatefulSet | undefined): WantedTemplate {
  const { status, spec } = cache;
  const wanted = cachePodTemplate(toBuild(cache));
  const specRevision = hashIn(wanted);
  const failed =
    status?.failedRevision === specRevision && !retries.isRequested(cache) && !isMended(cache, specRevision);
  const kept = set?.metadata.annotations?.[previousTemplateAnnotation];
  const way = failed ? wayBack(cache, set, specRevision) : undefined;
  const before = hashIn(way) === specRevision ? undefined : way;
  const rollingBack = before !== undefined && isReturning(cache, specRevision);
  const template = rollingBack ? before : wanted;
  const running = set?.spec.template;
  const made = before ?? (isHookDone(cache, specRevision) ? wanted : heldBack(cache, set, wanted));
  // The template of a completed upgrade is kept when the next one replaces it, in the same write: there is always a way back.
  const leaving = hashIn(running) !== hashIn(made) && hashIn(running) === status?.currentRevision;
  return {
    template,
    made,
    revision: hashIn(template),
    image: imageIn(template) ?? spec.image,
    specRevision,
    failed,
    rollingBack,
    previous: leaving ? textOf(running) : kept,
  };
}
