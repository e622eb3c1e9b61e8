/** One of the five fields of a cron expression. */
interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that stand for numbers, the first for `min`. */
  readonly names: readonly string[];
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: months },
  // 0 and 7 are both Sunday.
  { name: 'day of week', min: 0, max: 7, names: days },
];

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** How long an expression may be, in characters. */
const maxLength = 100;

/** An expression in five fields of numbers, or what is wrong with it. */
export type ParsedCron = { readonly expression: string } | { readonly fault: string };

/**
 * Reads a cron expression: five fields, as a CronJob takes them, or one of `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight` and `@hourly`.
 * A field is a list of `*`, a number or a name, a range, and a step of `*` or of a range. Extensions that other programs have (`L`, `W`, `#`, `?`, seconds, years, `@every`)
 * are refused, and not given another meaning.
 */
export function parseCron(text: string): ParsedCron {
  const trimmed = text.trim();
  if (trimmed.length > maxLength) return { fault: `it is longer than ${maxLength} characters` };
  if (/\b(?:TZ|CRON_TZ)=/.test(trimmed)) return { fault: 'a time zone is set in timeZone, and not in the expression' };
  if (trimmed.startsWith('@')) {
    const expression = macros[trimmed.toLowerCase()];
    const known = Object.keys(macros).join(', ');
    return expression === undefined ? { fault: `"${trimmed}" is none of ${known}` } : { expression };
  }
  const parts = trimmed === '' ? [] : trimmed.split(/\s+/);
  if (parts.length !== fields.length) {
    return {
      fault: `it has ${parts.length} fields, and five are wanted: minute, hour, day of month, month, day of week`,
    };
  }
  const read = fields.map((field, index) => fieldOf(parts[index] ?? '', field));
  const fault = read.flatMap((one) => ('fault' in one ? [one.fault] : []))[0];
  if (fault !== undefined) return { fault };
  return { expression: read.flatMap((one) => ('expression' in one ? [one.expression] : [])).join(' ') };
}

/** A field in numbers. */
function fieldOf(text: string, field: Field): ParsedCron {
  const read = text.split(',').map((item) => itemOf(item, field));
  const fault = read.flatMap((one) => ('fault' in one ? [one.fault] : []))[0];
  if (fault !== undefined) return { fault };
  const items = read.flatMap((one) => ('expression' in one ? [one.expression] : []));
  return { expression: items.includes('*') ? '*' : items.join(',') };
}

/** One item of a field's list: `*`, `5`, `1-5`, a step of all or `1-5/2`. */
function itemOf(item: string, field: Field): ParsedCron {
  const { name, min, max } = field;
  const [, from = '', to, step] = /^(\*|[0-9A-Za-z]+)(?:-([0-9A-Za-z]+))?(?:\/([0-9]+))?$/.exec(item) ?? [];
  const wrong = (why: string): ParsedCron => ({ fault: `"${item}" is no ${name}: ${why}` });
  if (from === '' || (from === '*' && to !== undefined)) return wrong('write it like *, 5, 1-5, */2 or 1-5/2');
  const every = step === undefined ? undefined : Number(step);
  const misplaced =
    every === undefined ? undefined : faultOfStep(every, { isOfRange: from === '*' || to !== undefined, max });
  if (misplaced !== undefined) return wrong(misplaced);
  // A step of one is none: a CronJob takes */1 as *, which leaves the day to the other day field.
  const tail = every === undefined || every === 1 ? '' : `/${every}`;
  if (from === '*') return { expression: `*${tail}` };
  const [low, high] = [numberOf(from, field), numberOf(to ?? from, field)];
  if (low === undefined || high === undefined) return wrong(`it is from ${min} to ${max}${namesOf(field)}`);
  if (low > high) return wrong('the range ends before it begins');
  return { expression: to === undefined ? `${low}` : `${low}-${high}${tail}` };
}

/** What is wrong with a step; undefined where it is right. */
function faultOfStep(every: number, { isOfRange, max }: { isOfRange: boolean; max: number }): string | undefined {
  if (!isOfRange) return 'a step needs * or a range before it';
  return every < 1 || every > max ? `a step is from 1 to ${max}` : undefined;
}

function numberOf(text: string, { min, max, names }: Field): number | undefined {
  const place = names.indexOf(text.toUpperCase());
  const number = place >= 0 ? place + min : /^[0-9]{1,2}$/.test(text) ? Number(text) : NaN;
  return number >= min && number <= max ? number : undefined;
}

const namesOf = ({ names }: Field): string => (names.length === 0 ? '' : `, or ${names.join(', ')}`);
