import { Beginning, readBody } from '../body-reader.ts';
import type { CallOptions, ContainerAddress, PodClient, ProxyTarget } from '../client.ts';
import { ApiError } from '../error.ts';
import { writeJson } from '../json.ts';
import type { TransportChannel } from '../transport.ts';
import type { Call } from './call.ts';
import { describeCall } from './call.ts';
import { startDeadline } from './deadline.ts';
import { execProtocol, runCommand } from './exec.ts';
import { asFailure } from './exchange.ts';
import type { Query } from './path.ts';
import { pathOf, withQuery } from './path.ts';
import { asStatus, parseReply, readText } from './reply.ts';
import type { ResourceContext } from './resource-client.ts';
import { deleteChoices, writeQuery } from './write.ts';

const defaultLimitBytes = 16 * 1024 * 1024;

/** The subresources of pods. */
export function podClient(context: ResourceContext): PodClient {
  const { exchange, writes } = context;
  return {
    async logs(address, options = {}) {
      const { tailLines, limitBytes, previous } = options;
      const query = { container: address.container, tailLines, limitBytes, previous };
      const call = podCall(address, { subresource: 'log', query, options });
      return exchange.run({ ...call, headers: { accept: '*/*' } }, (reply) =>
        readText(reply, limitBytes ?? defaultLimitBytes),
      );
    },
    async exec(address, command, options = {}) {
      const { stdin, limitBytes = defaultLimitBytes } = options;
      const call = commandCall(address, command, { stdin: stdin !== undefined, tty: false, options });
      return withChannel(context, call, (channel) => runCommand(channel, describeCall(call), { stdin, limitBytes }));
    },
    stream(address, command, options = {}) {
      return openChannel(context, commandCall(address, command, { stdin: true, tty: options.tty ?? false, options }));
    },
    async evict(address, options = {}) {
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: address.pod, namespace: address.namespace },
        deleteOptions: deleteChoices(writes, options),
      };
      const call = podCall(address, { subresource: 'eviction', query: writeQuery(writes, options), options });
      await exchange.json({
        ...call,
        verb: 'create',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: writeJson(body),
        repeatable: 'verdict',
      });
    },
    async proxy(target, options = {}) {
      const call = proxyCall(target, options);
      return exchange.run(call, async (reply) => {
        const isRefusal = reply.status >= 400;
        const reader = isRefusal ? undefined : options.reader?.();
        const body = await readBody(reply.body, reader ?? new Beginning(options.limitBytes ?? defaultLimitBytes));
        // A refusal of the API server's own, and not of what it asked on our behalf.
        const status = isRefusal && body.startsWith('{"kind":"Status",') ? asStatus(parseReply(body)) : undefined;
        if (status !== undefined) throw new ApiError(status, describeCall(call));
        return { status: reply.status, body };
      });
    },
  };
}

const podsDescriptor = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;

interface PodRequest {
  readonly subresource: string;
  readonly query: Query;
  readonly options: CallOptions;
}

function podCall(address: ContainerAddress, { subresource, query, options }: PodRequest): Call {
  const { namespace, pod: name } = address;
  return {
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource,
    object: `${namespace}/${name}`,
    method: 'GET',
    path: withQuery(pathOf(podsDescriptor, { namespace, name, subresource }), query),
    repeatable: 'read',
    options,
  };
}

function commandCall(
  address: ContainerAddress,
  command: readonly string[],
  { stdin, tty, options }: { readonly stdin: boolean; readonly tty: boolean; readonly options: CallOptions },
): Call {
  // With a terminal, both outputs are one stream.
  const query = { container: address.container, stdin, stdout: true, stderr: !tty, tty };
  const call = podCall(address, { subresource: 'exec', query, options });
  const words = command.map((word) => `&command=${encodeURIComponent(word)}`).join('');
  // The API server offers no representation of a stream: asked for JSON, it answers 406.
  return { ...call, verb: 'connect', path: call.path + words, headers: { accept: '*/*' }, repeatable: 'write' };
}

function proxyCall(target: ProxyTarget, options: CallOptions): Call {
  const { kind, namespace, name, port, scheme, path, method = 'GET' } = target;
  const place = scheme === undefined ? `${name}:${port}` : `${scheme}:${name}:${port}`;
  const base = pathOf({ ...podsDescriptor, plural: kind }, { namespace, name: place, subresource: 'proxy' });
  return {
    verb: 'connect',
    group: '',
    resource: kind,
    subresource: 'proxy',
    object: `${namespace}/${place}`,
    method,
    path: base.replaceAll('%3A', ':') + (path.startsWith('/') ? path : `/${path}`),
    headers: { accept: '*/*' },
    repeatable: method === 'GET' ? 'read' : 'write',
    anyStatus: true,
    options,
  };
}

async function openChannel(
  { exchange }: ResourceContext,
  call: Call,
  signal = call.options.signal,
): Promise<TransportChannel> {
  try {
    const request = exchange.request(call, signal ?? new AbortController().signal);
    return await exchange.settings.transport.connect({ ...request, protocols: [execProtocol] });
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.status, describeCall(call)) : asFailure(error, call);
  }
}

async function withChannel<T>(
  context: ResourceContext,
  call: Call,
  use: (channel: TransportChannel) => Promise<T>,
): Promise<T> {
  const { clock, timeoutMs } = context.exchange.settings;
  const deadline = startDeadline(clock, call.options.timeoutMs ?? timeoutMs, call.options.signal, describeCall(call));
  try {
    const channel = await openChannel(context, call, deadline.signal);
    try {
      return await use(channel);
    } finally {
      channel.close();
    }
  } catch (error) {
    throw deadline.explain(error);
  } finally {
    deadline.end();
  }
}
