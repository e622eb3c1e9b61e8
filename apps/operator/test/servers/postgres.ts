import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A PostgreSQL server of Debian's package that a test started. */
export interface PostgresProcess {
  readonly port: number;
  readonly password: string;
  /** Stops it for a while: connections are refused. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** Where the programs are: in the folder that `POSTGRES_PROGRAMS` names, or Debian's package; undefined where that is not installed. */
export function postgresPrograms(): string | undefined {
  const named = process.env['POSTGRES_PROGRAMS'];
  if (named !== undefined) return named;
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  return versions.map((version) => `/usr/lib/postgresql/${version}/bin`).find((bin) => existsSync(join(bin, 'initdb')));
}

/** A port on which nothing listens now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server's address.
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What a server shows, and by which it lets in over TLS only. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Lets in over TLS only, and anyone who knows a password. */
function speakTls(directory: string, { certificate, key }: ServerCertificate, user: { uid?: number; gid?: number }) {
  writeFileSync(join(directory, 'data/pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
  writeFileSync(join(directory, 'server.crt'), certificate);
  writeFileSync(join(directory, 'server.key'), key, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(join(directory, 'server.key'), user.uid, user.gid);
  const files = [`ssl_cert_file=${directory}/server.crt`, `ssl_key_file=${directory}/server.key`];
  return ['ssl=on', ...files].flatMap((setting) => ['-c', setting]);
}

/** Starts a server of its own on a free port, which speaks TLS where it has a certificate. It does not run as root: PostgreSQL refuses that. */
export async function startPostgres(programs: string, certificate?: ServerCertificate): Promise<PostgresProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'ordinal-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot
    ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) }
    : {};
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const password = 'administrator';
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const options = { ...user, stdio: 'ignore' as const, cwd: directory };
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'admin', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'],
    options,
  );
  const tls = certificate === undefined ? [] : speakTls(directory, certificate, user);
  const port = await freePort();
  let running: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const flags = [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      directory,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'fsync=off',
      ...tls,
    ];
    running = spawn(join(programs, 'postgres'), flags, { ...user, cwd: directory, stdio: 'ignore' });
    for (let attempt = 0; attempt < 100; attempt += 1) {
      try {
        execFileSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    throw new Error('PostgreSQL did not start');
  };
  const stop = async (): Promise<void> => {
    const ending = running;
    if (ending === undefined) return;
    running = undefined;
    await new Promise((resolve) => {
      ending.once('exit', resolve);
      ending.kill('SIGINT');
    });
  };
  await start();
  return {
    port,
    password,
    start,
    stop,
    remove: async () => (await stop(), rmSync(directory, { recursive: true, force: true })),
  };
}
