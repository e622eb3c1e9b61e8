import type { Client, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { CommandContext } from '../commands/command.ts';
import { connect } from '../cluster/connect.ts';

/** The shell waits for no longer. */
const timeoutMs = 3_000;

/** What a flag has behind it; undefined where it was not given. */
export function flagValue(args: readonly string[], ...names: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [name = '', value] = arg.split('=', 2);
    if (names.includes(name)) return value ?? args[index + 1];
  }
  return undefined;
}

/** Asks the cluster that the flags name. What can't be asked or may not be is nothing: a completion has no place for a message. */
export async function asked(
  args: readonly string[],
  { world }: CommandContext,
  ask: (client: Client, namespace: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const given = {
    namespace: flagValue(args, '-n', '--namespace'),
    context: flagValue(args, '--context'),
    kubeconfig: flagValue(args, '--kubeconfig'),
  };
  try {
    const { client, namespace } = await connect(given, world.environment);
    try {
      return await ask(client, namespace);
    } finally {
      await client.close();
    }
  } catch {
    return [];
  }
}

/** The names of all objects of a kind in a namespace. */
export async function namesIn(
  descriptor: ResourceDescriptor<KubernetesObject>,
  client: Client,
  namespace?: string,
): Promise<readonly string[]> {
  const kind = client(descriptor);
  const { items } = await (namespace === undefined ? kind : kind.namespace(namespace)).list({ timeoutMs });
  return items.map(({ metadata }) => metadata.name);
}
