import { sleep } from '@ordinal/client';
import type { ContainerProcess, SimulatedReply } from '../node/program.ts';
import { flagOf, numberOf } from './flags.ts';
import type { Server } from './server.ts';

const json = (body: object): SimulatedReply => ({ status: 200, body: JSON.stringify(body) });

const dataKey = 'guestbook';
const usualBackend = 6379;
const registersWithinMs = 15_000;
const againMs = 1000;

/** What a guestbook remembers, and who is to hear of it. */
interface Book {
  data: Readonly<Record<string, string>>;
  readonly replicas: string[];
}

function bookOf({ memory }: ContainerProcess): Book {
  const book = memory.get(dataKey) ?? { data: {}, replicas: [] };
  memory.set(dataKey, book);
  return book as Book; // Nothing else is kept there.
}

/** `guestbook`: a store of words with a primary and replicas that register with it, and the front that asks them. */
export const guestbook: Server = {
  listens: ({ command }) => ({ tcp: [numberOf(command, 'http-port', 80)] }),
  async http({ url }, process) {
    const value = (name: string): string => url.searchParams.get(name) ?? '';
    const book = bookOf(process);
    process.log(`GET ${url.pathname}${url.search}`);
    switch (url.pathname) {
      case '/register':
        book.replicas.push(value('host'));
        return json({ data: book.data });
      case '/get':
        return json({ data: value('key') === '' ? book.data : (book.data[value('key')] ?? '') });
      case '/set':
        if (value('key') === '') return { status: 400, body: 'cannot set with empty key.' };
        book.data = { ...book.data, [value('key')]: value('value') };
        for (const replica of book.replicas)
          await process.fetch(`http://${replica}:${backendOf(process)}/set${url.search}`);
        return json({ message: 'Updated' });
      case '/guestbook':
        return front(url, process);
      default:
        return 404;
    }
  },
  async works(process) {
    const primary = flagOf(process.command, 'replicaof') ?? '';
    if (primary === '') return;
    const { clock, terminated, podIp } = process;
    for (const end = clock.now() + registersWithinMs; clock.now() < end; await sleep(clock, againMs, terminated)) {
      try {
        const reply = await process.fetch(`http://${primary}:${backendOf(process)}/register?host=${podIp}`);
        // What a primary answers.
        bookOf(process).data = ((await reply.json()) as Pick<Book, 'data'>).data;
        process.log(`Registered to node: ${primary}`);
        return;
      } catch (error) {
        if (terminated.aborted) return;
        process.log(`encountered error while registering to primary: ${String(error)}. Retrying in 1s.`);
      }
    }
  },
};

const backendOf = ({ command }: ContainerProcess): number => numberOf(command, 'backend-port', usualBackend);

/** Has the primary or a replica answer, as the request says. */
async function front({ searchParams }: URL, process: ContainerProcess): Promise<SimulatedReply> {
  const asks = searchParams.get('cmd')?.toLowerCase();
  if (asks !== 'get' && asks !== 'set') return { status: 400, body: `unsupported cmd: '${asks ?? ''}'` };
  const host = asks === 'set' ? 'agnhost-primary' : 'agnhost-replica';
  try {
    const reply = await process.fetch(`http://${host}:${backendOf(process)}/${asks}?${searchParams.toString()}`);
    return { status: reply.status, body: await reply.text() };
  } catch (error) {
    return { status: 417, body: `could not reach ${host}: ${String(error)}` };
  }
}
