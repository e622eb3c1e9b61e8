import { TransportError, sleep } from '@ordinal/client';
import type { TransportReply, TransportRequest } from '@ordinal/client';
import type { ApiReply, ApiRequest, Identity, InterceptedRequest, WatchRequest } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { Refusal, notSimulated, pathNotFound } from '../status.ts';
import { attributesOfHttp } from '../authorization/attributes.ts';
import { checkPermission } from '../authorization/check.ts';
import { actingAs, namesAnother } from '../authorization/impersonation.ts';
import { isReview } from '../authorization/reviews.ts';
import { leftOutAddress, leftOutPath } from '../resources/left-out.ts';
import { discoveryAnswer } from '../discovery/answer.ts';
import type { Document } from '../discovery/answer.ts';
import { represent } from '../tables/table.ts';
import { representationOf } from './accept.ts';
import { parsePath } from './path.ts';
import type { ParsedPath } from './path.ts';
import { objectRequestOf, watchRequestOf } from './incoming.ts';
import { watchBody } from './watch-body.ts';
import { jsonBody, once } from './json-body.ts';

/** On whose behalf bytes come, and the set of open streams to end with the connection. */
export interface Session {
  readonly identity: Identity;
  readonly open: Set<() => void>;
}

/** Answers one HTTP request in the form of bytes. Rejects with a `TransportError` where an interceptor loses the request or its reply. */
export async function answerHttp(
  server: ApiServer,
  request: TransportRequest,
  session: Session,
): Promise<TransportReply> {
  try {
    return await route(server, request, session);
  } catch (error) {
    if (error instanceof Refusal)
      return json({ status: error.status.code, body: error.status as unknown as ApiReply['body'] });
    throw error;
  }
}

function route(
  server: ApiServer,
  request: TransportRequest,
  sender: Session,
): Promise<TransportReply> | TransportReply {
  const question = request.path.indexOf('?');
  const pathname = question < 0 ? request.path : request.path.slice(0, question);
  const query = new URLSearchParams(question < 0 ? '' : request.path.slice(question + 1));
  // Where it is no address at all, it does not come as far as the API.
  if (/%(?![0-9a-fA-F]{2})/.test(pathname)) return plainText(400, '400 Bad Request');
  const identity = permitted(server, request, { sender: sender.identity, pathname, query });
  const session = { ...sender, identity };
  const document = request.method === 'GET' ? discoveryAnswer(server, request, pathname) : undefined;
  if (document) return documentReply(document);
  if (leftOutPath(pathname)) throw notSimulated(`the path ${pathname}`);
  const path = parsePath(pathname);
  if (path !== undefined && leftOutAddress(path.resource))
    throw notSimulated(
      `${path.resource.plural} of ${path.resource.group === '' ? 'the core group' : path.resource.group}/${path.resource.version}`,
    );
  if (path?.name?.includes('/')) throw pathNotFound();
  if (path === undefined || !server.resources.answers(path.resource)) return plainText(404, '404 page not found\n');
  const watch = query.get('watch');
  if (request.method === 'GET' && watch !== null && watch !== 'false' && watch !== '0')
    return streamWatch(server, watchRequestOf({ path, query, session }), {
      signal: request.signal,
      open: session.open,
      show: representer(server, request, { path, query }),
    });
  const show = representer(server, request, { path, query });
  return exchange(server, objectRequestOf(server, request, { path, query, session }), { signal: request.signal, show });
}

/** Whom a request acts as. Refuses who may not ask this, whether there is anything or not. */
function permitted(
  server: ApiServer,
  request: TransportRequest,
  {
    sender,
    pathname,
    query,
  }: { readonly sender: Identity; readonly pathname: string; readonly query: URLSearchParams },
): Identity {
  const { method, headers, repeatedHeaders } = request;
  if (!server.authorizes && !namesAnother(request)) return sender;
  const asked = attributesOfHttp({ method, pathname, query });
  const identity = actingAs(server, sender, {
    asked,
    ...(headers && { headers }),
    ...(repeatedHeaders && { repeatedHeaders }),
  });
  checkPermission(server, { ...asked, user: identity });
  return identity;
}

