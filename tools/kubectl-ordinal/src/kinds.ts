import type { ClusteredCache, CloudDatabase, KVStoreCluster, MonitoredStatefulSet } from '@ordinal/api';
import { clusteredCaches, cloudDatabases, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { ResourceDescriptor } from '@ordinal/client';
import { CommandError, exitCodes } from './failure.ts';

/** A resource of one of the four kinds. */
export type OrdinalResource = ClusteredCache | KVStoreCluster | MonitoredStatefulSet | CloudDatabase;

/** The four kinds, as the API server calls them. */
export const ordinalKinds: readonly ResourceDescriptor<OrdinalResource>[] = [
  clusteredCaches,
  kvStoreClusters,
  monitoredStatefulSets,
  cloudDatabases,
];

/** A resource as the user names it. */
export interface Reference {
  readonly descriptor: ResourceDescriptor<OrdinalResource>;
  readonly name: string;
}

/** All names by which a kind goes, as for kubectl. */
export const namesOf = ({
  kind,
  plural,
  singular = '',
  shortNames = [],
  group,
}: ResourceDescriptor): readonly string[] =>
  [...shortNames, singular, plural, `${plural}.${group}`, kind.toLowerCase()].filter((name) => name !== '');

/** The shortest name of a kind, for commands that are shown. */
export const shortNameOf = (descriptor: ResourceDescriptor): string =>
  descriptor.shortNames?.[0] ?? descriptor.singular ?? descriptor.plural;

/** The kind of this name. Throws what there is where there is none. */
export function kindNamed(name: string): ResourceDescriptor<OrdinalResource> {
  const found = ordinalKinds.find((each) => namesOf(each).includes(name.toLowerCase()));
  if (found) return found;
  const known = ordinalKinds.map((each) => shortNameOf(each)).join(', ');
  throw new CommandError(`there is no kind "${name}" here: use ${known}, or their long names`, exitCodes.usage);
}

/** The kind of an object of the API server. */
export function descriptorOf({ kind }: Pick<OrdinalResource, 'kind'>): ResourceDescriptor<OrdinalResource> {
  return kindNamed(kind);
}

/** Reads `kvs/orders`, or `kvs` and `orders`. */
export function parseReference(words: readonly string[]): Reference {
  const [kind = '', name = '', ...more] = words.flatMap((word) => word.split('/'));
  if (kind === '' || name === '' || more.length > 0)
    throw new CommandError(
      `name one resource as KIND/NAME, such as kvs/orders, and not "${words.join(' ')}"`,
      exitCodes.usage,
    );
  return { descriptor: kindNamed(kind), name };
}
