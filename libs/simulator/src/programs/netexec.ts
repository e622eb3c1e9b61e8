import { portOf } from '../node/network.ts';
import type { ContainerProcess, Eventually, SimulatedReply, SimulatedRequest } from '../node/program.ts';
import { rawMethod } from '../node/program.ts';
import { numberOf } from './flags.ts';
import type { Around, Server, Start } from './server.ts';

const ok = (body: string): SimulatedReply => ({ status: 200, body });

/** The name of the container's host. */
export const hostNameIn = (process: ContainerProcess): string => (process.files()['/etc/hostname'] ?? '').trim();

const udpPortOf = ({ command }: Start): number => numberOf(command, 'udp-port', 8081);
const httpPortOf = ({ command }: Start): number => numberOf(command, 'http-port', 8080);

/** An address with the port that a client would have: connections have none here. */
const clientOf = ({ client }: SimulatedRequest): string => `${client ?? '0.0.0.0'}:40000`;

/** `netexec`: answers what its clients ask it to, in HTTP and to packets. */
export const netexec: Server = {
  listens: (start) => ({
    tcp: [httpPortOf(start)],
    udp: udpPortOf(start) < 0 ? [] : [udpPortOf(start)],
  }),
  begins: (start) => `Started HTTP server on port ${httpPortOf(start)}`,
  udp(message, process, request) {
    const text = message.trim().toLowerCase();
    if (text === 'hostname') return hostNameIn(process);
    if (text === 'clientip') return clientOf(request);
    if (text === 'serverport') return request.url.port;
    return text.startsWith('echo ') ? text.slice('echo '.length) : undefined;
  },
  http: (request, process, around) => {
    const answer = answers[request.url.pathname];
    if (answer === undefined) return 404;
    const value = (name: string): string => request.url.searchParams.get(name) ?? '';
    return answer({ request, process, around, value });
  },
};

/** A request with what it says. */
interface Asked {
  readonly request: SimulatedRequest;
  readonly process: ContainerProcess;
  readonly around: Around;
  /** The value of a parameter; empty where it is not given. */
  readonly value: (name: string) => string;
}

type Answer = (asked: Asked) => Eventually<SimulatedReply>;

/** Says something, and that it was asked. */
const saying =
  (what: (asked: Asked) => string): Answer =>
  (asked) => {
    asked.process.log(`GET ${asked.request.url.pathname}`);
    return ok(what(asked));
  };

const sayHostName = saying(({ process }) => hostNameIn(process));
const isWell: Answer = () => 200;

const runScript: Answer = async ({ process, value, around }) => {
  const script = value('shellCommand') || value('cmd');
  process.log(`GET /shell?cmd=${script}`);
  const { output, status } = await around.shell(script);
  const error = status === 0 ? {} : { error: `exit status ${status}` };
  return ok(JSON.stringify({ ...(output !== '' && { output }), ...error }));
};

const answers: Readonly<Record<string, Answer | undefined>> = {
  '/': saying(({ process }) => `NOW: ${new Date(process.clock.now()).toISOString()}`),
  '/clientip': saying(({ request }) => clientOf(request)),
  '/serverport': saying(({ request }) => String(portOf(request.url))),
  '/hostname': sayHostName,
  '/hostName': sayHostName,
  '/healthz': isWell,
  '/readyz': isWell,
  '/dial': ({ request, process }) => dial(request.url, process),
  '/header': ({ request, value }) => ok(request.headers[value('key').toLowerCase()] ?? ''),
  '/redirect': ({ value }) => ({ status: Number(value('code') || 302), headers: { location: value('location') } }),
  '/shell': runScript,
  '/echo': ({ process, value }) => {
    process.log(`GET /echo?msg=${value('msg')}&code=${value('code')}`);
    return { status: value('code') === '' ? 200 : Number(value('code')), body: value('msg') };
  },
  '/exit': ({ process, value, around }) => {
    process.log(`GET /exit?code=${value('code')}&timeout=${value('timeout')}&wait=${value('wait')}`);
    around.exit(Number(value('code')));
    return 200;
  },
  '/shutdown': ({ around }) => {
    around.exit(0);
    return 200;
  },
};

/** Asks another host so many times, and answers with what that one has said. */
async function dial({ searchParams }: URL, process: ContainerProcess): Promise<SimulatedReply> {
  const value = (name: string): string => searchParams.get(name) ?? '';
  const [host, port, request, tries] = [value('host'), value('port'), value('request'), value('tries') || '1'];
  const protocol = value('protocol').toLowerCase() || 'http';
  process.log(`GET /dial?host=${host}&protocol=${protocol}&port=${port}&request=${request}&tries=${tries}`);
  if (request === '') return { status: 400, body: 'request parameter not specified.' };
  if (protocol !== 'http' && protocol !== 'udp') return { status: 400, body: `unsupported protocol. ${protocol}` };
  const responses: string[] = [];
  const errors: string[] = [];
  for (let attempt = 0; attempt < Number(tries); attempt += 1) {
    try {
      const reply = await (protocol === 'http'
        ? process.fetch(`http://${host}:${port}/${request}`)
        : process.fetch(`udp://${host}:${port}`, { method: rawMethod, body: request }));
      responses.push(await reply.text());
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    }
  }
  return ok(JSON.stringify({ ...(responses.length > 0 && { responses }), ...(errors.length > 0 && { errors }) }));
}
