import type { Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import type { Identity } from '../api-server/index.ts';

/**
 * An administrator's way to an API server, for a client that is another user there.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export class ImpersonatingTransport implements Transport {
  private readonly inner: Transport;
  private readonly user: Identity;

  constructor(inner: Transport, user: Identity) {
    this.inner = inner;
    this.user = user;
  }

  /** Sends a request. */
  send(request: TransportRequest): Promise<TransportReply> {
    return this.inner.send({ ...request, ...this.asUser(request) });
  }

  /** Opens a channel of messages. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    return this.inner.connect({ ...request, ...this.asUser(request) });
  }

  /** As the inner one. */
  close(): Promise<void> {
    return this.inner.close();
  }

  /** A user that the request itself names comes first. Whether this user may act as that one is not checked: the administrator may. */
  private asUser({
    headers,
    repeatedHeaders,
  }: TransportRequest): Pick<TransportRequest, 'headers' | 'repeatedHeaders'> {
    if (headers?.['impersonate-user'] !== undefined) return {};
    const { name, groups } = this.user;
    return {
      headers: { ...headers, 'impersonate-user': name },
      repeatedHeaders: { ...repeatedHeaders, 'impersonate-group': groups ?? [] },
    };
  }
}
