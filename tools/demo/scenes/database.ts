import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { names, secretNames } from '../samples.ts';
import type { Stage } from '../stage.ts';

const connectionKeys = ['host', 'port', 'username', 'password'];

/** Looks at the database that was provisioned, and deletes it. */
export async function deleteDatabase({
  screen,
  resources,
  surroundings,
  watcher,
  assertions,
  outside,
}: Stage): Promise<void> {
  const { cloud } = outside;
  const { data = {} } = watcher.find(secrets, secretNames.connection) ?? {};
  const missing = connectionKeys.filter((key) => data[key] === undefined);
  assertions.check(
    'a database is provisioned, once, with a Secret to connect with',
    cloud.databases().length === 1 && cloud.made() === 1 && missing.length === 0,
    `${cloud.databases()[0]?.id}; ${Object.keys(data).join(', ')}`,
  );
  screen.line('user', 'deletes the database', 'user');
  await resources.cloudDatabases.namespace(surroundings.namespace).delete(names.database);
  await watcher.until('the database is gone', () => watcher.find(cloudDatabases, names.database) === undefined);
  screen.line('database', 'gone at the cloud, then in the cluster', 'good');
  assertions.check(
    'it is deleted at the cloud before the resource is gone',
    cloud.databases().length === 0,
    `${cloud.databases().length} left of ${cloud.made()} made`,
  );
}
