import { ConnectionRefused } from '../node/network.ts';
import type { ContainerProcess, SimulatedReply } from '../node/program.ts';
import { normalPath } from './file-system.ts';
import type { Server } from './server.ts';
import { admissionWebhooks, conversionWebhook } from './webhooks.ts';

const ok = (body: string): SimulatedReply => ({ status: 200, body });

/** `netexec`: answers what its clients ask it to. */
const netexec: Server = {
  port: 8080,
  begins: 'Started HTTP server on port 8080',
  async http({ url, headers }, process, { shell, exit }) {
    const value = (name: string): string => url.searchParams.get(name) ?? '';
    switch (url.pathname) {
      case '/':
        process.log('GET /');
        return ok(`NOW: ${new Date(process.clock.now()).toISOString()}`);
      case '/echo':
        process.log(`GET /echo?msg=${value('msg')}&code=${value('code')}`);
        return { status: value('code') === '' ? 200 : Number(value('code')), body: value('msg') };
      case '/header':
        return ok(headers[value('key').toLowerCase()] ?? '');
      case '/healthz':
      case '/readyz':
        return 200;
      case '/hostname':
      case '/hostName':
        process.log(`GET ${url.pathname}`);
        return ok(process.pod);
      case '/exit':
        process.log(`GET /exit?code=${value('code')}&timeout=${value('timeout')}&wait=${value('wait')}`);
        exit(Number(value('code')));
        return 200;
      case '/shell': {
        const script = value('shellCommand') || value('cmd');
        process.log(`GET /shell?cmd=${script}`);
        const { output, status } = await shell(script);
        const error = status === 0 ? {} : { error: `exit status ${status}` };
        return ok(JSON.stringify({ ...(output !== '' && { output }), ...error }));
      }
      default:
        return 404;
    }
  },
};

const aliveForMs = 10_000;

/** `liveness`: well for ten seconds. */
const liveness: Server = {
  port: 8080,
  http: ({ url }, { clock, startedAt }) =>
    url.pathname === '/healthz' && clock.now() - startedAt > aliveForMs ? 500 : ok('ok'),
};

/** Answers with the files that lie in a folder. */
export const fileServer = (folder: string): Server => ({
  port: 80,
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
  const seconds = command.map((word) => /^--delay-unhealthy-sec=(\d+)$/.exec(word)?.[1]).find((text) => text);
  return seconds === undefined || clock.now() - startedAt < Number(seconds) * 1000;
}

/** `serve-hostname`: says the name of its pod, in HTTP unless a flag says otherwise. */
const serveHostname: Server = {
  port: 9376,
  begins: 'Serving on port 9376.',
  http(_, { command, pod }) {
    if (command.includes('--http=false')) throw new ConnectionRefused('connection refused');
    return ok(pod);
  },
  raw: ({ command, pod }) => (command.includes('--tcp') ? pod : undefined),
};

/** What `agnhost` can be asked to serve, by its first argument. */
export const agnhostServers: Readonly<Record<string, Server | undefined>> = {
  pause: { http: () => 404, begins: 'Paused' },
  netexec,
  liveness,
  'serve-hostname': serveHostname,
  'test-webserver': fileServer('/'),
  webhook: admissionWebhooks,
  'crd-conversion-webhook': conversionWebhook,
  'grpc-health-checking': { port: 8080, otherPorts: [5000], http: () => 404, isWell: wellUntil },
};
