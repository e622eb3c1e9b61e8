import { checkEndpoint } from '@ordinal/reconcilers';
import type { DirectHttp, EndpointPolicy } from '@ordinal/reconcilers';
import { Agent, request } from 'undici';

/** How much of a pod's answer is read, in bytes. */
const limitBytes = 4 * 1024 * 1024;

/**
 * HTTP straight to a pod's address: no redirects, no keep-alive beyond a few seconds, a bounded reply. A pod's certificate is not checked, as the kubelet does
 * not check it either: it is asked by its address, which no certificate names. An address that no pod has (loopback, link-local, a cloud's metadata) is refused
 * unless a network of the policy allows it: whoever may write a pod's status could have put it there.
 */
export function directHttp(policy: Pick<EndpointPolicy, 'allowedNetworks'> = {}): {
  readonly http: DirectHttp;
  readonly close: () => Promise<void>;
} {
  const agent = new Agent({ connect: { rejectUnauthorized: false }, keepAliveTimeout: 4_000, connections: 4 });
  const http: DirectHttp = async (url, { method, timeoutMs, signal }) => {
    const reply = await request(checkEndpoint(url, policy), {
      method,
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of reply.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limitBytes) break;
    }
    return { status: reply.statusCode, body: Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8') };
  };
  return { http, close: () => agent.close() };
}
