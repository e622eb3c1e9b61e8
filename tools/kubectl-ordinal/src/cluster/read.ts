import type { Client, KubernetesObject, ListResult, ResourceDescriptor } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import { CommandError } from '../failure.ts';
import type { OrdinalResource, Reference } from '../kinds.ts';
import { ordinalKinds } from '../kinds.ts';
import type { Contents } from './contents.ts';
import { childKinds, contentsOf, readKinds } from './contents.ts';

/** Where is read: a namespace, or all of them where there is none. */
export interface Place {
  readonly client: Client;
  readonly namespace: string | undefined;
}

/** What nothing here shows, and what a list of hundreds of pods should not keep. */
export function withoutBallast(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A list of a kind in a place. Throws an `ApiError` or a `TransportError`. */
export function listOf<T extends KubernetesObject>(
  descriptor: ResourceDescriptor<T>,
  { client, namespace }: Place,
): Promise<ListResult<T>> {
  const kind = client(descriptor);
  return (namespace === undefined ? kind : kind.namespace(namespace)).list({ project: withoutBallast });
}

/** Why a kind was not read, where that takes only a part of the picture away; undefined where it ends the command. */
export function partMissing(error: unknown, { kind, plural, group }: ResourceDescriptor): string | undefined {
  const isOurs = ordinalKinds.some((each) => each.kind === kind);
  if (isApiError(error, 'Forbidden')) return isOurs ? undefined : `${plural}: you may not list them`;
  // A cluster may have some of our definitions only.
  return isOurs && isApiError(error, 'NotFound') ? `${plural}.${group}: not installed` : undefined;
}

/** Reads all that a status is made of, once. What the user may not list is left out and named, the four kinds excepted: that is thrown. */
export async function readContents(place: Place): Promise<Contents> {
  const unread: string[] = [];
  const objects = new Map<string, readonly KubernetesObject[]>();
  await Promise.all(
    readKinds.map(async (descriptor) => {
      try {
        objects.set(descriptor.kind, (await listOf(descriptor, place)).items);
      } catch (error) {
        const missing = partMissing(error, descriptor);
        if (missing === undefined) throw error;
        unread.push(missing);
      }
    }),
  );
  return contentsOf(objects, unread.sort());
}

/** Reads one resource. Throws a `CommandError` where it is not there. */
export async function readResource(
  { descriptor, name }: Reference,
  { client, namespace }: { readonly client: Client; readonly namespace: string },
): Promise<OrdinalResource> {
  const found = await client(descriptor).namespace(namespace).find(name);
  if (found) return found;
  throw new CommandError(`there is no ${descriptor.kind} ${name} in namespace ${namespace}`);
}

/** Reads one resource, and what belongs to it. Throws a `CommandError` where it is not there. */
export async function readAround(
  reference: Reference,
  place: { readonly client: Client; readonly namespace: string },
): Promise<{ readonly resource: OrdinalResource; readonly contents: Contents }> {
  const resource = await readResource(reference, place);
  const objects = new Map<string, readonly KubernetesObject[]>([[resource.kind, [resource]]]);
  const unread: string[] = [];
  const kinds: readonly ResourceDescriptor[] = childKinds;
  await Promise.all(
    kinds.map(async (descriptor) => {
      try {
        objects.set(descriptor.kind, (await listOf(descriptor, place)).items);
      } catch (error) {
        const missing = partMissing(error, descriptor);
        if (missing === undefined) throw error;
        unread.push(missing);
      }
    }),
  );
  return { resource, contents: contentsOf(objects, unread.sort()) };
}
