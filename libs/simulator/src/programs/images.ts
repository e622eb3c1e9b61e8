import { agnhostServers, fileServer } from './agnhost.ts';
import { agnhostTasks } from './agnhost-tasks.ts';
import type { Server } from './server.ts';
import { busyboxCommands } from './commands/busybox.ts';
import type { SimpleCommand } from './shell/command.ts';

/** What an image brings along that a pod does not say. */
export interface KnownImage {
  /** What is run where the container names no command. */
  readonly entrypoint: readonly string[];
  /** What is added to it where the container names no arguments. */
  readonly arguments?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** What the command serves; undefined where it is no server. */
  readonly server?: (command: readonly string[]) => Server | undefined;
  /** What the command does until it is done; undefined where it is none of the image's own. */
  readonly task?: (command: readonly string[]) => SimpleCommand | undefined;
  /** Whether commands can be run in it. */
  readonly shell: boolean;
  /** The names of all commands that it has, whether or not they are known here; absent where nothing is known of them. */
  readonly commands?: ReadonlySet<string>;
}

/** A server of files, until another command is given. */
const webServer = (entrypoint: string, folder: string): KnownImage => ({
  entrypoint: [entrypoint],
  files: { [`${folder}/index.html`]: '<html><body><h1>It works!</h1></body></html>\n' },
  server: ([name]) => (name === entrypoint ? fileServer(folder) : undefined),
  shell: true,
});

/** Images that the simulation knows, by the last part of their names. */
const images: Readonly<Record<string, KnownImage | undefined>> = {
  pause: {
    entrypoint: ['/pause'],
    server: ([name]) => (name === '/pause' ? { http: () => 404, listens: () => ({ tcp: [] }) } : undefined),
    shell: false,
  },
  busybox: { entrypoint: ['sh'], shell: true, commands: busyboxCommands },
  agnhost: {
    entrypoint: ['/agnhost'],
    arguments: ['pause'],
    files: { '/localhost.crt': '', '/localhost.key': '' },
    server: ([name, first = '']) => (name === '/agnhost' ? agnhostServers[first] : undefined),
    task: ([name = '', first = '']) => (/^\/agnhost(-2)?$/.test(name) ? agnhostTasks[first] : undefined),
    shell: true,
  },
  httpd: webServer('httpd-foreground', '/usr/local/apache2/htdocs'),
  // Kubernetes' example of an application that is updated: a server of files, such as agnhost's.
  nautilus: {
    entrypoint: ['/test-webserver'],
    files: { '/data.json': '{\n  "image": "nautilus.jpg"\n}\n', '/nautilus.jpg': '' },
    server: ([name]) => (name === '/test-webserver' ? fileServer('/') : undefined),
    shell: false,
  },
  nginx: webServer('nginx', '/usr/share/nginx/html'),
};

/** Whether an image can't be pulled: its tag says so. */
export const isMissing = (reference: string): boolean => /:(non-?existent|missing|404)$/.test(reference);

/** An image that the simulation knows, by a reference to it. */
export function knownImage(reference: string): KnownImage | undefined {
  const name = reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  const last = name.slice(name.lastIndexOf('/') + 1);
  return Object.hasOwn(images, last) ? images[last] : undefined;
}
