import type { Logger } from '@ordinal/runtime';

/** A hash in a name, of a UID or a time; and the letters of chance that end the name of a pod. */
const hashed = /-[0-9a-f]{10}(?![0-9a-z])(-[a-z0-9]{5}(?=,))?/g;
const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What was done and why, in order: the operator's decisions as it carried them out. */
export class DecisionRecord {
  private readonly statuses = new Map<string, string>();
  private readonly lines: string[] = [];

  /** A resource, as `namespace/name`, has this status now. */
  said(resource: string, status: string): void {
    this.statuses.set(resource, status);
  }

  /**
   * What was decided, to be compared: UIDs are left out, and hashes of them and of chance in names; what was done again before its effect was seen (a real
   * server's events take their time) counts once.
   */
  get decisions(): readonly string[] {
    const named = this.lines.map((line) => line.replace(uid, 'UID').replace(hashed, '-HASH'));
    return named.filter((line, index) => line !== named[index - 1]);
  }

  /** A logger that keeps what `execute` says of each action, and what the status of its resource said at that moment. */
  get logger(): Logger {
    return this.loggerOf({});
  }

  private loggerOf(common: Readonly<Record<string, unknown>>): Logger {
    const silent = (): void => undefined;
    const info = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      const { because, namespace, name } = { ...common, ...fields };
      if (typeof because !== 'string') return;
      const status = this.statuses.get(`${String(namespace)}/${String(name)}`) ?? '';
      this.lines.push(`${message}, because ${because} [${status}]`);
    };
    const child = (fields: Readonly<Record<string, unknown>>): Logger => this.loggerOf({ ...common, ...fields });
    return { debug: silent, info, warn: silent, error: silent, child };
  }
}
