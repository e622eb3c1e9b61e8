import { randomBytes } from 'node:crypto';
import type { Kind, KindEnvironment, Monitors } from '@ordinal/reconcilers';
import type { ControllerDefinition } from '@ordinal/runtime';

/** A password that can't be guessed, in characters that need no quoting: 192 bits. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** What controllers declare does not depend on what they reach the world with: definitions to derive permissions from. */
export function declaredControllers(kinds: readonly Kind[]): readonly ControllerDefinition[] {
  const unreachable = (): never => {
    throw new TypeError('these definitions are read, not run');
  };
  const environment: KindEnvironment = {
    probes: { http: unreachable, exec: unreachable },
    monitors: new Proxy({} as Monitors, { get: unreachable }),
    providers: { resolve: unreachable },
    seals: { keys: () => [] },
    newPassword: unreachable,
  };
  return kinds.flatMap((kind) => kind.controllers(environment));
}
