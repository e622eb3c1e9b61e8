import { sleep } from '@ordinal/client';
import { flagOf } from './flags.ts';
import { mountTest } from './mount-test.ts';
import type { CommandIo, SimpleCommand } from './shell/command.ts';

/** What stands behind a word at the beginning of a line of `/etc/resolv.conf`. */
const resolvLine = (word: string, { process }: CommandIo): string =>
  (process.files()['/etc/resolv.conf'] ?? '')
    .split('\n')
    .find((line) => line.startsWith(`${word} `))
    ?.slice(word.length + 1)
    .replaceAll(' ', ',') ?? '';

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A span of time as Go writes it, such as `1m30s`. */
const durationMs = (text: string): number =>
  [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (unitsMs[unit] ?? 0),
    0,
  );

const methods = ['GET', 'POST', 'PUT'];
const namespaces = ['kube-system', 'default', 'ns'];

/** `logs-generator`: so many lines in so much time, such as an API server would write. */
const logsGenerator: SimpleCommand = async (words, { process, signal, err }) => {
  const value = (name: string, letter: string): string =>
    flagOf(words, name) ?? words[words.indexOf(`-${letter}`) + 1] ?? '';
  const total = Number(value('log-lines-total', 't'));
  const pause = durationMs(value('run-duration', 'd')) / total;
  if (!(total > 0 && pause > 0)) {
    err('the number of lines and the duration have to be more than nothing\n');
    return 255;
  }
  const chosen = <T>(values: readonly T[]): T | undefined => values[Math.floor(process.random() * values.length)];
  for (let id = 0; id < total; id += 1) {
    const [date = '', time = ''] = new Date(process.clock.now()).toISOString().slice(5, -1).split('T');
    const name = process.random().toString(36).slice(2, 6);
    const status = 200 + Math.floor(process.random() * 400);
    const path = `/api/v1/namespaces/${chosen(namespaces) ?? ''}/pods/${name}`;
    err(
      `I${date.replace('-', '')} ${time}000       1 logs_generator.go:76] ${id} ${chosen(methods) ?? ''} ${path} ${status}\n`,
    );
    await sleep(process.clock, pause, signal);
  }
  return 0;
};

/** What `agnhost` can be asked to do until it is done, by its first argument; the arguments of a task are all words. */
export const agnhostTasks: Readonly<Record<string, SimpleCommand | undefined>> = {
  'entrypoint-tester': (words, { out }) => {
    out(`[${words.join(' ')}]\n`);
    return 0;
  },
  'etc-hosts': (_words, { process, out }) => {
    out(process.files()['/etc/hosts'] ?? '');
    return 0;
  },
  'dns-suffix': (_words, io) => {
    io.out(`${resolvLine('search', io)}\n`);
    return 0;
  },
  'dns-server-list': (_words, io) => {
    io.out(`${resolvLine('nameserver', io)}\n`);
    return 0;
  },
  'logs-generator': logsGenerator,
  mounttest: (words, io) => mountTest(words.slice(2), io),
};
