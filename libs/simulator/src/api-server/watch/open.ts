import type { WatchHandle, WatchListener, WatchRequest } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { WatchHub, WatchScope } from './hub.ts';
import { checkWatchOptions } from '../verbs/list-options.ts';
import { groupVersion } from '../resources/resource.ts';
import { resourceOf } from '../resources/target.ts';
import type { Due } from './delivery.ts';
import { watchView } from './events.ts';
import { selectionOf } from '../verbs/read.ts';
import { expired, unforeseen } from '../status.ts';

/** A watch before it is opened. */
export interface WatchPlan {
  readonly scope: WatchScope;
  /** Whether a webhook has a part in what it shows. */
  readonly converts: boolean;
  readonly start: { readonly revision: number; readonly initial: readonly Due[] };
}

/** The server ends watches that named no time of their own after this long. */
const defaultTimeoutMs = 45 * 60_000;

/**
 * Opens a watch: from the present (no resourceVersion, or `0`: all objects first), or after a resourceVersion. Refuses versions that were compacted
 * with 410.
 */
export function openWatch(
  server: ApiServer,
  hub: WatchHub,
  request: WatchRequest,
  listener: WatchListener,
): WatchHandle {
  const { scope, start } = planWatch(server, request);
  return hub.open(scope, start, listener);
}

/** Waits until what a watch begins with can be shown; undefined where it can already. Refuses, also by throwing, what can't. */
export function awaitConversions({ start, converts }: WatchPlan): Promise<void> | undefined {
  if (!converts) return undefined;
  const late = start.initial.map((due) => due()).filter((event) => event instanceof Promise);
  return late.length === 0 ? undefined : Promise.all(late).then(() => undefined);
}

/** What a watch lets through and where it begins. Refuses as `openWatch` does. */
export function planWatch(server: ApiServer, request: WatchRequest): WatchPlan {
  checkWatchOptions(request.options);
  const resource = resourceOf(server.resources, request, 'watch');
  const {
    resourceVersion = '',
    allowWatchBookmarks = false,
    sendInitialEvents,
    timeoutSeconds,
  } = request.options ?? {};
  const selects = selectionOf(resource, request);
  const view = watchView(server, resource, selects);
  const bookmark = (revision: number, initialEventsEnd: boolean) => ({
    kind: resource.kind,
    apiVersion: groupVersion(resource),
    metadata: {
      resourceVersion: String(revision),
      ...(initialEventsEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    },
  });
  const initial: Due[] = [];
  const fromStart = sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
  let revision = server.store.revision;
  if (fromStart) {
    for (const [, object] of server.store.snapshot(resource.storage)) {
      const due = view.first(object);
      if (due !== undefined) initial.push(due);
    }
    if (sendInitialEvents === true && allowWatchBookmarks) {
      const object = bookmark(revision, true);
      initial.push(() => ({ type: 'BOOKMARK', object }));
    }
  } else if (resourceVersion !== '' && resourceVersion !== '0') {
    if (!/^\d+$/.test(resourceVersion))
      throw unforeseen(
        `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
      );
    revision = Number(resourceVersion);
    if (revision < server.store.compacted)
      throw expired(`too old resource version: ${revision} (${server.store.compacted})`);
  }
  return {
    scope: {
      storage: resource.storage,
      eventOf: view.eventOf,
      bookmark,
      bookmarks: allowWatchBookmarks,
      timeoutMs: timeoutSeconds === undefined ? defaultTimeoutMs : timeoutSeconds * 1000,
    },
    converts: resource.conversion !== undefined,
    start: { revision, initial },
  };
}
