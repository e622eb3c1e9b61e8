import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { ApiServer, TlsMaterial } from '../api-server.ts';

/** No connection was made, so that no request can have been sent on it. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

type Build = typeof buildConnector;

/** How connections to an API server are opened: with the credentials of that moment, and through its proxy where it has one. */
export function connectorFor(
  server: ApiServer,
  build: Build,
  { allowH2 }: { readonly allowH2: boolean },
): buildConnector.connector {
  let known: { readonly material: string; readonly connect: buildConnector.connector } | undefined;
  const connectorWith = (tls: TlsMaterial): buildConnector.connector => {
    // A connector keeps TLS sessions, so it is only replaced when certificates have changed.
    const material = JSON.stringify(tls);
    if (known?.material !== material) {
      known = { material, connect: build({ ...definedOf(tls), allowH2, timeout: connectTimeoutMs, keepAlive: true }) };
    }
    return known.connect;
  };
  return (options, callback) => {
    const fail = (error: unknown): void => callback(new ConnectFailure(error), null);
    const open = async (): Promise<void> => {
      const { tls } = await server.credentials();
      const httpSocket = await server.openTunnel?.({ host: options.hostname, port: portOf(options) });
      const target = httpSocket === undefined ? options : { ...options, httpSocket };
      connectorWith(tls)(target, (...[error, socket]: [Error, null] | [null, Socket]) => {
        if (error === null) callback(null, socket);
        else fail(error);
      });
    };
    open().catch(fail);
  };
}

const connectTimeoutMs = 10_000;

function portOf({ port, protocol }: buildConnector.Options): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function definedOf(tls: TlsMaterial): Partial<{ [Key in keyof TlsMaterial]: NonNullable<TlsMaterial[Key]> }> {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}
