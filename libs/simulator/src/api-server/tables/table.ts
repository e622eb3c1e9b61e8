import type { Instant } from '@ordinal/client';
import { part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { columnsOf } from './columns.ts';

/** What a client accepts instead of whole objects. */
export type Representation = 'object' | 'table' | 'metadata' | 'metadata list';

const metaVersion = 'meta.k8s.io/v1';

/** The metadata of an object alone. */
function metadataOnly(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata: object['metadata'] };
}

/** The object with its kind: the items of a list have none of their own, and kubectl, which sorts by what stands in the objects, reads each by itself. */
function whole({ group, version, kind }: ServerResource, object: JsonObject): JsonObject {
  return { kind, apiVersion: group === '' ? version : `${group}/${version}`, ...object };
}

function row(resource: ServerResource, object: JsonObject, { now, include }: TableOptions): JsonObject {
  const cells = columnsOf(resource).map(({ cell }) => cell(object, now));
  return {
    cells,
    object: include === 'Object' ? whole(resource, object) : include === 'None' ? null : metadataOnly(object),
  };
}

/** How a table is to be made. */
export interface TableOptions {
  readonly now: Instant;
  /** Whether rows carry their objects: `Metadata` by default. */
  readonly include: string | undefined;
}

/** A list, an object or nothing as a table. */
function tableOf(resource: ServerResource, body: JsonObject, options: TableOptions): JsonObject {
  const list = Array.isArray(body['items']) ? body['items'].filter(isObject) : [body];
  const { resourceVersion, continue: token, remainingItemCount } = part(body, 'metadata');
  return {
    kind: 'Table',
    apiVersion: metaVersion,
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(token !== undefined && token !== '' && { continue: token, remainingItemCount }),
    },
    columnDefinitions: columnsOf(resource).map(
      ({ cell: _, format = '', description = '', priority = 0, ...column }) => ({
        ...column,
        format,
        description,
        priority,
      }),
    ),
    rows: list.map((object) => row(resource, object, options)),
  };
}

/** A reply's body in the representation that was asked for. Statuses stay as they are. */
export function represent(
  resource: ServerResource,
  body: JsonObject,
  { representation, ...options }: TableOptions & { readonly representation: Representation },
): JsonObject {
  if (representation === 'object' || body['kind'] === 'Status') return body;
  if (representation === 'table') return tableOf(resource, body, options);
  if (!Array.isArray(body['items'])) return metadataOnly(body);
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: metaVersion,
    metadata: body['metadata'],
    items: body['items'].filter(isObject).map(metadataOnly),
  };
}
