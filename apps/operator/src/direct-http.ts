import { readBody } from '@ordinal/client';
import type { DirectHttp, EndpointPolicy } from '@ordinal/lifecycle';
import { checkEndpoint } from '@ordinal/lifecycle';
import { Agent, request } from 'undici';

/** So many bytes of a body are kept for a slow reader before the connection is paused. Each may have come as a chunk of its own, which is more work than its byte. */
const maxKept = 4 * 1024;

/**
 * HTTP straight to a pod's address: no redirects, no keep-alive beyond a few seconds. A reader that has enough of a body ends the connection. A pod's certificate
 * is not checked, as the kubelet does not check it either: it is asked by its address, which no certificate names. An address that no pod has (loopback,
 * link-local, a cloud's metadata) is refused unless a network of the policy allows it: anyone who may write a pod's status could have put it there.
 */
export function directHttp(policy: Pick<EndpointPolicy, 'allowedNetworks'> = {}): {
  readonly http: DirectHttp;
  readonly close: () => Promise<void>;
} {
  const agent = new Agent({ connect: { rejectUnauthorized: false }, keepAliveTimeout: 4_000, connections: 4 });
  const http: DirectHttp = async (url, { method, timeoutMs, signal, reader }) => {
    const reply = await request(checkEndpoint(url, policy), {
      method,
      dispatcher: agent,
      highWaterMark: maxKept,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return { status: reply.statusCode, body: await readBody(reply.body as AsyncIterable<Buffer>, reader()) };
  };
  return { http, close: () => agent.close() };
}
