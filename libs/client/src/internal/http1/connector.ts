import type { Socket } from 'node:net';
import { connect as connectPlain, isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { connect as connectSecure, createSecureContext } from 'node:tls';
import type { ApiServer, TlsMaterial } from '../../api-server.ts';
import { TransportError } from '../../error.ts';

/** Opens connections to an API server. */
export type Connector = () => Promise<Socket>;

const connectTimeoutMs = 10_000;

interface Known {
  readonly material: string;
  readonly tls: TlsMaterial;
  readonly context: SecureContext;
  /** What a server gives for a shorter handshake next time. */
  session: Buffer | undefined;
}

/**
 * How connections to an API server are opened: with the credentials of that time, and through its proxy where it has one. Rejects with a
 * `TransportError` that says that nothing was sent.
 */
export function connectorFor(server: ApiServer): Connector {
  const url = new URL(server.url);
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  let known: Known | undefined;
  const securityOf = (tls: TlsMaterial): Known => {
    const material = JSON.stringify(tls);
    if (known?.material !== material) {
      const { ca, cert, key } = tls;
      known = { material, tls, context: contextOf({ ca, cert, key }), session: undefined };
    }
    return known;
  };
  const contextOf = (pem: Pick<TlsMaterial, 'ca' | 'cert' | 'key'>): SecureContext => {
    try {
      return createSecureContext(pem);
    } catch (error) {
      // A certificate may have been read while its key was still the old one.
      server.refresh();
      throw error;
    }
  };
  const open = async (): Promise<Socket> => {
    // Before the tunnel: no handler would see its failure while files are read.
    const security = isSecure ? securityOf((await server.credentials()).tls) : undefined;
    const through = await server.openTunnel?.({ host, port });
    if (security === undefined)
      return through ?? (await connected(connectPlain({ host, port, noDelay: true }), 'connect'));
    const socket = connectSecure({
      ...(through === undefined ? { host, port } : { socket: through }),
      servername: security.tls.servername ?? (isIP(host) === 0 ? host : ''),
      // With an empty server name the certificate is checked against this.
      host,
      secureContext: security.context,
      rejectUnauthorized: security.tls.rejectUnauthorized ?? true,
      ALPNProtocols: ['http/1.1'],
      ...(security.session !== undefined && { session: security.session }),
    });
    socket.on('session', (session) => (security.session = session));
    socket.setNoDelay(true);
    return await connected(socket, 'secureConnect');
  };
  return async () => {
    try {
      const socket = await open();
      return socket.setKeepAlive(true, keepAliveMs);
    } catch (error) {
      const message = messageOf(error);
      throw new TransportError('ConnectionFailed', message, { cause: error, unsent: true });
    }
  };
}

/** After so long without a packet the system asks whether the other side is still there. */
const keepAliveMs = 15_000;

// Where a name has several addresses, each has failed for itself, and the failure of all says nothing.
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      socket.off(event, onOpen).off('error', onError).off('close', onClose);
    };
    const fail = (error: Error): void => {
      settle();
      // It may fail once more while it closes.
      socket.on('error', () => undefined).destroy();
      reject(error);
    };
    const onOpen = (): void => {
      settle();
      resolve(socket);
    };
    const onError = (error: Error): void => fail(error);
    const onClose = (): void => fail(new Error('the connection was closed before it was made'));
    const timer = setTimeout(() => fail(new Error(`no connection within ${connectTimeoutMs} ms`)), connectTimeoutMs);
    socket.on(event, onOpen).on('error', onError).on('close', onClose);
  });
}
