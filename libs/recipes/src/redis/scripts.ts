import { readFileSync } from 'node:fs';
import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';

/** Where a member finds the scripts. */
const folder = '/recipe';

const scriptNames = [
  'member.sh',
  'start.sh',
  'role.sh',
  'in-step.sh',
  'handoff.sh',
  'backup.sh',
  'restore.sh',
] as const;

/** The command that runs one of the scripts. */
export const command = (script: (typeof scriptNames)[number]): string[] => ['sh', `${folder}/${script}`];

/** The container's part of the volume with the scripts. */
export const scriptsMount = { name: 'recipe', mountPath: folder, readOnly: true } as const;

/** The pod's part of the volume with the scripts. */
export const scriptsVolume = (name: string) => ({ name: 'recipe', configMap: { name: `${name}-recipe` } });

/**
 * Adds the ConfigMap with the scripts and the number of members. Its name does not change with what it holds: a member that comes back as it was finds it, and
 * members that run use the scripts as they are now.
 */
export function addScripts(scope: Construct, name: string, replicas: number): void {
  const read = (script: string): string =>
    readFileSync(new URL(`../../scripts/redis/${script}`, import.meta.url), 'utf8');
  const data = Object.fromEntries(scriptNames.map((script) => [script, read(script)]));
  new ApiObject(scope, 'recipe', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-recipe` },
    data: { ...data, [`members-${name}`]: `${String(replicas)}\n` },
  });
}
