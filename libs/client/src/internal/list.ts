import type { ListOptions, ListResult, Projection } from '../client.ts';
import type { ResourceDescriptor } from '../descriptor.ts';
import { isApiError, TransportError } from '../error.ts';
import type { KubernetesObject, KubernetesObjectInput } from '../object.ts';
import type { TransportReply } from '../transport.ts';
import { ReadSlice } from './read-slice.ts';
import type { Call } from './call.ts';
import type { Exchange } from './exchange.ts';
import { ItemSplitter } from './item-splitter.ts';
import { acceptFor, objectOf } from './kind.ts';
import { withQuery } from './path.ts';
import { parseReply } from './reply.ts';

interface Page<Read> extends ListResult<Read> {
  readonly next: string;
}

/** A list to be read. */
export interface ListRequest<Read extends KubernetesObject> {
  readonly descriptor: ResourceDescriptor<Read, KubernetesObjectInput>;
  readonly path: string;
  readonly options: ListOptions;
}

/** Reads all pages of a list. A list that expires between two pages is read once more, from its beginning and in one piece. */
export async function readList<Read extends KubernetesObject>(
  exchange: Exchange,
  request: ListRequest<Read>,
): Promise<ListResult<Read>> {
  const { limit = defaultPageSize, maxPages = Number.POSITIVE_INFINITY } = request.options;
  const first = await readPage(exchange, request, { limit, next: '' });
  const items = [...first.items];
  let { next, resourceVersion } = first;
  try {
    for (let pages = 1; next !== '' && pages < maxPages; pages += 1) {
      const page = await readPage(exchange, request, { limit, next });
      for (const item of page.items) items.push(item);
      ({ next, resourceVersion } = page);
    }
  } catch (error) {
    if (!isApiError(error, 'Expired', 'Gone')) throw error;
    return readPage(exchange, request, { limit: 0, next: '' });
  }
  return { items, resourceVersion };
}

const defaultPageSize = 500;

function readPage<Read extends KubernetesObject>(
  exchange: Exchange,
  { descriptor, path, options }: ListRequest<Read>,
  place: { readonly limit: number; readonly next: string },
): Promise<Page<Read>> {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
  const limit = place.limit === 0 ? undefined : place.limit;
  // A continuation carries the revision of the first page; to name one again is refused.
  const query =
    place.next === ''
      ? { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch }
      : { labelSelector, fieldSelector, limit, continue: place.next };
  const call: Call = {
    verb: 'list',
    group: descriptor.group,
    resource: descriptor.plural,
    subresource: '',
    object: '',
    method: 'GET',
    path: withQuery(path, query),
    headers: acceptFor(descriptor, 'list'),
    repeatable: 'read',
    options,
  };
  return exchange.run(call, (reply) => parsePage(reply, descriptor, options.project));
}

async function parsePage<Read extends KubernetesObject>(
  reply: TransportReply,
  descriptor: ResourceDescriptor<Read, KubernetesObjectInput>,
  project: Projection | undefined,
): Promise<Page<Read>> {
  const splitter = new ItemSplitter();
  const readSlice = new ReadSlice();
  const items: Read[] = [];
  for await (const chunk of reply.body) {
    for (let start = 0; start < chunk.length; start += sliceBytes) {
      for (const text of splitter.push(chunk.subarray(start, start + sliceBytes))) {
        const item = objectOf(parseReply(text), descriptor);
        items.push(project === undefined ? item : (project(item) as Read)); // The caller said what it keeps.
        if (readSlice.isDue(text.length)) await readSlice.yieldTurn();
      }
    }
  }
  const envelope = parseReply(splitter.end()) as { metadata?: { resourceVersion?: string; continue?: string } } | null; // Checked below.
  if (typeof envelope?.metadata?.resourceVersion !== 'string') {
    throw new TransportError('MalformedReply', `the reply is no list of ${descriptor.plural}`);
  }
  return { items, resourceVersion: envelope.metadata.resourceVersion, next: envelope.metadata.continue ?? '' };
}

// No more than this is cut into items at once, however large the chunks that a transport gives.
const sliceBytes = 128 * 1024;
