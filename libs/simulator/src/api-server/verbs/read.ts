import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { StoredObject } from '../object.ts';
import type { Snapshot } from '../store/store.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { liveObject, resourceOf } from '../resources/target.ts';
import { fieldSelector } from '../store/fields.ts';
import { labelSelector, labelsOf } from '../store/selectors.ts';
import { decodeContinue, encodeContinue } from '../store/paging.ts';
import { checkListOptions } from './list-options.ts';
import { badRequest, expired, versionToCome } from '../status.ts';
import { itemPresenter } from '../resources/present.ts';
import { shown, shownAfresh } from '../custom/conversion.ts';
import type { Steps } from '../admission/steps.ts';

/** Reads one object. */
export function* get(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'get');
  checkReached(server, request);
  return { status: 200, body: yield* shownAfresh(server, resource, liveObject(server.store, resource, request)) };
}

/** Refuses a version that is still to come. The real server waits for it for three seconds before. */
function checkReached({ store }: ApiServer, { options }: ApiRequest): void {
  const asked = Number(options?.resourceVersion ?? 0);
  if (asked > store.revision) throw versionToCome(asked, store.revision);
}

/** Lists what is selected, page by page where a limit is given. */
export function* list(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'list');
  checkListOptions(request.options);
  const { limit = 0 } = request.options ?? {};
  const { snapshot, revision, after } = yield* inItsVersion(server, resource, content(server, resource, request));
  const selects = selectionOf(resource, request);
  const present = itemPresenter(resource);
  const items: JsonObject[] = [];
  let next: string | undefined;
  let remaining = 0;
  let lastKey = '';
  for (const [key, object] of snapshot) {
    if (after !== undefined && key <= after) continue;
    if (!selects(object)) continue;
    if (limit > 0 && items.length === limit) {
      next ??= encodeContinue(revision, lastKey);
      remaining += 1;
      continue;
    }
    items.push(present(object));
    lastKey = key;
  }
  const selected = request.options?.labelSelector !== undefined || request.options?.fieldSelector !== undefined;
  return {
    status: 200,
    body: {
      kind: `${resource.kind}List`,
      apiVersion: groupVersion(resource),
      metadata: {
        resourceVersion: String(revision),
        ...(resource.custom && next === undefined && { continue: '' }),
        ...(next !== undefined && { continue: next, ...(!selected && { remainingItemCount: remaining }) }),
      },
      items,
    },
  };
}

interface Content {
  readonly snapshot: Snapshot;
  readonly revision: number;
  readonly after?: string;
}

/** Converted first: what is selected is what the version shows. */
function* inItsVersion(server: ApiServer, resource: ServerResource, content: Content): Steps<Content> {
  if (resource.conversion === undefined) return content;
  const snapshot: (readonly [string, StoredObject])[] = [];
  for (const [key, object] of content.snapshot)
    // It keeps the metadata of a stored object.
    snapshot.push([key, (yield* shown(server, resource, object)) as unknown as StoredObject]);
  return { ...content, snapshot };
}

function content(server: ApiServer, resource: ServerResource, request: ApiRequest): Content {
  const { store } = server;
  const { continue: token, resourceVersion, resourceVersionMatch } = request.options ?? {};
  if (token !== undefined && token !== '') {
    const { revision, after } = decodeContinue(store, token);
    return { snapshot: store.snapshotAt(resource.storage, revision), revision, after };
  }
  if (resourceVersionMatch === 'Exact' && resourceVersion !== undefined) {
    const revision = Number(resourceVersion);
    if (revision < store.compacted) throw expired(`The resourceVersion for the provided list is too old.`);
    return { snapshot: store.snapshotAt(resource.storage, revision), revision };
  }
  if (resourceVersion !== undefined && !/^\d*$/.test(resourceVersion))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
    );
  checkReached(server, request);
  return { snapshot: store.snapshot(resource.storage), revision: store.revision };
}

/** What a list or watch selects: by namespace, name, labels and fields. */
export function selectionOf(
  resource: ServerResource,
  request: Pick<ApiRequest, 'namespace' | 'name' | 'options'>,
): (object: StoredObject) => boolean {
  const byLabels = labelSelector(request.options?.labelSelector);
  const byFields = fieldSelector(resource, request.options?.fieldSelector, resource.selectableFields);
  const { namespace, name } = request;
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    byLabels(labelsOf(object)) &&
    byFields(object);
}
