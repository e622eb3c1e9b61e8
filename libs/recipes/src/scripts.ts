import { readFileSync } from 'node:fs';
import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';

/** Where a member finds the scripts. */
const folder = '/recipe';

/** The scripts of one software, and how a pod gets and runs them. */
export interface Scripts<Name extends string> {
  /** The command that runs one of the scripts. */
  readonly command: (script: Name) => string[];
  /** The container's part of the volume with the scripts. */
  readonly mount: { readonly name: string; readonly mountPath: string; readonly readOnly: true };
  /** The pod's part of the volume with the scripts. */
  readonly volume: (name: string) => object;
  /**
   * Adds the ConfigMap with the scripts and the number of members. Its name does not change with what it holds: a member that comes back as it was finds it, and
   * members that run use the scripts as they are now.
   */
  readonly add: (scope: Construct, name: string, replicas: number) => void;
}

/** The scripts in a folder of `scripts/`, for a shell. */
export function scriptsOf<Name extends string>(
  software: string,
  shell: readonly string[],
  names: readonly Name[],
): Scripts<Name> {
  const read = (script: string): string =>
    readFileSync(new URL(`../scripts/${software}/${script}`, import.meta.url), 'utf8');
  return {
    command: (script) => [...shell, `${folder}/${script}`],
    mount: { name: 'recipe', mountPath: folder, readOnly: true },
    volume: (name) => ({ name: 'recipe', configMap: { name: `${name}-recipe` } }),
    add: (scope, name, replicas) => {
      const data = Object.fromEntries(names.map((script) => [script, read(script)]));
      new ApiObject(scope, 'recipe', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-recipe` },
        data: { ...data, [`members-${name}`]: `${String(replicas)}\n` },
      });
    },
  };
}
