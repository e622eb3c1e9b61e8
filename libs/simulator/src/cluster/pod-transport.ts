import type { Instant, Random, Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import { ApiError, instantOf } from '@ordinal/client';
import type { Connection } from '../api-server/admission/connections.ts';
import type { Identity } from '../api-server/index.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import type { LogSelection } from '../node/container-log.ts';
import { normalReply } from '../node/network.ts';
import type { Network } from '../node/network.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import { protocolOf } from './channel-protocol.ts';
import { attachChannel, execChannel } from './exec-channel.ts';
import { connectionOptions, isSet, nameOf, podRequestOf, refused } from './pod-request.ts';
import type { PodRequest } from './pod-request.ts';
import { podNamed, proxyTarget } from './proxy-target.ts';
import { throughProxy } from './proxied-reply.ts';
import type { EndpointSource } from './service-endpoints.ts';

/** What requests to pods are answered with. */
export interface PodTransportOptions {
  readonly inner: Transport;
  readonly store: Store;
  /** What is behind Services. */
  readonly source: EndpointSource;
  readonly random: Random;
  readonly network: Network;
  readonly workerOf: (pod: LivePod) => PodWorker | undefined;
  /** The time in the cluster. */
  readonly now: () => Instant;
  /** Whether the node that the pod is bound to can be reached. */
  readonly reaches: (pod: LivePod) => boolean;
  /** Refuses, with an `ApiError`, what no permission covers. Gives who asks. */
  readonly permit: (request: TransportRequest, asked: PodAccess) => Identity;
  /** Rejects, with an `ApiError`, where admission allows no connection. */
  readonly admit: (connection: Connection) => Promise<void>;
}

/** What a user wants of a pod or service, as permissions see it. */
interface PodAccess {
  readonly verb: string;
  readonly resource: 'pods' | 'services';
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The way to an API server that has nodes behind it: it passes logs, commands and proxied requests on to the pods they are for, and everything else to the
 * server.
 */
export class PodTransport implements Transport {
  private readonly options: PodTransportOptions;

  constructor(options: PodTransportOptions) {
    this.options = options;
  }

  /** Sends a request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const meant = podRequestOf(request.path);
    if (meant === undefined || meant.subresource === 'exec' || meant.subresource === 'attach')
      return this.options.inner.send(request);
    try {
      const user = this.permit(request, meant, proxyVerbs[request.method] ?? 'get');
      if (meant.subresource === 'log') return this.logs(meant, request.signal);
      await this.admit(meant, user);
      return await this.proxy(meant, request);
    } catch (error) {
      if (error instanceof ApiError)
        return textReply(error.status.code, JSON.stringify(error.status), 'application/json');
      throw error;
    }
  }

  /** Opens the streams of a command in a pod, or of what its process writes. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    const meant = podRequestOf(request.path);
    if (meant?.subresource !== 'exec' && meant?.subresource !== 'attach') return this.options.inner.connect(request);
    return Promise.resolve().then(async () => {
      // Since 1.35 a WebSocket, which begins with a GET, needs the permission to create as well.
      this.permit(request, meant, 'get');
      await this.admit(meant, this.permit(request, meant, 'create'));
      const pod = podNamed(meant.namespace, meant.place, this.options.store);
      const name = containerOf(pod, meant.query);
      this.dial(pod);
      const worker = this.options.workerOf(pod);
      const process = worker?.container(name)?.process;
      if (process === undefined)
        throw refused(500, 'InternalError', `unable to upgrade connection: container not found ("${name}")`);
      const streams = {
        protocol: protocolOf(request.protocols),
        stdin: isSet(meant.query, 'stdin'),
        stdout: isSet(meant.query, 'stdout'),
        stderr: isSet(meant.query, 'stderr'),
      };
      if (!streams.stdin && !streams.stdout && !streams.stderr)
        throw refused(400, 'BadRequest', 'you must specify at least 1 of stdin, stdout, stderr');
      if (meant.subresource === 'exec')
        return execChannel((stdin) => process.exec(meant.query.getAll('command'), stdin), streams);
      if (streams.stdin)
        throw refused(501, 'NotImplemented', 'processes of the simulated cluster read no standard input');
      return attachChannel((signal) => worker?.logs.get(name)?.current.follow({ tail: 0 }, signal), streams);
    });
  }

  /** Ends the connections to the server. */
  close(): Promise<void> {
    return this.options.inner.close();
  }

  private permit(request: TransportRequest, meant: PodRequest, verb: string): Identity {
    const { kind, subresource, namespace } = meant;
    return this.options.permit(request, { verb, resource: kind, subresource, namespace, name: nameOf(meant) });
  }

  private admit(meant: PodRequest, user: Identity): Promise<void> {
    const { kind, subresource, namespace } = meant;
    const options = connectionOptions(meant);
    return this.options.admit({ user, resource: kind, subresource, namespace, name: nameOf(meant), options });
  }

  /** Its node's kubelet answers logs and commands: where that can't be reached, nothing does. */
  private dial(pod: LivePod): void {
    if (this.options.reaches(pod)) return;
    const message = `error dialing backend: dial tcp: the node ${pod.spec?.nodeName ?? ''} can not be reached`;
    throw refused(500, 'InternalError', message);
  }

  private logs({ namespace, place, query }: PodRequest, signal: AbortSignal | undefined): TransportReply {
    const pod = podNamed(namespace, place, this.options.store);
    const name = containerOf(pod, query);
    this.dial(pod);
    const logs = this.options.workerOf(pod)?.logs.get(name);
    const isPrevious = isSet(query, 'previous');
    const log = isPrevious ? logs?.previous : logs?.current;
    if (log === undefined) {
      const why = isPrevious
        ? `previous terminated container "${name}" in pod "${place}" not found`
        : `container "${name}" in pod "${place}" is waiting to start: ContainerCreating`;
      throw refused(400, 'BadRequest', why);
    }
    const selection = logSelection(query, this.options.now());
    if (isSet(query, 'follow'))
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: linesOf(log.follow(selection, signal)) };
    const text = log
      .read(selection)
      .map((line) => `${line}\n`)
      .join('');
    const limit = query.get('limitBytes');
    return textReply(
      200,
      limit === null ? text : Buffer.from(text).subarray(0, Number(limit)).toString('utf8'),
      'text/plain',
    );
  }

  private async proxy(meant: PodRequest, request: TransportRequest): Promise<TransportReply> {
    const { rest, query, path } = meant;
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    // Links of a page are relative to a folder.
    if (rest === '' && ['GET', 'HEAD'].includes(request.method))
      return { ...textReply(301, '', 'text/plain'), headers: { location: `${path}/${search}` } };
    const url = proxyTarget(meant, this.options);
    // Set, not resolved: a path that begins with two slashes would name another host.
    url.pathname = rest;
    url.search = search;
    const handler = this.options.network.handlerFor(url);
    try {
      if (handler === undefined) throw new Error(`dial tcp: lookup ${url.hostname}: no such host`);
      const body = request.body === undefined ? '' : Buffer.from(request.body).toString('utf8');
      const reply = await handler({ method: request.method, url, headers: request.headers ?? {}, body });
      const { status, body: text, headers } = throughProxy(normalReply(reply), path);
      return { ...textReply(status, text, 'text/plain'), headers: { 'content-type': 'text/plain', ...headers } };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw refused(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
    }
  }
}

/** Which lines of a log are asked for. */
function logSelection(query: URLSearchParams, now: Instant): LogSelection {
  const [tail, seconds, time] = ['tailLines', 'sinceSeconds', 'sinceTime'].map((name) => query.get(name) ?? undefined);
  const since = seconds === undefined ? instantOf(time) : now - Number(seconds) * 1000;
  return {
    ...(tail !== undefined && { tail: Number(tail) }),
    ...(since !== undefined && { since }),
    timestamps: isSet(query, 'timestamps'),
  };
}

function containerOf(pod: LivePod, query: URLSearchParams): string {
  const wanted = query.get('container');
  const containers = pod.spec?.containers ?? [];
  const { initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const names = [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
  if (wanted === null || wanted === '') {
    const preferred = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
    if (preferred === undefined && containers.length > 1) {
      throw refused(
        400,
        'BadRequest',
        `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
      );
    }
    return preferred ?? names[0] ?? '';
  }
  if (!names.includes(wanted))
    throw refused(400, 'BadRequest', `container ${wanted} is not valid for pod ${pod.metadata.name}`);
  return wanted;
}

/** A proxied request is judged by its method. */
const proxyVerbs: Readonly<Record<string, string | undefined>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const encoder = new TextEncoder();

async function* linesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield encoder.encode(`${line}\n`);
}

function textReply(status: number, text: string, type: string): TransportReply {
  return {
    status,
    headers: { 'content-type': type },
    body: (async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(encoder.encode(text));
    })(),
  };
}
