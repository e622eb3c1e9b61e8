import { addressInHosts } from '../../node/names.ts';
import type { Answer, NameRecord, RecordType } from '../../node/names.ts';
import type { CommandIo, SimpleCommand } from '../shell/command.ts';
import { optionsOf } from './options.ts';

const types: readonly string[] = ['A', 'CNAME', 'PTR', 'SRV'] satisfies readonly RecordType[];

/** The type of records that a word names; undefined for a word that names none the simulation has. */
const typeOf = (word: string): RecordType | undefined =>
  types.includes(word.toUpperCase()) ? (word.toUpperCase() as RecordType) : undefined; // It is one of them.

const isAddress = (text: string): boolean => /^\d+(\.\d+){3}$/.test(text);
const reverseName = (address: string): string => `${address.split('.').reverse().join('.')}.in-addr.arpa.`;

/** The servers that `/etc/resolv.conf` names. */
const serversIn = ({ process }: CommandIo): readonly string[] =>
  (process.files()['/etc/resolv.conf'] ?? '').split('\n').flatMap((line) => /^nameserver (\S+)/.exec(line)?.[1] ?? []);

/** Asks for a name; for the name of an address where it is one. */
const ask = (name: string, type: RecordType | undefined, { process }: CommandIo): Promise<Answer> =>
  isAddress(name) ? process.lookup(reverseName(name), 'PTR') : process.lookup(name, type ?? 'A');

const shown: Readonly<Record<RecordType, string>> = {
  A: 'Address: ',
  CNAME: 'canonical name = ',
  PTR: 'name = ',
  SRV: 'service = ',
};

/** `nslookup [-type=TYPE] NAME`. */
const nslookup: SimpleCommand = async (args, io) => {
  const { values, rest } = optionsOf(args, new Set());
  const [name = ''] = rest;
  const word = args.map((arg) => /^-(?:type|query|q)=(\w+)$/.exec(arg)?.[1]).find((each) => each !== undefined);
  const [server = ''] = serversIn(io);
  io.out(`Server:\t\t${server}\nAddress:\t${server}:53\n\n`);
  const answer =
    values.size > 0 && word !== undefined && typeOf(word) === undefined
      ? []
      : await ask(name, word === undefined ? undefined : typeOf(word), io);
  if (answer === undefined) {
    io.out(`** server can't find ${name}: NXDOMAIN\n`);
    return 1;
  }
  if (answer.length === 0) io.out(`*** Can't find ${name}: No answer\n`);
  for (const record of answer)
    io.out(
      record.type === 'A'
        ? `Name:\t${record.name}\nAddress: ${record.value}\n`
        : `${record.name}\t${shown[record.type]}${record.value}\n`,
    );
  return answer.length === 0 ? 1 : 0;
};

const secondsToLive = 30;
const line = ({ name, type, value }: NameRecord): string => `${name}.\t${secondsToLive}\tIN\t${type}\t${value}\n`;

/** What `dig` is asked: a name, and a type that may be one the simulation has no records of. */
interface Dug {
  readonly name: string;
  readonly type: RecordType | undefined;
  readonly server: string | undefined;
  readonly flags: readonly string[];
}

function dugIn(args: readonly string[]): Dug {
  const { values, rest } = optionsOf(
    args.filter((arg) => !/^[+@]/.test(arg)),
    new Set(['t', 'p', 'x', 'q']),
  );
  const flags = args.filter((arg) => arg.startsWith('+'));
  const server = args.find((arg) => arg.startsWith('@'))?.slice(1);
  const [address] = values.get('x') ?? [];
  if (address !== undefined) return { name: reverseName(address), type: 'PTR', server, flags };
  const [name = ''] = values.get('q') ?? rest;
  const word = values.get('t')?.[0] ?? rest.find((each) => each !== name) ?? 'A';
  const isWhole = !flags.includes('+search') && !name.endsWith('.');
  return { name: isWhole ? `${name}.` : name, type: typeOf(word), server, flags };
}

/** `dig [@SERVER] [+short] [+search] NAME [TYPE]`. */
const dig: SimpleCommand = async (args, io) => {
  const { name, type, server, flags } = dugIn(args);
  const servers = serversIn(io);
  if (servers.length === 0 || (server !== undefined && !servers.includes(server))) {
    io.out(';; connection timed out; no servers could be reached\n');
    return 9;
  }
  const answer = type === undefined ? [] : await io.process.lookup(name, type);
  const status = answer === undefined ? 'NXDOMAIN' : 'NOERROR';
  const isShort = flags.includes('+short');
  const isBare = isShort || flags.includes('+noall');
  if (!isBare) io.out(`;; ->>HEADER<<- opcode: QUERY, status: ${status}\n\n;; ANSWER SECTION:\n`);
  if (isShort || !isBare || flags.includes('+answer'))
    for (const record of answer ?? []) io.out(isShort ? `${record.value}\n` : line(record));
  return 0;
};

/** `getent hosts NAME`: by `/etc/hosts`, then by name servers. */
const getent: SimpleCommand = async ([table = '', name = ''], io) => {
  if (!['hosts', 'ahosts', 'ahostsv4'].includes(table)) {
    io.err(`Unknown database: ${table}\n`);
    return 1;
  }
  const local = addressInHosts(name, io.process.files()['/etc/hosts'] ?? '');
  const found = local === undefined ? ((await ask(name, 'A', io)) ?? []) : [{ name, type: 'A' as const, value: local }];
  const shownRecords = found.filter(({ type }) => type === 'A' || type === 'PTR');
  for (const { name: own, type, value } of shownRecords)
    io.out(type === 'A' ? `${value.padEnd(15)}  ${own}\n` : `${name.padEnd(15)}  ${value.replace(/\.$/, '')}\n`);
  return shownRecords.length === 0 ? 2 : 0;
};

/** Commands that ask for names. */
export const nameCommands: Readonly<Record<string, SimpleCommand>> = { nslookup, dig, getent };
