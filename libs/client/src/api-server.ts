import type { Socket } from 'node:net';

/** What proves the caller to an API server, and the server to the caller. */
export interface Credentials {
  /** Added to each request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For each new connection. */
  readonly tls: TlsMaterial;
}

/** Certificates and keys in PEM. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the server's certificate must carry, where it is not the host's. */
  readonly servername?: string | undefined;
  /** False switches the check of the server's certificate off. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Where an API server is and how to be let in. Made by `inClusterServer` or, of a kubeconfig, by `kubeconfigServer`. */
export interface ApiServer {
  /** `https://10.96.0.1:443`; a path, as behind some gateways, is put before that of each request. */
  readonly url: string;
  /** The credentials of now. Called for each request and each new connection, so it must cache. */
  credentials(): Promise<Credentials>;
  /** The server did not accept the credentials: the next call must get new ones where there are any. */
  refresh(): void;
  /** Opens a plain connection through a proxy. Absent: connections are direct. */
  openTunnel?(target: { readonly host: string; readonly port: number }): Promise<Socket>;
}
