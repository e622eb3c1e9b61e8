import type { ClusteredCache, ClusteredCacheStatus } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import { statefulSets, controllerOf } from '@ordinal/client';
import { templateHashAnnotation, hashIn } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import type { Memory } from '@ordinal/lifecycle';
import { previousTemplateAnnotation } from '../annotations.ts';
import { releaseMembers } from './names.ts';
import { podsOf } from './observe.ts';
import { imageIn, parseTemplate } from './template.ts';

/**
 * What is remembered of a cache: what all members ran, what has failed, whose data was handed over and whose replacement has caught up. Where that is not known, the StatefulSet
 * says what ran, nothing has been handed over, and every member has to say that it has caught up before another one goes. A member may be on its way down: until the next decision no drain takes another one.
 */
export const cacheMemory: Memory<ClusteredCache> = {
  descriptor: clusteredCaches,
  finalizer: releaseMembers,
  makesJobs: true,
  forget(cache, { cache: reader }): ClusteredCacheStatus {
    const ran = whatRan(cache, reader);
    const { replicas, upgrade } = cache.spec;
    const catchingUp = Array.from({ length: replicas }, (_, ordinal) => ({ ordinal }));
    return {
      ...ran,
      step: 'TakingDown',
      ...(ran.currentRevision !== undefined && upgrade?.sync ? { catchingUp } : {}),
    };
  },
};

/** What the StatefulSet brings, where every member runs it, and else what it keeps as the way back. */
function whatRan(
  { metadata, spec }: ClusteredCache,
  reader: CacheReader,
): Pick<ClusteredCacheStatus, 'currentVersion' | 'currentRevision'> {
  const { name, namespace = '', uid } = metadata;
  const set = reader.get(statefulSets, { namespace, name });
  if (!set || controllerOf(set)?.uid !== uid) return {};
  const running = podsOf({ namespace, name, spec }, reader).map(
    (pod) => pod.metadata.annotations?.[templateHashAnnotation],
  );
  const isEverywhere = running.length > 0 && running.every((hash) => hash === hashIn(set.spec.template));
  const kept = parseTemplate(set.metadata.annotations?.[previousTemplateAnnotation]);
  const template = isEverywhere ? set.spec.template : kept;
  const image = imageIn(template, spec);
  return image === undefined ? {} : { currentVersion: image, currentRevision: hashIn(template) };
}
