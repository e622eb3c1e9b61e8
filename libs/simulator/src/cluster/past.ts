import type { Transport, TransportReply, TransportRequest } from '@ordinal/client';

/** A list at exactly this revision. */
export function atRevision(request: TransportRequest, revision: number): TransportRequest {
  const [path = '', query = ''] = request.path.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('resourceVersion', String(revision));
  parameters.set('resourceVersionMatch', 'Exact');
  return { ...request, path: `${path}?${parameters.toString()}` };
}

/**
 * Opens a watch that begins with the objects as they were at a revision, and goes on from there. Undefined where the request does not ask for initial
 * events: it then begins at a revision of its own, which the client has from an earlier list.
 */
export async function watchFromPast(
  inner: Transport,
  request: TransportRequest,
  revision: number,
): Promise<{ readonly reply: TransportReply; readonly initial: readonly Uint8Array[] } | undefined> {
  const [path = '', query = ''] = request.path.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (parameters.get('sendInitialEvents') !== 'true') return undefined;
  for (const name of ['watch', 'sendInitialEvents', 'allowWatchBookmarks', 'timeoutSeconds']) parameters.delete(name);
  const list = await inner.send(atRevision({ ...request, path: `${path}?${parameters.toString()}` }, revision));
  if (list.status !== 200) return undefined;
  const { items, apiVersion, kind } = await jsonOf(list);
  const type = { apiVersion, kind: kind.replace(/List$/, '') };
  parameters.delete('resourceVersionMatch');
  parameters.set('watch', 'true');
  parameters.set('allowWatchBookmarks', 'true');
  parameters.set('resourceVersion', String(revision));
  const reply = await inner.send({ ...request, path: `${path}?${parameters.toString()}` });
  const metadata = { resourceVersion: String(revision), annotations: { 'k8s.io/initial-events-end': 'true' } };
  const bookmark = { type: 'BOOKMARK', object: { ...type, metadata } };
  const events = [...items.map((object) => ({ type: 'ADDED', object: { ...type, ...object } })), bookmark];
  return { reply, initial: events.map((event) => encoder.encode(`${JSON.stringify(event)}\n`)) };
}

const encoder = new TextEncoder();

interface ObjectList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly items: readonly object[];
}

async function jsonOf(reply: TransportReply): Promise<ObjectList> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  // The reply to a list is a list.
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ObjectList;
}
