import { previousTemplateAnnotation } from '../annotations.ts';
import type { ClusteredCache } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import type { CacheToBuild } from '@ordinal/constructs';
import { cacheContainer, cachePodTemplate, hashIn, takenOverByLabel } from '@ordinal/constructs';
import { apiVersionOf } from '@ordinal/client';
import { clusteredCaches } from '@ordinal/api';
import { isAdopted, isMarked, markedTemplate } from '../adoption/marks.ts';
import { imageOfContainer } from '../adoption/mismatch.ts';
import type { Goal as UpgradeGoal } from '../upgrade/upgradable.ts';
import type { Version } from '../upgrade/version.ts';
import { wantedVersion } from '../upgrade/version.ts';

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

/** The image of the cache's own container. */
export const imageIn = (
  template: Parameters<typeof imageOfContainer>[0],
  spec: Pick<ClusteredCache['spec'], 'adopt'>,
): string | undefined => imageOfContainer(template, cacheContainer(spec));

/** What a StatefulSet makes members of, in the words in which an upgrade keeps it. One that was just taken over gets its marks: the hash of what all members run. */
export function presentTemplate(
  { metadata: { name }, spec, status }: ClusteredCache,
  set: StatefulSet | undefined,
): PodTemplate | undefined {
  const present = parseTemplate(textOf(set?.spec.template));
  const { currentRevision } = status ?? {};
  if (!present || !spec.adopt || currentRevision === undefined || isMarked(present)) return present;
  return markedTemplate(present, { revision: currentRevision, labels: { [takenOverByLabel]: name } });
}

/** What the members of a cache should run. A template that was taken over for what the spec asks for is that until the spec changes. */
export function wantedTemplate(cache: ClusteredCache, set: StatefulSet | undefined): WantedTemplate {
  const built = cachePodTemplate(toBuild(cache));
  const present = presentTemplate(cache, set);
  const imageOf = (template: PodTemplate | undefined): string | undefined => imageIn(template, cache.spec);
  // Another image than the spec's is another client's.
  const isSame = (template: PodTemplate): boolean =>
    hashIn(template) === hashIn(built) && imageOf(template) === imageOf(built);
  const asked = present && isAdopted(present) && isSame(present) ? present : built;
  const versionOf = (template: PodTemplate | undefined): Version<PodTemplate> | undefined =>
    template && { template, revision: hashIn(template), image: imageOf(template) };
  const kept = set?.metadata.annotations?.[previousTemplateAnnotation];
  const { made, leaving, ...wanted } = wantedVersion(cache, {
    asked: { template: asked, revision: hashIn(asked), image: imageOf(asked) },
    running: versionOf(present),
    kept: versionOf(parseTemplate(kept)),
    former: () => versionOf(formerImage(cache)),
  });
  return { ...wanted, made: made.template, previous: leaving ? textOf(leaving.template) : kept };
}
