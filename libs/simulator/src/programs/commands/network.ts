import type { CommandIo, SimpleCommand } from '../shell/command.ts';

/** Asks for what stands at an address; the answer is how the command ends. */
async function get(url: string, { process, out, err }: CommandIo, refusedStatus: number): Promise<number> {
  const address = url.includes('://') ? url : `http://${url}`;
  try {
    const reply = await process.fetch(address);
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

/** Commands that ask others over the simulated network. */
export const networkCommands: Readonly<Record<string, SimpleCommand>> = {
  wget: (args, io) => get(addressIn(args), io, 1),
  curl: (args, io) => get(addressIn(args), io, 7),
};
