import { isolated } from './pods.ts';

/** Where the scripts find busybox, for images that have no shell, or not all programs that the scripts run. */
export const toolsFolder = '/tools';

const name = 'tools';

/** The mount of the folder. */
export const toolsMount = { name, mountPath: toolsFolder };

/** The folder, which is new in each pod. */
export const toolsVolume = { name, emptyDir: {} };

/** The init container that puts busybox into the folder. */
export function installTools(image = 'docker.io/library/busybox:1.37-musl'): object {
  const install = `cp /bin/busybox ${toolsFolder}/ && ${toolsFolder}/busybox --install -s ${toolsFolder}`;
  const command = ['/bin/busybox', 'sh', '-c', install];
  return { name, image, command, volumeMounts: [toolsMount], securityContext: isolated };
}
