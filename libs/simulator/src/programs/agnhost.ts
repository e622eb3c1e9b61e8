import { ConnectionRefused, portOf } from '../node/network.ts';
import type { ContainerProcess, SimulatedReply } from '../node/program.ts';
import { normalPath } from './file-system.ts';
import { flagOf, numberOf } from './flags.ts';
import { guestbook } from './guestbook.ts';
import { hostNameIn, netexec } from './netexec.ts';
import { nettest } from './nettest.ts';
import { notHttp } from './server.ts';
import type { Server } from './server.ts';
import { admissionWebhooks, conversionWebhook } from './webhooks.ts';

const ok = (body: string): SimulatedReply => ({ status: 200, body });

const aliveForMs = 10_000;

/** `liveness`: well for ten seconds. */
const liveness: Server = {
  listens: () => ({ tcp: [8080] }),
  http: ({ url }, { clock, startedAt }) =>
    url.pathname === '/healthz' && clock.now() - startedAt > aliveForMs ? 500 : ok('ok'),
};

/** Answers with the files that lie in a folder. */
export const fileServer = (folder: string): Server => ({
  listens: ({ command }) => ({ tcp: [numberOf(command, 'port', 80)] }),
  http({ url }, _, { files }) {
    const path = normalPath(`${folder}/${decodeURIComponent(url.pathname)}`);
    if (!files.isFolder(path)) return found(files.read(path));
    const index = files.read(`${path}/index.html`);
    return index === undefined && folder === '/' ? ok(files.list(path).join('\n')) : found(index);
  },
});

const found = (text: string | undefined): SimulatedReply => (text === undefined ? 404 : ok(text));

/** `grpc-health-checking`: well, or until its flag says otherwise. */
function wellUntil({ command, clock, startedAt }: ContainerProcess): boolean {
  const seconds = flagOf(command, 'delay-unhealthy-sec');
  return seconds === undefined || clock.now() - startedAt < Number(seconds) * 1000;
}

const isSet = (command: readonly string[], name: string, otherwise: boolean): boolean =>
  (flagOf(command, name) ?? String(otherwise)) === 'true';
const serveHostnamePort = (command: readonly string[]): number => numberOf(command, 'port', 9376);

/** `serve-hostname`: says the name of its host, in HTTP unless a flag says otherwise. */
const serveHostname: Server = {
  listens({ command }) {
    const port = serveHostnamePort(command);
    const speaksTcp = isSet(command, 'http', true) || isSet(command, 'tcp', false);
    return { tcp: speaksTcp ? [port] : [], udp: isSet(command, 'udp', false) ? [port] : [] };
  },
  begins: ({ command }) => `Serving on port ${serveHostnamePort(command)}.`,
  http(_, process) {
    if (!isSet(process.command, 'http', true)) throw new ConnectionRefused('malformed HTTP response');
    return ok(hostNameIn(process));
  },
  raw: (process) => (isSet(process.command, 'tcp', false) ? hostNameIn(process) : notHttp),
  udp: (_, process) => hostNameIn(process),
};

const servedPort = /^SERVE_(TLS_|TCP_|UDP_)?PORT_(\d+)$/;

/** `porter`: answers at each port with the variable that is named after it. */
const porter: Server = {
  listens({ variables }) {
    const found = variables.flatMap((name) => {
      const [, kind = '', port] = servedPort.exec(name) ?? [];
      return port === undefined ? [] : [{ isUdp: kind === 'UDP_', port: Number(port) }];
    });
    const portsOf = (isUdp: boolean): readonly number[] =>
      found.filter((each) => each.isUdp === isUdp).map(({ port }) => port);
    return { tcp: portsOf(false), udp: portsOf(true) };
  },
  http({ method, url }, { env, command }) {
    const port = portOf(url);
    const kinds = url.protocol === 'https:' ? ['TLS_'] : ['', 'TCP_'];
    const value = kinds.map((kind) => env[`SERVE_${kind}PORT_${port}`]).find((each) => each !== undefined);
    if (value === undefined) throw new ConnectionRefused('the client and the server do not both speak TLS');
    if (!command.includes('--json-response'))
      return {
        status: 200,
        body: value,
        headers: { 'content-type': value.startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8' },
      };
    return {
      status: 200,
      body: JSON.stringify({ Method: method, Body: value }),
      headers: { 'content-type': 'application/json' },
    };
  },
  udp: (_, { env }, { url }) => env[`SERVE_UDP_PORT_${url.port}`],
};

/** What `agnhost` can be asked to serve, by its first argument. */
export const agnhostServers: Readonly<Record<string, Server | undefined>> = {
  pause: { http: () => 404, listens: () => ({ tcp: [] }), begins: () => 'Paused' },
  guestbook,
  netexec,
  nettest,
  porter,
  liveness,
  'serve-hostname': serveHostname,
  'test-webserver': fileServer('/'),
  webhook: admissionWebhooks,
  'crd-conversion-webhook': conversionWebhook,
  'grpc-health-checking': { listens: () => ({ tcp: [8080, 5000] }), http: () => 404, isWell: wellUntil },
};
