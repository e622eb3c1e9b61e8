import { describe, expect, test } from 'vitest';
import { parseFlags } from './flags.ts';

const config = {
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean', default: false },
  },
} as const;
const parse = (...args: string[]) => parseFlags('npm run it [-- --keep]', config, args);

describe('the flags of a program', () => {
  test('have their values, beside the words', () => {
    const flags = parse('--rounds=5', 'word', '--only', 'a', '--only', 'b');
    expect(flags.ok && flags.read.values).toEqual({ rounds: '5', only: ['a', 'b'], keep: false });
    expect(flags.ok && flags.read.positionals).toEqual(['word']);
  });

  test.each([
    [['--round', '5'], "Unknown option '--round'"],
    [['--rounds'], "Option '--rounds <value>' argument missing"],
    [['--keep=yes'], "Option '--keep' does not take an argument"],
  ])('%j is refused in one line that says which there are', (args, mistake) => {
    expect(parse(...args)).toEqual({
      ok: false,
      exitCode: 2,
      prints: `${mistake}; there are --help, --keep, --only, --rounds`,
    });
  });

  test('a word is refused by a program that takes none', () => {
    const flags = parseFlags('it', { options: config.options }, ['word']);
    expect(flags.ok ? '' : flags.prints).toBe("Unexpected argument 'word'; there are --help, --keep, --only, --rounds");
  });

  test('--help prints a usage of several lines as it is', () => {
    const flags = parseFlags('it\n\n  --keep  keeps it', config, ['-h']);
    expect(flags.ok ? '' : flags.prints).toBe('usage: it\n\n  --keep  keeps it');
  });

  test('--help prints them all with their defaults, whatever else is wrong', () => {
    expect(parse('--round', '--help')).toEqual({
      ok: false,
      exitCode: 0,
      prints: [
        'usage: npm run it [-- --keep]',
        '',
        '  --rounds VALUE, 3 by default',
        '  --only VALUE, any number of times',
        '  --keep',
      ].join('\n'),
    });
  });
});
