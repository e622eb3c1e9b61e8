import { Socket } from 'node:net';
import type { LookupFunction } from 'node:net';

/** Where a socket may go. */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** Resolves and checks the host. */
  readonly lookup: LookupFunction;
}

/** A socket for libraries that take one and connect it themselves: whatever they ask for, it goes to its target, by way of the target's look-up. */
export class CheckedSocket extends Socket {
  private readonly target: SocketTarget;

  constructor(target: SocketTarget) {
    super();
    this.target = target;
  }

  /** Connects to the target; what the caller names instead (a path of a Unix socket, say) does not count. */
  override connect(): this {
    return super.connect({ ...this.target });
  }
}
