import type { ServerWatchEvent, WatchHandle, WatchListener, WatchRequest } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { WatchHub } from './hub.ts';
import { groupVersion } from '../resources/resource.ts';
import { resourceOf } from '../resources/target.ts';
import { presenter } from '../resources/present.ts';
import { selectionOf } from '../verbs/read.ts';
import { expired } from '../status.ts';

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
  const resource = resourceOf(server.resources, request, 'watch');
  const {
    resourceVersion = '',
    allowWatchBookmarks = false,
    sendInitialEvents,
    timeoutSeconds,
  } = request.options ?? {};
  const selects = selectionOf(resource, request);
  const present = presenter(resource);
  const bookmark = (revision: number, initialEventsEnd: boolean) => ({
    kind: resource.kind,
    apiVersion: groupVersion(resource),
    metadata: {
      resourceVersion: String(revision),
      ...(initialEventsEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    },
  });
  const initial: ServerWatchEvent[] = [];
  const fromStart = sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
  let revision = server.store.revision;
  if (fromStart) {
    for (const [, object] of server.store.snapshot(resource.storage))
      if (selects(object)) initial.push({ type: 'ADDED', object: present(object) });
    if (sendInitialEvents === true && allowWatchBookmarks)
      initial.push({ type: 'BOOKMARK', object: bookmark(revision, true) });
  } else if (resourceVersion !== '' && resourceVersion !== '0') {
    revision = Number(resourceVersion);
    if (revision < server.store.compacted)
      throw expired(`too old resource version: ${revision} (${server.store.compacted})`);
  }
  return hub.open(
    {
      storage: resource.storage,
      selects,
      present,
      bookmark,
      bookmarks: allowWatchBookmarks,
      timeoutMs: timeoutSeconds === undefined ? defaultTimeoutMs : timeoutSeconds * 1000,
    },
    { revision, initial },
    listener,
  );
}
