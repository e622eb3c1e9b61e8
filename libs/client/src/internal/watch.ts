import type { Projection, WatchEvent, WatchOptions } from '../client.ts';
import type { ResourceDescriptor } from '../descriptor.ts';
import { ApiError, TransportError } from '../error.ts';
import type { KubernetesObject, KubernetesObjectInput } from '../object.ts';
import { ReadSlice } from './read-slice.ts';
import type { Call } from './call.ts';
import { describeCall } from './call.ts';
import type { Exchange } from './exchange.ts';
import { asFailure } from './exchange.ts';
import { acceptFor, objectOf } from './kind.ts';
import { LineSplitter } from './line-splitter.ts';
import { withQuery } from './path.ts';
import { asStatus, parseReply } from './reply.ts';

/** A watch to be opened. */
export interface WatchRequest<Read extends KubernetesObject> {
  readonly descriptor: ResourceDescriptor<Read, KubernetesObjectInput>;
  readonly path: string;
  readonly options: WatchOptions;
}

/** The events of one watch request, in order, until the server ends it. */
export async function* readWatch<Read extends KubernetesObject>(
  exchange: Exchange,
  request: WatchRequest<Read>,
): AsyncGenerator<WatchEvent<Read>, void, undefined> {
  const { descriptor, options } = request;
  const call = watchCall(request);
  const reply = await exchange.open(call);
  options.onOpen?.();
  const splitter = new LineSplitter();
  const readSlice = new ReadSlice();
  try {
    for await (const chunk of reply.body) {
      for (const line of splitter.push(chunk)) {
        yield parseEvent(line, descriptor, options.project);
        if (readSlice.isDue(line.length)) await readSlice.yieldTurn();
      }
    }
    if (splitter.rest() !== '') throw new TransportError('MalformedReply', 'the watch ended in the middle of an event');
  } catch (error) {
    if (options.signal?.aborted) {
      throw new TransportError('Aborted', `${describeCall(call)}: aborted by the caller`, {
        cause: options.signal.reason,
      });
    }
    throw asFailure(error, call);
  }
}

function watchCall<Read extends KubernetesObject>({ descriptor, path, options }: WatchRequest<Read>): Call {
  const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds, sendInitialEvents, signal } = options;
  const query = {
    watch: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    timeoutSeconds,
    // The end of the initial events is a bookmark, so the server asks for bookmarks with them.
    allowWatchBookmarks: (options.allowWatchBookmarks ?? false) || sendInitialEvents === true,
    sendInitialEvents,
    resourceVersionMatch: sendInitialEvents === undefined ? undefined : 'NotOlderThan',
  };
  return {
    verb: 'watch',
    group: descriptor.group,
    resource: descriptor.plural,
    subresource: '',
    object: '',
    method: 'GET',
    path: withQuery(path, query),
    headers: acceptFor(descriptor, 'object'),
    repeatable: 'read',
    options: signal === undefined ? {} : { signal },
  };
}

function parseEvent<Read extends KubernetesObject>(
  line: string,
  descriptor: ResourceDescriptor<Read, KubernetesObjectInput>,
  project: Projection | undefined,
): WatchEvent<Read> {
  const event = parseReply(line) as { type?: unknown; object?: unknown } | null; // Checked below.
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const object = objectOf(event.object, descriptor);
      return { type: event.type, object: project === undefined ? object : (project(object) as Read) }; // The caller said what it keeps.
    }
    case 'BOOKMARK':
      return { type: 'BOOKMARK', object: objectOf(event.object, descriptor) };
    case 'ERROR': {
      const status = asStatus(event.object);
      if (status !== undefined) throw new ApiError(status, `watch ${descriptor.plural}`);
      break;
    }
    default:
  }
  throw new TransportError('MalformedReply', `not an event of a watch: ${line.slice(0, 80)}`);
}
