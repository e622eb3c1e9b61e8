import type { Status, Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import { ApiError } from '@ordinal/client';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import { normalReply } from '../node/network.ts';
import type { Network } from '../node/network.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import { execChannel } from './exec-channel.ts';
import { portNamed } from './pod-network.ts';

/** What requests to pods are answered with. */
export interface PodTransportOptions {
  readonly inner: Transport;
  readonly store: Store;
  readonly network: Network;
  readonly workerOf: (pod: LivePod) => PodWorker | undefined;
}

/** A request to a pod or service, taken apart. */
interface PodRequest {
  readonly kind: 'pods' | 'services';
  readonly namespace: string;
  /** With `proxy`, `[scheme:]name[:port]`. */
  readonly place: string;
  readonly subresource: 'log' | 'exec' | 'proxy';
  readonly rest: string;
  readonly query: URLSearchParams;
}

/**
 * The way to an API server that has nodes behind it: it passes logs, commands and proxied requests on to the pods they are for, and everything else to the
 * server. Permissions on these subresources are not checked.
 */
export class PodTransport implements Transport {
  private readonly options: PodTransportOptions;

  constructor(options: PodTransportOptions) {
    this.options = options;
  }

  /** Sends a request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const meant = parse(request.path);
    if (meant === undefined || meant.subresource === 'exec') return this.options.inner.send(request);
    try {
      return meant.subresource === 'log' ? this.logs(meant) : await this.proxy(meant, request);
    } catch (error) {
      if (error instanceof ApiError)
        return textReply(error.status.code, JSON.stringify(error.status), 'application/json');
      throw error;
    }
  }

  /** Opens the streams of a command in a pod. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    const meant = parse(request.path);
    if (meant?.subresource !== 'exec') return this.options.inner.connect(request);
    return Promise.resolve().then(() => {
      const pod = this.podOf(meant.namespace, meant.place);
      const name = containerOf(pod, meant.query);
      const process = this.options.workerOf(pod)?.container(name)?.process;
      if (process === undefined)
        throw refused(500, 'InternalError', `unable to upgrade connection: container not found ("${name}")`);
      const reads = meant.query.get('stdin') === 'true';
      return execChannel((stdin) => process.exec(meant.query.getAll('command'), stdin), reads);
    });
  }

  /** Ends the connections to the server. */
  close(): Promise<void> {
    return this.options.inner.close();
  }

  private podOf(namespace: string, name: string): LivePod {
    const pod = this.options.store.find<Pod>(kinds.pod, namespace, name);
    if (pod === undefined) throw refused(404, 'NotFound', `pods "${name}" not found`);
    return pod;
  }

  private logs({ namespace, place, query }: PodRequest): TransportReply {
    if (query.get('follow') === 'true')
      throw refused(501, 'NotImplemented', 'the simulated cluster does not follow logs');
    const pod = this.podOf(namespace, place);
    const name = containerOf(pod, query);
    const worker = this.options.workerOf(pod);
    const logs = worker?.logs.get(name);
    const lines = query.get('previous') === 'true' ? logs?.previous : logs?.current;
    if (lines === undefined) {
      const why =
        query.get('previous') === 'true'
          ? `previous terminated container "${name}" in pod "${place}" not found`
          : `container "${name}" in pod "${place}" is waiting to start: ContainerCreating`;
      throw refused(400, 'BadRequest', why);
    }
    const tail = query.get('tailLines');
    const text = (tail === null ? lines : lines.slice(Math.max(0, lines.length - Number(tail))))
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
      return { scheme, host: pod.status?.podIP ?? 'no-address', port: isNamed ? portNamed(pod, port) : number };
    }
    const ports = this.options.store.find(kinds.service, namespace, name)?.spec?.ports ?? [];
    const named = ports.find((entry) => entry.name === port)?.port ?? 80;
    return { scheme, host: `${name}.${namespace}.svc`, port: isNamed ? named : number };
  }
}

function parse(path: string): PodRequest | undefined {
  const [pathname = '', search = ''] = path.split('?', 2);
  const match = /^\/api\/v1\/namespaces\/([^/]+)\/(pods|services)\/([^/]+)\/(log|exec|proxy)(\/.*)?$/.exec(pathname);
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

function containerOf(pod: LivePod, query: URLSearchParams): string {
  const wanted = query.get('container');
  const containers = pod.spec?.containers ?? [];
  const names = [...containers, ...(pod.spec?.initContainers ?? [])].map(({ name }) => name);
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

const encoder = new TextEncoder();

function textReply(status: number, text: string, type: string): TransportReply {
  return {
    status,
    headers: { 'content-type': type },
    body: (async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(encoder.encode(text));
    })(),
  };
}
