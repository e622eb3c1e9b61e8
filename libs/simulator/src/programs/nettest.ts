import type { ContainerProcess, SimulatedReply } from '../node/program.ts';
import { numberOf } from './flags.ts';
import { hostNameIn } from './netexec.ts';
import type { Server } from './server.ts';

const receivedKey = 'received';

/** How often each of those that have written to it did so. */
function receivedBy({ memory }: ContainerProcess): Map<string, number> {
  const received = memory.get(receivedKey) ?? new Map<string, number>();
  memory.set(receivedKey, received);
  return received as Map<string, number>; // Nothing else is kept there.
}

const json = (body: object): SimulatedReply => ({ status: 200, body: JSON.stringify(body) });

/** `nettest`: remembers who has written to it. It looks for no others of its kind by itself. */
export const nettest: Server = {
  listens: ({ command }) => ({ tcp: [numberOf(command, 'port', 8080)] }),
  http({ url, body }, process, { exit }) {
    const received = receivedBy(process);
    const hostname = hostNameIn(process);
    switch (url.pathname) {
      case '/write': {
        const { Source: source = '' } = JSON.parse(body) as { readonly Source?: string };
        if (source !== '') received.set(source, (received.get(source) ?? 0) + 1);
        return json({ Hostname: hostname });
      }
      case '/read':
        return json({
          Hostname: hostname,
          Sent: {},
          Received: Object.fromEntries(received),
          StillContactingPeers: true,
        });
      case '/status':
        return { status: 200, body: 'running' };
      case '/quit':
        exit(0);
        return 200;
      default:
        return 404;
    }
  },
};
