import type { RequestOptions, WatchRequest } from '../request.ts';
import { badRequest, invalid } from '../status.ts';
import type { FieldCause } from '../status.ts';

const truthy = (text: string | null): boolean => text !== null && text !== 'false' && text !== '0';

const whole = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  const value = BigInt(text);
  if (BigInt.asIntN(64, value) !== value) throw badRequest(`strconv.ParseInt: parsing "${text}": value out of range`);
  return Number(value);
};

const texts = [
  'fieldManager',
  'labelSelector',
  'fieldSelector',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'propagationPolicy',
  'fieldValidation',
] as const;

/** What wants to know the options. */
export interface OptionsForm {
  /** How errors name them: `CreateOptions`. */
  readonly kind: string;
  /** Whether they go with a patch that is no apply. */
  readonly isPatch: boolean;
}

/** The options in a query. Refuses those that do not fit with 400, or with 422 where several may be wrong. */
export function parseOptions(
  query: URLSearchParams,
  form: OptionsForm = { kind: 'ListOptions', isPatch: false },
): RequestOptions & NonNullable<WatchRequest['options']> {
  const options: Record<string, unknown> = {};
  for (const name of texts) {
    const text = query.get(name);
    if (text !== null && text !== '') options[name] = text;
  }
  for (const name of ['limit', 'gracePeriodSeconds', 'timeoutSeconds']) {
    const value = whole(query, name);
    if (value !== undefined) options[name] = value;
  }
  for (const name of ['force', 'allowWatchBookmarks', 'sendInitialEvents'])
    if (query.has(name)) options[name] = truthy(query.get(name));
  const causes = writeCauses(query, form);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: form.kind }, '', causes);
  if (query.has('dryRun')) options['dryRun'] = true;
  // The names and types above are those of the options.
  return options as RequestOptions & NonNullable<WatchRequest['options']>;
}

/** What is wrong with the options of a write, in the server's order. */
function writeCauses(query: URLSearchParams, { kind, isPatch }: OptionsForm): readonly FieldCause[] {
  const dryRun = query.getAll('dryRun');
  const writes = kind !== 'ListOptions' && kind !== 'DeleteOptions';
  const validation = query.get('fieldValidation') ?? '';
  return [
    ...(isPatch && query.has('force')
      ? [cause('force', 'FieldValueForbidden', 'Forbidden: may not be specified for non-apply patch')]
      : []),
    ...(writes ? managerCauses(query.get('fieldManager') ?? '') : []),
    ...(dryRun.some((value) => value !== 'All')
      ? [
          cause(
            'dryRun',
            'FieldValueNotSupported',
            `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
          ),
        ]
      : []),
    ...(writes && !['', 'Ignore', 'Strict', 'Warn'].includes(validation)
      ? [
          cause(
            'fieldValidation',
            'FieldValueNotSupported',
            `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`,
          ),
        ]
      : []),
  ];
}

const cause = (field: string, reason: string, message: string): FieldCause => ({ reason, message, field });

function managerCauses(manager: string): readonly FieldCause[] {
  const at = [...manager].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  const character = [...manager][at];
  return [
    ...(Buffer.byteLength(manager) > 128
      ? [cause('fieldManager', 'FieldValueTooLong', 'Too long: may not be more than 128 bytes')]
      : []),
    ...(character === undefined
      ? []
      : [
          cause(
            'fieldManager',
            'FieldValueInvalid',
            `Invalid value: ${goText(manager)}: invalid character ${unicodeName(character)} (at position ${at})`,
          ),
        ]),
  ];
}

/** A character as Go names it: `U+0001`. */
const unicodeName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A text as Go quotes it: what is below a space in hexadecimal. */
const goText = (text: string): string =>
  JSON.stringify(text).replace(/\\u00([01][0-9a-f])/g, (_, digits: string) => `\\x${digits}`);
