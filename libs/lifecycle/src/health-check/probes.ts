import { Beginning } from '@ordinal/client';
import type { BodyReader, Client } from '@ordinal/client';
import type { HttpCheck, PodAddress } from './check.ts';

/** The bounds of one probe. */
export interface ProbeOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How the body of an HTTP probe's reply is read. */
export interface BodyOptions {
  /** Makes what takes in the body while it arrives; what that keeps is the probe's body. Absent: the body's beginning is kept. */
  readonly reader?: () => BodyReader;
}

/** What an HTTP probe got. The body is cut off where it is long. */
export interface HttpProbeReply {
  readonly status: number;
  readonly body: string;
}

/** What an exec probe got. */
export interface ExecProbeReply {
  readonly exitCode: number;
  readonly output: string;
}

/** How pods are asked. It is handed in, so that a simulation answers for its pods. A rejection means that no answer came in time. */
export interface Probes {
  http(pod: PodAddress, request: HttpCheck, options: ProbeOptions & BodyOptions): Promise<HttpProbeReply>;
  exec(
    pod: PodAddress,
    command: { readonly command: readonly string[]; readonly container: string },
    options: ProbeOptions,
  ): Promise<ExecProbeReply>;
}

/** A request straight to a pod's address, as the operator's program makes it. */
export type DirectHttp = (
  url: string,
  options: ProbeOptions & { readonly method: 'GET' | 'POST'; readonly reader: () => BodyReader },
) => Promise<HttpProbeReply>;

/** How much of an answer is read, in bytes: its first line is what counts. */
const limitBytes = 64 * 1024;

const hostOf = (ip: string): string => (ip.includes(':') ? `[${ip}]` : ip);

/** Probes through an API server, and for those that go straight to a pod through `direct`. */
export function probesThrough(client: Client, direct: DirectHttp): Probes {
  return {
    http(pod, { path, port, scheme, method, via }, options) {
      const { reader = () => new Beginning(limitBytes) } = options;
      const protocol = scheme === 'HTTPS' ? 'https' : 'http';
      if (via === 'Proxy') {
        const { namespace, name } = pod;
        return client.pods.proxy(
          { kind: 'pods', namespace, name, port, path, method, scheme: protocol },
          { ...options, reader },
        );
      }
      if (pod.ip === undefined) return Promise.reject(new Error('the pod has no address yet'));
      return direct(`${protocol}://${hostOf(pod.ip)}:${port}${path}`, { ...options, reader, method });
    },
    async exec(pod, { command, container }, options) {
      const { exitCode, stdout, stderr } = await client.pods.exec(
        { namespace: pod.namespace, pod: pod.name, container },
        command,
        { ...options, limitBytes },
      );
      return { exitCode, output: stdout === '' ? stderr : stdout };
    },
  };
}
