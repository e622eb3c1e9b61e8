import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { Credentials } from '../api-server.ts';

/** A context of a kubeconfig that says all by itself: its credentials need no command and no prompt. */
export interface PlainContext {
  readonly url: string;
  readonly namespace: string;
  /** Reads what stands in files again each time. */
  credentials(): Promise<Credentials>;
}

/** Where a kubeconfig comes from. */
export interface KubeconfigSource {
  readonly text: string;
  /** Paths in it are relative to this; absent for a text without a file, whose paths are relative to the process. */
  readonly directory?: string | undefined;
  readonly context?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

// What is read here. A kubeconfig that says anything else is left to the loader that knows all of it.
const clusterFields = new Set([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
  'disable-compression',
  'extensions',
]);
const userFields = new Set([
  'token',
  'tokenFile',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'extensions',
]);

/**
 * Reads a kubeconfig whose context names a server, a CA and a token or a client certificate, and needs nothing more. Undefined for every other one: with exec
 * plugins, OIDC, proxies, passwords, impersonation, or not in the form that is expected.
 */
export function plainContext({ text, directory, context }: KubeconfigSource): PlainContext | undefined {
  const config = fieldsOf(parse(text));
  const chosen = named(config?.['contexts'], context ?? config?.['current-context'], 'context');
  const cluster = named(config?.['clusters'], chosen?.['cluster'], 'cluster');
  const user = named(config?.['users'], chosen?.['user'], 'user');
  if (chosen === undefined || cluster === undefined || user === undefined) return undefined;
  if (!onlyHas(cluster, clusterFields) || !onlyHas(user, userFields)) return undefined;
  const server = textOf(cluster['server']);
  if (server === undefined) return undefined;
  const read = async (place: Fields, name: string): Promise<string | undefined> => {
    const data = textOf(place[`${name}-data`]);
    if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
    return await fileAt(textOf(place[name]), directory);
  };
  return {
    url: server.replace(/\/+$/, ''),
    namespace: textOf(chosen['namespace']) ?? 'default',
    async credentials() {
      const token = (await fileAt(textOf(user['tokenFile']), directory))?.trim() ?? textOf(user['token']);
      return {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        tls: {
          ca: await read(cluster, 'certificate-authority'),
          cert: await read(user, 'client-certificate'),
          key: await read(user, 'client-key'),
          servername: textOf(cluster['tls-server-name']),
          rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
        },
      };
    },
  };
}

function named(list: unknown, name: unknown, field: string): Fields | undefined {
  if (!Array.isArray(list)) return undefined;
  const entry = list.map(fieldsOf).find((one) => one?.['name'] === name);
  // A user without any credentials may be written as null.
  return entry === undefined ? undefined : (fieldsOf(entry[field]) ?? {});
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined; // YAML: an object has fields of any kind.
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function onlyHas(fields: Fields, known: ReadonlySet<string>): boolean {
  return Object.keys(fields).every((name) => known.has(name));
}

async function fileAt(path: string | undefined, directory: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return await readFile(directory === undefined ? path : resolve(directory, path), 'utf8');
}
