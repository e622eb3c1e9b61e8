import type { Logger } from '@ordinal/runtime';

const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What was done and why, in order: the operator's decisions as it carried them out. */
export class DecisionRecord {
  /** What the resource's status said last. */
  status = '';
  private readonly lines: string[] = [];

  /**
   * What was decided, to be compared: UIDs are left out, and hashes of them and of chance in names; what was done again before its effect was seen (a real
   * server's events take their time) counts once.
   */
  get decisions(): readonly string[] {
    const named = this.lines.map((line) =>
      line.replace(uid, 'UID').replace(/-[0-9a-f]{10}(-[a-z0-9]{5})?(?=,)/, '-HASH'),
    );
    return named.filter((line, index) => line !== named[index - 1]);
  }

  /** A logger that keeps what `execute` says of each action, and what the status said at that moment. */
  get logger(): Logger {
    const silent = (): void => undefined;
    const info = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (typeof fields['because'] === 'string')
        this.lines.push(`${message}, because ${fields['because']} [${this.status}]`);
    };
    const logger: Logger = { debug: silent, info, warn: silent, error: silent, child: () => logger };
    return logger;
  }
}
