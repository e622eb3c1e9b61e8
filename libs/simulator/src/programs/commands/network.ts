import type { CommandIo, SimpleCommand } from '../shell/command.ts';

/** The method of what is no request in HTTP, but bytes on a connection. */
export const rawMethod = 'RAW';

/** A name as the cluster's DNS is asked for it: one without dots is a Service of the pod's namespace. */
const fullName = (host: string, { process }: CommandIo): string =>
  host.includes('.') || host === 'localhost' ? host : `${host}.${process.namespace}.svc.cluster.local`;

/** Asks for what stands at an address; the answer is how the command ends. */
async function get(url: string, io: CommandIo, refusedStatus: number): Promise<number> {
  const { process, out, err } = io;
  const address = url.includes('://') ? url : `http://${url}`;
  try {
    const reply = await process.fetch(
      address.replace(/^(\w+:\/\/)([^/:?]+)/, (_, scheme: string, host: string) => scheme + fullName(host, io)),
    );
    const text = await reply.text();
    if (reply.status >= 400 && refusedStatus === 1) {
      err(`wget: server returned error: HTTP/1.1 ${reply.status}\n`);
      return 1;
    }
    out(text);
    return 0;
  } catch {
    err(`can't connect to ${address}: Connection refused\n`);
    return refusedStatus;
  }
}

const addressIn = (args: readonly string[]): string => args.findLast((arg) => !arg.startsWith('-')) ?? '';

/** `nc HOST PORT`: sends what it reads, and writes the answer. */
async function connect(args: readonly string[], io: CommandIo): Promise<number> {
  const [host = '', port = ''] = args.slice(-2);
  if (args.includes('-u')) {
    io.err('nc: the simulated network has no UDP\n');
    return 1;
  }
  try {
    const reply = await io.process.fetch(`http://${fullName(host, io)}:${port}/`, {
      method: rawMethod,
      body: io.stdin,
    });
    io.out(await reply.text());
    return 0;
  } catch {
    io.err(`nc: connect to ${host} port ${port} (tcp) failed: Connection refused\n`);
    return 1;
  }
}

/** `nslookup NAME`: whether there is such a name. The simulated network does not say its address. */
async function resolve(args: readonly string[], io: CommandIo): Promise<number> {
  const name = addressIn(args);
  try {
    await io.process.fetch(`http://${fullName(name, io)}:53/`, { method: rawMethod });
  } catch (error) {
    const { code } = (error as { readonly cause?: { readonly code?: string } }).cause ?? {};
    if (code === 'ENOTFOUND') {
      io.out(`** server can't find ${name}: NXDOMAIN\n`);
      return 1;
    }
  }
  io.out(`Name:\t${fullName(name, io)}\n`);
  return 0;
}

/** Commands that ask others over the simulated network. */
export const networkCommands: Readonly<Record<string, SimpleCommand>> = {
  wget: (args, io) => get(addressIn(args), io, 1),
  curl: (args, io) => get(addressIn(args), io, 7),
  nc: connect,
  nslookup: resolve,
};
