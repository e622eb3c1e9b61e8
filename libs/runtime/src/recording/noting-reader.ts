import type { KubernetesObject } from '@ordinal/client';
import { kindName } from '../cache/key.ts';
import type { CacheReader } from '../reconciler.ts';
import type { Slot } from './slot.ts';

/** Reads from the caches as before, and notes in the slot what was looked for and what was there. */
export function notingReader(
  cache: CacheReader,
  { asked, seen, counted }: Pick<Slot, 'asked' | 'seen' | 'counted'>,
): CacheReader {
  const noted = <Found extends readonly KubernetesObject[]>(kind: string, objects: Found): Found => {
    if (objects.length > 0) seen.push({ kind, objects });
    return objects;
  };
  return {
    get(descriptor, key) {
      const kind = kindName(descriptor);
      asked.push(['get', kind, key.namespace, key.name]);
      const found = cache.get(descriptor, key);
      if (found !== undefined) seen.push({ kind, objects: [found] });
      return found;
    },
    list(descriptor, options = {}) {
      const kind = kindName(descriptor);
      asked.push(['list', kind, options]);
      return noted(kind, cache.list(descriptor, options));
    },
    byIndex(descriptor, index, value) {
      const kind = kindName(descriptor);
      asked.push(['index', kind, index, value]);
      return noted(kind, cache.byIndex(descriptor, index, value));
    },
    countByIndex(descriptor, index, value) {
      const count = cache.countByIndex(descriptor, index, value);
      counted.push([kindName(descriptor), index, value, count]);
      return count;
    },
    ownedBy(descriptor, uid) {
      const kind = kindName(descriptor);
      asked.push(['owned', kind, uid]);
      return noted(kind, cache.ownedBy(descriptor, uid));
    },
  };
}
