import { namespaces, pods, statefulSets } from '@ordinal/client';
import { contextsIn } from '../cluster/connect.ts';
import type { CommandContext } from '../commands/command.ts';
import type { OrdinalResource, Reference } from '../kinds.ts';
import { kindNamed, namesOf, ordinalKinds, parseReference, shortNameOf } from '../kinds.ts';
import { asked, flagValue, namesIn } from './asked.ts';

/** Finds what may be typed, from the words behind the command. */
type Values = (given: readonly string[], context: CommandContext) => Promise<readonly string[]>;

const anything: Values = () => Promise.resolve([]);

/** The resource among the words of a command, as KIND/NAME or as two words. */
function referenceIn(given: readonly string[]): Reference | undefined {
  const at = given.findIndex((word) =>
    ordinalKinds.some((each) => namesOf(each).includes(word.split('/', 1)[0] ?? '')),
  );
  const word = given[at];
  const named = word?.includes('/') === false ? [word, given[at + 1] ?? ''] : [word ?? ''];
  try {
    return parseReference(named);
  } catch {
    return undefined;
  }
}

const members: Values = (given, context) =>
  asked(given, context, async (client, namespace) => {
    const { name = '' } = referenceIn(given) ?? {};
    const found = await namesIn(pods, client, namespace);
    return found.filter((pod) => name !== '' && pod.startsWith(`${name}-`) && /^\d+$/.test(pod.slice(name.length + 1)));
  });

const backupsOf = ({ status }: OrdinalResource): readonly string[] =>
  status && 'backups' in status
    ? (status.backups ?? []).flatMap(({ name, result }) => (result === 'Succeeded' ? name : []))
    : [];

const backups: Values = (given, context) =>
  asked(given, context, async (client, namespace) => {
    const reference = referenceIn(given);
    const found = reference && (await client(reference.descriptor).namespace(namespace).get(reference.name));
    return found ? backupsOf(found) : [];
  });

const contexts: Values = (given, { world }) => contextsIn(flagValue(given, '--kubeconfig'), world);

/** What stands behind each flag that takes a value: a file, one of its choices, what the cluster has, or what only the user knows. */
const values: Readonly<Record<string, 'file' | 'choice' | Values>> = {
  ...{ '-o': 'choice', '--output': 'choice', '--as': 'choice' },
  ...{ '-f': 'file', '--filename': 'file', '--recording': 'file', '--key': 'file', '--file': 'file' },
  ...{ '--kubeconfig': 'file', '--history': 'file', '--members-behave': 'file' },
  ...{ '--operator-bundle': 'file', '--against': 'file' },
  '-n': (given, context) => asked(given, context, (client) => namesIn(namespaces, client)),
  '--namespace': (given, context) => asked(given, context, (client) => namesIn(namespaces, client)),
  '--operator-namespace': (given, context) => asked(given, context, (client) => namesIn(namespaces, client)),
  '--context': contexts,
  '--member': members,
  '--backup': backups,
  ...{ '--name': anything, '--to': anything, '--tail': anything, '--port': anything, '--at': anything },
  ...{ '--faults': anything, '--seed': anything, '--container': anything, '--monitor': anything },
};

/** What stands behind a word of the command line; undefined where it is no flag that takes a value. */
export const optionValues = (word: string | undefined, command: string): 'file' | 'choice' | Values | undefined => {
  if (word === undefined || !word.startsWith('-')) return undefined;
  // Of a prediction it is a number, and of the console a file.
  if (word === '--history' && command === 'what-if') return anything;
  return Object.hasOwn(values, word) ? values[word] : undefined;
};

/** The words that are no flags, nor their values. */
const plainWords = (given: readonly string[], command: string): readonly string[] =>
  given.filter((word, index) => !word.startsWith('-') && optionValues(given[index - 1], command) === undefined);

/** What a command is about that takes another thing than a resource of ours. */
const otherPositionals: Readonly<Record<string, 'file' | 'StatefulSet' | 'nothing'>> = {
  replay: 'file',
  adopt: 'StatefulSet',
  console: 'nothing',
};

/** What a command may be about, as KIND/NAME or as two words, while none is named yet. */
export async function positionals(
  command: string,
  given: readonly string[],
  context: CommandContext,
): Promise<'file' | readonly string[]> {
  const other = otherPositionals[command];
  const [first = '', second, ...more] = plainWords(given, command);
  if (more.length > 0 || other === 'nothing') return [];
  if (other === 'file') return second === undefined ? 'file' : [];
  const kinds = other === undefined ? ordinalKinds.map(shortNameOf) : ['statefulset'];
  const isKnown = (kind: string): boolean =>
    other === undefined
      ? ordinalKinds.some((each) => namesOf(each).includes(kind))
      : /^(?:sts|statefulsets?)$/.test(kind);
  const [kind = '', name] = first.split('/', 2);
  if (name === undefined && second === undefined) return kinds.map((each) => `${each}/`);
  if (!isKnown(kind) || (name !== undefined && second !== undefined)) return [];
  const descriptor = other === undefined ? kindNamed(kind) : statefulSets;
  const names = await asked(given, context, (client, namespace) => namesIn(descriptor, client, namespace));
  return name === undefined ? names : names.map((each) => `${kind}/${each}`);
}
