import type { OperatorEnvironment } from '@ordinal/simulator';
import type { Transport, TransportReply, TransportRequest } from '@ordinal/client';

/** A write that was sent. */
export interface NotedWrite {
  readonly method: string;
  /** The API path without its query. */
  readonly path: string;
  readonly body: unknown;
  /** The version and the UID of the object that came of it. */
  made?: Made;
}

/** What a write has made. */
export interface Made {
  readonly resourceVersion?: string | undefined;
  readonly uid?: string | undefined;
}

/** What a service shows of something. */
export interface Shown {
  readonly id?: string;
  readonly state?: string;
  /** Of a monitor's entry alone. */
  readonly muted?: boolean;
}

/** What a reconcile has sent. */
export interface Noted {
  readonly writes: NotedWrite[];
  /** The versions of objects that it has made. */
  readonly versions: Set<string>;
  /** Whether the status had this on record, as it is shown, when the plan was made. */
  readonly knows: (shown: Shown) => boolean;
  /** Whether the operator's clock was set since the reconcile began. */
  readonly isClockSet: () => boolean;
  /** How many writes had been sent when a request first failed, or something came that no plan can know. */
  struckAfter?: number;
}

/** The same transport; the writes of a reconcile are noted with what has become of them. */
export function noting(inner: Transport, current: () => Noted | undefined): Transport {
  return {
    send: async (request) => {
      const noted = current();
      if (noted === undefined) return inner.send(request);
      const isWrite = request.method !== 'GET' && !request.path.includes('dryRun=');
      const write = writeOf(request);
      if (isWrite) noted.writes.push(write);
      try {
        const reply = await inner.send(request);
        if (noted.isClockSet()) noted.struckAfter ??= noted.writes.length;
        if (!isWrite) {
          if (reply.status >= 500) noted.struckAfter ??= noted.writes.length;
          return reply;
        }
        if (reply.status >= 400) noted.struckAfter ??= noted.writes.length;
        return await versioned(reply, { noted, write });
      } catch (error) {
        noted.struckAfter ??= noted.writes.length;
        throw error;
      }
    },
    connect: (request) => inner.connect(request),
    close: () => inner.close(),
  };
}

function writeOf({ method, path, body }: TransportRequest): NotedWrite {
  const text = body === undefined ? undefined : Buffer.from(body).toString();
  return { method, path: path.split('?')[0] ?? '', body: text === undefined ? undefined : JSON.parse(text) };
}

/** The reply, of whose object the version is noted. */
async function versioned(
  reply: TransportReply,
  { noted, write }: { readonly noted: Noted; readonly write: NotedWrite },
): Promise<TransportReply> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { metadata: { resourceVersion, uid } = {} } = JSON.parse(body.toString()) as { readonly metadata?: Made };
  write.made = { resourceVersion, uid };
  if (resourceVersion !== undefined) noted.versions.add(resourceVersion);
  const again = async function* (): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(body);
  };
  return { ...reply, body: again() };
}

/** The same way outside. A service that does not show what the status says, or shows something that is not settled, strikes the reconcile: no plan can know. */
export function listening(
  inner: OperatorEnvironment['http'],
  current: () => Noted | undefined,
): OperatorEnvironment['http'] {
  return async (url, init) => {
    const noted = current();
    try {
      const reply = await inner(url, init);
      const asks = isService(url) && (init?.method ?? 'GET') === 'GET';
      const isUnknown = noted !== undefined && asks && !(await isSettled(reply.clone(), noted));
      if (noted && (isUnknown || noted.isClockSet())) noted.struckAfter ??= noted.writes.length;
      return reply;
    } catch (error) {
      if (noted) noted.struckAfter ??= noted.writes.length;
      throw error;
    }
  };
}

/** The services of the simulation. What members answer is asked for a plan as well. */
const isService = (url: string | URL): boolean => new URL(url).hostname.endsWith('.example');

/** Whether the things that a service shows are known and ready, or there are none of an owner. */
async function isSettled(reply: Response, { knows }: Noted): Promise<boolean> {
  if (reply.status !== 200) return false;
  const shown = [await reply.json()].flat() as readonly Shown[];
  return shown.every((each) => each.state === 'ready' && knows(each));
}
