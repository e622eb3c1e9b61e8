import { describe, expect, test } from 'vitest';
import { readFlags } from './flags.ts';
import { choice, duration, list, text, toggle, wholeNumber } from './option.ts';
import { parseSettings, type Sources } from './parse.ts';

const table = {
  config: text({ name: 'config', description: 'The file.' }),
  kubeconfig: text({ name: 'kubeconfig', description: 'The kubeconfig.' }),
  leaderElect: toggle({ name: 'leader-elect', description: 'One leader at a time.', default: true }),
  concurrency: wholeNumber({
    name: 'concurrency',
    description: 'Reconciles at a time.',
    default: 10,
    min: 1,
    max: 100,
  }),
  lease: duration({ name: 'lease-duration', description: 'The lease.', default: 15_000, min: 1_000, max: 600_000 }),
  logLevel: choice({ name: 'log-level', description: 'The level.', words: ['debug', 'info'], default: 'info' }),
  hosts: list({ name: 'hosts', description: 'The hosts.', format: { takes: (host) => host !== '?', isA: 'a host' } }),
  kinds: list({ name: 'kinds', description: 'The kinds.', words: ['A', 'B'], default: ['A', 'B'] }),
};

const parse = (sources: Partial<Sources>) => parseSettings(table, { flags: [], environment: {}, ...sources });

describe('settings', () => {
  test('have their defaults where nothing is said', () => {
    expect(parse({})).toEqual({
      ok: true,
      settings: {
        config: '',
        kubeconfig: '',
        leaderElect: true,
        concurrency: 10,
        lease: 15_000,
        logLevel: 'info',
        hosts: [],
        kinds: ['A', 'B'],
      },
    });
  });

  test('come from a flag before the environment, and from that before the file', () => {
    const parsed = parse({
      flags: ['--concurrency', '3', '--leader-elect=false'],
      environment: { ORDINAL_CONCURRENCY: '4', ORDINAL_LOG_LEVEL: 'debug', PATH: '/bin' },
      file: { path: 'o.yaml', content: { concurrency: 5, logLevel: 'info', leaseDuration: '1m30s', kinds: ['B'] } },
    });
    expect(parsed).toEqual({
      ok: true,
      settings: {
        config: '',
        kubeconfig: '',
        leaderElect: false,
        concurrency: 3,
        lease: 90_000,
        logLevel: 'debug',
        hosts: [],
        kinds: ['B'],
      },
    });
  });

  test.each([
    [{ flags: ['--leader-elct'] }, '--leader-elct is not a flag of this program; did you mean --leader-elect?'],
    [{ flags: ['serve'] }, 'serve is not a flag of this program; --help lists them'],
    [{ flags: ['--hlep'] }, '--hlep is not a flag of this program; did you mean --help?'],
    [{ flags: ['-x'] }, '-x is not a flag of this program; --help lists them'],
    [{ flags: ['--no-leader-elect'] }, '--no-leader-elect is not a flag of this program; did you mean --leader-elect?'],
    [{ flags: ['--concurrency'] }, '--concurrency needs a value: --concurrency N'],
    [{ flags: ['--kubeconfig', '--leader-elect'] }, '--kubeconfig needs a value: --kubeconfig TEXT'],
    [{ flags: ['--leader-elect', 'false'] }, 'false is not a flag of this program; did you mean --leader-elect=false?'],
    [{ flags: ['--hosts=a,?'] }, '--hosts is a list, each part a host; ? is none, not "a,?"'],
    [{ flags: ['--kinds='] }, '--kinds names one at least, or is left out, not ""'],
    [{ environment: { ORDINAL_HOSTS: ' , ' } }, 'ORDINAL_HOSTS names one at least, or is left out, not " , "'],
    [{ environment: { ORDINAL_LEADER_ELECT: '' } }, 'ORDINAL_LEADER_ELECT is true or false, not ""'],
    [{ flags: ['--concurrency', '0'] }, '--concurrency is a whole number from 1 to 100, not "0"'],
    [{ flags: ['--leader-elect=yes'] }, '--leader-elect is true or false, not "yes"'],
    [
      { flags: ['--lease-duration', '5'] },
      '--lease-duration is a duration from 1s to 10m, written like 500ms, 90s, 15m or 6h, not "5"',
    ],
    [{ flags: ['--log-level', 'loud'] }, '--log-level is one of debug, info, not "loud"'],
    [{ flags: ['--kinds', 'A,C'] }, '--kinds is a list of A, B; C is none of them, not "A,C"'],
    [
      { environment: { ORDINAL_CONCURENCY: '1' } },
      'ORDINAL_CONCURENCY is not a variable of this program; did you mean ORDINAL_CONCURRENCY?',
    ],
    [
      { file: { path: 'o.yaml', content: { loglevel: 'info' } } },
      'o.yaml: loglevel is not a setting; did you mean logLevel?',
    ],
    [
      { file: { path: 'o.yaml', content: { kubeconfig: { a: 1 } } } },
      'o.yaml: kubeconfig is a value or a list of values, not {"a":1}',
    ],
    [{ file: { path: 'o.yaml', content: { kinds: null } } }, 'o.yaml: kinds is a value or a list of values, not null'],
    [{ file: { path: 'o.yaml', content: { config: 'p.yaml' } } }, 'o.yaml: config is not a setting; --help lists them'],
    [{ file: { path: 'o.yaml', content: ['a'] } }, 'o.yaml is a mapping of settings, such as "logLevel: debug"'],
  ])('wrong ones are refused with what would be right: %j', (sources, problem) => {
    expect(parse(sources)).toEqual({ ok: false, problems: [problem] });
  });

  test('all that is wrong is said at once', () => {
    expect(parse({ flags: ['--leader-elct', '--concurrency', '0', 'now'] })).toEqual({
      ok: false,
      problems: [
        '--leader-elct is not a flag of this program; did you mean --leader-elect?',
        'now is not a flag of this program; --help lists them',
        '--concurrency is a whole number from 1 to 100, not "0"',
      ],
    });
  });
});

describe('what is only printed', () => {
  test.each([
    [['--help'], 'help'],
    [['-h', '--leader-elct'], 'help'],
    [['--version', '--concurrency', '3'], 'version'],
    [['--version', '--help'], 'help'],
    [['--concurrency', '3'], undefined],
  ])('of %j is %s', (flags, prints) => {
    expect(readFlags(table, flags).prints).toBe(prints);
  });
});
