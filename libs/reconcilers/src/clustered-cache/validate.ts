import type { ClusteredCache } from '@ordinal/api';
import { cacheContainer } from '@ordinal/constructs';
import type { ValidationError } from '@ordinal/lifecycle';
import { validateUpgrade } from '../upgrade/validate.ts';
import { validateChecks } from '../validate-checks.ts';

function errorsOfPod(cache: ClusteredCache): ValidationError[] {
  const own = cacheContainer(cache.spec);
  const overlay = cache.spec.podTemplate?.spec;
  const found: ValidationError[] = [];
  if (overlay?.restartPolicy !== undefined && overlay.restartPolicy !== 'Always') {
    found.push({ path: 'spec.podTemplate.spec.restartPolicy', message: 'members are restarted always' });
  }
  for (const [i, { name, image }] of (overlay?.containers ?? []).entries()) {
    const path = `spec.podTemplate.spec.containers[${i}]`;
    if (name === own && image !== undefined)
      found.push({ path: `${path}.image`, message: 'the cache’s image is spec.image' });
    if (name !== own && image === undefined)
      found.push({ path: `${path}.image`, message: `the container "${name}" needs an image` });
  }
  return found;
}

/**
 * What is wrong with a cache beyond what its schema can say. `before` is the object as it was, for an update. Called by the validating webhook and by
 * the reconciler alike, so that an object that came past the webhook is treated in the same way.
 */
export function validateClusteredCache(cache: ClusteredCache, before?: ClusteredCache): readonly ValidationError[] {
  const { spec } = cache;
  const found: ValidationError[] = [...validateUpgrade(spec.upgrade, spec.replicas)];
  if (/\s/.test(spec.image)) found.push({ path: 'spec.image', message: 'an image has no white space' });
  if (before && JSON.stringify(before.spec.storage) !== JSON.stringify(spec.storage)) {
    found.push({
      path: 'spec.storage',
      message: 'storage can’t be changed after creation, because a StatefulSet’s claims can’t',
    });
  }
  found.push(...errorsOfPod(cache));
  const containers = [cacheContainer(spec), ...(spec.podTemplate?.spec?.containers ?? []).map(({ name }) => name)];
  return [...found, ...validateChecks(spec, containers)];
}
