import type { StoredObject } from '../object.ts';
import type { JsonObject, ServerWatchEvent } from '../request.ts';
import { presenter } from '../resources/present.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import type { Change } from '../store/store.ts';
import type { Due } from './delivery.ts';

/** What a watch makes of objects and changes. */
export interface WatchView {
  /** An object that was there before the watch; undefined where it is not selected. */
  readonly first: (object: StoredObject) => Due | undefined;
  /** A change; undefined where it is nothing to the watch. */
  readonly eventOf: (change: Change) => Due | undefined;
}

/** How a watch of a kind, in the version of the resource, sees what is selected. */
export function watchView(
  server: ApiServer,
  resource: ServerResource,
  selects: (object: StoredObject) => boolean,
): WatchView {
  return resource.conversion === undefined ? plainView(resource, selects) : convertedView(server, resource, selects);
}

function plainView(resource: ServerResource, selects: (object: StoredObject) => boolean): WatchView {
  const present = presenter(resource);
  return {
    first: (object) => (selects(object) ? () => ({ type: 'ADDED', object: present(object) }) : undefined),
    eventOf: (change) => {
      const was = change.before !== undefined && selects(change.before);
      const is = !change.deleted && selects(change.after);
      if (is) return () => ({ type: was ? 'MODIFIED' : 'ADDED', object: present(change.after) });
      return was ? () => ({ type: 'DELETED', object: present(lastSeen(change)) }) : undefined;
    },
  };
}

type Maybe<T> = T | Promise<T>;

const after = <T, R>(value: Maybe<T>, make: (value: T) => Maybe<R>): Maybe<R> =>
  value instanceof Promise ? value.then(make) : make(value);

/** What is selected is what the version shows: only a converted object can tell. */
function convertedView(
  server: ApiServer,
  resource: ServerResource,
  selectsStored: (object: StoredObject) => boolean,
): WatchView {
  // It keeps the metadata of a stored object.
  const selects = (object: JsonObject): boolean => selectsStored(object as unknown as StoredObject);
  const show = (object: StoredObject): Maybe<JsonObject> => server.show(resource, object);
  return {
    first: (object) => () =>
      after(show(object), (seen): ServerWatchEvent | undefined =>
        selects(seen) ? { type: 'ADDED', object: seen } : undefined,
      ),
    eventOf: (change) => () => {
      const { before } = change;
      const had = before === undefined ? false : after(show(before), selects);
      return after(had, (was) =>
        after(show(change.after), (seen) => {
          const is = !change.deleted && selects(seen);
          if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: seen };
          return was ? after(show(lastSeen(change)), (last) => ({ type: 'DELETED', object: last })) : undefined;
        }),
      );
    },
  };
}

/** What a watch that no longer selects an object gets: the state that it last selected, with the version of the change. */
function lastSeen(change: Change): StoredObject {
  if (change.deleted || change.before === undefined) return change.after;
  return {
    ...change.before,
    metadata: { ...change.before.metadata, resourceVersion: change.after.metadata.resourceVersion },
  };
}
