import type { Status, Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import { ApiError } from '@ordinal/client';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import { normalReply } from '../node/network.ts';
import type { Network } from '../node/network.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import { protocolOf } from './channel-protocol.ts';
import { attachChannel, execChannel } from './exec-channel.ts';
import { portNamed } from './pod-network.ts';

/** What requests to pods are answered with. */
export interface PodTransportOptions {
  readonly inner: Transport;
  readonly store: Store;
  readonly network: Network;
  readonly workerOf: (pod: LivePod) => PodWorker | undefined;
  /** Whether the node that the pod is bound to can be reached. */
  readonly reaches: (pod: LivePod) => boolean;
  /** Refuses, with an `ApiError`, what no permission covers. */
  readonly permit: (request: TransportRequest, asked: PodAccess) => void;
}

/** What a user wants of a pod or service, as permissions see it. */
interface PodAccess {
  readonly verb: string;
  readonly resource: 'pods' | 'services';
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A request to a pod or service, taken apart. */
interface PodRequest {
  readonly kind: 'pods' | 'services';
  readonly namespace: string;
  /** With `proxy`, `[scheme:]name[:port]`. */
  readonly place: string;
  readonly subresource: 'log' | 'exec' | 'attach' | 'proxy';
  readonly rest: string;
  readonly query: URLSearchParams;
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
    const meant = parse(request.path);
    if (meant === undefined || meant.subresource === 'exec' || meant.subresource === 'attach')
      return this.options.inner.send(request);
    try {
      this.permit(request, meant, proxyVerbs[request.method]);
      return meant.subresource === 'log' ? this.logs(meant, request.signal) : await this.proxy(meant, request);
    } catch (error) {
      if (error instanceof ApiError)
        return textReply(error.status.code, JSON.stringify(error.status), 'application/json');
      throw error;
    }
  }

  /** Opens the streams of a command in a pod, or of what its process writes. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    const meant = parse(request.path);
    if (meant?.subresource !== 'exec' && meant?.subresource !== 'attach') return this.options.inner.connect(request);
    return Promise.resolve().then(() => {
      // Since 1.35 a WebSocket, which begins with a GET, needs the permission to create as well.
      for (const verb of ['get', 'create']) this.permit(request, meant, verb);
      const pod = this.podOf(meant.namespace, meant.place);
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
      return attachChannel((signal) => worker?.logs.get(name)?.current.follow(0, signal), streams);
    });
  }

  /** Ends the connections to the server. */
  close(): Promise<void> {
    return this.options.inner.close();
  }

  private permit(request: TransportRequest, { kind, subresource, namespace, place }: PodRequest, verb: string): void {
    // A proxied request's name is that of the object, whatever port is asked for.
    const parts = place.split(':');
    const name = subresource === 'proxy' && parts.length > 1 ? (parts[parts.length - 2] ?? '') : place;
    this.options.permit(request, { verb, resource: kind, subresource, namespace, name });
  }

  private podOf(namespace: string, name: string): LivePod {
    const pod = this.options.store.find<Pod>(kinds.pod, namespace, name);
    if (pod === undefined) throw refused(404, 'NotFound', `pods "${name}" not found`);
    return pod;
  }

  /** Its node's kubelet answers logs and commands: where that can't be reached, nothing does. */
  private dial(pod: LivePod): void {
    if (this.options.reaches(pod)) return;
    const message = `error dialing backend: dial tcp: the node ${pod.spec?.nodeName ?? ''} can not be reached`;
    throw refused(500, 'InternalError', message);
  }

  private logs({ namespace, place, query }: PodRequest, signal: AbortSignal | undefined): TransportReply {
    const pod = this.podOf(namespace, place);
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
    const tail = query.get('tailLines') === null ? Infinity : Number(query.get('tailLines'));
    if (isSet(query, 'follow'))
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: linesOf(log.follow(tail, signal)) };
    const text = log.lines
      .slice(Math.max(0, log.lines.length - tail))
      .map((line) => `${line}\n`)
      .join('');
    const limit = query.get('limitBytes');
    return textReply(
      200,
      limit === null ? text : Buffer.from(text).subarray(0, Number(limit)).toString('utf8'),
      'text/plain',
    );
  }

  private async proxy(
    { kind, namespace, place, rest, query }: PodRequest,
    request: TransportRequest,
  ): Promise<TransportReply> {
    const { scheme, host, port } = this.proxyTarget(kind, namespace, place);
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    const url = new URL(`${scheme}://${host}:${port}${rest}${search}`);
    const handler = this.options.network.handlerFor(url);
    try {
      if (handler === undefined) throw new Error(`dial tcp: lookup ${url.hostname}: no such host`);
      const body = request.body === undefined ? '' : Buffer.from(request.body).toString('utf8');
      const {
        status,
        body: text,
        headers,
      } = normalReply(await handler({ method: request.method, url, headers: request.headers ?? {}, body }));
      return { ...textReply(status, text, 'text/plain'), headers: { 'content-type': 'text/plain', ...headers } };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw refused(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
    }
  }

  /** Takes `[scheme:]name[:port]` apart. */
  private proxyTarget(
    kind: PodRequest['kind'],
    namespace: string,
    place: string,
  ): { readonly scheme: string; readonly host: string; readonly port: number } {
    const parts = place.split(':');
    const [first = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
    const scheme = first === '' ? 'http' : first;
    const number = Number(port === '' ? 80 : port);
    const isNamed = Number.isNaN(number);
    if (kind === 'pods') {
      const pod = this.podOf(namespace, name);
      const at = port === '' ? (firstPort(pod) ?? number) : isNamed ? portNamed(pod, port) : number;
      return { scheme, host: pod.status?.podIP ?? 'no-address', port: at };
    }
    const ports = this.options.store.find(kinds.service, namespace, name)?.spec?.ports ?? [];
    const named = ports.find((entry) => entry.name === port)?.port ?? 80;
    return { scheme, host: `${name}.${namespace}.svc`, port: isNamed ? named : number };
  }
}

/** The port of a pod where none is asked for: the first that a container declares. */
const firstPort = ({ spec }: LivePod): number | undefined =>
  spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;

function parse(path: string): PodRequest | undefined {
  const [pathname = '', search = ''] = path.split('?', 2);
  const match = /^\/api\/v1\/namespaces\/([^/]+)\/(pods|services)\/([^/]+)\/(log|exec|attach|proxy)(\/.*)?$/.exec(
    pathname,
  );
  if (match === null) return undefined;
  const [, namespace = '', kind, place = '', subresource, rest = '/'] = match;
  return {
    // The expression above lets nothing else through.
    kind: kind as PodRequest['kind'],
    subresource: subresource as PodRequest['subresource'],
    namespace: decodeURIComponent(namespace),
    place: decodeURIComponent(place),
    rest,
    query: new URLSearchParams(search),
  };
}

/** Whether a query sets an option: with `true`, `1` or any word but `false` and `0`, as Kubernetes reads it. */
function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
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

function refused(code: number, reason: string, message: string): ApiError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  return new ApiError(status, 'kubelet');
}

/** A proxied request is judged by its method. */
const proxyVerbs: Readonly<Record<TransportRequest['method'], string>> = {
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