/** How a reply is shown to who asked for a table or for metadata alone. Refuses who can read no form of it with 406. */
function representer(
  server: ApiServer,
  { method, headers }: TransportRequest,
  { path, query }: { path: ParsedPath; query: URLSearchParams },
): (reply: ApiReply) => ApiReply {
  const resource = server.resources.find(path.resource);
  const watches = method === 'GET' && path.name === undefined;
  const representation = representationOf(headers?.['accept'], {
    custom: resource?.custom === true,
    watches,
    isReview: resource !== undefined && isReview(resource),
  });
  if (representation === 'object' || resource === undefined) return (reply) => reply;
  const include = query.get('includeObject') ?? undefined;
  return (reply) => ({
    ...reply,
    body: represent(resource, reply.body, { representation, now: server.clock.now(), include }),
  });
}

function documentReply(document: Document): TransportReply {
  if ('text' in document) return plainText(200, document.text);
  const reply = json({ status: 200, body: document.json });
  return document.contentType === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, 'content-type': document.contentType } };
}

/** Asks the interceptors, carries the request out, asks them again. */
async function exchange(
  server: ApiServer,
  request: ApiRequest,
  { signal, show }: { readonly signal: AbortSignal | undefined; readonly show: (reply: ApiReply) => ApiReply },
): Promise<TransportReply> {
  const seen: InterceptedRequest = { ...request, via: 'transport' };
  const refused = await before(server, seen, signal);
  const reply = refused ?? (await server.answer(request));
  for (const interceptor of server.interceptors()) {
    const interception = interceptor.after?.(seen, reply);
    if (interception && 'lose' in interception)
      throw new TransportError('ConnectionFailed', 'the connection was lost before the reply came');
    if (interception) await sleep(server.clock, interception.delayMs, signal);
  }
  return json(show(reply));
}

async function before(
  server: ApiServer,
  request: InterceptedRequest,
  signal: AbortSignal | undefined,
): Promise<ApiReply | undefined> {
  for (const interceptor of server.interceptors()) {
    const interception = interceptor.before?.(request);
    if (interception === undefined) continue;
    if ('lose' in interception)
      throw new TransportError('ConnectionFailed', 'the connection was lost before the request arrived');
    if ('refuse' in interception)
      return { status: interception.refuse.code, body: interception.refuse as unknown as ApiReply['body'] };
    await sleep(server.clock, interception.delayMs, signal);
  }
  return undefined;
}

async function streamWatch(
  server: ApiServer,
  request: WatchRequest,
  {
    signal,
    open,
    show,
  }: { signal: AbortSignal | undefined; open: Set<() => void>; show: (reply: ApiReply) => ApiReply },
): Promise<TransportReply> {
  const refused = await before(server, { ...request, verb: 'watch', via: 'transport' }, signal);
  if (refused) return json(refused);
  const checked = server.checkWatch(request);
  // Only what has to be converted is waited for.
  if (checked !== undefined) await checked;
  const { deprecated } = server.resources.find(request.resource) ?? {};
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...warningsOf(deprecated === undefined ? [] : [deprecated]) },
    body: watchBody((listener) => server.stream(request, listener), {
      signal,
      open,
      show: (event) => ({ ...event, object: show({ status: 200, body: event.object }).body }),
    }),
  };
}

const encoder = new TextEncoder();

/** A reply as bytes. */
function json(reply: ApiReply): TransportReply {
  return {
    status: reply.status,
    headers: { 'content-type': 'application/json', ...warningsOf(reply.warnings ?? []) },
    body: jsonBody(reply.body),
  };
}

/** What comes from in front of the API, which has no Status there. */
const plainText = (status: number, text: string): TransportReply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: once(encoder.encode(text)),
});

const warningsOf = (texts: readonly string[]): { readonly warning?: string } =>
  texts.length === 0 ? {} : { warning: texts.map(warningHeader).join(', ') };

const warningHeader = (text: string): string => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
