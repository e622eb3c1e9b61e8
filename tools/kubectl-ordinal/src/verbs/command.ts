import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf, shortNameOf } from '../kinds.ts';

/** The command of this program that does something to a resource: `kubectl ordinal resume kvs/orders -n shop`. */
export const commandFor = (verb: string, resource: OrdinalResource): string =>
  `kubectl ordinal ${verb} ${shortNameOf(descriptorOf(resource))}/${resource.metadata.name} -n ${resource.metadata.namespace ?? 'default'}`;

/** The command of this program for one that a status names, where there is one; else that one. */
export function commandLike(release: string, resource: OrdinalResource): string {
  const verbs = [
    ['ordinal.dev/open-gates=', 'override'],
    ['ordinal.dev/promote=', 'promote'],
    ['ordinal.dev/retry=', 'retry'],
    ['"paused":false', 'resume'],
    ['ordinal.dev/paused-', 'resume'],
  ] as const;
  const [, verb] = verbs.find(([part]) => release.includes(part)) ?? [];
  return verb === undefined ? release : commandFor(verb, resource);
}
