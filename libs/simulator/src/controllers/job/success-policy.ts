import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Live } from '../kinds.ts';
import type { IndexCount } from './indexed.ts';
import { parseIndexes } from './indexes.ts';

/** Which rule of its success policy a Job's indexes satisfy; undefined where it is none. */
export function satisfiedRule({ spec }: Live<Job>, { succeeded, completions }: IndexCount): number | undefined {
  if (succeeded.size === 0) return undefined;
  const rule = (spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    const reached = [...required].filter((index) => succeeded.has(index)).length;
    return required.size > 0 && reached >= Math.min(required.size, succeededCount ?? required.size);
  });
  return rule === -1 ? undefined : rule;
}
