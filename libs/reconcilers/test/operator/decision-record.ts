import type { Logger } from '@ordinal/runtime';

/** A hash in a name, of a UID or a time; and the letters of chance that end the name of a pod. */
const hashed = /-[0-9a-f]{10}(?![0-9a-z])(-[a-z0-9]{5}(?=,))?/g;
const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A seal in a patch: it is made of the UID, and of the operator's key. */
const sealed = /(?<="ordinal\.dev\/seal":")[^"]+/g;

/** A line without UIDs, seals, and hashes of UIDs and of chance in names. */
const named = (line: string): string => line.replace(uid, 'UID').replace(sealed, 'SEAL').replace(hashed, '-HASH');

/** What was done and why: the operator's decisions as it carried them out. */
export class DecisionRecord {
  private readonly statuses = new Map<string, string>();
  private readonly linesOf = new Map<string, string[]>();

  /** A resource, as `namespace/name`, has this status now. */
  said(resource: string, status: string): void {
    this.statuses.set(resource, status);
  }

  /**
   * What was decided, to be compared: for one resource after the other, in order. Two resources have two workers, and which of them is quicker is nothing that the operator
   * decides. UIDs and seals are left out, and hashes of them and of chance in names; what was done again before its effect was seen (a real server's events take their time) counts once.
   */
  get decisions(): readonly string[] {
    const lines = [...this.linesOf.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, each]) => each);
    return lines.filter((line, index) => line !== lines[index - 1]);
  }

  /** A logger that keeps what `execute` says of each action, and what the status of its resource said at that time. */
  get logger(): Logger {
    return this.loggerOf({});
  }

  private loggerOf(common: Readonly<Record<string, unknown>>): Logger {
    const silent = (): void => undefined;
    const info = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      const { because, namespace, name } = { ...common, ...fields };
      if (typeof because !== 'string') return;
      const resource = `${String(namespace)}/${String(name)}`;
      const status = this.statuses.get(resource) ?? '';
      const lines = this.linesOf.get(named(resource)) ?? [];
      this.linesOf.set(named(resource), [...lines, named(`${message}, because ${because} [${status}]`)]);
    };
    const child = (fields: Readonly<Record<string, unknown>>): Logger => this.loggerOf({ ...common, ...fields });
    return { debug: silent, info, warn: silent, error: silent, child };
  }
}
