/** One setting of the operator: a flag, an environment variable and a key in the configuration file, all of one name. */
export interface Option<T> {
  /** The flag without its dashes: `leader-elect`. The environment variable is `ORDINAL_LEADER_ELECT`, the key in the file `leaderElect`. */
  readonly name: string;
  /** A variable by which other programs know it, too: `OTEL_EXPORTER_OTLP_ENDPOINT`. The operator's own variable beats it. */
  readonly commonVariable?: string;
  readonly description: string;
  /** What stands for the value in the help: `PATH`, `N`. Empty for a switch. */
  readonly placeholder: string;
  readonly default: T;
  /** How the default reads in the help, where `default` does not say it. */
  readonly defaultText?: string;
  /** Turns what was written into the value, or throws a `RangeError` that says what would be right. */
  readonly read: (text: string) => T;
}

/** A table of options. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The settings that a table of options yields. */
export type Settings<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer T> ? T : never;
};

type Description<T> = Pick<Option<T>, 'name' | 'description'> &
  Partial<Pick<Option<T>, 'placeholder' | 'defaultText' | 'commonVariable'>>;

/** Whether a text is what a setting takes, and how to say what would be right: `is a label selector, like team=blue`. */
export interface Format {
  readonly takes: (text: string) => boolean;
  readonly isA: string;
}

/** A setting that is a text, of a format where one is given. */
export function text(
  description: Description<string> & { readonly default?: string; readonly format?: Format },
): Option<string> {
  const { format, ...rest } = description;
  return {
    placeholder: 'TEXT',
    default: '',
    ...rest,
    read(written) {
      if (format && !format.takes(written)) throw new RangeError(`is ${format.isA}`);
      return written;
    },
  };
}

/** A setting that is on or off; as a flag, its name alone means on. */
export function toggle(description: Description<boolean> & { readonly default: boolean }): Option<boolean> {
  return {
    placeholder: '',
    ...description,
    read(written) {
      if (written === 'true') return true;
      if (written === 'false') return false;
      throw new RangeError('is true or false');
    },
  };
}

/** A whole number within bounds. */
export function wholeNumber(
  description: Description<number> & { readonly default: number; readonly min: number; readonly max: number },
): Option<number> {
  const { min, max, ...rest } = description;
  return {
    placeholder: 'N',
    ...rest,
    read(written) {
      const value = Number(written);
      if (!/^\d+$/.test(written) || value < min || value > max)
        throw new RangeError(`is a whole number from ${min} to ${max}`);
      return value;
    },
  };
}

/** A span of time, written like `90s`, `15m` or `500ms`; the value is in milliseconds. */
export function duration(
  description: Description<number> & { readonly default: number; readonly min: number; readonly max: number },
): Option<number> {
  const { min, max, ...rest } = description;
  return {
    placeholder: 'DURATION',
    defaultText: formatDuration(description.default),
    ...rest,
    read(written) {
      const value = parseDuration(written);
      if (value === undefined || value < min || value > max) {
        throw new RangeError(
          `is a duration from ${formatDuration(min)} to ${formatDuration(max)}, written like 500ms, 90s, 15m or 6h`,
        );
      }
      return value;
    },
  };
}

/** One of a few words. */
export function choice<const Word extends string>(
  description: Description<Word> & { readonly words: readonly Word[]; readonly default: NoInfer<Word> },
): Option<Word> {
  const { words, ...rest } = description;
  return {
    placeholder: words.join('|'),
    ...rest,
    read(written) {
      const word = words.find((candidate) => candidate === written);
      if (word === undefined) throw new RangeError(`is one of ${words.join(', ')}`);
      return word;
    },
  };
}

/**
 * Several texts, separated by commas. With `words`, each is one of these; with `format`, each is of that. At least one: what an empty list would mean is
 * said by leaving the setting out, so that a variable that was never filled does not open everything.
 */
export function list<const Word extends string = string>(
  description: Description<readonly Word[]> & {
    readonly words?: readonly Word[];
    readonly default?: readonly NoInfer<Word>[];
    readonly format?: Format;
  },
): Option<readonly Word[]> {
  const { words, format, default: defaults = [], ...rest } = description;
  return {
    placeholder: 'A,B,…',
    default: defaults,
    defaultText: defaults.join(','),
    ...rest,
    read(written) {
      const parts = written
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      if (parts.length === 0) throw new RangeError('names one at least, or is left out');
      const unknown = words && parts.find((part) => !words.some((word) => word === part));
      if (unknown !== undefined) throw new RangeError(`is a list of ${words?.join(', ')}; ${unknown} is none of them`);
      const wrong = format && parts.find((part) => !format.takes(part));
      if (wrong !== undefined) throw new RangeError(`is a list, each part ${format?.isA}; ${wrong} is none`);
      return parts as readonly string[] as readonly Word[]; // each was just found among the words; without words, Word is string
    },
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function parseDuration(written: string): number | undefined {
  if (!/^(?:\d+(?:ms|s|m|h))+$/.test(written)) return undefined;
  let total = 0;
  for (const [, amount, unit] of written.matchAll(/(\d+)(ms|s|m|h)/g))
    total += Number(amount) * (units[unit ?? ''] ?? Number.NaN);
  return total;
}

function formatDuration(milliseconds: number): string {
  const unit =
    ['h', 'm', 's'].find(
      (candidate) => milliseconds >= (units[candidate] ?? 1) && milliseconds % (units[candidate] ?? 1) === 0,
    ) ?? 'ms';
  return `${milliseconds / (units[unit] ?? 1)}${unit}`;
}
