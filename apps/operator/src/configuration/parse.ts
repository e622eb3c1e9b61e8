import { readFlags } from './flags.ts';
import type { Written } from './flags.ts';
import type { Option, OptionTable, Settings } from './option.ts';
import { suggest } from './suggest.ts';

/** Where settings come from, in the order of their precedence: a flag beats the environment, the environment beats the file. */
export interface Sources {
  /** The command line, without the program. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The parsed configuration file; undefined where there is none. */
  readonly file?: { readonly path: string; readonly content: unknown };
}

/** The settings, or all that is wrong with them in sentences. */
export type Parsed<Table extends OptionTable> =
  | { readonly ok: true; readonly settings: Settings<Table> }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads every setting from its sources. Nothing is guessed: an unknown flag, variable or key is a problem, and so is a value out of its range; each
 * problem says where it stands and what would be right.
 */
export function parseSettings<Table extends OptionTable>(table: Table, sources: Sources): Parsed<Table> {
  const { values, problems: wrongFlags } = readFlags(table, sources.flags);
  const problems: string[] = [];
  const written = [
    readFile(table, sources.file, problems),
    readEnvironment(table, sources.environment, problems),
    values,
  ];
  problems.push(...wrongFlags);
  const settings: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(table)) {
    settings[key] = option.default;
    for (const source of written) {
      const found = source.get(option.name);
      if (found === undefined) continue;
      try {
        settings[key] = option.read(found.text);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        problems.push(`${found.place} ${error.message}, not ${JSON.stringify(found.text)}`);
      }
    }
  }
  // Each key of the table has just been given the value of its own option.
  return problems.length > 0 ? { ok: false, problems } : { ok: true, settings: settings as Settings<Table> };
}

/** The environment variable of an option. */
export function variableOf(option: Pick<Option<unknown>, 'name'>): string {
  return `ORDINAL_${option.name.replaceAll('-', '_').toUpperCase()}`;
}

/** The key of an option in the configuration file. */
function keyOf(option: Pick<Option<unknown>, 'name'>): string {
  return option.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function readEnvironment(
  table: OptionTable,
  environment: Sources['environment'],
  problems: string[],
): ReadonlyMap<string, Written> {
  const byVariable = new Map(Object.values(table).map((option) => [variableOf(option), option]));
  const found = new Map<string, Written>();
  for (const { name, commonVariable = '' } of Object.values(table)) {
    const text = environment[commonVariable] ?? '';
    if (text !== '') found.set(name, { text, place: commonVariable });
  }
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('ORDINAL_') || text === undefined) continue;
    const option = byVariable.get(variable);
    if (option === undefined)
      problems.push(`${variable} is not a variable of this program${suggest(variable, [...byVariable.keys()])}`);
    else found.set(option.name, { text, place: variable });
  }
  return found;
}

function readFile(table: OptionTable, file: Sources['file'], problems: string[]): ReadonlyMap<string, Written> {
  const found = new Map<string, Written>();
  if (file === undefined || file.content === null) return found;
  if (typeof file.content !== 'object' || Array.isArray(file.content)) {
    problems.push(`${file.path} is a mapping of settings, such as "logLevel: debug"`);
    return found;
  }
  const byKey = new Map(Object.values(table).map((option) => [keyOf(option), option]));
  // A file that names another one would be half read.
  byKey.delete('config');
  for (const [key, value] of Object.entries(file.content)) {
    const place = `${file.path}: ${key}`;
    const option = byKey.get(key);
    const text = textOf(value);
    if (option === undefined) problems.push(`${place} is not a setting${suggest(key, [...byKey.keys()])}`);
    else if (text === undefined) problems.push(`${place} is a value or a list of values, not ${JSON.stringify(value)}`);
    else found.set(option.name, { text, place });
  }
  return found;
}

/** A value of the file as it would be written on the command line; undefined where it could not be. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => (Array.isArray(part) ? undefined : textOf(part)));
    return parts.includes(undefined) ? undefined : parts.join(',');
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}
