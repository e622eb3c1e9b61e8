import type { OptionTable } from './option.ts';
import { variableOf } from './parse.ts';

/** The text of `--help`: every flag with its variable, its default and what it does. */
export function helpText(table: OptionTable): string {
  const rows = Object.values(table).map((option) => ({
    left: `  --${option.name}${option.placeholder === '' ? '' : ` ${option.placeholder}`}`,
    description: option.description,
    default: option.defaultText ?? String(option.default),
    variable: [variableOf(option), ...(option.commonVariable === undefined ? [] : [option.commonVariable])].join(
      ' or ',
    ),
  }));
  const lines = rows.flatMap((row) => [
    row.left,
    `      ${row.description}`,
    `      default: ${row.default === '' ? 'none' : row.default}; environment: ${row.variable}`,
  ]);
  return [
    'ordinal-operator: keeps stateful services alive through upgrades and deletions',
    '',
    'Usage: ordinal-operator [FLAG…]',
    '',
    'A flag beats its environment variable, and that beats the configuration file.',
    '',
    ...lines,
    '  --help',
    '      Print this and exit.',
    '  --version',
    '      Print the version and exit.',
    '',
  ].join('\n');
}
